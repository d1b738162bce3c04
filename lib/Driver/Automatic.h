//===- Automatic.h - parallelism.kind = "automatic" -------------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_AUTOMATIC_H
#define PLC_LIB_DRIVER_AUTOMATIC_H

#include "Lowering.h"

#include "plc/Driver/Phases.h"
#include "plc/Planner/Joint.h"
#include "plc/Strategy/Strategy.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace plc::driver {

/// What the joint plan found for a model.
struct AutomaticPlan {
  planner::JointAnswer answer;
  int64_t mostRanks = 1;
  /// Parts of the chosen step, in percent of it: the work shared evenly, what is computed again, the slowest rank's load
  /// above the mean, the time in which that rank waits for others' tasks, and what updates and the exchange of gradients and
  /// new values add.
  double work = 100, again = 0, uneven = 0, waiting = 0, updates = 0;
  /// What a better plan would need more of: "ranks", "layers", "micro-batches", "batch", "memory.budget", or "work" if
  /// nothing.
  const char *binds = "work";
  /// Values of keys that the search leaves as they are, and the step with them.
  struct Other {
    std::string sets; ///< as options: "--set gradient.lanes=4"
    int64_t ns = 0;
    bool changesBits = false;
  };
  std::vector<Other> others{};
};

/// Time of each rank for the tasks of a plan, what of all of it computes again, and when the last task ends.
struct StepLoads {
  std::vector<int64_t> ns;
  int64_t againNs = 0, tasksNs = 0;
};
/// Sets what the chosen step consists of, and what a better one would need.
void setParts(const StepLoads &loads, AutomaticPlan &plan);

/// Searches over whole plans of a program of a model (`planner::solveJoint`), within what the strategy says itself, and
/// writes the choice into the strategy. Returns the exit code; what is wrong is reported to `errors`. A narrow search moves no
/// borders, and searches no orders.
int planAutomatically(const Models &models, const Program &program, llvm::SourceMgr &sources,
                      strategy::Strategy &strategy, AutomaticPlan &plan, llvm::raw_ostream &errors,
                      bool isNarrow = false);

/// The best candidates as a table, fastest first, and how many others there are; what the chosen step consists of and what binds;
/// other keys that would help. Each line stands behind `prefix`.
void print(const AutomaticPlan &plan, llvm::StringRef prefix, llvm::raw_ostream &out);

/// "2 replicas of 4 stages on 4 ranks, 8 micro-batches, zbv".
std::string describe(const planner::JointChoice &choice);
/// The same, and ": step 23.8 ms".
std::string describe(const AutomaticPlan &plan);

} // namespace plc::driver

#endif
