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

/// What was found for partitions, stages and orders, for other plans that ask for the same. Every plan is the same without.
struct KnownAnswers {
  planner::KnownCuts partitions;
  planner::KnownRetentionBounds retentions;
  planner::KnownOrders orders;
};

/// The passes that look up, and add to, what is known; either may be null.
std::unique_ptr<mlir::Pass> createPlanPartition(PlanPartitionOptions options, std::shared_ptr<KnownAnswers> known);
std::unique_ptr<mlir::Pass> createPlanSchedule(PlanScheduleOptions options, std::shared_ptr<KnownAnswers> known);
std::unique_ptr<mlir::Pass> createPlanRemat(PlanRematOptions options, std::shared_ptr<KnownAnswers> known);

} // namespace plc::plan

#endif
