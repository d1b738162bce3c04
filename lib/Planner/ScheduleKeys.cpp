//===- ScheduleKeys.cpp - list schedules of priorities that are searched --===//
#include "ScheduleEffort.h"
#include "Search.h"

#include <algorithm>
#include <array>
#include <random>

using namespace plc::planner;

namespace {

// How much later each chain's micro-batches are than their number, in parts of a micro-batch, and how long ranks wait.
struct Keys {
  std::vector<int64_t> late; // by chain
  int64_t patience = 0;
};

constexpr int64_t parts = 16; // of a micro-batch

class KeySearch {
public:
  explicit KeySearch(const Jobs &jobs) : jobs(jobs), priority(jobs.count) {}

  TimedOrders run(int64_t steps) {
    start();
    // What is a hundredth slower is taken at first, and nothing that is slower at the end.
    int64_t widest = best.makespan / 100;
    for (int64_t step = 0; step < steps && !best.orders.empty(); ++step) {
      Keys keys = change(now);
      TimedOrders found = schedule(keys);
      int64_t most = nowTakes + widest * (steps - step) / steps * int64_t(random() % 100) / 100;
      if (found.orders.empty() || found.makespan > most)
        continue;
      now = std::move(keys);
      nowTakes = found.makespan;
      if (nowTakes < best.makespan)
        best = std::move(found);
    }
    return std::move(best);
  }

private:
  // Forwards as late as backwards or later, W later still.
  void start() {
    for (int64_t patience : {0, 50, 100})
      for (int64_t lateW : {0, 1, 2, 4, 8})
        for (int64_t lateF : {0, 1, 3}) {
          Keys keys{std::vector<int64_t>(jobs.into.size()), patience};
          for (int64_t chain : jobs.chains)
            keys.late[chain] = parts * std::array<int64_t, 3>{lateF, 0, lateW}[int(jobs.kindOf(chain))];
          TimedOrders found = schedule(keys);
          if (found.orders.empty() || (!best.orders.empty() && found.makespan >= best.makespan))
            continue;
          now = std::move(keys);
          nowTakes = found.makespan;
          best = std::move(found);
        }
  }

  Keys change(Keys keys) {
    for (int64_t changes = 1 + random() % 2; changes > 0; --changes)
      if (random() % 12 == 0) {
        keys.patience = 25 * int64_t(random() % 5);
      } else {
        int64_t by = int64_t(1) << (random() % 6);
        keys.late[jobs.chains[random() % jobs.chains.size()]] += random() % 2 ? by : -by;
      }
    return keys;
  }

  TimedOrders schedule(const Keys &keys) {
    for (int64_t chain : jobs.chains)
      for (int64_t i = 0; i < jobs.microBatches; ++i)
        priority[jobs.jobOf(chain, i)] = parts * i + keys.late[chain];
    return scheduleByList(jobs, priority, keys.patience);
  }

  const Jobs &jobs;
  std::mt19937_64 random{1};
  std::vector<int64_t> priority; // by job
  Keys now;
  int64_t nowTakes = 0;
  TimedOrders best;
};

} // namespace

TimedOrders plc::planner::searchKeys(const Jobs &jobs, int64_t steps) { return KeySearch(jobs).run(steps); }
