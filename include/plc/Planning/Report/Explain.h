//===- Explain.h - why a plan is as it is -----------------------*- C++ -*-===//
#ifndef PLC_PLANNING_REPORT_EXPLAIN_H
#define PLC_PLANNING_REPORT_EXPLAIN_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Schedule/Schedule.h"

#include "llvm/Support/raw_ostream.h"

namespace plc::plan {

/// What decides the time and the memory of a planned program. Each figure follows from the plan, and "without" from playing it
/// again with one thing changed. Times are of a step in its order, without help, of the first replica; lists have what is most first.
struct Explanation {
  struct Wait {
    std::string what; ///< "rank 1", "'x' from s0"
    int64_t ns = 0;
  };
  struct Share {
    std::string name;
    int64_t ns = 0;
  };
  /// All calls of a kernel on a rank.
  struct Kernel {
    std::string name, layer, line; ///< of the first call; "FILE:LINE", or empty
    int64_t ns = 0, calls = 0;
  };
  enum class Binding { work, channel, order, nothing };
  struct Rank {
    std::vector<std::string> stages{};
    int64_t busyNs = 0, doneEarlyNs = 0;
    std::vector<Wait> waits{}; ///< for ranks, then for values on their way
    Binding binding = Binding::nothing;
    std::string bindingBy{};    ///< the rank, or the value
    int64_t savedByTenthNs = 0; ///< of the step, if each task here took a tenth less
    int64_t recomputedNs = 0;   ///< of a micro-batch
    int64_t loopsNs = 0;        ///< of that, turns of loops
    int64_t withoutNs = 0;      ///< the step without it
    std::vector<Share> tasks{};
    std::vector<Kernel> kernels{};
  };
  /// What an arena holds at its peak: a place for the whole run, or a value of one or several micro-batches.
  struct Resident {
    std::string name, line;
    int64_t bytes = 0; ///< of all
    int64_t count = 1; ///< of micro-batches
  };
  struct Arena {
    int64_t rank = 0, bytes = 0, staticBytes = 0, idleBytes = 0;
    int64_t liveBytes = 0; ///< at the peak
    std::string peak{};    ///< when that is
    std::vector<Resident> residents{};
  };

  /// A stage, and the fastest cut that gives it one part more or less: a call of a body, or a kernel where cuts fall between these.
  struct Stage {
    std::string name, first, last; ///< parts
    int64_t rank = 0, layers = 0, ns = 0;
    std::string moved{}; ///< the part; empty: none can be moved
    int64_t movedTo = 0; ///< stage
    int64_t movedNs = 0; ///< of the slowest rank, then
  };

  std::string model{}, unit{}; ///< what cuts do not divide: "layer call" or "kernel"
  int64_t microBatches = 1;
  int64_t pipelineStages = 0; ///< which stages are parts of, where ranks share them or gradients leave early; else 0
  int64_t cutNs = 0, cutBoundNs = 0; ///< of the slowest rank, for a micro-batch
  std::vector<Stage> stages{};
  std::string fault{}; ///< why the step never ends; then there are no times
  int64_t stepNs = 0, boundNs = 0, withoutMessagesNs = 0, replicas = 1;
  std::string prepared{}; ///< before the first step
  planner::ScheduleProblem problem{};
  planner::Schedule schedule{};
  planner::Simulation simulation{};
  std::vector<Rank> ranks{};
  int64_t limitBytes = 0; ///< of an arena; 0: any
  std::vector<Arena> arenas{};
};

Explanation explain(ProgramOp program, int64_t limitBytes);

/// In lines of about so many columns, the step as a Gantt chart.
void print(const Explanation &explanation, int64_t columns, llvm::raw_ostream &out);
/// All of it, the step as a list of tasks.
void printJson(const Explanation &explanation, llvm::raw_ostream &out);

} // namespace plc::plan

#endif
