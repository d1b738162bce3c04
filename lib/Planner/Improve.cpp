//===- Improve.cpp - better schedules by moves on the longest path --------===//
#include "Search.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace plc::planner;

namespace {

// Times of an order, and its longest path, made anew for each neighbour.
class Timing {
public:
  explicit Timing(const Jobs &jobs)
      : jobs(jobs), start(jobs.count), end(jobs.count), waits(jobs.count), dependences(jobs.count),
        followers(jobs.count), position(jobs.count) {
    for (int64_t chain : jobs.chains)
      for (int64_t i = 0; i < jobs.microBatches; ++i)
        dependences[jobs.jobOf(chain, i)] = jobs.into[chain].size();
    queue.reserve(jobs.count);
  }

  /// The makespan; -1 if the order never ends.
  int64_t run(const JobOrders &orders) {
    waits = dependences;
    queue.clear();
    for (const std::vector<int64_t> &order : orders)
      for (size_t k = 0; k < order.size(); ++k) {
        start[order[k]] = 0;
        followers[order[k]] = k + 1 < order.size() ? order[k + 1] : -1;
        waits[order[k]] += k > 0;
        if (!waits[order[k]])
          queue.push_back(order[k]);
      }
    int64_t makespan = 0;
    for (size_t head = 0; head < queue.size(); ++head) {
      int64_t job = queue[head], i = jobs.microBatchOf(job);
      end[job] = start[job] + jobs.ns[job];
      makespan = std::max(makespan, end[job]);
      auto release = [&](int64_t other, int64_t at) {
        start[other] = std::max(start[other], at);
        if (--waits[other] == 0)
          queue.push_back(other);
      };
      for (const Jobs::Edge &edge : jobs.outOf[jobs.chainOf(job)])
        release(jobs.jobOf(edge.chain, i), end[job] + jobs.lagOf(edge, i));
      if (followers[job] >= 0)
        release(followers[job], end[job]);
    }
    size_t all = jobs.chains.size() * jobs.microBatches;
    return queue.size() == all ? makespan : -1;
  }

  /// Places (rank, position) whose job and the next one of the rank both lie on one longest path.
  void findPairs(const JobOrders &orders, int64_t makespan, std::vector<std::pair<int64_t, int64_t>> &pairs) {
    pairs.clear();
    int64_t job = -1;
    for (size_t rank = 0; rank < orders.size(); ++rank)
      for (size_t k = 0; k < orders[rank].size(); ++k) {
        position[orders[rank][k]] = k;
        if (end[orders[rank][k]] == makespan)
          job = orders[rank][k];
      }
    while (job >= 0) {
      int64_t rank = jobs.rankOf(jobs.chainOf(job)), k = position[job], i = jobs.microBatchOf(job), before = -1;
      if (k && end[orders[rank][k - 1]] == start[job]) {
        before = orders[rank][k - 1];
        pairs.emplace_back(rank, k - 1);
      } else {
        for (const Jobs::Edge &edge : jobs.into[jobs.chainOf(job)])
          if (int64_t other = jobs.jobOf(edge.chain, i); end[other] + jobs.lagOf(edge, i) == start[job])
            before = other;
      }
      job = before;
    }
  }

private:
  const Jobs &jobs;
  std::vector<int64_t> start, end, waits, dependences, followers, queue, position; // by job, but for the queue
};

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
  /// as many micro-batches apart: orders repeat themselves, and one turn that differs from the others is rarely better.
  bool trySwapAll(std::vector<int64_t> &order, int64_t rank, int64_t from, bool later) {
    int64_t first = jobs.chainOf(order[from]), second = jobs.chainOf(order[from + 1]);
    int64_t apart = order[from + 1] - order[from];
    if (first == second)
      return false;
    int64_t begin = later ? from : 0, end = later ? int64_t(order.size()) - 1 : from + 1;
    for (int64_t k = begin; k < end; ++k)
      if (jobs.chainOf(order[k]) == first && order[k + 1] - order[k] == apart && jobs.chainOf(order[k + 1]) == second) {
        std::swap(order[k], order[k + 1]);
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
  Timing timing(jobs);
  Moves moves(jobs);
  std::mt19937_64 random(1);
  TimedOrders now = best;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  std::vector<int64_t> kept;
  auto look = [&] { timing.findPairs(now.orders, timing.run(now.orders), pairs); };
  look();
  // About the time of a task at first: wider, and nothing is left of what the start was good for.
  int64_t work = std::accumulate(jobs.ns.begin(), jobs.ns.end(), int64_t(0));
  int64_t widest = work * 5 / 4 / std::max<int64_t>(jobs.chains.size() * jobs.microBatches, 1) + 1;
  for (int64_t step = 0; step < steps && best.makespan > bound && !pairs.empty(); ++step) {
    auto [rank, first] = pairs[random() % pairs.size()];
    std::vector<int64_t> &order = now.orders[rank];
    kept = order;
    int64_t makespan = -1;
    if (random() % 4 == 0) {
      if (moves.trySwapAll(order, rank, first, random() % 2))
        makespan = timing.run(now.orders);
    } else {
      // One of the pair goes past the other, and as far as a few places more.
      int64_t distance = 1 + (random() % 4 ? 0 : int64_t(random() % 8));
      bool forwards = random() % 2;
      int64_t from = forwards ? first : first + 1;
      int64_t to = std::clamp<int64_t>(forwards ? from + distance : from - distance, 0, int64_t(order.size()) - 1);
      if (from != to && moves.tryMove(order, rank, from, to))
        makespan = timing.run(now.orders);
    }
    int64_t threshold = widest * (steps - step) / steps;
    if (makespan < 0 || makespan > now.makespan + threshold * int64_t(random() % 100) / 100) {
      order = kept;
      continue;
    }
    now.makespan = makespan;
    timing.findPairs(now.orders, makespan, pairs);
    if (makespan < best.makespan)
      best = now;
  }
}
