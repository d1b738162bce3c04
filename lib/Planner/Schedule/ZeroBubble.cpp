//===- ZeroBubble.cpp - the schedules zb_h1 and zb_h2 ---------------------===//
#include "StageOrders.h"

#include "plc/Planner/Schedule/Schedules.h"

#include <algorithm>

using namespace plc::planner;

namespace {

// Stage s runs `warmUp` forwards, then F and B in turn as in 1F1B, and W of a micro-batch `delay` periods after its B:
// delayed W fills the bubbles at the end. In flight: warmUp + delay + 1.
void addStage(StageOrders &orders, int64_t s, int64_t microBatches, int64_t warmUp, int64_t delay) {
  warmUp = std::min(microBatches, warmUp);
  for (int64_t i = 0; i < warmUp; ++i)
    orders.addForward(s, i);
  for (int64_t i = 0; i < microBatches + delay; ++i) {
    // F runs `warmUp` periods ahead of B, W `delay` periods behind it.
    if (i + warmUp < microBatches)
      orders.addForward(s, i + warmUp);
    if (i < microBatches)
      orders.add(s, TaskKind::B, i);
    if (i >= delay)
      orders.add(s, TaskKind::W, i - delay);
  }
}

// `times` the warm-up of 1F1B. W is delayed so that all stages have equally many micro-batches in flight.
Status orderZeroBubble(const ScheduleProblem &problem, int64_t times, Schedule &schedule) {
  if (isForwardOnly(problem))
    return orderGPipe(problem, schedule);
  StageOrders orders(problem);
  int64_t stages = problem.stages.size();
  for (int64_t s = 0; s < stages; ++s)
    addStage(orders, s, problem.microBatches, times * (stages - 1 - s), times * s);
  return orders.mergeOnRanks(schedule);
}

} // namespace

// The forwards and backwards of 1F1B. W is delayed until each stage has as many micro-batches in flight as the first
// one of 1F1B: min(M, S). Time: 3M + (S-1) for F = B = W = 1 and M >= S, a third of 1F1B's bubble. Source: Qi et al.,
// "Zero Bubble Pipeline Parallelism", 2023.
//
// S = 3, M = 4: f, b and w of each stage
//
//   f0 f1 f2 b0 w0 f3 b1 w1 b2 w2 b3 w3
//   f0 f1 b0 f2 b1 w0 f3 b2 w1 b3 w2 w3
//   f0 b0 f1 b1 f2 b2 w0 f3 b3 w1 w2 w3
Status plc::planner::orderZBH1(const ScheduleProblem &problem, Schedule &schedule) {
  return orderZeroBubble(problem, 1, schedule);
}

// Twice the warm-up, so that no stage waits for its first B if the optimizer does not interrupt the stream of
// micro-batches. Memory: min(M, 2S-1) in flight. Here each step ends with an update, so equal tasks take the time of
// zb_h1; it gains where B takes longer than F. Source: as above.
Status plc::planner::orderZBH2(const ScheduleProblem &problem, Schedule &schedule) {
  return orderZeroBubble(problem, 2, schedule);
}
