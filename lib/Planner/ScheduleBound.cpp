//===- ScheduleBound.cpp - a time that no schedule goes below -------------===//
#include "ScheduleBound.h"
#include "ScheduleEffort.h"

#include <algorithm>
#include <array>
#include <map>
#include <queue>

using namespace plc::planner;

namespace {

// What must end before what, among all jobs: dependences, index order, and what memory forces.
//
// When F of micro-batch i starts, the micro-batches of its stage that have not left are the last ones before i, because
// each chain runs in index order. Two sums over those must fit beside i's own bytes:
//
//   not through B:  each holds what F holds, on this stage and on those of its rank that ran F before it and run B
//                   after it (the outer chunks);
//   not through W:  each holds at least the less of what F holds and what B holds, on this stage.
//
// So the micro-batches before the longest such run that fits have left. Residuals that B and W free apart make two
// edges for one F; neither is implied by the other.
class Precedence {
public:
  using Edge = ForcedOrder::Edge;

  explicit Precedence(const Jobs &jobs) : jobs(jobs), reach(reachability()) {
    for (int64_t chain : jobs.chains)
      for (int64_t i = 0; i < jobs.microBatches; ++i) {
        int64_t job = jobs.jobOf(chain, i);
        if (i)
          edges.push_back({job, {jobs.jobOf(chain, i - 1), 0}});
        for (const Jobs::Edge &each : jobs.into[chain])
          edges.push_back({job, {jobs.jobOf(each.chain, i), jobs.lagOf(each, i)}});
      }
    for (int64_t chain : jobs.chains)
      if (jobs.kindOf(chain) == TaskKind::F && jobs.stageOf(chain).last() != TaskKind::F)
        addMemory(chain / 3);
  }

  std::vector<std::pair<int64_t, Edge>> edges; ///< into jobs

private:
  // Whether a chain comes before another, for one micro-batch.
  std::vector<std::vector<bool>> reachability() {
    std::vector<std::vector<bool>> before(jobs.into.size(), std::vector<bool>(jobs.into.size()));
    for (int64_t chain : jobs.chains)
      for (const Jobs::Edge &each : jobs.into[chain]) {
        before[chain][each.chain] = true;
        for (size_t other = 0; other < before.size(); ++other)
          if (before[each.chain][other])
            before[chain][other] = true;
      }
    return before;
  }

  void addMemory(int64_t stage) {
    const ScheduleProblem &problem = jobs.problem;
    const ScheduleProblem::Stage &own = problem.stages[stage];
    int64_t end = ScheduleProblem::nodeOf(stage, own.last());
    if (own.inFlight)
      for (int64_t i = own.inFlight; i < jobs.microBatches; ++i)
        addLeft(stage, i, end, i - own.inFlight);
    if (problem.capBytes.empty())
      return;
    int64_t throughB = own.heldByF, throughW = own.has[1] && own.has[2] ? std::min(own.heldByF, own.heldByB) : 0;
    int64_t f = ScheduleProblem::nodeOf(stage, TaskKind::F), b = ScheduleProblem::nodeOf(stage, TaskKind::B);
    for (size_t outer = 0; own.has[1] && outer < problem.stages.size(); ++outer) {
      const ScheduleProblem::Stage &other = problem.stages[outer];
      if (int64_t(outer) != stage && other.rank == own.rank && other.has[0] && other.has[1] &&
          reach[f][ScheduleProblem::nodeOf(outer, TaskKind::F)] &&
          reach[ScheduleProblem::nodeOf(outer, TaskKind::B)][b])
        throughB += other.heldByF;
    }
    addCap(stage, throughB, own.has[1] ? b : end, throughB);
    if (throughW)
      addCap(stage, throughW, end, own.heldByF);
  }

  // When F of micro-batch i starts, the rank holds `own` bytes of it beside `each` of every earlier one that has not ended
  // `chain`. Of a smaller micro-batch both are less.
  void addCap(int64_t stage, int64_t each, int64_t chain, int64_t own) {
    int64_t cap = jobs.problem.capBytes[jobs.problem.stages[stage].rank];
    int64_t first = 0, held = 0; // of the run that fits, [first, i)
    for (int64_t i = 0; i < jobs.microBatches; ++i) {
      while (first < i && held + jobs.problem.scaled(own, i) > cap)
        held -= jobs.problem.scaled(each, first++);
      if (first)
        addLeft(stage, i, chain, first - 1);
      held += jobs.problem.scaled(each, i);
    }
  }

  void addLeft(int64_t stage, int64_t i, int64_t chain, int64_t left) {
    edges.push_back({jobs.jobOf(ScheduleProblem::nodeOf(stage, TaskKind::F), i), {jobs.jobOf(chain, left), 0}});
  }

