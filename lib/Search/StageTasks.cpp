//===- StageTasks.cpp - time and memory of each stage's tasks -------------===//
#include "plc/Search/StageTasks.h"

#include <algorithm>
#include <climits>
#include <set>
#include <tuple>

using namespace plc::search;

namespace {

/// Lays out the calls of each task: originals in program order, and clones before the calls that need them.
class BodyBuilder {
public:
  BodyBuilder(const Workload &workload, const PlanSpec &plan) : workload(workload), plan(plan) {
    out.bodies.resize(plan.rankOf.size());
    placeCalls();
    cloneOf.assign(workload.calls.size(), {});
  }

  StageBodies run() {
    // All of B, then all of W: so a clone that is made for B serves W, too.
    for (bool isW : {false, true}) {
      if (!isW)
        addJoined(workload.firstOfFullBackward);
      for (size_t call = 0; call < workload.calls.size(); ++call) {
        if (taskOf(workload, plan, call) == TaskKind::W ? isW : !isW && workload.calls[call].kind != TaskKind::W)
          add(call, taskOf(workload, plan, call));
        if (!isW)
          addJoined(workload.joined[call]);
      }
    }
    return std::move(out);
  }

private:
  /// The latest clone of a call.
  struct Clone {
    int32_t call = -1; // the call that it was made for; -1: there is none
    int32_t unit = 0;
    TaskKind kind = TaskKind::B;
  };

  // A sum runs in the stage that makes both gradients, so that one value crosses the cut, not two.
  void placeCalls() {
    for (const Call &call : workload.calls) {
      int32_t stage = plan.stageOf[size_t(call.unit)];
      if (call.isSum && !call.reads.empty()) {
        auto stageOf = [&](int32_t value) { return out.stageOfCall[size_t(workload.values[size_t(value)].maker)]; };
        int32_t first = stageOf(call.reads.front());
        if (std::all_of(call.reads.begin(), call.reads.end(), [&](int32_t value) { return stageOf(value) == first; }))
          stage = first;
      }
      out.stageOfCall.push_back(stage);
    }
  }

  // Adds the calls of W that a full backward runs here.
  void addJoined(const std::vector<int32_t> &calls) {
    for (int32_t call : calls)
      if (taskOf(workload, plan, size_t(call)) == TaskKind::B)
        add(size_t(call), TaskKind::B);
  }

  void add(size_t call, TaskKind kind) {
    if (kind != TaskKind::F) {
      beginUnit(call, kind);
      cloneFor(int32_t(call), call, kind, /*isEarly=*/false);
    }
    out.bodies[size_t(out.stageOfCall[call])][size_t(kind)].push_back({int32_t(call), false});
  }

  // A clone for a whole unit runs before the unit's first call. Then the values that only clones read are freed before
  // the unit's gradients become live.
  void beginUnit(size_t call, TaskKind kind) {
    int32_t unit = workload.calls[call].unit;
    if (begun[size_t(kind)] == unit || plan.recompute.empty())
      return;
    begun[size_t(kind)] = unit;
    for (size_t each = call; each < workload.calls.size() && workload.calls[each].unit == unit; ++each)
      if (taskOf(workload, plan, each) == kind && out.stageOfCall[each] == out.stageOfCall[call])
        cloneFor(int32_t(each), each, kind, /*isEarly=*/true);
  }

  // Adds clones of the calls whose results `reader` reads and the plan does not save; `reader` runs for `call`.
  // Recursive: makers come first.
  void cloneFor(int32_t call, size_t reader, TaskKind kind, bool isEarly) {
    if (plan.recompute.empty())
      return;
    int32_t stage = out.stageOfCall[size_t(call)], unit = workload.calls[size_t(call)].unit;
    for (int32_t value : workload.calls[reader].reads) {
      auto maker = size_t(workload.values[size_t(value)].maker);
      Recompute how = plan.recompute[maker];
      if (workload.calls[maker].kind != TaskKind::F || how == Recompute::no || out.stageOfCall[maker] != stage ||
          plan.saves(value))
        continue;
      Clone &clone = cloneOf[maker];
      bool isThere = clone.call == call || (clone.call >= 0 && how == Recompute::once) ||
                     (clone.call >= 0 && how == Recompute::perUnit && clone.unit == unit && clone.kind == kind);
      // A clone per call stands directly before its call. What it reads is cloned first, however early that is.
      if (isThere || (isEarly && reader == size_t(call) && how != Recompute::perUnit))
        continue;
      clone = {call, unit, kind};
      cloneFor(call, maker, kind, isEarly);
      out.bodies[size_t(stage)][size_t(kind)].push_back({int32_t(maker), true});
    }
  }

