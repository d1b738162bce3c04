//===- Improve.cpp - better schedules by moves on the longest path --------===//
#include "OrderTimes.h"
#include "Search.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace plc::planner;

namespace {

// Moves within the order of a rank; false if a job would pass one of its own chain, or the rank leave the memory: then the
// order is of no use.
class Moves {
public:
  explicit Moves(const Jobs &jobs) : jobs(jobs), inFlight(jobs.problem.stages.size()) {}

  /// The job at `from` goes to `to`.
  bool tryMove(std::vector<int64_t> &order, int64_t rank, int64_t from, int64_t to) {
    int64_t step = from < to ? 1 : -1;
    for (int64_t k = from + step; k != to + step; k += step)
      if (jobs.chainOf(order[k]) == jobs.chainOf(order[from]))
        return false;
    auto at = order.begin();
    if (from < to)
      std::rotate(at + from, at + from + 1, at + to + 1);
    else
      std::rotate(at + to, at + from, at + from + 1);
    return fits(order, rank);
  }

  /// The job at `from` and the next one change places, and so do, later or earlier, all neighbours of these two chains that are
  /// as many micro-batches apart: orders repeat themselves, and one turn that differs from the others is rarely better. Tells between
  /// which places.
  bool trySwapAll(std::vector<int64_t> &order, int64_t rank, int64_t from, bool later, int64_t &leftmost,
                  int64_t &rightmost) {
    int64_t first = jobs.chainOf(order[from]), second = jobs.chainOf(order[from + 1]);
    int64_t apart = order[from + 1] - order[from];
    if (first == second)
      return false;
    int64_t begin = later ? from : 0, end = later ? int64_t(order.size()) - 1 : from + 1;
    for (int64_t k = begin; k < end; ++k)
      if (jobs.chainOf(order[k]) == first && order[k + 1] - order[k] == apart && jobs.chainOf(order[k + 1]) == second) {
        std::swap(order[k], order[k + 1]);
        leftmost = std::min(leftmost, k);
        rightmost = std::max(rightmost, k + 1);
        ++k;
      }
    return fits(order, rank);
  }

private:
  bool fits(const std::vector<int64_t> &order, int64_t rank) {
    std::fill(inFlight.begin(), inFlight.end(), 0);
    int64_t held = 0;
    for (int64_t job : order) {
      int64_t chain = jobs.chainOf(job);
      const ScheduleProblem::Stage &stage = jobs.stageOf(chain);
      held += jobs.bytes[job];
      if (!jobs.problem.capBytes.empty() && held > jobs.problem.capBytes[rank])
        return false;
      int64_t &now = inFlight[chain / 3];
      if (jobs.kindOf(chain) == TaskKind::F)
        now += stage.last() != TaskKind::F;
      else
        now -= jobs.kindOf(chain) == stage.last();
      if (stage.inFlight && now > stage.inFlight)
        return false;
    }
    return true;
  }

  const Jobs &jobs;
  std::vector<int64_t> inFlight;
};

} // namespace

void plc::planner::improve(const Jobs &jobs, int64_t bound, int64_t steps, TimedOrders &best) {
  OrderTimes times(jobs);
  Moves moves(jobs);
  std::mt19937_64 random(1);
  TimedOrders now = best;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  std::vector<int64_t> kept;
  times.begin(now.orders);
  times.findPairs(pairs);
  // About the time of a task at first: wider, and nothing is left of what the start was good for.
  int64_t count = std::max<int64_t>(jobs.chains.size() * jobs.microBatches, 1);
  int64_t work = std::accumulate(jobs.ns.begin(), jobs.ns.end(), int64_t(0)), widest = work * 5 / 4 / count + 1;
  for (int64_t all = steps * count, left = all; left > 0 && best.makespan > bound && !pairs.empty();) {
    auto [rank, first] = pairs[random() % pairs.size()];
    std::vector<int64_t> &order = now.orders[rank];
    kept = order;
    left -= int64_t(order.size()) / 2 + 1;
    int64_t most = now.makespan + int64_t(double(widest) * double(left) / double(all)) * int64_t(random() % 100) / 100;
    int64_t leftmost = first, rightmost = first + 1; // of what is moved
    bool isMoved = false;
    if (random() % 8 == 0) {
      isMoved = moves.trySwapAll(order, rank, first, random() % 2, leftmost, rightmost);
    } else {
      // One of the pair goes past the other, and as far as a few places more.
      int64_t distance = 1 + (random() % 4 ? 0 : int64_t(random() % 8));
      bool forwards = random() % 2;
      int64_t from = forwards ? first : first + 1;
      int64_t to = std::clamp<int64_t>(forwards ? from + distance : from - distance, 0, int64_t(order.size()) - 1);
      leftmost = std::min(from, to);
      rightmost = std::max(from, to);
      isMoved =
          from != to && moves.tryMove(order, rank, from, to) && times.pathThrough(order, leftmost, rightmost) <= most;
    }
    if (isMoved) {
      std::optional<int64_t> makespan = times.tryOrder(order, leftmost, rightmost, most);
      if (makespan) {
        now.makespan = *makespan;
        times.keep();
        times.findPairs(pairs);
        if (*makespan < best.makespan)
          best = now;
      } else {
        order = kept;
        times.undo(order, leftmost, rightmost);
      }
    } else {
      order = kept;
    }
    left -= times.takeWork();
  }
}
