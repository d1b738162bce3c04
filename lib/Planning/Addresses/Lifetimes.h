//===- Lifetimes.h - lifetimes of a rank's values in groups -----*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_LIFETIMES_H
#define PLC_LIB_PLANNING_ADDRESSES_LIFETIMES_H

#include "plc/Analysis/TaskSlots.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <functional>
#include <map>

namespace plc::plan {

/// Lifetimes of the values of a rank without persistent buffers, in numbers that do not grow with values times
/// micro-batches. Values that the same tasks touch are a group, and a group has one lifetime for each micro-batch.
class Lifetimes {
public:
  /// From the action `begin` of the rank to the action `end`, which is not included.
  struct Life {
    int64_t begin = -1, end = -1; ///< negative: never live
    bool isEmpty() const { return begin < 0; }
  };

  /// A task as a run executes it: with its clones, or without (`keeps`). Calls are numbered within it.
  struct Body {
    TaskOp task;
    bool keeps;
    /// The first and the last of its calls that read or write a value.
    struct Touch {
      mlir::Value value;
      int64_t first, last;
    };
    std::vector<Touch> touches{};
    int64_t calls = 0;
    int64_t own = -1;              ///< the group of values that only this body touches; -1: none
    std::vector<int64_t> groups{}; ///< all groups that it touches, each once
  };

  struct Group {
    std::vector<mlir::Value> values;
    bool isTemporary = false;  ///< its values live within runs of one body, call by call
    bool isCarried = false;    ///< its one value is carried by messages
    std::vector<Life> lives{}; ///< by micro-batch
  };

  /// `hasOffset` is true for resolved values with a persistent buffer. Add the rank's actions in order, which numbers
  /// them from 0, then call `group` once.
  Lifetimes(TaskSlots &slots, std::function<bool(mlir::Value)> hasOffset)
      : slots(slots), hasOffset(std::move(hasOffset)) {}
  void addRun(TaskOp task, bool keeps, int64_t microBatch);
  /// An action of a message that carries a resolved value.
  void addMessage(mlir::Value value, int64_t microBatch);
  /// Any other action.
  void addOther() { events.push_back({}); }
  /// Forms the groups and their lifetimes.
  void group();

  const std::vector<Body> &getBodies() const { return bodies; }
  const std::vector<Group> &getGroups() const { return groups; }
  /// The body of a run; the action must be one.
  const Body &bodyOf(int64_t action) const { return bodies[events[action].body]; }
  /// The group of a value in a body that touches it.
  int64_t groupOf(const Body &body, mlir::Value value) const;
  /// The group of a value that messages carry.
  int64_t groupOf(mlir::Value value) const { return shared.lookup(value); }
  int64_t numMicroBatches() const { return microBatches; }

  /// The number of values, counted for each micro-batch in which they live.
  int64_t countValues() const;

  /// The most bytes that are live at one time: within a run a value lives from the first call that touches it to the
  /// last. `bytesOf(value, micro-batch)` rounds. Micro-batches for which `isShort` agrees have equal bytes. It is a
  /// lower bound for every arena.
  int64_t mostBytes(llvm::function_ref<int64_t(mlir::Value, int64_t)> bytesOf,
                    llvm::function_ref<bool(int64_t)> isShort) const;

private:
  struct Event {
    int64_t body = -1; // of a run
    mlir::Value value; // of a message
    int64_t microBatch = -1;
  };

  int64_t addBody(TaskOp task, bool keeps);
  std::vector<int64_t> keyOf(llvm::ArrayRef<int64_t> touchedBy) const;
  void extend(int64_t group, int64_t microBatch, int64_t action);

  TaskSlots &slots;
  std::function<bool(mlir::Value)> hasOffset;
  std::vector<Event> events;
  std::vector<Body> bodies;
  std::map<std::pair<mlir::Operation *, bool>, int64_t> bodyNumbers;
  llvm::SetVector<mlir::Value> carried;        // by messages; each is a group of its own
  llvm::DenseMap<mlir::Value, int64_t> shared; // groups of values that several tasks touch, or messages
  std::vector<Group> groups;
  int64_t microBatches = 0;
};

} // namespace plc::plan

#endif
