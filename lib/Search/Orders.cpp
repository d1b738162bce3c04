//===- Orders.cpp - list scheduling, and named schedules ------------------===//
#include "Orders.h"

#include "plc/Planner/Schedule/SharedStages.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace plc::search;

namespace {

/// List scheduling by keys, forwards in time. Each rank has an offer: the task that it would start next, and when. The
/// earliest offer is taken, and only ranks that wait for that task look again.
class ListSchedule {
public:
  ListSchedule(const StageTasks &tasks, const Machine &machine, const std::vector<double> &keys, int64_t runs,
               PlanSpec &plan)
      : tasks(tasks), machine(machine), keys(keys), runs(size_t(runs)), plan(plan), ranks(size_t(plan.ranks())),
        done(tasks.stages.size() * 3 * this->runs, -1), next(tasks.stages.size() * 3, 0), free(ranks, 0),
        live(ranks, 0), nodes(ranks), offers(ranks), wakes(next.size()) {
    for (int32_t stage = 0; stage < plan.stages(); ++stage)
      for (TaskKind kind : taskKinds)
        nodes[size_t(plan.rankOf[size_t(stage)])].push_back(StageTasks::nodeOf(stage, kind));
    for (size_t rank = 0; rank < ranks; ++rank)
      live[rank] = tasks.persistentBytes[rank];
    for (size_t node = 0; node < next.size(); ++node)
      for (const StageTasks::Need &need : tasks.into[node])
        if (rankOf(need.node) != rankOf(int32_t(node)))
          wakes[size_t(need.node)].push_back(rankOf(int32_t(node)));
    findRoom();
  }

  bool run() {
    plan.order.assign(ranks, {});
    for (size_t rank = 0; rank < ranks; ++rank)
      look(rank, false);
    for (size_t left = next.size() * runs; left; --left) {
      size_t rank = earliest();
      if (offers[rank].node < 0) { // nothing fits anywhere: force the earliest task of all
        // Offers ignore the limit once, for this choice alone.
        for (size_t each = 0; each < ranks; ++each)
          look(each, true);
        rank = earliest();
        if (offers[rank].node < 0)
          return false;
        Offer forced = offers[rank];
        for (size_t each = 0; each < ranks; ++each)
          look(each, false);
        offers[rank] = forced;
      }
      start(rank);
    }
    return true;
  }

private:
  struct Offer {
    int64_t at = std::numeric_limits<int64_t>::max();
    int32_t node = -1; // -1: none
  };

  size_t rankOf(int32_t node) const { return size_t(plan.rankOf[size_t(node / 3)]); }
  const StageTasks::Work &work(int32_t node) const { return tasks.stages[size_t(node / 3)][size_t(node % 3)]; }

  // Bytes that must be free before F of a stage starts: activations of this and later stages of its rank, and the
  // largest temporary among their tasks. Then the micro-batch can always finish.
  void findRoom() {
    room.assign(tasks.stages.size(), 0);
    std::vector<int64_t> saved(ranks, 0), most(ranks, 0);
    for (size_t stage = room.size(); stage-- > 0;) {
      const auto &mine = tasks.stages[stage];
      auto rank = size_t(plan.rankOf[stage]);
      saved[rank] += mine[0].net;
      most[rank] = std::max({most[rank], mine[1].peak, mine[0].peak - mine[0].net});
      room[stage] = saved[rank] + most[rank];
    }
  }

  // Only F is held back: B and W free bytes.
  bool fits(size_t rank, int32_t node) const {
    return machine.limitBytes.empty() || node % 3 != int32_t(TaskKind::F) ||
           live[rank] + room[size_t(node / 3)] <= machine.limitBytes[rank];
  }

  /// When the node's next micro-batch is ready; -1: not yet known.
  int64_t readyAt(int32_t node) const {
    size_t run = next[size_t(node)];
    // Tasks without calls follow the task before them in their stage, so that they keep a position.
    if (run >= runs || (node % 3 && done[size_t(node - 1) * runs + run] < 0))
      return -1;
    int64_t ready = 0;
    for (const StageTasks::Need &need : tasks.into[size_t(node)]) {
      int64_t made = done[size_t(need.node) * runs + run];
      if (made < 0)
        return -1;
      ready = std::max(ready, made + need.ns);
    }
    return ready;
  }

  /// Sets a rank's offer: the earliest start, among equal starts the least key.
  void look(size_t rank, bool isForced) {
    Offer &best = offers[rank] = {};
    double leastKey = 0;
    for (int32_t node : nodes[rank]) {
      int64_t ready = readyAt(node);
      if (ready < 0 || (!isForced && !fits(rank, node)))
        continue;
      int64_t at = std::max(ready, free[rank]);
      double key = keys[size_t(node) * runs + next[size_t(node)]];
      if (at < best.at || (at == best.at && key < leastKey)) {
        best = {at, node};
        leastKey = key;
      }
    }
  }

  size_t earliest() const {
    return size_t(std::min_element(offers.begin(), offers.end(), [](Offer a, Offer b) { return a.at < b.at; }) -
                  offers.begin());
  }

  void start(size_t rank) {
    int32_t node = offers[rank].node;
    size_t run = next[size_t(node)]++;
    done[size_t(node) * runs + run] = free[rank] = offers[rank].at + work(node).ns;
    live[rank] += work(node).net;
    plan.order[rank].push_back({node / 3, TaskKind(node % 3), int32_t(run)});
    // Only offers that the started task may have changed: its own rank's, and those of ranks that wait for it.
    look(rank, false);
    for (size_t other : wakes[size_t(node)])
      look(other, false);
  }

