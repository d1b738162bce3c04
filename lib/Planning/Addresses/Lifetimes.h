//===- Lifetimes.h - when a rank's values live, by groups -------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_LIFETIMES_H
#define PLC_LIB_PLANNING_ADDRESSES_LIFETIMES_H

#include "plc/Analysis/TaskSlots.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <functional>
#include <map>

namespace plc::plan {

/// When the values of a rank live that have no place for the whole step. All micro-batches are alike, so nothing here is
/// per value and micro-batch: values that the same tasks touch are a group, and a group has one life for each
/// micro-batch.
class Lifetimes {
public:
  /// From the action `begin` of the rank up to, without it, the action `end`.
  struct Life {
    int64_t begin = -1, end = -1; ///< negative: it never lives
    bool isEmpty() const { return begin < 0; }
  };

  /// A task as a run executes it: with its clones, or (`keeps`) without.
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
    int64_t own = -1;              ///< the group of the values that are its alone; -1: there are none
    std::vector<int64_t> groups{}; ///< that it touches, each once
  };

  struct Group {
    std::vector<mlir::Value> values;
    bool isTemporary = false;  ///< its values live inside of the runs of one body, call by call
    bool isCarried = false;    ///< messages carry its one value
    std::vector<Life> lives{}; ///< by micro-batch
  };

  /// `hasPlace` tells which resolved values have a place for the whole step. Actions are added in the rank's order, and
  /// numbered from 0; then `group` is called, once.
  Lifetimes(TaskSlots &slots, std::function<bool(mlir::Value)> hasPlace)
      : slots(slots), hasPlace(std::move(hasPlace)) {}
  void addRun(TaskOp task, bool keeps, int64_t microBatch);
  /// An action of a message that carries a resolved value.
  void addMessage(mlir::Value value, int64_t microBatch);
  /// Any other action.
  void addOther() { events.push_back({}); }
  void group();

  const std::vector<Body> &getBodies() const { return bodies; }
  const std::vector<Group> &getGroups() const { return groups; }
  /// The body of a run; the action must be one.
  const Body &bodyOf(int64_t action) const { return bodies[events[action].body]; }
  /// The group of a value in a body that touches it.
  int64_t groupOf(const Body &body, mlir::Value value) const;
  /// That of a value which messages carry.
  int64_t groupOf(mlir::Value value) const { return shared.lookup(value); }
  int64_t numMicroBatches() const { return microBatches; }

  /// Values, those of each micro-batch counted.
  int64_t countValues() const;

  /// The most bytes, each value rounded by `bytesOf(value, micro-batch)`, that live at one time: in a run from the first
  /// call that touches a value to the last. Micro-batches for which `isShort` agrees have equal bytes.
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
  std::function<bool(mlir::Value)> hasPlace;
  std::vector<Event> events;
  std::vector<Body> bodies;
  std::map<std::pair<mlir::Operation *, bool>, int64_t> bodyNumbers;
  llvm::SetVector<mlir::Value> carried;        // by messages: each is a group of its own
  llvm::DenseMap<mlir::Value, int64_t> shared; // groups of values that several tasks touch, or messages
  std::vector<Group> groups;
  int64_t microBatches = 0;
};

} // namespace plc::plan

#endif
