//===- ReadyActions.h - which actions may be taken now ----------*- C++ -*-===//
#ifndef PLC_MODULE_READYACTIONS_H
#define PLC_MODULE_READYACTIONS_H

#include "plc/Module/ActionTable.h"

#include <cassert>
#include <optional>

namespace plc::module {

/// The ready actions of a run of a rank that takes what is ready, by what becomes of them: messages start at once; waits are looked at; of what computes the
/// oldest micro-batch comes first, and of its tasks the one that is listed first. Actions are numbered as in the table. Only the
/// constructor allocates.
class ReadyActions {
public:
  using Op = ActionInfo::Op;

  /// An action of every number has an op and a micro-batch, and comes after those of some lower numbers.
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

  /// Nothing is done yet.
  void restart();
  bool allDone() const { return left == 0; }
  /// The first ready one that takes no time: a message's start, or a drop.
  std::optional<size_t> toStart() const;
  /// Ready waits for messages: at most one of each part of a channel.
  const std::vector<size_t> &toAwait() const { return waits; }
  /// The ready task or step whose turn it is.
  std::optional<size_t> toCompute() const;
  /// One of those has been done: others may be ready now.
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
  void add(size_t action);

  std::vector<Action> actions;
  std::vector<std::vector<size_t>> before; // of each action, those that come after it
  std::vector<int64_t> needs, missing;     // of each action: those that it comes after; of them not done
  std::vector<size_t> waits;
  // Heaps, the first one in front; the second with the micro-batches.
  std::vector<size_t> starts;
  std::vector<std::pair<int64_t, size_t>> tasks;
  size_t left = 0;
};

} // namespace plc::module

#endif