  const Jobs &jobs;
  std::vector<std::vector<bool>> reach;
};

// One machine that is never idle while a job waits: it is busy at the same times in whatever order it takes them.
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

// The least time before each job, or, on the reversed graph, after it.
class Heads {
public:
  // `order` respects the edges, and goes by micro-batches, or backwards.
  Heads(const Jobs &jobs, const Rows<Precedence::Edge> &into, const std::vector<int64_t> &order, bool reversed)
      : head(jobs.count), jobs(jobs), reversed(reversed), width(jobs.into.size()), lanes((width + 3) / 4) {
    bool counts = jobs.count <= ScheduleEffort::headCounts / width;
    if (counts) {
      for (int64_t job : order)
        for (const Precedence::Edge &edge : into[job])
          known = std::max(known, 1 + std::abs(jobs.microBatchOf(job) - jobs.microBatchOf(edge.job)));
      before.resize(known * width * lanes);
      seen.resize(width);
    }
    for (int64_t job : order) {
      for (const Precedence::Edge &edge : into[job])
        head[job] = std::max(head[job], head[edge.job] + jobs.ns[edge.job] + edge.lag);
      if (!counts)
        continue;
      joinCounts(job, into[job]);
      head[job] = std::max(head[job], endOfThoseBefore(job));
    }
  }

  std::vector<int64_t> head;

private:
  // In the reversed graph chains run backwards.
  int64_t placeOf(int64_t job) const {
    return reversed ? jobs.microBatches - 1 - jobs.microBatchOf(job) : jobs.microBatchOf(job);
  }
  int64_t jobAt(int64_t chain, int64_t place) const {
    return jobs.jobOf(chain, reversed ? jobs.microBatches - 1 - place : place);
  }

  // Of four chains: most of the time goes into the larger of two.
  union Counts {
    using Lanes = int32_t __attribute__((vector_size(16)));
    std::array<int32_t, 4> of{};
    Lanes all;

    void raise(const Counts &other) {
      Lanes isLess = all < other.all;
      all = (other.all & isLess) | (all & ~isLess);
    }
  };

  // How many of each chain's first jobs come before a job. No edge comes from a micro-batch that is not known any more.
  Counts *countsOf(int64_t job) {
    return &before[(jobs.microBatchOf(job) % known * width + jobs.chainOf(job)) * lanes];
  }
  int32_t &countOf(int64_t job, int64_t chain) { return countsOf(job)[chain / 4].of[chain % 4]; }

  void joinCounts(int64_t job, std::span<const Precedence::Edge> edges) {
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
    for (const Precedence::Edge &edge : edges) {
      int32_t &own = countOf(job, jobs.chainOf(edge.job));
      own = std::max<int32_t>(own, placeOf(edge.job) + 1);
    }
  }

  // The jobs of a rank that come before one of its jobs run one at a time. Those before the next one of its chain are the
  // same and some more.
  int64_t endOfThoseBefore(int64_t job) {
    int64_t chain = jobs.chainOf(job);
    const std::vector<int64_t> &chains = jobs.chainsOn[jobs.rankOf(chain)];
    Seen &mine = seen[chain];
    mine.counts.resize(chains.size());
    for (size_t c = 0; c < chains.size(); ++c)
      for (int32_t &place = mine.counts[c]; place < countOf(job, chains[c]); ++place) {
        int64_t earlier = jobAt(chains[c], place);
        mine.machine.add(head[earlier], jobs.ns[earlier]);
      }
    return mine.machine.end();
  }

  const Jobs &jobs;
  bool reversed;
  int64_t width, lanes, known = 1; // chains, alone and by four, and micro-batches of which counts are known
  std::vector<Counts> before;      // per known micro-batch and chain, a job: its counts
  struct Seen {
    std::vector<int32_t> counts; // of each chain of the rank
    BusyMachine machine;
  };
  std::vector<Seen> seen; // by chain: the jobs of its rank before the latest one of the chain
};

} // namespace

int64_t plc::planner::preemptiveMakespan(std::vector<OneMachineJob> list) {
  std::stable_sort(list.begin(), list.end(), [](const auto &a, const auto &b) { return a.head < b.head; });
  std::priority_queue<std::pair<int64_t, int64_t>> ready; // tail and work left
  int64_t now = 0, makespan = 0;
  for (size_t next = 0; next < list.size() || !ready.empty();) {
    if (ready.empty())
      now = std::max(now, list[next].head);
    for (; next < list.size() && list[next].head <= now; ++next)
      ready.emplace(list[next].tail, list[next].ns);
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

ForcedOrder::ForcedOrder(const Jobs &jobs) {
  into = Rows<Edge>(jobs.count, Precedence(jobs).edges);
  // By micro-batches first: an edge of memory leads from a backward task of an earlier one to F.
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

int64_t plc::planner::boundOfRanks(const Jobs &jobs, const ForcedOrder &forced) {
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

int64_t plc::planner::boundOf(const Jobs &jobs, const ForcedOrder &forced) {
  int64_t bound = boundOfRanks(jobs, forced);
  return jobs.count <= ScheduleEffort::windowJobs ? boundByWindows(jobs, forced, bound) : bound;
}

// Each rank alone, its jobs interruptible, with the least time before and after each job (heads and tails) that the other
// ranks, index order and memory force: Jackson's preemptive schedule is optimal for that, so its makespan is a bound.
// Where there are few jobs, their windows on all ranks together make it larger (`boundByWindows`). Heads count, beside
// paths, the work on the rank itself that comes before a job. O(jobs chains + jobs of a rank, for each of its chains, log n).
// Source: Carlier, "The one-machine sequencing problem", 1982.
int64_t ScheduleProblem::bound() const {
  Jobs jobs(*this);
  return boundOf(jobs, ForcedOrder(jobs));
}
