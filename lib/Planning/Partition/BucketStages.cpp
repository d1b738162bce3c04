//===- BucketStages.cpp - stages whose gradients leave early --------------===//
#include "BucketStages.h"

#include <map>

using namespace mlir;
using namespace plc::plan;

// Equal shares of the stage's time, because a plan knows times: a unit goes to the bucket that holds the middle of its
// own time. The idea is that of the buckets of Li et al., "PyTorch Distributed", 2020, which are filled by bytes.
std::vector<int32_t> plc::plan::divideStages(const FlatProgram &flat, int64_t buckets, search::PlanSpec &plan) {
  std::vector<int64_t> ns(flat.units.size()), total(plan.rankOf.size()), before(plan.rankOf.size());
  for (const FlatCall &call : flat.calls)
    ns[call.unit] += KernelOp(call.kernel).getNs();
  for (auto [unit, stage] : llvm::enumerate(plan.stageOf))
    total[stage] += ns[unit];
  // Each unit in program order: the time before it, and half of its own, say how far into the stage it lies.
  std::map<std::pair<int32_t, int64_t>, std::vector<int64_t>> members; // units, by stage and bucket
  for (auto [unit, stage] : llvm::enumerate(plan.stageOf)) {
    int64_t middle = before[stage] + ns[unit] / 2;
    members[{stage, total[stage] ? std::min(middle * buckets / total[stage], buckets - 1) : 0}].push_back(unit);
    before[stage] += ns[unit];
  }
  // Empty buckets have no entry, so the new stages are numbered without holes.
  std::vector<int32_t> rankOf, pipeline;
  for (const auto &[key, units] : members) {
    for (int64_t unit : units)
      plan.stageOf[unit] = int32_t(rankOf.size());
    rankOf.push_back(plan.rankOf[key.first]);
    pipeline.push_back(key.first);
  }
  plan.rankOf = std::move(rankOf);
  return pipeline;
}

bool plc::plan::hasSites(const FlatProgram &flat) {
  return llvm::any_of(flat.values, [](const FlatValue &value) { return value.origin == FlatValue::Site; });
}
