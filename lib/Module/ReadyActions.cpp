//===- ReadyActions.cpp - which actions may be taken now ------------------===//
#include "plc/Module/ReadyActions.h"

#include <algorithm>
#include <functional>

namespace plc::module {

namespace {

/// Min-heaps: the standard ones are max-heaps, hence std::greater.
template <class T>
void push(std::vector<T> &heap, const T &value) {
  heap.push_back(value);
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

template <class T>
void pop(std::vector<T> &heap) {
  std::pop_heap(heap.begin(), heap.end(), std::greater<>());
  heap.pop_back();
}

} // namespace

/// So that no run allocates.
void ReadyActions::reserve() {
  missing.reserve(actions.size());
  waits.reserve(actions.size());
  starts.reserve(actions.size());
  tasks.reserve(actions.size());
}

void ReadyActions::restart() {
  missing = needs;
  waits.clear();
  starts.clear();
  tasks.clear();
  left = actions.size();
  for (size_t action = 0; action < actions.size(); ++action)
    if (missing[action] == 0)
      add(action);
}

std::optional<size_t> ReadyActions::toStart() const {
  return starts.empty() ? std::nullopt : std::optional(starts.front());
}

std::optional<size_t> ReadyActions::toCompute() const {
  return tasks.empty() ? std::nullopt : std::optional(tasks.front().second);
}

void ReadyActions::add(size_t action) {
  switch (actions[action].op) {
  case Op::PostRecv:
  case Op::Send:
  case Op::Drop: return push(starts, action);
  case Op::WaitRecv:
  case Op::WaitSend: return waits.push_back(action);
  case Op::Run:
  case Op::Step: return push(tasks, {actions[action].microBatch, action});
  }
}

void ReadyActions::done(size_t action) {
  switch (actions[action].op) {
  case Op::PostRecv:
  case Op::Send:
  case Op::Drop: pop(starts); break;
  case Op::WaitRecv:
  case Op::WaitSend: waits.erase(std::find(waits.begin(), waits.end(), action)); break;
  case Op::Run:
  case Op::Step: pop(tasks); break;
  }
  --left;
  // Successors whose last predecessor this was are ready.
  for (size_t next : before[action])
    if (--missing[next] == 0)
      add(next);
}

} // namespace plc::module
