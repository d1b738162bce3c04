//===- Lifetimes.cpp - lifetimes of a rank's values in groups -------------===//
#include "Lifetimes.h"

using namespace mlir;
using namespace plc::plan;

void Lifetimes::addRun(TaskOp task, bool keeps, int64_t microBatch) {
  events.push_back({addBody(task, keeps), nullptr, microBatch});
  microBatches = std::max(microBatches, microBatch + 1);
}

void Lifetimes::addMessage(Value value, int64_t microBatch) {
  // A message to or from a persistent buffer is an action without lifetimes, but it has a time.
  if (hasOffset(value))
    return addOther();
  events.push_back({-1, value, microBatch});
  carried.insert(value);
  microBatches = std::max(microBatches, microBatch + 1);
}

int64_t Lifetimes::addBody(TaskOp task, bool keeps) {
  // One body for all micro-batches: their runs touch the same values at the same calls.
  auto [known, inserted] = bodyNumbers.try_emplace({task, keeps}, bodies.size());
  if (!inserted)
    return known->second;
  Body &body = bodies.emplace_back(Body{task, keeps});
  DenseMap<Value, size_t> touched;
  auto touch = [&](Value value) {
    if (hasOffset(value))
      return;
    auto [place, isNew] = touched.try_emplace(value, body.touches.size());
    if (isNew)
      body.touches.push_back({value, body.calls, body.calls});
    body.touches[place->second].last = body.calls;
  };
  for (auto call : task.getBody().getOps<CallOp>()) {
    // A run that keeps leaves out the clones and reads their originals.
    if (keeps && call.getRecompute())
      continue;
    for (Value operand : call.getArgs())
      touch(slots.valueIn(keeps, slots.resolve(operand)));
    for (Value result : call.getResults())
      touch(slots.resolve(result));
    ++body.calls;
  }
  return known->second;
}

// The bodies that decide when a value's lifetime begins and ends. Values with equal keys live equally long in every
// micro-batch. A stage's B runs between its F and W, so it is left out where both of these touch the value.
std::vector<int64_t> Lifetimes::keyOf(ArrayRef<int64_t> touchedBy) const {
  auto all = [&](Operation *stage, Role role) {
    bool any = false;
    for (auto [number, body] : llvm::enumerate(bodies))
      if (TaskOp task = body.task; task->getParentOp() == stage && task.getRole() == role) {
        if (!llvm::is_contained(touchedBy, int64_t(number)))
          return false;
        any = true;
      }
    return any;
  };
  std::vector<int64_t> key;
  for (int64_t number : touchedBy) {
    TaskOp task = bodies[number].task;
    Operation *stage = task->getParentOp();
    // B counts only where it decides an end of the lifetime.
    if (task.getRole() != Role::B || !all(stage, Role::F) || !all(stage, Role::W))
      key.push_back(number);
  }
  return key;
}

void Lifetimes::group() {
  llvm::MapVector<Value, SmallVector<int64_t>> touchedBy;
  for (auto [number, body] : llvm::enumerate(bodies))
    for (const Body::Touch &touch : body.touches)
      touchedBy[touch.value].push_back(number);
  for (Value value : carried)
    touchedBy.try_emplace(value);
  // Three kinds of groups: one value that messages carry, temporaries of one body, values with equal keys.
  std::map<std::vector<int64_t>, int64_t> keys;
  for (auto &[value, numbers] : touchedBy) {
    auto ofOneTask = [&](int64_t number) { return bodies[number].task == bodies[numbers.front()].task; };
    // A message may extend the lifetime beyond any run, by a time that differs for each value.
    if (carried.contains(value)) {
      shared[value] = groups.size();
      groups.push_back({{value}, /*isTemporary=*/false, /*isCarried=*/true});
    } else if (llvm::all_of(numbers, ofOneTask)) {
      // Runs with and without clones are two bodies of one task; each has its own temporaries.
      for (int64_t number : numbers) {
        int64_t &own = bodies[number].own;
        if (own < 0) {
          own = groups.size();
          groups.push_back({{}, /*isTemporary=*/true});
        }
        groups[own].values.push_back(value);
      }
    } else {
      auto [group, isNew] = keys.try_emplace(keyOf(numbers), groups.size());
      if (isNew)
        groups.emplace_back();
      groups[group->second].values.push_back(value);
      shared[value] = group->second;
    }
  }
  for (Body &body : bodies) {
    llvm::SetVector<int64_t> touched;
    for (const Body::Touch &touch : body.touches)
      touched.insert(groupOf(body, touch.value));
    body.groups.assign(touched.begin(), touched.end());
  }
  for (Group &group : groups)
    group.lives.resize(microBatches);
  // One pass over the actions extends each group to all actions that touch it.
  for (auto [action, event] : llvm::enumerate(events)) {
    if (event.value)
      extend(shared.lookup(event.value), event.microBatch, action);
    if (event.body >= 0)
      for (int64_t group : bodies[event.body].groups)
        extend(group, event.microBatch, action);
  }
}

