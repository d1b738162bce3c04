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
        followers(jobs.count), position(jobs.count), tail(jobs.count), keptEnd(jobs.count), later(jobs.count) {
    std::vector<std::pair<int64_t, Use>> uses;
    for (int64_t chain : jobs.chains)
      for (int64_t i = 0; i < jobs.microBatches; ++i) {
        dependences[jobs.jobOf(chain, i)] = jobs.into[chain].size();
        for (const Jobs::Edge &edge : jobs.outOf[chain])
          uses.push_back({jobs.jobOf(chain, i), {jobs.jobOf(edge.chain, i), jobs.lagOf(edge, i)}});
      }
    users = Rows<Use>(jobs.count, uses);
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
      int64_t job = queue[head];
      end[job] = start[job] + jobs.ns[job];
      makespan = std::max(makespan, end[job]);
      auto release = [&](int64_t other, int64_t at) {
        start[other] = std::max(start[other], at);
        if (--waits[other] == 0)
          queue.push_back(other);
      };
      for (const Use &use : users[job])
        release(use.job, end[job] + use.lag);
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

  /// Keeps the times of the order that was run last, as those that neighbours are compared with.
  void keep() {
    keptEnd = end;
    for (auto it = queue.rbegin(); it != queue.rend(); ++it) {
      int64_t job = *it, after = tailOfUsers(job);
      if (followers[job] >= 0)
        after = std::max(after, tail[followers[job]] + jobs.ns[followers[job]]);
      tail[job] = after;
    }
  }

  /// About the longest path through the jobs of a rank between two places, where alone its order differs from the one whose times
  /// are kept: what they depend on, and what depends on them, is taken to run as there. Exact for two neighbours, of
  /// whom no path leads from one to the other but by the rank; the makespan is no less then.
  int64_t pathThrough(const std::vector<int64_t> &order, size_t first, size_t last) {
    int64_t free = first ? keptEnd[order[first - 1]] : 0, longest = 0;
    for (size_t k = first; k <= last; ++k) {
      int64_t job = order[k], i = jobs.microBatchOf(job);
      for (const Jobs::Edge &edge : jobs.into[jobs.chainOf(job)])
        free = std::max(free, keptEnd[jobs.jobOf(edge.chain, i)] + jobs.lagOf(edge, i));
      free += jobs.ns[job];
      later[k - first] = free;
    }
    int64_t after = last + 1 < order.size() ? tail[order[last + 1]] + jobs.ns[order[last + 1]] : 0;
    for (size_t k = last + 1; k-- > first;) {
      after = std::max(after, tailOfUsers(order[k]));
      longest = std::max(longest, later[k - first] + after);
      after += jobs.ns[order[k]];
    }
    return longest;
  }

private:
  int64_t tailOfUsers(int64_t job) const {
    int64_t after = 0;
    for (const Use &use : users[job])
      after = std::max(after, tail[use.job] + jobs.ns[use.job] + use.lag);
    return after;
  }

  struct Use {
    int64_t job, lag;
  };
  const Jobs &jobs;
  Rows<Use> users;                                                                 // by job: what depends on it
  std::vector<int64_t> start, end, waits, dependences, followers, queue, position; // by job, but for the queue
  std::vector<int64_t> tail, keptEnd;                                              // by job, of the order that is kept
  std::vector<int64_t> later; // ends of the jobs that `pathThrough` looks at
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
  timing.findPairs(now.orders, timing.run(now.orders), pairs);
  timing.keep();
  // About the time of a task at first: wider, and nothing is left of what the start was good for.
  int64_t count = std::max<int64_t>(jobs.chains.size() * jobs.microBatches, 1);
  int64_t work = std::accumulate(jobs.ns.begin(), jobs.ns.end(), int64_t(0)), widest = work * 5 / 4 / count + 1;
  for (int64_t all = steps * count, left = all; left > 0 && best.makespan > bound && !pairs.empty();) {
    auto [rank, first] = pairs[random() % pairs.size()];
    std::vector<int64_t> &order = now.orders[rank];
    kept = order;
    left -= int64_t(order.size()) / 2 + 1;
    int64_t most = now.makespan + int64_t(double(widest) * double(left) / double(all)) * int64_t(random() % 100) / 100;
    bool isMoved = false;
    if (random() % 8 == 0) {
      isMoved = moves.trySwapAll(order, rank, first, random() % 2);
    } else {
      // One of the pair goes past the other, and as far as a few places more.
      int64_t distance = 1 + (random() % 4 ? 0 : int64_t(random() % 8));
      bool forwards = random() % 2;
      int64_t from = forwards ? first : first + 1;
      int64_t to = std::clamp<int64_t>(forwards ? from + distance : from - distance, 0, int64_t(order.size()) - 1);
      isMoved = from != to && moves.tryMove(order, rank, from, to) &&
                timing.pathThrough(order, std::min(from, to), std::max(from, to)) <= most;
    }
    int64_t makespan = -1;
    if (isMoved) {
      makespan = timing.run(now.orders);
      left -= count;
    }
    if (makespan < 0 || makespan > most) {
      order = kept;
      continue;
    }
    now.makespan = makespan;
    timing.findPairs(now.orders, makespan, pairs);
    timing.keep();
    left -= count;
    if (makespan < best.makespan)
      best = now;
  }
}
