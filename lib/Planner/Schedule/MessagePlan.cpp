//===- MessagePlan.cpp - positions of receives and waits ------------------===//
#include "plc/Planner/Schedule/MessagePlan.h"

#include <algorithm>
#include <optional>
#include <tuple>

using namespace plc::planner;

namespace {

// Times the actions of each rank. A message leaves when it is sent and its receive is posted; it arrives `ns` later.
class ActionTimes {
public:
  ActionTimes(const ScheduleProblem &problem, const Schedule &schedule, const std::vector<MessageRoute> &routes)
      : problem(problem), schedule(schedule), routes(routes) {}

  // The makespan, or -1 if ranks deadlock. Messages of the route `free` are posted at the start, and nothing waits for
  // their copies: so the caller sees what the route costs.
  int64_t run(const MessagePlan &plan, int64_t free = -1) {
    list(plan, free);
    std::vector<size_t> next(actions.size(), 0);
    std::vector<int64_t> clock(actions.size(), 0);
    size_t left = 0;
    for (const auto &rank : actions)
      left += rank.size();
    for (bool progress = true; progress && left;) {
      progress = false;
      for (size_t rank = 0; rank < actions.size(); ++rank)
        for (; next[rank] < actions[rank].size() && step(actions[rank][next[rank]], clock[rank]); ++next[rank], --left)
          progress = true;
    }
    int64_t last = 0;
    for (int64_t time : clock)
      last = std::max(last, time);
    return left ? -1 : last;
  }

private:
  enum Kind { send, post, waitSend, waitRecv, latePost, task }; // in their order before a run
  struct Action {
    Kind kind;
    int64_t route = 0, microBatch = 0, ns = 0;
  };

  // Puts each action into its gap before a run, then joins gaps and runs.
  void list(const MessagePlan &plan, int64_t free) {
    std::vector<std::vector<std::array<std::vector<Action>, task>>> gaps;
    for (const auto &rank : schedule.ranks)
      gaps.emplace_back(rank.size() + 1);
    sent.assign(routes.size() * problem.microBatches, -1);
    posted = sent;
    for (size_t r = 0; r < routes.size(); ++r) {
      auto &from = gaps[problem.stages[routes[r].source].rank], &to = gaps[problem.stages[routes[r].destination].rank];
      for (int64_t i = 0; i < problem.microBatches; ++i) {
        const MessagePositions &at = plan.channels[r].messages[i];
        Action action{send, int64_t(r), i, problem.scaled(routes[r].ns, i)};
        auto add = [&](auto &gap, Kind kind) {
          action.kind = kind;
          gap[kind].push_back(action);
        };
        // Sends and waits for receives stay also for the free route: they carry its dependences.
        add(from[at.producer + 1], send);
        add(to[at.consumer], waitRecv);
        if (int64_t(r) == free) {
          posted[r * problem.microBatches + i] = 0;
          continue;
        }
        add(to[at.post], at.late ? latePost : post);
        add(from[at.waitSend], waitSend);
      }
    }
    actions.assign(schedule.ranks.size(), {});
    for (size_t rank = 0; rank < gaps.size(); ++rank)
      for (size_t k = 0; k < gaps[rank].size(); ++k) {
        for (const std::vector<Action> &part : gaps[rank][k])
          actions[rank].insert(actions[rank].end(), part.begin(), part.end());
        if (k < schedule.ranks[rank].size())
          actions[rank].push_back({task, 0, 0, problem.nsOf(schedule.ranks[rank][k])});
      }
  }

  // Advances the clock past an action. Returns false if it waits for an action that has no time yet.
  bool step(const Action &action, int64_t &clock) {
    size_t message = action.route * problem.microBatches + action.microBatch;
    switch (action.kind) {
    case task: clock += action.ns; return true;
    case send: sent[message] = clock; return true;
    case post:
    case latePost: posted[message] = clock; return true;
    case waitSend:
    case waitRecv:
      if (sent[message] < 0 || posted[message] < 0)
        return false;
      clock = std::max(clock, std::max(sent[message], posted[message]) + action.ns);
      return true;
    }
    return true;
  }

  const ScheduleProblem &problem;
  const Schedule &schedule;
  const std::vector<MessageRoute> &routes;
  std::vector<std::vector<Action>> actions;
  std::vector<int64_t> sent, posted; // by route and micro-batch
};

class MessagePlanner {
public:
  MessagePlanner(const ScheduleProblem &problem, const Schedule &schedule, const std::vector<MessageRoute> &routes)
      : problem(problem), schedule(schedule), routes(routes), actions(problem, schedule, routes),
        positions(problem.stages.size() * 3 * problem.microBatches) {
    simulate(problem, schedule, times);
    for (const std::vector<ScheduledTask> &rank : schedule.ranks)
      for (size_t k = 0; k < rank.size(); ++k)
        positions[indexOf(rank[k].stage, rank[k].kind, rank[k].microBatch)] = k;
  }

