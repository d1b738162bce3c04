//===- ChooseUnderBudget.h - cuts that a budget's recomputation fits -*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_CHOOSEUNDERBUDGET_H
#define PLC_LIB_PLANNING_CHOOSEUNDERBUDGET_H

#include "plc/Planner/Partition.h"
#include "plc/Planning/KnownAnswers.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plc::plan {

/// What `chooseUnderBudget` needs to know beside a problem.
struct BudgetedModel {
  std::string name;
  int64_t limitBytes = 0; ///< of each rank
  BudgetCuts &cuts;       ///< of all models; gets what was chosen and refused
  planner::KnownCuts &known;
};

/// Nanoseconds that each stage of a cut computes again; nothing if a rank has no answer.
using TryCut = llvm::function_ref<std::optional<std::vector<int64_t>>(const planner::PartitionProblem &problem,
                                                                      const planner::Partition &cut)>;

/// The cut of which each rank has an answer, or else that which tells what is missing: what was refused first, needs the fewest
/// bytes, or is as fast as there is room for. `answer` is at first the one that the estimate chooses, and `least` that of the
/// fewest bytes, if it is known.
void chooseUnderBudget(const planner::PartitionProblem &problem, const planner::Partition &least,
                       const BudgetedModel &model, TryCut tryCut, planner::Partition &answer);

} // namespace plc::plan

#endif
