//===- Evaluate.cpp - predicts step time and memory of a plan -------------===//
#include "plc/Search/Evaluate.h"

#include "plc/Planner/Schedule/MessagePlan.h"

#include <algorithm>

using namespace plc::search;
using Action = plc::simulator::Play::Action;
using Op = plc::simulator::Play::Op;

// First estimate: runs the tasks in their order, with messages that take time but occupy no rank. Fills starts, ends
// and `orderNs`. Returns false if the order lacks a task or deadlocks.
bool Evaluator::order(const PlanSpec &plan, const StageTasks &tasks, Evaluation &result) {
  size_t ranks = plan.order.size(), left = 0;
  done.assign(plan.rankOf.size() * 3 * size_t(runs), -1);
  position.assign(done.size(), -1);
  next.assign(ranks, 0);
  clock.assign(ranks, 0);
  result.start.resize(ranks);
  end.resize(ranks);
  visited.resize(ranks);
  for (size_t rank = 0; rank < ranks; ++rank) {
    size_t count = plan.order[rank].size();
    result.start[rank].resize(count);
    end[rank].resize(count);
    visited[rank].resize(count);
    left += count;
    for (size_t i = 0; i < count; ++i) {
      const Task &task = plan.order[rank][i];
      position[indexOf(task.stage, task.kind, task.microBatch)] = int32_t(i);
    }
  }
  for (size_t node = 0; node < tasks.into.size(); ++node)
    if (tasks.stages[node / 3][node % 3].exists)
      for (size_t run = 0; run < size_t(runs); ++run)
        if (position[node * size_t(runs) + run] < 0)
          return false; // the order lacks a task
  // Equal micro-batches skip the scaling, which divides.
  bool isRagged = !workload.samples.empty();
  int64_t count = 0;
  // Each pass runs every rank as far as it gets. A pass without progress is a deadlock.
  for (bool progress = true; progress && left;) {
    progress = false;
    for (size_t rank = 0; rank < ranks; ++rank)
      for (; next[rank] < plan.order[rank].size(); ++next[rank], --left) {
        const Task &task = plan.order[rank][next[rank]];
        size_t index = indexOf(task.stage, task.kind, task.microBatch);
        int64_t ready = clock[rank];
        bool isReady = task.microBatch == 0 || done[index - 1] >= 0; // a kind of a stage runs in index order
        for (const StageTasks::Need &need : tasks.into[size_t(StageTasks::nodeOf(task.stage, task.kind))]) {
          int64_t made = done[size_t(need.node) * size_t(runs) + size_t(task.microBatch)];
          isReady &= made >= 0;
          ready = std::max(ready, made + (isRagged ? workload.scaled(need.ns, task.microBatch) : need.ns));
        }
        if (!isReady)
          break;
        int64_t ns = tasks.work(task).ns;
        clock[rank] = ready + (isRagged ? workload.scaled(ns, task.microBatch) : ns);
        result.start[rank][next[rank]] = ready;
        end[rank][next[rank]] = done[index] = clock[rank];
        // Visit numbers break ties of equal starts when messages are placed.
        visited[rank][next[rank]] = count++;
        progress = true;
      }
  }
  for (size_t rank = 0; rank < ranks; ++rank)
    result.orderNs = std::max(result.orderNs, clock[rank] + machine.update(double(tasks.updatedBytes[rank])).ns);
  // Cores that compute at once are slower.
  result.orderNs = int64_t(double(result.orderNs) / speedOf(plan));
  return left == 0;
}

