//===- ScheduleBound.cpp - lower bounds of any schedule -------------------===//
#include "ScheduleBound.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>

using namespace plc::planner;

namespace {

// Above so many jobs, windows of all ranks together would take longer than the order itself.
constexpr int64_t windowJobs = 4096;
// Above so many jobs x chains, heads are longest paths alone and do not count work before a job. Not tuned: the counts
// take memory and time in proportion.
constexpr int64_t headCounts = 2'000'000;

// One machine that is never idle while a job waits. Its busy periods do not depend on the order of jobs, so jobs can be
// added in any order.
class BusyMachine {
public:
  void add(int64_t head, int64_t ns) {
    auto at = periods.upper_bound(head);
    if (at != periods.begin() && std::prev(at)->second >= head)
      (--at)->second += ns;
    else
      at = periods.emplace_hint(at, head, head + ns);
    for (auto next = std::next(at); next != periods.end() && next->first <= at->second; next = periods.erase(next))
      at->second += next->second - next->first;
  }
  int64_t end() const { return periods.empty() ? 0 : periods.rbegin()->second; }

private:
  std::map<int64_t, int64_t> periods; // from, to
};

// The least time before each job, or, on reversed edges, after it.
class Heads {
public:
  // `order` respects the edges and goes by micro-batches, forwards or backwards.
  Heads(const Jobs &jobs, const Rows<ForcedOrder::Edge> &into, const std::vector<int64_t> &order, bool reversed)
      : head(jobs.count), jobs(jobs), reversed(reversed), width(jobs.into.size()), lanes((width + 3) / 4) {
    bool counts = jobs.count <= headCounts / width;
    // Edges reach back so many micro-batches: older counts are overwritten.
    if (counts) {
      for (int64_t job : order)
        for (const ForcedOrder::Edge &edge : into[job])
          known = std::max(known, 1 + std::abs(jobs.microBatchOf(job) - jobs.microBatchOf(edge.job)));
      before.resize(known * width * lanes);
      seen.resize(width);
    }
    for (int64_t job : order) {
      for (const ForcedOrder::Edge &edge : into[job])
        head[job] = std::max(head[job], head[edge.job] + jobs.ns[edge.job] + edge.lag);
      if (!counts)
        continue;
      joinCounts(job, into[job]);
      head[job] = std::max(head[job], endOfThoseBefore(job));
    }
  }

  std::vector<int64_t> head;

private:
  // Position of a job in its chain; with reversed edges chains run backwards.
  int64_t placeOf(int64_t job) const {
    return reversed ? jobs.microBatches - 1 - jobs.microBatchOf(job) : jobs.microBatchOf(job);
  }
  int64_t jobAt(int64_t chain, int64_t position) const {
    return jobs.jobOf(chain, reversed ? jobs.microBatches - 1 - position : position);
  }

  // Counts of four chains as one vector: taking the larger of two counts dominates the time.
  union Counts {
    using Lanes = int32_t __attribute__((vector_size(16)));
    std::array<int32_t, 4> of{};
    Lanes all;

    void raise(const Counts &other) {
      Lanes isLess = all < other.all;
      all = (other.all & isLess) | (all & ~isLess);
    }
  };

  // By chain, how many of its first jobs precede a job. Only `known` micro-batches are stored: no edge reaches further
  // back.
  Counts *countsOf(int64_t job) {
    return &before[(jobs.microBatchOf(job) % known * width + jobs.chainOf(job)) * lanes];
  }
  int32_t &countOf(int64_t job, int64_t chain) { return countsOf(job)[chain / 4].of[chain % 4]; }

  void joinCounts(int64_t job, std::span<const ForcedOrder::Edge> edges) {
    Counts *mine = countsOf(job);
    if (edges.empty())
      std::fill_n(mine, lanes, Counts());
    for (size_t edge = 0; edge < edges.size(); ++edge) {
      const Counts *its = countsOf(edges[edge].job);
      if (edge == 0)
        std::copy_n(its, lanes, mine);
      for (int64_t lane = 0; edge && lane < lanes; ++lane)
        mine[lane].raise(its[lane]);
    }
    for (const ForcedOrder::Edge &edge : edges) {
      int32_t &own = countOf(job, jobs.chainOf(edge.job));
      own = std::max<int32_t>(own, placeOf(edge.job) + 1);
    }
  }

  // The earliest end of the jobs of a rank that precede a job, since a rank runs one at a time. Those of the next job
  // of the chain are the same and more, so each chain adds to one machine.
  int64_t endOfThoseBefore(int64_t job) {
    int64_t chain = jobs.chainOf(job);
    const std::vector<int64_t> &chains = jobs.chainsOn[jobs.rankOf(chain)];
    Seen &mine = seen[chain];
    mine.counts.resize(chains.size());
    for (size_t c = 0; c < chains.size(); ++c)
      for (int32_t &position = mine.counts[c]; position < countOf(job, chains[c]); ++position) {
        int64_t earlier = jobAt(chains[c], position);
        mine.machine.add(head[earlier], jobs.ns[earlier]);
      }
    return mine.machine.end();
  }

