//===- ScheduleWindows.cpp - horizons that no schedule meets --------------===//
#include "ScheduleBound.h"
#include "ThetaTree.h"

#include <algorithm>
#include <numeric>

using namespace plc::planner;

namespace {

// The window of each job: from its head to the horizon less its tail. Each constraint shrinks windows by what it leaves
// of the others, until nothing changes or a window is too small for its job.
class Windows {
public:
  Windows(const Jobs &jobs, const ForcedOrder &forced)
      : jobs(jobs), forced(forced), outOf(forced.outOf()), on(jobs.chainsOn.size()) {
    for (size_t rank = 0; rank < on.size(); ++rank)
      for (int64_t chain : jobs.chainsOn[rank])
        for (int64_t i = 0; i < jobs.microBatches; ++i)
          on[rank].push_back(jobs.jobOf(chain, i));
  }

  /// Returns false only if no schedule ends by then.
  bool mayEnd(int64_t by) {
    horizon = by;
    // Each horizon starts anew: windows of another one do not hold for it.
    head = forced.head;
    tail = forced.tail;
    for (int pass = 0; pass < mostPasses; ++pass) {
      changed = false;
      followEdges(head, forced.into, forced.order.begin(), forced.order.end());
      followEdges(tail, outOf, forced.order.rbegin(), forced.order.rend());
      for (int64_t job : forced.order)
        if (head[job] + jobs.ns[job] + tail[job] > horizon)
          return false;
      // Tails are heads of the same jobs in reversed time.
      for (const std::vector<int64_t> &list : on)
        if (!narrowRank(list, head, tail) || !narrowRank(list, tail, head))
          return false;
      if (!changed)
        return true;
    }
    return true;
  }

private:
  static constexpr int mostPasses = 400; // a safety limit: fewer passes only weaken the bound

  void raise(int64_t &time, int64_t to) {
    changed = changed || to > time;
    time = std::max(time, to);
  }

  template <typename Iterator>
  void followEdges(std::vector<int64_t> &times, const Rows<ForcedOrder::Edge> &into, Iterator begin, Iterator end) {
    for (; begin != end; ++begin)
      for (const ForcedOrder::Edge &edge : into[*begin])
        raise(times[*begin], times[edge.job] + jobs.ns[edge.job] + edge.lag);
  }

  // Narrows the windows of one rank, which runs one job at a time. Detectable precedences: if a job cannot end before
  // another must start, it is behind it. Edge finding: a job that a set of jobs leaves no time for before its last
  // deadline is behind the set. Returns false if a set misses its deadline. O(n log n).
  bool narrowRank(const std::vector<int64_t> &list, std::vector<int64_t> &heads, const std::vector<int64_t> &tails) {
    size_t count = list.size();
    auto ns = [&](int64_t k) { return jobs.ns[list[k]]; };
    auto deadline = [&](int64_t k) { return horizon - tails[list[k]]; };
    auto sorted = [&](auto key) {
      std::vector<int64_t> order(count);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return key(a) < key(b); });
      return order;
    };
    std::vector<int64_t> byHead = sorted([&](int64_t k) { return heads[list[k]]; }), position(count), later(count);
    for (size_t k = 0; k < count; ++k) {
      position[byHead[k]] = k;
      later[k] = heads[list[k]];
    }
    std::vector<int64_t> byLatest = sorted([&](int64_t k) { return deadline(k) - ns(k); });
    // Detectable precedences: `before` has the jobs that must start before a job can end.
    ThetaTree before(count);
    std::vector<bool> isBefore(count);
    size_t next = 0;
    for (int64_t k : sorted([&](int64_t k) { return heads[list[k]] + ns(k); })) {
      for (; next < count && heads[list[k]] + ns(k) > deadline(byLatest[next]) - ns(byLatest[next]); ++next) {
        isBefore[byLatest[next]] = true;
        before.add(position[byLatest[next]], heads[list[byLatest[next]]], ns(byLatest[next]));
      }
      // A job is not before itself, so it leaves the set while its own head is found.
      if (isBefore[k])
        before.remove(position[k]);
      later[k] = std::max(later[k], before.end());
      if (isBefore[k])
        before.add(position[k], heads[list[k]], ns(k));
    }
    // Edge finding: from the last deadline on, jobs leave the set and become optional.
    ThetaTree set(count);
    for (size_t k = 0; k < count; ++k)
      set.add(position[k], heads[list[k]], ns(k));
    std::vector<int64_t> byDeadline = sorted([&](int64_t k) { return -deadline(k); });
    for (size_t n = 0; n < count; ++n) {
      int64_t k = byDeadline[n];
      if (set.end() > deadline(k))
        return false;
      set.addOptional(position[k], heads[list[k]], ns(k));
      while (n + 1 < count && set.endWithOne() > deadline(byDeadline[n + 1]) && set.theOne() >= 0) {
        int64_t behind = byHead[set.theOne()];
        later[behind] = std::max(later[behind], set.end());
        set.remove(position[behind]);
      }
    }
    for (size_t k = 0; k < count; ++k)
      raise(heads[list[k]], later[k]);
    return true;
  }

  const Jobs &jobs;
  const ForcedOrder &forced;
  Rows<ForcedOrder::Edge> outOf;        // by job
  std::vector<std::vector<int64_t>> on; // jobs, by rank
  std::vector<int64_t> head, tail;      // by job
  int64_t horizon = 0;
  bool changed = false;
};

} // namespace

int64_t plc::planner::boundByWindows(const Jobs &jobs, const ForcedOrder &forced, int64_t bound) {
  Windows windows(jobs, forced);
  if (windows.mayEnd(bound))
    return bound;
  // Doubling steps up to a horizon that is not refuted, then bisection to a thousandth. The first step, a 64th, is not
  // tuned.
  int64_t refuted = bound, step = std::max<int64_t>(bound / 64, 1), exact = bound / 1000;
  while (!windows.mayEnd(refuted + step)) {
    refuted += step;
    step *= 2;
  }
  for (int64_t open = refuted + step; open - refuted > exact + 1;) {
    int64_t middle = refuted + (open - refuted) / 2;
    (windows.mayEnd(middle) ? open : refuted) = middle;
  }
  return refuted + 1;
}