// The work of the busiest rank. Where ranks help each other, a helped rank is left with `leastNs`, and all work
// together cannot be faster than evenly divided.
double Evaluator::workNs(const PlanSpec &plan, const StageTasks &tasks) const {
  auto ranks = size_t(plan.ranks());
  int64_t all = 0, replicaRuns = workload.microBatches / plan.replicas;
  bool helps = isShared(tasks);
  std::vector<int64_t> load(ranks, 0);
  auto add = [&](size_t rank, int64_t ns, int64_t leastNs) {
    all += ns;
    load[rank] += helps ? leastNs : ns;
  };
  for (size_t rank = 0; rank < ranks; ++rank) {
    simulator::SharedWork update = machine.update(double(tasks.updatedBytes[rank]));
    add(rank, update.ns, update.leastNs);
  }
  for (size_t stage = 0; stage < tasks.stages.size(); ++stage)
    for (const StageTasks::Work &work : tasks.stages[stage])
      for (int64_t run = 0; run < replicaRuns; ++run)
        add(size_t(plan.rankOf[stage]), workload.scaled(work.ns, run), workload.scaled(work.leastNs, run));
  int64_t busiest = *std::max_element(load.begin(), load.end());
  return double(helps ? std::max(all / int64_t(ranks), busiest) : busiest) / speedOf(plan);
}

// The action of a rank's update. With several replicas each also copies gradients and new values for its share of the
// parameters.
Action Evaluator::stepOf(const StageTasks &tasks, const PlanSpec &plan, size_t rank) const {
  auto updated = double(tasks.updatedBytes[rank]);
  simulator::SharedWork work = machine.update(updated);
  // Copies count in full: no other rank helps with them.
  if (plan.replicas > 1) {
    // An estimate: as if all parameters had one site, and as much beside them.
    double own = updated * workload.ownedShare;
    auto copies = int64_t(own * double(plan.replicas - 1) * (double(workload.groups) / double(plan.replicas) + 1) *
                          machine.cluster.inside.nsPerByte);
    work.ns += copies;
    work.leastNs += copies;
  }
  Action step{Op::Step, -1, -1};
  step.setWork(work);
  return step;
}

// Adds the messages of a route: positions of send, post and waits, in each micro-batch. The rules are those of
// `planner::planMessages`. A receive is posted one task ahead of the task that reads it, or earlier if the message
// takes longer. The sender waits before its first task that starts after the predicted arrival.
void Evaluator::addRoute(const PlanSpec &plan, const StageTasks::Route &route, const Evaluation &result) {
  auto from = size_t(plan.rankOf[size_t(route.source)]), to = size_t(plan.rankOf[size_t(route.destination)]);
  auto channel = int32_t(play.channels.size());
  play.channels.push_back({"", from, to, route.bytes, workload.scaled(route.bytes, runs - 1), false});
  std::vector<uint32_t> &post = first;
  post.assign(size_t(runs), 0);
  for (int64_t run = 0; run < runs; ++run) {
    auto consumer = size_t(position[indexOf(route.destination, route.to, run)]);
    // A message must be under way before the time that it takes.
    int64_t latest = result.start[to][consumer] - workload.scaled(route.bytes, run) / bytesPerNs;
    post[size_t(run)] = uint32_t(planner::lastPost(end[to], int64_t(consumer), latest));
  }
  // Receives of a channel are posted in index order.
  for (size_t run = size_t(runs) - 1; run > 0; --run)
    post[run - 1] = std::min(post[run - 1], post[run]);
  for (int64_t run = 0; run < runs; ++run) {
    auto producer = size_t(position[indexOf(route.source, route.from, run)]);
    auto consumer = size_t(position[indexOf(route.destination, route.to, run)]);
    size_t posted = post[size_t(run)];
    int64_t arrival = std::max(posted ? end[to][posted - 1] : 0, end[from][producer]) +
                      workload.scaled(route.bytes, run) / bytesPerNs;
    auto wait = size_t(planner::firstWait(result.start[from], visited[from], int64_t(producer),
                                          {result.start[to][posted], visited[to][posted]}, arrival));
    auto stand = [&](size_t rank, size_t gap, Gap kind, Op op, int64_t bytes) {
      stands[rank].push_back({gap * gapKinds + kind, {op, channel, int32_t(run)}, bytes});
    };
    stand(from, producer + 1, sends, Op::Send, 0);
    stand(to, posted, posts, Op::PostRecv, workload.scaled(route.bytes, run));
    // The sender's bytes are free once the wait is over; the receiver's are live from the post on.
    stand(from, wait, waitSends, Op::WaitSend, -workload.scaled(route.freed, run));
    stand(to, consumer, waitRecvs, Op::WaitRecv, 0);
  }
}