  const Jobs &jobs;
  bool reversed;
  int64_t width, lanes, known = 1; // chains, vectors of four chains, stored micro-batches
  std::vector<Counts> before;      // by stored micro-batch and chain: the counts of a job
  struct Seen {
    std::vector<int32_t> counts; // of each chain of the rank
    BusyMachine machine;
  };
  std::vector<Seen> seen; // by chain: the jobs of its rank before its latest job
};

struct OneMachineJob {
  int64_t head, ns, tail;
};

// The least makespan of one machine with heads and tails if jobs may be interrupted: always run the job with the
// longest tail (Jackson's rule). O(n log n).
int64_t preemptiveMakespan(std::vector<OneMachineJob> list) {
  std::stable_sort(list.begin(), list.end(), [](const auto &a, const auto &b) { return a.head < b.head; });
  std::priority_queue<std::pair<int64_t, int64_t>> ready; // tail and work left
  int64_t now = 0, makespan = 0;
  for (size_t next = 0; next < list.size() || !ready.empty();) {
    if (ready.empty())
      now = std::max(now, list[next].head);
    for (; next < list.size() && list[next].head <= now; ++next)
      ready.emplace(list[next].tail, list[next].ns);
    // The job with the longest tail runs until it ends or the next job arrives.
    auto [after, left] = ready.top();
    ready.pop();
    int64_t until = next < list.size() ? std::min(now + left, list[next].head) : now + left;
    if (until - now < left)
      ready.emplace(after, left - (until - now));
    else
      makespan = std::max(makespan, until + after);
    now = until;
  }
  return makespan;
}

// The larger one of: each rank as one machine, and each job with its head and tail.
int64_t boundOfRanks(const Jobs &jobs, const ForcedOrder &forced) {
  int64_t bound = 0;
  for (const std::vector<int64_t> &chains : jobs.chainsOn) {
    std::vector<OneMachineJob> list;
    for (int64_t chain : chains)
      for (int64_t i = 0; i < jobs.microBatches; ++i) {
        int64_t job = jobs.jobOf(chain, i);
        list.push_back({forced.head[job], jobs.ns[job], forced.tail[job]});
        bound = std::max(bound, forced.head[job] + jobs.ns[job] + forced.tail[job]);
      }
    bound = std::max(bound, preemptiveMakespan(std::move(list)));
  }
  return bound;
}

} // namespace

ForcedOrder::ForcedOrder(const Jobs &jobs) {
  std::vector<std::pair<int64_t, Edge>> edges;
  for (int64_t chain : jobs.chains)
    for (int64_t i = 0; i < jobs.microBatches; ++i) {
      int64_t job = jobs.jobOf(chain, i);
      if (i)
        edges.push_back({job, {jobs.jobOf(chain, i - 1), 0}});
      for (const Jobs::Edge &each : jobs.into[chain])
        edges.push_back({job, {jobs.jobOf(each.chain, i), jobs.lagOf(each, i)}});
    }
  into = Rows<Edge>(jobs.count, edges);
  for (int64_t i = 0; i < jobs.microBatches; ++i)
    for (int64_t chain : jobs.chains)
      order.push_back(jobs.jobOf(chain, i));
  head = Heads(jobs, into, order, false).head;
  tail = Heads(jobs, outOf(), {order.rbegin(), order.rend()}, true).head;
}

Rows<ForcedOrder::Edge> ForcedOrder::outOf() const {
  std::vector<std::pair<int64_t, Edge>> edges;
  for (int64_t job : order)
    for (const Edge &edge : into[job])
      edges.push_back({edge.job, {job, edge.lag}});
  return Rows<Edge>(into.count(), edges);
}

// Bounds each rank alone, with interruptible jobs and the heads and tails that other ranks and index order force.
// Jackson's preemptive schedule is optimal for that, so its makespan is a bound. Heads count paths, and the work on the
// rank itself that precedes a job. With few jobs, windows on all ranks together raise the bound (`boundByWindows`).
// O(jobs chains + jobs of a rank, for each of its chains, log n). Source: Carlier, "The one-machine sequencing
// problem", 1982.
int64_t ScheduleProblem::bound() const {
  Jobs jobs(*this);
  ForcedOrder forced(jobs);
  int64_t bound = boundOfRanks(jobs, forced);
  return jobs.count <= windowJobs ? boundByWindows(jobs, forced, bound) : bound;
}
