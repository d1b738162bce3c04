//===- ListSchedule.cpp - schedules by a rule of priority -----------------===//
#include "Frontier.h"
#include "Search.h"

#include <algorithm>
#include <limits>

using namespace plc::planner;

namespace {

constexpr int64_t never = std::numeric_limits<int64_t>::max();

class ListScheduler {
public:
  ListScheduler(const Jobs &jobs, const std::vector<int64_t> &priority, int64_t patience)
      : jobs(jobs), priority(priority), patience(patience), frontier(jobs), choices(jobs.chainsOn.size()),
        arrivals(jobs.into.size(), never) {}

  TimedOrders run() {
    TimedOrders answer;
    answer.orders.resize(choices.size());
    for (int64_t chain : jobs.chains)
      arrivals[chain] = frontier.arrival(chain).value_or(never);
    for (size_t rank = 0; rank < choices.size(); ++rank)
      choices[rank] = choose(rank);
    while (!frontier.isDone()) {
      auto first = std::min_element(choices.begin(), choices.end(),
                                    [](const Choice &a, const Choice &b) { return a.free < b.free; });
      if (first->free == never)
        return {};
      int64_t chain = first->chain, rank = first - choices.begin(), microBatch = frontier.next(chain);
      answer.orders[rank].push_back(jobs.jobOf(chain, microBatch));
      frontier.run(chain, first->start);
      answer.makespan = std::max(answer.makespan, frontier.clock(rank));
      arrivals[chain] = frontier.arrival(chain).value_or(never);
      for (const Jobs::Edge &edge : jobs.outOf[chain])
        if (frontier.next(edge.chain) == microBatch) // else it waits for others first
          arrivals[edge.chain] = frontier.arrival(edge.chain).value_or(never);
      choices[rank] = choose(rank);
      for (const Jobs::Edge &edge : jobs.outOf[chain])
        if (int64_t other = jobs.rankOf(edge.chain); other != rank && frontier.next(edge.chain) == microBatch)
          choices[other] = choose(other);
    }
    return answer;
  }

private:
  struct Choice {
    int64_t free = never; // when the rank could first run something
    int64_t start = 0, chain = -1;
  };
  // The next job of a chain that can run.
  struct Candidate {
    int64_t chain, job, start;
  };

  Choice choose(int64_t rank) {
    candidates.clear();
    Choice choice;
    int64_t clock = frontier.clock(rank), ended = never;
    for (int64_t chain : jobs.chainsOn[rank])
      if (arrivals[chain] != never && frontier.isSafe(chain)) {
        int64_t start = std::max(clock, arrivals[chain]), job = jobs.jobOf(chain, frontier.next(chain));
        choice.free = std::min(choice.free, start);
        ended = std::min(ended, start + jobs.ns[job]);
        candidates.push_back({chain, job, start});
      }
    int64_t best = never;
    for (const Candidate &each : candidates)
      if (each.start <= choice.free + (ended - choice.free) * patience / 100 && priority[each.job] < best) {
        best = priority[each.job];
        choice.start = each.start;
        choice.chain = each.chain;
      }
    return choice;
  }

  const Jobs &jobs;
  const std::vector<int64_t> &priority;
  int64_t patience;
  Frontier frontier;
  std::vector<Choice> choices;       // by rank
  std::vector<int64_t> arrivals;     // by chain, of what its next job depends on; or never
  std::vector<Candidate> candidates; // of the rank that chooses
};

} // namespace

TimedOrders plc::planner::scheduleByList(const Jobs &jobs, const std::vector<int64_t> &priority, int64_t patience) {
  return ListScheduler(jobs, priority, patience).run();
}