void Lifetimes::extend(int64_t group, int64_t microBatch, int64_t action) {
  Life &life = groups[group].lives[microBatch];
  if (life.isEmpty())
    life.begin = action;
  life.end = action + 1;
}

int64_t Lifetimes::groupOf(const Body &body, Value value) const {
  auto found = shared.find(value);
  return found == shared.end() ? body.own : found->second;
}

int64_t Lifetimes::countValues() const {
  int64_t count = 0;
  for (const Group &group : groups)
    count += int64_t(group.values.size()) * llvm::count_if(group.lives, [](Life life) { return !life.isEmpty(); });
  return count;
}

namespace {

/// The peak of a run above the bytes that are live when it begins. Known by body and by which groups begin and end in
/// it, so that micro-batches share the answer.
class RunPeaks {
  using Body = Lifetimes::Body;

public:
  RunPeaks(const Lifetimes &lifetimes, llvm::function_ref<int64_t(Value, int64_t)> bytesOf,
           llvm::function_ref<bool(int64_t)> isShort)
      : lifetimes(lifetimes), bytesOf(bytesOf), isShort(isShort) {}

  int64_t of(const Body &body, int64_t action, int64_t microBatch) {
    // The key: whether the micro-batch is short, and for each group whether it begins and whether it ends in this run.
    std::vector<bool> ends{isShort(microBatch)};
    for (int64_t group : body.groups) {
      Lifetimes::Life life = lifetimes.getGroups()[group].lives[microBatch];
      ends.push_back(life.begin == action);
      ends.push_back(life.end == action + 1);
    }
    auto [known, isNew] = peaks.try_emplace({&body, ends});
    if (isNew)
      known->second = compute(body, action, microBatch);
    return known->second;
  }

private:
  int64_t compute(const Body &body, int64_t action, int64_t microBatch) const {
    std::vector<int64_t> changes(body.calls + 1); // before each call
    for (const Body::Touch &touch : body.touches) {
      const Lifetimes::Group &group = lifetimes.getGroups()[lifetimes.groupOf(body, touch.value)];
      Lifetimes::Life life = group.lives[microBatch];
      int64_t bytes = bytesOf(touch.value, microBatch);
      // Only groups that begin or end in this run change within it; all others are in the caller's sum.
      if (life.begin == action)
        changes[touch.first] += bytes;
      if (life.end == action + 1)
        changes[touch.last + 1] -= bytes;
    }
    int64_t now = 0, most = 0;
    for (int64_t change : llvm::ArrayRef(changes).drop_back())
      most = std::max(most, now += change);
    return most;
  }

  const Lifetimes &lifetimes;
  llvm::function_ref<int64_t(Value, int64_t)> bytesOf;
  llvm::function_ref<bool(int64_t)> isShort;
  std::map<std::pair<const Body *, std::vector<bool>>, int64_t> peaks;
};

} // namespace

int64_t Lifetimes::mostBytes(llvm::function_ref<int64_t(Value, int64_t)> bytesOf,
                             llvm::function_ref<bool(int64_t)> isShort) const {
  RunPeaks peaks(*this, bytesOf, isShort);
  // Between actions the live bytes change only where a group begins or ends.
  std::vector<int64_t> begun(events.size() + 1), ended(events.size() + 1);
  for (const Group &group : groups) {
    int64_t whole[2] = {-1, -1};
    for (auto [microBatch, life] : llvm::enumerate(group.lives)) {
      if (life.isEmpty())
        continue;
      // All micro-batches of one size have equal bytes.
      int64_t &bytes = whole[isShort(microBatch)];
      if (bytes < 0) {
        bytes = 0;
        for (Value value : group.values)
          bytes += bytesOf(value, microBatch);
      }
      begun[life.begin] += bytes;
      ended[life.end] += bytes;
    }
  }
  int64_t live = 0, most = 0;
  for (auto [action, event] : llvm::enumerate(events)) {
    // Lifetimes are half open: bytes that ended before this action are free in it.
    live -= ended[action];
    // Within a run, values that begin and values that end may not overlap; a message holds all its bytes at once.
    int64_t more = event.body >= 0 ? peaks.of(bodies[event.body], action, event.microBatch) : begun[action];
    most = std::max(most, live + more);
    live += begun[action];
  }
  return most;
}
