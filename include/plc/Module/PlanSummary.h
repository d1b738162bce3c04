//===- PlanSummary.h - what the planner decided, for people -----*- C++ -*-===//
#ifndef PLC_MODULE_PLANSUMMARY_H
#define PLC_MODULE_PLANSUMMARY_H

#include "plc/Module/ActionTable.h"
#include "plc/Module/ProcessMemory.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plc::module {

/// The decisions of a planned program, for people. Times in ns, sizes in bytes; -1 where a pass has not run yet.
struct PlanSummary {
  /// A stage: a run of layers on one rank.
  struct Stage {
    std::string name, firstLayer, lastLayer;
    int64_t rank = 0, layers = 0;
    int64_t flops = 0;      ///< of a step
    int64_t parameters = 0; ///< elements
    int64_t ns = 0;         ///< of one micro-batch
    int64_t peakBytes = -1; ///< of its rank's arena
    int64_t peakBoundBytes = -1;
    bool peakIsMinimal = false; ///< shown by a search where it is above the bound
  };
  /// A value that goes from one stage to another.
  struct Route {
    std::string source, destination, carries;
    Frequency per = Frequency::microBatch;
    int64_t bytes = 0;
  };

  /// Precomputed values (tasks STAGE.P): computed once, before the first step.
  struct Precomputed {
    int64_t calls = 0, ns = 0; ///< of all ranks; of the one that takes longest
    int64_t bytes = 0;         ///< kept, on all ranks
  };

  std::string program, schedule, remat, numericsKey;
  Precomputed precomputed;
  int64_t microBatches = 1, ranks = 1;
  int64_t stateBytes = 0; ///< kept from run to run, on all ranks
  std::vector<Stage> stages;
  std::vector<Route> routes;
  int64_t cutNs = -1, cutBoundNs = -1;
  int64_t stepNs = -1, stepBoundNs = -1;
  int64_t playedNs = -1; ///< of the step with messages, waits and updates; set when the action table exists
  std::map<std::string, int64_t> contractions; ///< number of kernels of contractions, by implementation
  double bubble = 0;                           ///< idle part of all ranks' time
  int64_t arenaBytes = -1;                     ///< of all ranks
  ProcessMemory process;                       ///< of a process with all ranks; set when the action table exists
  int64_t noneArenaBytes = -1;                 ///< the same without recomputation; set if that is planned too
  int64_t flops = 0, addedFlops = 0;           ///< of a step: without recomputation, and of it

  /// FLOPs of a step over those without recomputation.
  double addedFlopFactor() const { return flops ? double(flops + addedFlops) / double(flops) : 1; }
};

/// (answer - bound) / bound; 0 if either is missing or the bound is 0.
double gapOf(int64_t answer, int64_t bound);

/// The manifest's "plan", which is also the first line of logs; docs/module.md describes it.
std::string writePlan(const PlanSummary &summary);

} // namespace plc::module

#endif
