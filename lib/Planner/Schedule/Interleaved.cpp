//===- Interleaved.cpp - the interleaved schedule -------------------------===//
#include "StageOrders.h"

#include "plc/Planner/Schedule/Schedules.h"

#include <algorithm>
#include <utility>

using namespace plc::planner;

namespace {

// The order of chunks and micro-batches on each rank. Micro-batches go in groups of the number of ranks, each group
// through all chunks; backward, through the chunks from the last one.
std::vector<std::pair<int64_t, int64_t>> groups(int64_t ranks, int64_t chunks, int64_t microBatches, bool backward) {
  std::vector<std::pair<int64_t, int64_t>> order; // chunk, micro-batch
  for (int64_t first = 0; first < microBatches; first += ranks)
    for (int64_t c = 0; c < chunks; ++c)
      for (int64_t i = first; i < first + ranks; ++i)
        order.emplace_back(backward ? chunks - 1 - c : c, i);
  return order;
}

/// The order of one rank: warm-up forwards, then forward and backward in turn, then the backwards left.
class RankOrder {
public:
  RankOrder(const ScheduleProblem &problem, int64_t rank, std::vector<ScheduledTask> &order)
      : problem(problem), rank(rank), ranks(problem.numRanks()), order(order) {}

  // Counts are for whole groups; of the last group, micro-batches that do not exist are left out.
  void run(int64_t chunks) {
    int64_t most = (problem.microBatches + ranks - 1) / ranks * ranks;
    auto forwards = groups(ranks, chunks, most, false), backwards = groups(ranks, chunks, most, true);
    int64_t count = forwards.size();
    // Each rank behind this one delays the first backward by two forwards; and all chunks but the last come before it.
    int64_t warmUp = std::min(count, 2 * (ranks - 1 - rank) + (chunks - 1) * ranks);
    for (int64_t k = 0; k < warmUp; ++k)
      add(TaskKind::F, forwards[k]);
    for (int64_t k = 0; k < count; ++k) {
      if (k + warmUp < count)
        add(TaskKind::F, forwards[k + warmUp]);
      add(TaskKind::B, backwards[k]);
      add(TaskKind::W, backwards[k]);
    }
  }

private:
  void add(TaskKind kind, std::pair<int64_t, int64_t> each) {
    int64_t stage = each.first * ranks + rank; // the last ranks may lack the last chunk
    if (each.second < problem.microBatches && stage < int64_t(problem.stages.size()) &&
        problem.stages[stage].has[int(kind)])
      order.push_back({stage, kind, each.second});
  }

  const ScheduleProblem &problem;
  int64_t rank, ranks;
  std::vector<ScheduledTask> &order;
};

} // namespace

// 1F1B over V chunks on each rank, so that the pipeline fills in chunks a V-th as long.
//
// Time: 3M + 3(p-1)/V on p ranks for F = 1, B + W = 2 of all chunks of a rank, if p divides M. Memory: rank r first
// runs 2(p-1-r) + (V-1)p forwards of a chunk, so it has about that many in flight, more than 1F1B by the fraction
// (p-1)/(pV). If p does not divide M, the order is that of the next multiple of p, without the missing micro-batches.
// Source: Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters", 2021.
//
// p = 2, V = 2, M = 2; stages 0 and 2 on rank 0:
//
//   0f0 0f1 2f0 2f1 2b0 2b1 0b0 0b1
//   1f0 1f1 3f0 3b0 3f1 3b1 1b0 1b1
Status plc::planner::orderInterleaved(const ScheduleProblem &problem, Schedule &schedule) {
  int64_t ranks = problem.numRanks(), chunks = (int64_t(problem.stages.size()) + ranks - 1) / ranks;
  // With one chunk on each rank this is 1F1B.
  if (chunks == 1)
    return order1F1B(problem, schedule);
  schedule.ranks.assign(ranks, {});
  for (int64_t rank = 0; rank < ranks; ++rank)
    RankOrder(problem, rank, schedule.ranks[rank]).run(chunks);
  return std::nullopt;
}
