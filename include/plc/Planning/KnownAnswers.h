//===- KnownAnswers.h - what plans that are tried have in common -*- C++ -*-===//
#ifndef PLC_PLANNING_KNOWNANSWERS_H
#define PLC_PLANNING_KNOWNANSWERS_H

#include "plc/Planner/KnownCuts.h"
#include "plc/Planner/KnownOrders.h"
#include "plc/Planner/Retention.h"
#include "plc/Planning/Passes.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plc::plan {

/// The stage of each unit of a model, and the micro-batches in flight that each stage is counted with.
struct Cut {
  std::vector<int64_t> stageOf, inFlight;
  bool operator==(const Cut &) const = default;
};

using Cuts = std::map<std::string, Cut>; ///< by model

/// What was found for partitions, ranks and orders, for other plans that ask for the same. Every plan is the same without.
struct KnownAnswers {
  explicit KnownAnswers(const planner::RetentionEffort &effort = {}) : ranks(effort) {}

  planner::KnownCuts partitions;
  planner::KnownRanks ranks;
  planner::KnownOrders orders;
  Cuts cuts; ///< of the plan that was cut last
};

/// Cuts that were chosen under a budget, by model: plans that differ in the bytes that ranks reserve have the same.
struct BudgetCuts {
  std::map<std::string, std::vector<int64_t>> stageOf;
  /// Those of which it is known that they do not fit, in the order in which they were tried. Memory is an estimate when cuts are made,
  /// so that others may fit; no more than `most` are tried.
  std::map<std::string, std::vector<std::vector<int64_t>>> refused{};
  size_t most = 2;
  bool isExhausted = false; ///< no other cut of a model is tried: that was chosen which had been refused first

  /// As before, but what was chosen is refused.
  BudgetCuts withoutChosen() const {
    BudgetCuts others{{}, refused, most};
    for (const auto &[model, cut] : stageOf)
      others.refused[model].push_back(cut);
    return others;
  }
};

/// The passes that look up, and add to, what is known; either may be null.
std::unique_ptr<mlir::Pass> createPlanPartition(PlanPartitionOptions options, std::shared_ptr<KnownAnswers> known,
                                                std::shared_ptr<BudgetCuts> cuts);
/// The cuts that `--plan-partition` would make of a module, which stays as it is; nothing if it would fail.
std::optional<Cuts> cutsOf(mlir::ModuleOp module, PlanPartitionOptions options, std::shared_ptr<KnownAnswers> known);

std::unique_ptr<mlir::Pass> createPlanSchedule(PlanScheduleOptions options, std::shared_ptr<KnownAnswers> known);
std::unique_ptr<mlir::Pass> createPlanRemat(PlanRematOptions options, std::shared_ptr<KnownAnswers> known);

} // namespace plc::plan

#endif
