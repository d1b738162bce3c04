//===- OneForwardOneBackward.cpp - the schedules gpipe and 1f1b -----------===//
#include "StageOrders.h"

#include "plc/Planner/Schedule/Schedules.h"

#include <algorithm>

using namespace plc::planner;

// All forwards, then all backwards, both in index order. Memory: all micro-batches in flight. Time: optimal for equal
// stages, 3M + 3(S-1) for F = 1, B + W = 2. Source: Huang et al., "GPipe", 2019.
//
// S = 3, M = 4, one row per stage:
//
//   0 1 2 3 . . . . 0 0 1 1 ...     forwards, then backwards
//   . 0 1 2 3 . . 0 0 1 1 ...
//   . . 0 1 2 3 0 0 1 1 ...
Status plc::planner::orderGPipe(const ScheduleProblem &problem, Schedule &schedule) {
  StageOrders orders(problem);
  for (size_t s = 0; s < problem.stages.size(); ++s) {
    for (int64_t i = 0; i < problem.microBatches; ++i)
      orders.addForward(s, i);
    for (int64_t i = 0; i < problem.microBatches; ++i)
      orders.addBackward(s, i);
  }
  return orders.mergeOnRanks(schedule);
}

// Stage s of S runs min(M, S-1-s) forwards, then one forward and one backward in turn, then the backwards left. Memory:
// min(M, S-s) in flight. Time: that of GPipe for equal stages. Source: Narayanan et al., "PipeDream", 2019, with flush.
//
// S = 3, M = 4: f and b of each stage
//
//   f0 f1 f2 b0 f3 b1 b2 b3         warm-up of S-1-s forwards, then pairs, then the backwards left
//   f0 f1 b0 f2 b1 f3 b2 b3
//   f0 b0 f1 b1 f2 b2 f3 b3
Status plc::planner::order1F1B(const ScheduleProblem &problem, Schedule &schedule) {
  // Without backward tasks the two schedules are one.
  if (isForwardOnly(problem))
    return orderGPipe(problem, schedule);
  StageOrders orders(problem);
  int64_t stages = problem.stages.size(), microBatches = problem.microBatches;
  for (int64_t s = 0; s < stages; ++s) {
    // The last stage has no warm-up: its backward follows each forward.
    int64_t warmUp = std::min(microBatches, stages - 1 - s);
    for (int64_t i = 0; i < warmUp; ++i)
      orders.addForward(s, i);
    for (int64_t i = warmUp; i < microBatches; ++i) {
      orders.addForward(s, i);
      orders.addBackward(s, i - warmUp);
    }
    for (int64_t i = microBatches - warmUp; i < microBatches; ++i)
      orders.addBackward(s, i);
  }
  return orders.mergeOnRanks(schedule);
}
