//===- CutSavings.cpp - what recomputation saves in each part -------------===//
#include "CutSavings.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/GroupSavings.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::SavingsProblem;

static SavingsProblem buildSavings(const FlatProgram &flat, ArrayRef<std::string> keepKinds) {
  SavingsProblem problem;
  for (const FlatValue &value : flat.values)
    problem.values.push_back({byteSize(value.type), false});
  for (const FlatCall &call : flat.calls)
    for (int64_t value : call.args)
      if (call.role != Role::F)
        problem.values[value].wanted = true;
  for (int64_t output : flat.outputs)
    problem.values[output] = {0, false};
  llvm::StringSet<> kept; // paths
  for (const FlatProgram::Instance &each : flat.layers)
    if (llvm::is_contained(keepKinds, each.kind))
      kept.insert(each.path);
  llvm::MapVector<StringAttr, int64_t> groups;
  for (const FlatCall &call : flat.calls) {
    if (call.role != Role::F)
      continue;
    int64_t group = groups.try_emplace(call.path, groups.size()).first->second;
    auto kernel = KernelOp(call.kernel);
    bool repeatable = kernel.getNumAccumulators() == 0 && !kept.contains(call.path.getValue());
    problem.calls.push_back({group, int64_t(kernel.getNs()), repeatable, call.args, call.results});
  }
  return problem;
}

void plc::plan::addSavings(const FlatProgram &flat, ArrayRef<std::string> keepKinds,
                           planner::PartitionProblem &problem) {
  auto savings = planner::groupSavings(buildSavings(flat, keepKinds));
  problem.prices = planner::savingsPrices;
  for (planner::PartitionProblem::Part &part : problem.parts)
    part.savings.resize(problem.prices);
  auto saving = savings.begin();
  for (const FlatCall &call : flat.calls) {
    if (call.role != Role::F)
      continue;
    for (auto [sum, each] : llvm::zip(problem.parts[call.unit].savings, *saving)) {
      sum.bytes += each.bytes;
      sum.ns += each.ns;
    }
    ++saving;
  }
}