// Adds the messages of the step. Gradients leave behind the last task that adds to them, new values behind the update.
// Sends of gradients that no task follows go into the tails.
void Evaluator::addStepMessages(const PlanSpec &plan, const StageTasks &tasks) {
  for (const StageTasks::StepMessage &message : tasks.stepMessages) {
    auto channel = int32_t(play.channels.size());
    auto from = size_t(message.from), to = size_t(message.to);
    play.channels.push_back({"", from, to, message.bytes, message.bytes, true});
    Action send{Op::Send, channel, -1}, post{Op::PostRecv, channel, -1}, wait{Op::WaitRecv, channel, -1};
    // The last micro-batch's task is the last that adds to the gradient.
    size_t behind = message.isGradient ? size_t(position[indexOf(message.stage, message.kind, runs - 1)]) + 1 : 0;
    // Early gradients overlap with the tasks that follow, so their receive is posted before the first task.
    if (message.isGradient && behind < plan.order[from].size()) {
      stands[from].push_back({behind * gapKinds + sends, send, 0});
      stands[to].push_back({size_t(posts), post, 0});
    } else {
      tails[to][0].push_back(post);
      tails[from][message.isGradient ? 0 : 2].push_back(send);
    }
    tails[to][message.isGradient ? 1 : 3].push_back(wait);
    tails[from][3].push_back({Op::WaitSend, channel, -1});
  }
}

// Merges tasks, message actions and tails of each rank into the simulator's list, with the change of live bytes at each
// action.
void Evaluator::writeActions(const PlanSpec &plan, const StageTasks &tasks) {
  size_t ranks = plan.order.size();
  liveBytes.resize(ranks);
  for (size_t rank = 0; rank < ranks; ++rank) {
    const std::vector<Stand> &mine = stands[rank];
    size_t count = plan.order[rank].size();
    // Counting sort by gap: O(n), and equal gaps keep the order of the routes.
    first.assign((count + 1) * gapKinds + 1, 0);
    for (const Stand &each : mine)
      ++first[each.at + 1];
    for (size_t i = 1; i < first.size(); ++i)
      first[i] += first[i - 1];
    sorted.resize(mine.size());
    for (uint32_t i = 0; i < mine.size(); ++i)
      sorted[first[mine[i].at]++] = i; // from here on `first` holds the ends
    std::vector<Action> &actions = play.ranks[rank].actions;
    std::vector<int64_t> &bytes = liveBytes[rank];
    actions.clear();
    bytes.clear();
    uint32_t at = 0;
    auto put = [&](size_t until) {
      for (; at < first[until - 1]; ++at) {
        actions.push_back(mine[sorted[at]].action);
        bytes.push_back(mine[sorted[at]].bytes);
      }
    };
    auto putAll = [&](const std::vector<Action> &part) {
      actions.insert(actions.end(), part.begin(), part.end());
      bytes.resize(actions.size(), 0);
    };
    for (size_t i = 0; i < count; ++i) {
      put((i + 1) * gapKinds);
      const Task &task = plan.order[rank][i];
      const StageTasks::Work &work = tasks.work(task);
      Action &run = actions.emplace_back(Action{Op::Run, StageTasks::nodeOf(task.stage, task.kind), task.microBatch});
      run.setWork(work);
      run.ns = workload.scaled(work.ns, task.microBatch);
      bytes.push_back(0);
    }
    // Behind the last task: its sends, then the step's posts and sends, then waits, update, new values, and waits for
    // these.
    put(count * gapKinds + sends + 1);
    putAll(tails[rank][0]);
    put((count + 1) * gapKinds);
    putAll(tails[rank][1]);
    if (workload.hasBackward)
      putAll({stepOf(tasks, plan, rank)});
    putAll(tails[rank][2]);
    putAll(tails[rank][3]);
  }
}

