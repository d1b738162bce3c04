//===- BucketStages.cpp - stages whose gradients leave early ----------------===//
#include "BucketStages.h"

#include <map>

using namespace mlir;
using namespace plc::plan;

// The bucket of a unit is the one in which the middle of its time lies, if time is divided equally. Source of the idea: the
// buckets of Li et al., "PyTorch Distributed", 2020, which are filled by bytes, because there no plan knows times.
SharedStages plc::plan::bucketStages(const FlatProgram &flat, ArrayRef<int64_t> stageOf, ArrayRef<int64_t> rankOf,
                                     int64_t buckets) {
  std::vector<int64_t> ns(flat.units.size()), total(rankOf.size()), before(rankOf.size());
  for (const FlatCall &call : flat.calls)
    ns[call.unit] += KernelOp(call.kernel).getNs();
  for (auto [unit, stage] : llvm::enumerate(stageOf))
    total[stage] += ns[unit];
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> members; // by stage and bucket
  for (auto [unit, stage] : llvm::enumerate(stageOf)) {
    int64_t middle = before[stage] + ns[unit] / 2;
    members[{stage, total[stage] ? std::min(middle * buckets / total[stage], buckets - 1) : 0}].push_back(unit);
    before[stage] += ns[unit];
  }
  SharedStages divided{std::vector<int64_t>(stageOf.size()), {}, {}};
  for (const auto &[key, units] : members) {
    for (int64_t unit : units)
      divided.stageOf[unit] = divided.rankOf.size();
    divided.rankOf.push_back(rankOf[key.first]);
    divided.pipeline.push_back(key.first);
  }
  return divided;
}

bool plc::plan::hasSites(const FlatProgram &flat) {
  return llvm::any_of(flat.values, [](const FlatValue &value) { return value.origin == FlatValue::Site; });
}
