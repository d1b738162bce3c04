//===- Explain.h - why a plan is as it is -----------------------*- C++ -*-===//
#ifndef PLC_PLANNING_REPORT_EXPLAIN_H
#define PLC_PLANNING_REPORT_EXPLAIN_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Schedule/Schedule.h"

#include "llvm/Support/raw_ostream.h"

namespace plc::plan {

/// What decides the time and the memory of a planned program. Every figure follows from the plan. A "without" figure
/// comes from playing the plan again with one thing changed. Times are those of a step in its order, without help from
/// idle workers, on the first replica. Lists start with the largest entry.
struct Explanation {
  struct Wait {
    std::string what; ///< "rank 1", "'x' from s0"
    int64_t ns = 0;
  };
  struct Share {
    std::string name;
    int64_t ns = 0;
  };
  /// All calls of a kernel on a rank, located by the first one.
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
    int64_t recomputedNs = 0;   ///< for each micro-batch
    int64_t loopsNs = 0;        ///< of that: iterations of loops
    int64_t withoutNs = 0;      ///< the step without recomputation
    std::vector<Share> tasks{};
    std::vector<Kernel> kernels{};
  };
  /// What an arena contains at its peak: a persistent buffer, or a value of one or more micro-batches.
  struct Resident {
    std::string name, line;
    int64_t bytes = 0; ///< of all micro-batches
    int64_t count = 1; ///< number of micro-batches
  };
  struct Arena {
    int64_t rank = 0, bytes = 0, persistentBytes = 0, idleBytes = 0;
    int64_t liveBytes = 0; ///< at the peak
    std::string peak{};    ///< when the peak is
    std::vector<Resident> residents{};
  };

  /// A stage, and the fastest cut that moves one node to or from it: a layer call, or a kernel where cuts fall between
  /// kernels.
  struct Stage {
    std::string name, first, last; ///< the stage, and its first and last node
    int64_t rank = 0, layers = 0, ns = 0;
    std::string moved{}; ///< the node; empty: none can move
    int64_t movedTo = 0; ///< the stage that would have it
    int64_t movedNs = 0; ///< the slowest rank's time, then
  };

  std::string model{}, unit{}; ///< unit of cuts: "layer call" or "kernel"
  int64_t microBatches = 1;
  int64_t pipelineStages = 0; ///< where ranks share stages or gradients leave early: stages before the division; else 0
  int64_t cutNs = 0, cutBoundNs = 0; ///< of the slowest rank, for a micro-batch
  std::vector<Stage> stages{};
  std::string fault{}; ///< why the step deadlocks; then there are no times
  int64_t stepNs = 0, boundNs = 0, withoutMessagesNs = 0, replicas = 1;
  std::string precomputed{}; ///< what runs before the first step
  planner::ScheduleProblem problem{};
  planner::Schedule schedule{};
  planner::Simulation simulation{};
  std::vector<Rank> ranks{};
  int64_t limitBytes = 0; ///< limit of an arena; 0: none
  std::vector<Arena> arenas{};
};

/// Explains a planned program whose arenas have the given limit (0: none).
Explanation explain(ProgramOp program, int64_t limitBytes);

/// Prints lines of about so many columns, with the step as a Gantt chart.
void print(const Explanation &explanation, int64_t columns, llvm::raw_ostream &out);
/// Prints everything as JSON, with the step as a list of tasks.
void printJson(const Explanation &explanation, llvm::raw_ostream &out);

} // namespace plc::plan

#endif
