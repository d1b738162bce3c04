//===- Summary.h - a plan for people and for the log ------------*- C++ -*-===//
#ifndef PLC_PLANNING_SUMMARY_H
#define PLC_PLANNING_SUMMARY_H

#include "plc/Dialect/Plan/Plan.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace plc::plan {

/// What a planned program decided. Times in ns, sizes in bytes; -1 where a pass has not run yet.
struct PlanSummary {
  struct Stage {
    std::string name, firstLayer, lastLayer;
    int64_t rank = 0, layers = 0;
    int64_t flops = 0;      ///< of a step
    int64_t parameters = 0; ///< elements
    int64_t ns = 0;         ///< of one micro-batch
    int64_t peakBytes = -1; ///< of its rank's arena
    int64_t peakBoundBytes = -1;
  };
  struct Route {
    std::string source, destination, carries, per;
    int64_t bytes = 0;
  };

  std::string program, schedule, remat;
  int64_t microBatches = 1, ranks = 1;
  std::vector<Stage> stages;
  std::vector<Route> routes;
  int64_t cutNs = -1, cutBoundNs = -1;
  int64_t stepNs = -1, stepBoundNs = -1;
  double bubble = 0;                 ///< idle part of all ranks' time
  int64_t arenaBytes = -1;           ///< of all ranks
  int64_t noneArenaBytes = -1;       ///< the same if nothing were recomputed: set by who has planned that too
  int64_t flops = 0, addedFlops = 0; ///< of a step: without recomputation, and of it
};

PlanSummary summarize(ProgramOp program);

/// (answer - bound) / bound; 0 if either is missing or the bound is 0.
double gapOf(int64_t answer, int64_t bound);

/// A table of stages, the routes, the schedule with its bubble, recomputation, and each gap with its bound.
void print(const PlanSummary &summary, llvm::raw_ostream &out);

/// The stages as a graph of Graphviz, an edge per route with its bytes.
void printDot(const PlanSummary &summary, llvm::raw_ostream &out);

/// The same, for the module's manifest and the first line of logs.
llvm::json::Object toJSON(const PlanSummary &summary);

} // namespace plc::plan

#endif