  const Workload &workload;
  const PlanSpec &plan;
  StageBodies out;
  int32_t begun[3] = {-1, -1, -1}; // by kind of task: the unit
  std::vector<Clone> cloneOf;      // by call
};

/// The lifetime of one version of a value on a rank (original, clone, or received copy), from its first to its last
/// call.
struct Life {
  int32_t value = 0;
  int32_t rank = 0;   ///< where it lives
  int32_t stage = -1; ///< the stage that received it; -1: it is made here
  bool isClone = false;
  struct Point {
    int32_t stage = -1, position = 0;
    TaskKind kind = TaskKind::F;
    bool isSameTask(const Point &other) const { return stage == other.stage && kind == other.kind; }
  } first{}, last{};
  int32_t next = -1; ///< the next older version of the same value
};

/// Computes times, bytes, messages and dependences of all tasks of a plan, in a few passes over calls and values. Live
/// bytes follow from lifetimes, which are found as each micro-batch would run.
class TaskBuilder {
public:
  TaskBuilder(const Workload &workload, const PlanSpec &plan, int64_t ranks)
      : workload(workload), plan(plan), ranks(size_t(ranks)), bodies(bodiesOf(workload, plan)) {}

  StageTasks run() {
    out.stages.resize(plan.rankOf.size());
    for (size_t stage = 0; stage < plan.rankOf.size(); ++stage)
      for (TaskKind kind : taskKinds) {
        StageTasks::Work &work = out.stages[stage][size_t(kind)];
        const auto &body = bodies.bodies[stage][size_t(kind)];
        work.exists = !body.empty();
        for (BodyCall each : body)
          work += workload.calls[size_t(each.call)].work();
      }
    findLives();
    addBytes();
    addNeeds();
    addParameters();
    addPersistent();
    return std::move(out);
  }

private:
  int32_t rankOfStage(int32_t stage) const { return plan.rankOf[size_t(stage)]; }
  int32_t stageOfMaker(int32_t value) const { return bodies.stageOfCall[size_t(workload.values[size_t(value)].maker)]; }

  // Visits tasks in the order in which one micro-batch runs them, so that the last reader visited is the last in time.
  void findLives() {
    auto stages = int32_t(plan.rankOf.size());
    head.assign(workload.values.size(), -1);
    lastRoute.assign(workload.values.size(), -1);
    lives.reserve(workload.values.size() * 5 / 4);
    for (TaskKind kind : taskKinds)
      for (int32_t i = 0; i < stages; ++i)
        visit(kind == TaskKind::F ? i : stages - 1 - i, kind);
  }

  void visit(int32_t stage, TaskKind kind) {
    int32_t rank = rankOfStage(stage);
    const auto &body = bodies.bodies[size_t(stage)][size_t(kind)];
    for (size_t position = 0; position < body.size(); ++position) {
      const Call &call = workload.calls[size_t(body[position].call)];
      Life::Point here{stage, int32_t(position), kind};
      for (int32_t value : call.reads)
        read(value, stage, rank, here);
      for (int32_t value : call.makes)
        if (!workload.values[size_t(value)].isOutput)
          start({value, rank, -1, body[position].isClone, here, here});
    }
  }