  // First all messages at their positions, with up to `maxSlots` slots; then fewer slots, channel by channel; then what
  // each channel costs.
  MessagePlan run(int64_t maxSlots) {
    MessagePlan plan;
    for (const MessageRoute &route : routes)
      plan.channels.push_back(position(route, maxSlots));
    plan.makespan = actions.run(plan);
    // The effort is known before: each channel simulates all messages, perhaps several times.
    if (int64_t(routes.size() * routes.size()) * problem.microBatches <= mostMessages)
      for (size_t r = 0; r < routes.size(); ++r)
        lowerSlots(plan, r);
    // Only then do messages cost anything: compare with each channel free.
    if (plan.makespan > times.makespan)
      for (size_t r = 0; r < routes.size(); ++r)
        plan.channels[r].lostNs = std::max<int64_t>(0, plan.makespan - actions.run(plan, r));
    return plan;
  }

private:
  static constexpr int64_t mostMessages = 1'000'000; // each channel times all messages again: above, slots stay

  // Takes slots from a channel while the makespan does not grow.
  void lowerSlots(MessagePlan &plan, size_t r) {
    while (plan.channels[r].slots > 1) {
      MessagePlan::Channel before = plan.channels[r];
      plan.channels[r] = position(routes[r], before.slots - 1);
      int64_t makespan = actions.run(plan);
      // A deadlock, or lost time: take back the last slot.
      if (makespan < 0 || makespan > plan.makespan) {
        plan.channels[r] = std::move(before);
        return;
      }
      plan.makespan = makespan;
    }
  }

  // Positions of a route's messages, with at most `slots` receives posted at once.
  MessagePlan::Channel position(const MessageRoute &route, int64_t slots) const {
    MessagePlan::Channel channel;
    int64_t from = problem.stages[route.source].rank, to = problem.stages[route.destination].rank;
    for (int64_t i = 0; i < problem.microBatches; ++i) {
      MessagePositions at;
      at.producer = positions[indexOf(route.source, route.from, i)];
      at.consumer = positions[indexOf(route.destination, route.to, i)];
      at.post = lastPost(times.end[to], at.consumer, times.start[to][at.consumer] - problem.scaled(route.ns, i));
      channel.messages.push_back(at);
    }
    // Receives of a channel are posted in index order, whatever their sizes.
    for (int64_t i = problem.microBatches - 1; i > 0; --i)
      channel.messages[i - 1].post = std::min(channel.messages[i - 1].post, channel.messages[i].post);
    for (int64_t i = 0; i < problem.microBatches; ++i) {
      MessagePositions &at = channel.messages[i];
      // No slot is free before the message `slots` earlier has been awaited: post directly behind that wait.
      if (i >= slots && channel.messages[i - slots].consumer >= at.post) {
        at.post = channel.messages[i - slots].consumer;
        at.late = true;
      }
      at.waitSend = waitFor(from, to, at, problem.scaled(route.ns, i));
    }
    channel.slots = countSlots(channel.messages);
    return channel;
  }

  int64_t waitFor(int64_t from, int64_t to, const MessagePositions &at, int64_t ns) const {
    int64_t posted = at.late ? times.start[to][at.post] : at.post ? times.end[to][at.post - 1] : 0;
    return firstWait(times.start[from], times.position[from], at.producer,
                     {times.start[to][at.post], times.position[to][at.post]},
                     std::max(posted, times.end[from][at.producer]) + ns);
  }

  // The most receives that are open at once. Before one run, late posts follow the waits, others precede them.
  static int64_t countSlots(const std::vector<MessagePositions> &messages) {
    std::vector<std::tuple<int64_t, int, int>> events; // run, place before it, change
    for (const MessagePositions &at : messages) {
      events.emplace_back(at.post, at.late ? 2 : 0, 1);
      events.emplace_back(at.consumer, 1, -1);
    }
    std::sort(events.begin(), events.end());
    int64_t now = 0, most = 1;
    for (auto [run, position, change] : events)
      most = std::max(most, now += change);
    return most;
  }

  int64_t indexOf(int64_t stage, TaskKind kind, int64_t microBatch) const {
    return ScheduleProblem::nodeOf(stage, kind) * problem.microBatches + microBatch;
  }

  const ScheduleProblem &problem;
  const Schedule &schedule;
  const std::vector<MessageRoute> &routes;
  ActionTimes actions;
  Simulation times;
  std::vector<int64_t> positions; // of each task among the runs of its rank
};

} // namespace

int64_t plc::planner::lastPost(const std::vector<int64_t> &end, int64_t consumer, int64_t latest) {
  int64_t post = std::max<int64_t>(consumer - 1, 0);
  while (post > 0 && end[post - 1] > latest)
    --post;
  return post;
}

int64_t plc::planner::firstWait(const std::vector<int64_t> &start, const std::vector<int64_t> &position,
                                int64_t producer, std::pair<int64_t, int64_t> post, int64_t arrival) {
  int64_t wait = producer + 1;
  while (wait < int64_t(start.size()) && (std::pair(start[wait], position[wait]) < post || start[wait] < arrival))
    ++wait;
  return wait;
}

MessagePlan plc::planner::planMessages(const ScheduleProblem &problem, const Schedule &schedule,
                                       const std::vector<MessageRoute> &routes, int64_t maxSlots) {
  return MessagePlanner(problem, schedule, routes).run(maxSlots);
}
