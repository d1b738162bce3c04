//===- ZeroBubbleV.cpp - the schedule zbv ---------------------------------===//
#include "plc/Planner/Schedule/Schedules.h"

#include <algorithm>
#include <array>

using namespace plc::planner;

namespace {

// The order of one rank, which has two chunks: one on the way out (0) and one on the way back (1).
class RankOrder {
public:
  RankOrder(const ScheduleProblem &problem, int64_t rank, std::vector<ScheduledTask> &order)
      : problem(problem), ranks(problem.numRanks()), rank(rank), order(order) {}

  // The counts need at least 2p - 1 micro-batches; missing ones are left out.
  void run() {
    // Warm-up: forwards out; pairs of one back and one out; then the first backwards.
    int64_t most = std::max(problem.microBatches, 2 * ranks - 1);
    repeat(2 * (ranks - rank) - 1, [&] { add(TaskKind::F, 0); });
    repeat(rank, [&] { add(TaskKind::F, 1), add(TaskKind::F, 0); });
    repeat(ranks - rank, [&] { add(TaskKind::F, 1), add(TaskKind::B, 1), add(TaskKind::W, 1); });
    // Steady state: one period for each micro-batch.
    while (done(TaskKind::F, 1) < done(TaskKind::F, 0) || done(TaskKind::F, 0) < most) {
      if (done(TaskKind::F, 0) < most)
        add(TaskKind::F, 0);
      add(TaskKind::B, 0), add(TaskKind::W, 0);
      add(TaskKind::F, 1), add(TaskKind::B, 1), add(TaskKind::W, 1);
    }
    // Drain: the backwards left, and the delayed W of both chunks.
    repeat(rank, [&] { add(TaskKind::B, 0), add(TaskKind::B, 1); });
    repeat(ranks - rank, [&] { add(TaskKind::B, 0), add(TaskKind::W, 0); });
    repeat(done(TaskKind::B, 1) - done(TaskKind::W, 1), [&] { add(TaskKind::W, 1); });
    repeat(done(TaskKind::B, 0) - done(TaskKind::W, 0), [&] { add(TaskKind::W, 0); });
  }

private:
  template <typename Body>
  static void repeat(int64_t times, Body body) {
    for (int64_t i = 0; i < times; ++i)
      body();
  }

  int64_t &done(TaskKind kind, int64_t chunk) { return counts[int(kind)][chunk]; }

  void add(TaskKind kind, int64_t chunk) {
    // A micro-batch that does not exist is counted and left out.
    int64_t stage = chunk ? 2 * ranks - 1 - rank : rank, microBatch = done(kind, chunk)++;
    if (microBatch < problem.microBatches && stage < int64_t(problem.stages.size()) &&
        problem.stages[stage].has[int(kind)])
      order.push_back({stage, kind, microBatch});
  }

  const ScheduleProblem &problem;
  int64_t ranks, rank;
  std::vector<ScheduledTask> &order;
  std::array<std::array<int64_t, 2>, 3> counts{}; // by TaskKind and chunk
};

} // namespace

// Stages go down the ranks and up again, so rank 0 has the first and the last one, and W fills the gaps between B and
// F.
//
// Memory: rank r of p has at most 2p-1-r micro-batches in flight on the way out and 1 + r on the way back. So each rank
// holds the bytes of 1F1B's first. Time: 6M + (p-1) for tasks of 1 and 2p <= M. The warm-up of rank r is 2(p-r)-1
// forwards out, then r pairs of one back and one out. A period is F, B, W out and F, B, W back; the last W are delayed.
// Source: Qi et al., "Zero Bubble Pipeline Parallelism", 2023; the counts are those of PyTorch's ScheduleZBVZeroBubble.
//
// p = 2, M = 3; stages 0 and 3 on rank 0, 1 and 2 on rank 1:
//
//   0f0 0f1 0f2 3f0 3b0 3w0 3f1 3b1 3w1 0b0 0w0 3f2 3b2 3w2 0b1 0w1 0b2 0w2
//   1f0 2f0 1f1 2f1 2b0 2w0 1f2 1b0 1w0 2f2 2b1 2w1 1b1 2b2 1b2 1w1 2w2 1w2
Status plc::planner::orderZBV(const ScheduleProblem &problem, Schedule &schedule) {
  schedule.ranks.assign(problem.numRanks(), {});
  for (size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    RankOrder(problem, rank, schedule.ranks[rank]).run();
  return std::nullopt;
}
