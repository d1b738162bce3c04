//===- BudgetCuts.h - what plans of one budget have in common ---*- C++ -*-===//
#ifndef PLC_PLANNING_BUDGETCUTS_H
#define PLC_PLANNING_BUDGETCUTS_H

#include "plc/Planner/Retention.h"
#include "plc/Planning/Passes.h"

#include <map>
#include <memory>

namespace plc::plan {

/// Cuts that were chosen under a budget, by model, and what their ranks compute again. Plans that differ in the bytes that
/// ranks reserve have the same cuts, and most ranks the same answers.
struct BudgetCuts {
  planner::KnownRanks known;
  std::map<std::string, std::vector<int64_t>> stageOf;
};

/// `--plan-partition` that looks up, and adds to, what it finds under a budget; the plan is the same without.
std::unique_ptr<mlir::Pass> createPlanPartition(PlanPartitionOptions options, std::shared_ptr<BudgetCuts> cuts);

} // namespace plc::plan

#endif