  // Extends the lifetime that a read finds; the first read of a stage of another rank makes a route.
  void read(int32_t value, int32_t stage, int32_t rank, const Life::Point &here) {
    int32_t from = stageOfMaker(value);
    bool isReceived = rankOfStage(from) != rank;
    // Newest version first: of several clones, the last one before the read. Clones serve backward tasks of their own
    // stage.
    for (int32_t i = head[size_t(value)]; i >= 0; i = lives[size_t(i)].next) {
      Life &life = lives[size_t(i)];
      bool isIt = isReceived ? life.stage == stage
                             : life.rank == rank && life.stage < 0 &&
                                   (!life.isClone || (from == stage && here.kind != TaskKind::F && !plan.saves(value)));
      if (!isIt)
        continue;
      life.last = here;
      return;
    }
    if (!isReceived) {
      // No version: the value is an output, or a later call of the stage makes it, which is an illegal full backward.
      out.isLegal &= from != stage || workload.values[size_t(value)].isOutput;
      return;
    }
    lastRoute[size_t(value)] = int32_t(out.routes.size());
    auto maker = size_t(workload.values[size_t(value)].maker);
    out.routes.push_back(
        {from, taskOf(workload, plan, maker), stage, here.kind, workload.values[size_t(value)].bytes, 0});
    start({value, rank, stage, false, here, here});
  }

  void start(Life life) {
    life.next = head[size_t(life.value)];
    head[size_t(life.value)] = int32_t(lives.size());
    lives.push_back(life);
  }

  // From lifetimes to `peak` and `net` of each task: bytes that begin and end at each call.
  void addBytes() {
    struct Changes {
      std::vector<int64_t> begun, ended;
    };
    std::vector<std::array<Changes, 3>> changes(plan.rankOf.size());
    for (size_t stage = 0; stage < changes.size(); ++stage)
      for (TaskKind kind : taskKinds) {
        size_t calls = bodies.bodies[stage][size_t(kind)].size();
        changes[stage][size_t(kind)] = {std::vector<int64_t>(calls), std::vector<int64_t>(calls)};
      }
    auto at = [&](const Life::Point &point) -> Changes & { return changes[size_t(point.stage)][size_t(point.kind)]; };
    for (const Life &life : lives) {
      int64_t bytes = workload.values[size_t(life.value)].bytes;
      bool isMade = life.stage < 0;
      if (isMade)
        at(life.first).begun[size_t(life.first.position)] += bytes;
      // A value that is sent, and read in its own task alone, is freed when its last message has left.
      int32_t route = isMade && !life.isClone ? lastRoute[size_t(life.value)] : -1;
      if (route >= 0 && life.first.isSameTask(life.last))
        out.routes[size_t(route)].freed = bytes;
      else
        at(life.last).ended[size_t(life.last.position)] += bytes;
    }
    for (size_t stage = 0; stage < changes.size(); ++stage)
      for (TaskKind kind : taskKinds) {
        const Changes &mine = changes[stage][size_t(kind)];
        StageTasks::Work &work = out.stages[stage][size_t(kind)];
        for (size_t call = 0; call < mine.begun.size(); ++call) {
          work.net += mine.begun[call];
          work.peak = std::max(work.peak, work.net);
          work.net -= mine.ended[call];
        }
      }
  }

  // Dependences of each task: values of other stages (of each pair of tasks the longest message), and the task of the
  // same stage before it.
  void addNeeds() {
    out.into.resize(plan.rankOf.size() * 3);
    // Node, node that it waits for, -ns: the longest sorts first.
    std::vector<std::tuple<int32_t, int32_t, int64_t>> needs;
    for (size_t index = 0; index < workload.calls.size(); ++index)
      for (int32_t value : workload.calls[index].reads) {
        int32_t from = stageOfMaker(value), to = bodies.stageOfCall[index];
        if (from == to)
          continue;
        auto maker = size_t(workload.values[size_t(value)].maker);
        int64_t ns = rankOfStage(from) == rankOfStage(to) ? 0 : workload.values[size_t(value)].bytes / bytesPerNs;
        needs.emplace_back(StageTasks::nodeOf(to, taskOf(workload, plan, index)),
                           StageTasks::nodeOf(from, taskOf(workload, plan, maker)), -ns);
      }
    std::sort(needs.begin(), needs.end());
    for (size_t i = 0; i < needs.size(); ++i) {
      auto [to, from, ns] = needs[i];
      if (i == 0 || std::get<0>(needs[i - 1]) != to || std::get<1>(needs[i - 1]) != from)
        out.into[size_t(to)].push_back({from, -ns});
    }
    for (int32_t stage = 0; stage < plan.stages(); ++stage) {
      int32_t last = -1;
      for (TaskKind kind : taskKinds)
        if (out.stages[size_t(stage)][size_t(kind)].exists) {
          int32_t node = StageTasks::nodeOf(stage, kind);
          if (last >= 0)
            out.into[size_t(node)].push_back({last, 0});
          last = node;
        }
    }
  }

