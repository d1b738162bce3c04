//===- SpecOp.cpp - verification of chosen plans --------------------------===//
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Schedule/TaskRows.h"

#include <set>

using namespace mlir;
using namespace plc;
using namespace plc::plan;

/// Whether each number from 0 to the largest occurs.
static bool leavesOutNone(ArrayRef<int64_t> numbers) {
  std::set<int64_t> seen(numbers.begin(), numbers.end());
  return !seen.empty() && *seen.begin() == 0 && *seen.rbegin() == int64_t(seen.size()) - 1;
}

static bool ascends(ArrayRef<int64_t> numbers) {
  return (numbers.empty() || numbers.front() >= 0) &&
         std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) == numbers.end();
}

LogicalResult SpecOp::verify() {
  // (C1)
  if (!leavesOutNone(getCut()))
    return emitOpError("leaves out a stage in its cut");
  int64_t stages = *llvm::max_element(getCut()) + 1;
  if (int64_t(getRanks().size()) != stages)
    return emitOpError("has ranks for ") << getRanks().size() << " stages but cuts into " << stages;
  if (!leavesOutNone(getRanks()))
    return emitOpError("leaves out a rank");
  // (C2)
  int64_t shards = getShards(), ranks = (*llvm::max_element(getRanks()) + 1) * shards;
  if (int64_t(getOrder().size()) != ranks)
    return emitOpError("has ") << getOrder().size() << " rows of tasks for " << ranks << " ranks";
  for (auto [rank, row] : llvm::enumerate(getOrder().getAsValueRange<StringAttr>())) {
    auto tasks = planner::readTasks(row);
    if (!tasks)
      return emitOpError("has a row that is no list of tasks as '0F0,1B2': '") << row << "'";
    std::set<std::tuple<int64_t, planner::TaskKind, int64_t>> seen;
    for (const planner::ScheduledTask &task : *tasks) {
      if (shards == 1 && (task.stage >= stages || getRanks()[task.stage] != int64_t(rank)))
        return emitOpError("runs stage ") << task.stage << " on rank " << rank << ", where it is not";
      if (!seen.insert({task.stage, task.kind, task.microBatch}).second)
        return emitOpError("runs ") << planner::describe(task) << " twice";
    }
  }
  // (C3)
  for (auto [name, list] : {std::pair("full", getFull()), std::pair("once", getOnce()), std::pair("each", getEach()),
                            std::pair("always", getAlways()), std::pair("saved", getSaved())})
    if (!ascends(list))
      return emitOpError("has a list '") << name << "' that does not ascend from 0 or more";
  return success();
}