// Fills `play`: the same actions as the planned program will have.
void Evaluator::listActions(const PlanSpec &plan, const StageTasks &tasks, const Evaluation &result) {
  size_t ranks = plan.order.size();
  play.ranks.resize(ranks);
  play.channels.clear();
  play.microBatches = runs;
  play.firstShort = runs;
  // Short micro-batches come last; the play needs the first of them.
  for (int64_t run = 0; run < runs && !workload.samples.empty(); ++run)
    if (workload.samples[size_t(run)] < workload.samples.front()) {
      play.firstShort = run;
      break;
    }
  play.stepsMeet = workload.stepsMeet;
  stands.resize(ranks);
  tails.resize(ranks);
  // Buffers keep their memory from plan to plan: evaluations are many and short.
  for (size_t rank = 0; rank < ranks; ++rank) {
    stands[rank].clear();
    for (auto &part : tails[rank])
      part.clear();
  }
  for (const StageTasks::Route &route : tasks.routes)
    addRoute(plan, route, result);
  addStepMessages(plan, tasks);
  writeActions(plan, tasks);
}

// Three estimates, from cheap to dear, each with a cutoff: order without messages, live bytes, play with messages. Only
// what survives is played a second time, with help.
Evaluation Evaluator::evaluate(const PlanSpec &plan, const StageTasks &tasks, Cutoff most) {
  constexpr double slack = 1.01; // orders count 8 bytes per ns, the play measured bandwidth: it may be a little shorter
  runs = workload.microBatches / plan.replicas;
  cluster.machines.front().speed = speedOf(plan);
  // Played without help first: the search goes by that time.
  cluster.sharesKernels = false;
  Evaluation result;
  auto isAbove = [&](int64_t ns, double limit) {
    return double(ns) * (1 + most.perByte * double(result.overBytes)) > limit;
  };
  // Nothing is known of bytes yet, so the first cutoff goes by time alone.
  if (!order(plan, tasks, result) || isAbove(result.orderNs, most.ns * slack))
    return result;
  listActions(plan, tasks, result);
  for (size_t rank = 0; rank < plan.order.size(); ++rank) {
    int64_t live = 0, peak = 0;
    const std::vector<Action> &actions = play.ranks[rank].actions;
    for (size_t i = 0; i < actions.size(); ++i) {
      live += liveBytes[rank][i];
      peak = std::max(peak, live);
      if (actions[i].op != Op::Run)
        continue;
      const StageTasks::Work &work = tasks.stages[size_t(actions[i].target / 3)][size_t(actions[i].target % 3)];
      // Temporaries of the task stand on what is live between tasks.
      peak = std::max(peak, live + workload.scaled(work.peak, actions[i].microBatch));
      live += work.net < 0 ? -workload.scaled(-work.net, actions[i].microBatch)
                           : workload.scaled(work.net, actions[i].microBatch);
    }
    result.bytes.push_back(peak + tasks.persistentBytes[rank]);
    result.overBytes += std::max<int64_t>(0, result.bytes.back() - machine.limitOf(rank));
  }
  // The same bound again, now with the penalty for bytes above the limit.
  if (isAbove(result.orderNs, most.ns * slack) || simulator::simulate(play, cluster, simulation))
    return result;
  result.stepNs = result.aloneNs = simulation.stepNs;
  if (isAbove(result.aloneNs, most.ns))
    return result;
  for (const simulator::Simulation::Rank &rank : simulation.ranks)
    result.busyNs.push_back(rank.busyNs);
  result.ends = true;
  if (isShared(tasks)) {
    cluster.sharesKernels = true;
    result.ends = !simulator::simulate(play, cluster, simulation);
    result.stepNs = simulation.stepNs;
  }
  return result;
}