  // The first stage that reads a parameter; INT_MAX: none.
  int32_t firstReader(const Parameter &parameter) const {
    int32_t first = INT_MAX;
    for (int32_t unit : parameter.readers)
      first = std::min(first, plan.stageOf[size_t(unit)]);
    return first;
  }

  // Persistent bytes and messages of parameters. The first stage that reads a parameter owns and updates it, or that of
  // its `home`. Other ranks that read it hold a copy, and their gradients travel to the owner. Of R replicas each owns
  // an R-th of a rank's parameters.
  void addParameters() {
    out.persistentBytes.assign(ranks, 0);
    out.updatedBytes.assign(ranks, 0);
    int64_t groups = workload.groups / plan.replicas;
    for (const Parameter &parameter : workload.parameters) {
      int32_t owner = firstReader(parameter);
      if (owner == INT_MAX)
        continue;
      std::set<int32_t> readers; // ranks
      for (int32_t unit : parameter.readers)
        readers.insert(rankOfStage(plan.stageOf[size_t(unit)]));
      if (parameter.home >= 0 && !parameter.sites.empty())
        owner = firstReader(workload.parameters[size_t(parameter.home)]);
      int32_t home = rankOfStage(owner);
      readers.insert(home);
      for (int32_t rank : readers)
        out.persistentBytes[size_t(rank)] += parameter.bytes;
      // A frozen parameter has no gradient, update or moments.
      if (parameter.sites.empty())
        continue;
      auto sites = int64_t(parameter.sites.size());
      for (int32_t call : parameter.sites) {
        int32_t stage = bodies.stageOfCall[size_t(call)], rank = rankOfStage(stage);
        if (rank == home)
          continue;
        out.persistentBytes[size_t(rank)] += parameter.bytes * groups;
        out.stepMessages.push_back(
            {rank, home, parameter.bytes * groups, true, stage, taskOf(workload, plan, size_t(call))});
      }
      for (int32_t rank : readers)
        // After the update, each copy gets the new value.
        if (rank != home)
          out.stepMessages.push_back({home, rank, parameter.bytes, false});
      // The owner holds all its sites; of other replicas' gradients and of the moments it holds its share.
      int64_t others = sites * groups * (plan.replicas - 1);
      out.persistentBytes[size_t(home)] +=
          parameter.bytes * sites * groups + aligned((parameter.beside + parameter.bytes * others) / plan.replicas);
      out.updatedBytes[size_t(home)] += workload.updatedBytes(parameter) / plan.replicas;
    }
  }

  // Each rank holds a persistent buffer once, however many of its units use it.
  void addPersistent() {
    int64_t runs = workload.microBatches / plan.replicas;
    for (const Persistent &each : workload.persistent) {
      std::set<int32_t> on;
      for (int32_t unit : each.units)
        on.insert(rankOfStage(plan.stageOf[size_t(unit)]));
      for (int32_t rank : on)
        out.persistentBytes[size_t(rank)] += aligned(each.bytes + each.bytesPerRun * runs);
    }
  }

  const Workload &workload;
  const PlanSpec &plan;
  const size_t ranks;
  const StageBodies bodies;
  StageTasks out;
  std::vector<Life> lives;
  std::vector<int32_t> head, lastRoute; // by value: its newest life; its last route
};

} // namespace

bool StageTasks::isDivided() const {
  return std::any_of(stages.begin(), stages.end(), [](const auto &tasks) {
    return std::any_of(tasks.begin(), tasks.end(), [](const Work &work) { return work.dividedNs > 0; });
  });
}

StageBodies plc::search::bodiesOf(const Workload &workload, const PlanSpec &plan) {
  return BodyBuilder(workload, plan).run();
}

StageTasks plc::search::tasksOf(const Workload &workload, const PlanSpec &plan, int64_t ranks) {
  return TaskBuilder(workload, plan, ranks).run();
}
