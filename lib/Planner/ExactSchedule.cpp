//===- ExactSchedule.cpp - optimal schedules of few jobs ------------------===//
#include "Frontier.h"
#include "Search.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace plc::planner;

namespace {

constexpr int64_t never = std::numeric_limits<int64_t>::max();

// Depth first over what runs next. Of the jobs that can be appended now the one that could end first, at `c` on rank r,
// tells the branches: some job of r that can start before c runs next there, because else that one could run before it
// and delay nothing. Where running a job early takes memory that another one needs (several forwards share a rank, or B
// takes more than it frees), r may also have to wait for a job that cannot be appended yet: then that is a branch, too,
// and r is promised to that job's chain.
//
// Two partial schedules of the same jobs leave the same ones to do and hold the same bytes, so one whose clocks and ends
// are nowhere later than the other's is as good.
class Search {
public:
  Search(const Jobs &jobs, const ForcedOrder &forced, int64_t nodes, TimedOrders &best)
      : jobs(jobs), forced(forced), nodes(nodes), best(best), frontier(jobs), promised(jobs.chainsOn.size(), -1),
        canBlock(jobs.chainsOn.size()), head(jobs.count) {
    now.resize(jobs.chainsOn.size());
    std::vector<int64_t> holders(canBlock.size());
    for (const ScheduleProblem::Stage &stage : jobs.problem.stages) {
      holders[stage.rank] += stage.heldByF > 0;
      if (!jobs.problem.capBytes.empty() && (holders[stage.rank] > 1 || stage.heldByB > stage.heldByF))
        canBlock[stage.rank] = true;
    }
  }

  bool run() {
    visit(0);
    return nodes > 0;
  }

private:
  struct Branch {
    int64_t chain, start; // start < 0: the rank is promised to the chain
  };

  void visit(int64_t makespan) {
    if (--nodes <= 0)
      return;
    if (frontier.isDone()) {
      if (makespan < best.makespan)
        best = {now, makespan};
      return;
    }
    if (bound() >= best.makespan || isDominated())
      return;
    for (const Branch &branch : branches()) {
      int64_t rank = jobs.rankOf(branch.chain), promise = promised[rank];
      if (branch.start < 0) {
        promised[rank] = branch.chain;
        visit(makespan);
      } else {
        int64_t clock = frontier.clock(rank), job = jobs.jobOf(branch.chain, frontier.next(branch.chain));
        promised[rank] = -1;
        frontier.run(branch.chain, branch.start);
        now[rank].push_back(job);
        visit(std::max(makespan, frontier.endOf(job)));
        now[rank].pop_back();
        frontier.undo(branch.chain, clock);
      }
      promised[rank] = promise;
    }
  }

  std::vector<Branch> branches() {
    int64_t first = never, at = -1;
    for (int64_t chain : jobs.chains) {
      int64_t rank = jobs.rankOf(chain);
      if (promised[rank] >= 0 && promised[rank] != chain)
        continue;
      if (std::optional<int64_t> start = frontier.earliest(chain); start && frontier.fits(chain))
        if (int64_t end = *start + jobs.ns[jobs.jobOf(chain, frontier.next(chain))]; end < first) {
          first = end;
          at = rank;
        }
    }
    std::vector<Branch> list;
    if (at < 0)
      return list;
    for (int64_t chain : jobs.chainsOn[at]) {
      if ((promised[at] >= 0 && promised[at] != chain) || frontier.next(chain) == jobs.microBatches)
        continue;
      std::optional<int64_t> start = frontier.earliest(chain);
      bool fits = frontier.fits(chain);
      if (start && fits && (*start < first || canBlock[at]))
        list.push_back({chain, *start});
      else if (!start && fits && canBlock[at] && promised[at] < 0)
        list.push_back({chain, -1});
      // A job without a time starts and ends at `first`.
      else if (start && fits && *start == first)
        list.push_back({chain, *start});
    }
    // Promising answers first: what starts early, backwards before forwards before W.
    auto key = [&](const Branch &branch) {
      TaskKind kind = jobs.kindOf(branch.chain);
      return std::tuple(branch.start < 0 ? never : branch.start, kind == TaskKind::W, kind == TaskKind::F);
    };
    std::stable_sort(list.begin(), list.end(), [&](const Branch &a, const Branch &b) { return key(a) < key(b); });
    return list;
  }

  int64_t bound() {
    for (int64_t job : forced.order) {
      int64_t chain = jobs.chainOf(job), rank = jobs.rankOf(chain);
      if (jobs.microBatchOf(job) < frontier.next(chain))
        continue;
      head[job] = std::max(forced.head[job], frontier.clock(rank));
      for (const ForcedOrder::Edge &edge : forced.into[job]) {
        int64_t end = frontier.endOf(edge.job);
        head[job] = std::max(head[job], (end < 0 ? head[edge.job] + jobs.ns[edge.job] : end) + edge.lag);
      }
    }
    int64_t bound = 0;
    for (const std::vector<int64_t> &chains : jobs.chainsOn) {
      std::vector<OneMachineJob> list;
      for (int64_t chain : chains)
        for (int64_t i = frontier.next(chain); i < jobs.microBatches; ++i)
          list.push_back(
              {head[jobs.jobOf(chain, i)], jobs.ns[jobs.jobOf(chain, i)], forced.tail[jobs.jobOf(chain, i)]});
      bound = std::max(bound, preemptiveMakespan(std::move(list)));
    }
    return bound;
  }

  // Compares with, and remembers, the times that what is left depends on.
  bool isDominated() {
    std::vector<int64_t> what(promised), times;
    for (int64_t chain : jobs.chains) {
      what.push_back(frontier.next(chain));
      for (const Jobs::Edge &edge : jobs.into[chain])
        for (int64_t i = frontier.next(chain); i < frontier.next(edge.chain); ++i)
          times.push_back(frontier.endOf(jobs.jobOf(edge.chain, i)));
    }
    for (size_t rank = 0; rank < promised.size(); ++rank)
      times.push_back(frontier.clock(rank));
    std::vector<std::vector<int64_t>> &known = seen[what];
    auto noLater = [](const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
      for (size_t k = 0; k < a.size(); ++k)
        if (a[k] > b[k])
          return false;
      return true;
    };
    for (const std::vector<int64_t> &other : known)
      if (noLater(other, times))
        return true;
    std::erase_if(known, [&](const std::vector<int64_t> &other) { return noLater(times, other); });
    known.push_back(std::move(times));
    return false;
  }

  const Jobs &jobs;
  const ForcedOrder &forced;
  int64_t nodes;
  TimedOrders &best;
  Frontier frontier;
  std::vector<int64_t> promised; // by rank: the chain that it must run next, or -1
  std::vector<bool> canBlock;    // by rank: whether a job that runs early may take the memory of another
  std::vector<int64_t> head;     // by job
  JobOrders now;
  std::map<std::vector<int64_t>, std::vector<std::vector<int64_t>>> seen;
};

} // namespace

bool plc::planner::solveExactly(const Jobs &jobs, const ForcedOrder &forced, int64_t nodes, TimedOrders &best) {
  return Search(jobs, forced, nodes, best).run();
}
