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
      : jobs(jobs), priority(priority), patience(patience), frontier(jobs), choices(jobs.chainsOn.size()) {}

  TimedOrders run() {
    TimedOrders answer;
    answer.orders.resize(choices.size());
    for (size_t rank = 0; rank < choices.size(); ++rank)
      choices[rank] = choose(rank);
    while (!frontier.isDone()) {
      auto first = std::min_element(choices.begin(), choices.end(),
                                    [](const Choice &a, const Choice &b) { return a.free < b.free; });
      if (first->free == never)
        return {};
      int64_t chain = first->chain, rank = first - choices.begin();
      answer.orders[rank].push_back(jobs.jobOf(chain, frontier.next(chain)));
      frontier.run(chain, first->start);
      answer.makespan = std::max(answer.makespan, frontier.clock(rank));
      choices[rank] = choose(rank);
      for (const Jobs::Edge &edge : jobs.outOf[chain])
        if (int64_t other = jobs.rankOf(edge.chain); other != rank)
          choices[other] = choose(other);
    }
    return answer;
  }

private:
  struct Choice {
    int64_t free = never; // when the rank could first run something
    int64_t start = 0, chain = -1;
  };

  Choice choose(int64_t rank) {
    Choice choice;
    int64_t ended = never;
    for (int64_t chain : jobs.chainsOn[rank])
      if (std::optional<int64_t> start = frontier.earliest(chain); start && frontier.isSafe(chain)) {
        choice.free = std::min(choice.free, *start);
        ended = std::min(ended, *start + jobs.ns[jobs.jobOf(chain, frontier.next(chain))]);
      }
    int64_t best = never;
    for (int64_t chain : jobs.chainsOn[rank]) {
      std::optional<int64_t> start = frontier.earliest(chain);
      if (!start || *start > choice.free + (ended - choice.free) * patience / 100 || !frontier.isSafe(chain))
        continue;
      int64_t job = jobs.jobOf(chain, frontier.next(chain));
      if (priority[job] < best) {
        best = priority[job];
        choice.start = *start;
        choice.chain = chain;
      }
    }
    return choice;
  }

  const Jobs &jobs;
  const std::vector<int64_t> &priority;
  int64_t patience;
  Frontier frontier;
  std::vector<Choice> choices; // by rank
};

} // namespace

TimedOrders plc::planner::scheduleByList(const Jobs &jobs, const std::vector<int64_t> &priority, int64_t patience) {
  return ListScheduler(jobs, priority, patience).run();
}
