//===- RepeatTurns.cpp - orders made from those of fewer micro-batches ----===//
#include "ScheduleEffort.h"
#include "Search.h"

#include <algorithm>

using namespace plc::planner;

namespace {

// When the jobs of an order that ends start.
std::vector<int64_t> startsOf(const Jobs &jobs, const TimedOrders &timed) {
  Simulation simulation;
  std::vector<int64_t> starts(jobs.count);
  if (simulate(jobs.problem, scheduleOf(jobs, timed.orders), simulation))
    return starts;
  for (size_t rank = 0; rank < timed.orders.size(); ++rank)
    for (size_t k = 0; k < timed.orders[rank].size(); ++k)
      starts[timed.orders[rank][k]] = simulation.start[rank][k];
  return starts;
}

// Micro-batches of an order: the turn from `first` on is repeated.
struct Turn {
  int64_t first, microBatches;
};

// Those that another one follows. So many that list schedules of large problems do not take long.
std::vector<Turn> turnsOf(int64_t microBatches, int64_t most) {
  std::vector<Turn> all, some;
  for (int64_t turn = 1; 2 * turn <= microBatches; ++turn)
    for (int64_t first = 0; first + 2 * turn <= microBatches; ++first)
      all.push_back({first, turn});
  int64_t stride = (int64_t(all.size()) + most - 1) / most;
  for (size_t k = 0; k < all.size(); k += stride)
    some.push_back(all[k]);
  return some;
}

} // namespace

TimedOrders plc::planner::repeatTurns(const Jobs &jobs, const Jobs &few, const TimedOrders &ofFew) {
  std::vector<int64_t> starts = startsOf(few, ofFew), priority(jobs.count);
  TimedOrders best;
  int64_t more = jobs.microBatches - few.microBatches;
  int64_t most = std::max<int64_t>(ScheduleEffort::repeatedJobs / std::max<int64_t>(jobs.count, 1), 1);
  for (Turn turn : turnsOf(few.microBatches, most)) {
    int64_t apart = 0;
    for (int64_t chain : jobs.chains)
      apart += starts[few.jobOf(chain, turn.first + turn.microBatches)] - starts[few.jobOf(chain, turn.first)];
    apart /= int64_t(jobs.chains.size());
    // Where whole turns make too many micro-batches, the first ones are left out.
    int64_t times = (more + turn.microBatches - 1) / turn.microBatches, left = times * turn.microBatches - more;
    for (int64_t chain : jobs.chains)
      for (int64_t i = 0; i < jobs.microBatches; ++i) {
        int64_t at = i + left, repeats = 0;
        if (at >= turn.first + turn.microBatches)
          repeats = std::min((at - turn.first) / turn.microBatches, times);
        priority[jobs.jobOf(chain, i)] = starts[few.jobOf(chain, at - repeats * turn.microBatches)] + repeats * apart;
      }
    for (int64_t patience : {0, 50, 100})
      if (TimedOrders found = scheduleByList(jobs, priority, patience);
          !found.orders.empty() && (best.orders.empty() || found.makespan < best.makespan))
        best = std::move(found);
  }
  return best;
}
