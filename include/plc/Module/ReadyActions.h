//===- ReadyActions.h - which actions may be taken now ----------*- C++ -*-===//
#ifndef PLC_MODULE_READYACTIONS_H
#define PLC_MODULE_READYACTIONS_H

#include "plc/Module/ActionTable.h"

#include <cassert>
#include <optional>

namespace plc::module {

/// The ready actions of a rank that takes whatever is ready, during one run: those whose predecessors are done. They
/// are sorted by kind:
/// - messages and drops, which take no time and start at once;
/// - waits, of which any may end first;
/// - tasks and steps: the oldest micro-batch first, then the order of the table.
/// Runtime and simulator share this class, so both take the same order. Actions are numbered as in the table. Only the
/// constructor allocates.
class ReadyActions {
public:
  using Op = ActionInfo::Op;

  /// `all` are the actions, with an op and a micro-batch; `after` has the lower numbers that each must follow.
  template <class Action, class Number>
  ReadyActions(const std::vector<Action> &all, const std::vector<std::vector<Number>> &after) {
    for (const Action &action : all)
      actions.push_back({action.op, action.microBatch});
    needs.resize(actions.size());
    before.resize(actions.size());
    for (size_t action = 0; action < after.size(); ++action)
      for (Number earlier : after[action])
        addPair(static_cast<size_t>(earlier), action);
    reserve();
  }

  /// Begins a run: nothing is done.
  void restart();
  bool allDone() const { return left == 0; }
  /// The first ready action that takes no time: the start of a message, or a drop.
  std::optional<size_t> toStart() const;
  /// Ready waits for messages, in no particular order. done() changes the list.
  const std::vector<size_t> &toAwait() const { return waits; }
  /// The next task or step, by the order above.
  std::optional<size_t> toCompute() const;
  /// Marks a ready action as done. Others may become ready.
  void done(size_t action);

private:
  struct Action {
    Op op;
    int64_t microBatch;
  };

  void addPair(size_t earlier, size_t action) {
    assert(earlier < action && action < actions.size() && "actions come after earlier ones");
    before[earlier].push_back(action);
    ++needs[action];
  }
  void reserve();
  /// Files an action that became ready by its kind.
  void add(size_t action);

  std::vector<Action> actions;
  std::vector<std::vector<size_t>> before; // for each action, those that must follow it
  std::vector<int64_t> needs, missing;     // for each action: its predecessors; those not done
  std::vector<size_t> waits;
  // Heaps, the least in front; the second by micro-batch, then number.
  std::vector<size_t> starts;
  std::vector<std::pair<int64_t, size_t>> tasks;
  size_t left = 0;
};

} // namespace plc::module

#endif