  const StageTasks &tasks;
  const Machine &machine;
  const std::vector<double> &keys;
  const size_t runs;
  PlanSpec &plan;
  const size_t ranks;
  std::vector<int64_t> done;               // by task
  std::vector<size_t> next;                // by node: micro-batch
  std::vector<int64_t> free, live;         // by rank
  std::vector<std::vector<int32_t>> nodes; // by rank
  std::vector<Offer> offers;               // by rank
  std::vector<std::vector<size_t>> wakes;  // by node: ranks that may wait for it
  std::vector<int64_t> room;               // by stage
};

} // namespace

bool plc::search::orderByKeys(const StageTasks &tasks, const Machine &machine, const std::vector<double> &keys,
                              int64_t runs, PlanSpec &plan) {
  return ListSchedule(tasks, machine, keys, runs, plan).run();
}

std::vector<double> plc::search::keysByStart(const PlanSpec &plan, const Evaluation &result, int64_t runs) {
  std::vector<double> keys(plan.rankOf.size() * 3 * size_t(runs), 0.0);
  for (size_t rank = 0; rank < plan.order.size(); ++rank)
    for (size_t i = 0; i < plan.order[rank].size(); ++i) {
      const Task &task = plan.order[rank][i];
      keys[size_t(StageTasks::nodeOf(task.stage, task.kind)) * size_t(runs) + size_t(task.microBatch)] =
          double(result.start[rank][i]);
    }
  return keys;
}

std::vector<double> plc::search::keysByTail(const StageTasks &tasks, const PlanSpec &plan, const Evaluation &result,
                                            int64_t runs) {
  std::vector<double> tail(plan.rankOf.size() * 3 * size_t(runs), 0.0), behindOf(plan.order.size(), 0.0);
  std::vector<std::vector<StageTasks::Need>> out(tasks.into.size());
  for (size_t node = 0; node < tasks.into.size(); ++node)
    for (const StageTasks::Need &need : tasks.into[node])
      out[size_t(need.node)].push_back({int32_t(node), need.ns});
  // A task's tail counts the next task of its rank and the tasks that wait for it. Visiting by start, last first, has
  // both.
  std::vector<std::pair<int64_t, Task>> last; // by start, the last first
  for (size_t rank = 0; rank < plan.order.size(); ++rank)
    for (size_t i = 0; i < plan.order[rank].size(); ++i)
      last.emplace_back(result.start[rank][i], plan.order[rank][i]);
  std::stable_sort(last.begin(), last.end(), [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first : a.second.kind > b.second.kind;
  });
  for (const auto &[at, task] : last) {
    int32_t node = StageTasks::nodeOf(task.stage, task.kind);
    double &behind = behindOf[size_t(plan.rankOf[size_t(task.stage)])];
    double longest = behind;
    for (const StageTasks::Need &each : out[size_t(node)])
      longest = std::max(longest, tail[size_t(each.node) * size_t(runs) + size_t(task.microBatch)] + double(each.ns));
    tail[size_t(node) * size_t(runs) + size_t(task.microBatch)] = behind = longest + double(tasks.work(task).ns);
  }
  for (double &each : tail)
    each = -each;
  return tail;
}

plc::planner::Status plc::search::orderByFamily(const StageTasks &tasks, const Workload &workload,
                                                planner::ScheduleKind schedule, const planner::ScheduleFile *file,
                                                PlanSpec &plan) {
  planner::ScheduleProblem problem;
  problem.microBatches = workload.microBatches / plan.replicas;
  problem.samples = workload.samples;
  for (size_t stage = 0; stage < tasks.stages.size(); ++stage) {
    planner::ScheduleProblem::Stage &plain = problem.stages.emplace_back();
    plain.rank = plan.rankOf[stage];
    for (TaskKind kind : taskKinds) {
      plain.has[size_t(kind)] = tasks.stages[stage][size_t(kind)].exists;
      plain.ns[size_t(kind)] = tasks.stages[stage][size_t(kind)].ns;
    }
  }
  for (size_t node = 0; node < tasks.into.size(); ++node)
    for (const StageTasks::Need &need : tasks.into[node])
      problem.dependences.push_back(
          {need.node / 3, TaskKind(need.node % 3), int64_t(node / 3), TaskKind(node % 3), need.ns});
  if (workload.sharing) {
    problem.shards = workload.sharing->shards;
    problem.pipeline.assign(workload.sharing->pipeline.begin(), workload.sharing->pipeline.end());
  }
  planner::Schedule answer;
  planner::Status fault =
      file ? planner::orderByFile(*file, problem, answer) : planner::solve(rowOf(schedule), problem, answer);
  if (fault)
    return fault;
  plan.order.assign(size_t(plan.ranks()), {});
  for (size_t rank = 0; rank < answer.ranks.size(); ++rank)
    for (const planner::ScheduledTask &task : answer.ranks[rank])
      plan.order[rank].push_back({int32_t(task.stage), task.kind, int32_t(task.microBatch)});
  return std::nullopt;
}

// B stands before W, or after F if the stage has no W; W stands after B.
void plc::search::completeOrder(const StageTasks &tasks, PlanSpec &plan) {
  for (std::vector<Task> &row : plan.order) {
    std::vector<Task> whole;
    for (const Task &task : row) {
      const auto &work = tasks.stages[size_t(task.stage)];
      Task b{task.stage, TaskKind::B, task.microBatch}, w{task.stage, TaskKind::W, task.microBatch};
      if (task.kind == TaskKind::W && !work[1].exists)
        whole.push_back(b);
      whole.push_back(task);
      bool isLast = task.kind == TaskKind::F && !work[1].exists && !work[2].exists;
      if (isLast)
        whole.push_back(b);
      if (isLast || (task.kind == TaskKind::B && !work[2].exists))
        whole.push_back(w);
    }
    row = std::move(whole);
  }
}
