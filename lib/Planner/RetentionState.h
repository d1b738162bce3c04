//===- RetentionState.h - an answer that changes clone by clone -*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_RETENTIONSTATE_H
#define PLC_LIB_PLANNER_RETENTIONSTATE_H

#include "plc/Planner/Retention.h"

#include <algorithm>

namespace plc::planner {

/// Clones, each call at most once before another's run, and there in the order of their originals; with the bytes that
/// live at every call, which a clone that comes or goes changes only around itself.
///
/// Slot s is call s with the clones that run before it. Every run reads and makes values: its events. Between two events
/// of a value it lives if the second one reads it. A slot's runs are played when its bytes are asked for, once for all that has
/// changed there; what is undone has the bytes that it had.
class RetentionState {
public:
  explicit RetentionState(const RetentionProblem &problem);

  const RetentionProblem &problem;
  std::vector<int64_t> maker; ///< of each value, or -1

  /// Adds the clone of a call in a slot behind the call's own, or takes it away. Remembered until `commit` or `undo`.
  void toggle(int64_t call, int64_t slot);
  bool has(int64_t call, int64_t slot) const;
  void commit();
  void undo();

  int64_t addedNs() const { return ns; }
  int64_t numSlots() const { return problem.calls.size(); }
  /// Bytes of a slot, those of other micro-batches and of the static area included.
  int64_t bytesAt(int64_t slot) const {
    playStale();
    return around() + before[slot] + inside[slot];
  }
  int64_t peakBytes() const;
  int64_t peakSlot() const;
  /// Sum of the bytes above the budget, of all slots. O(slots), without branches.
  int64_t excess() const;

  /// A value's life from an event to the next, which reads it in slot `to`, so that it takes bytes of the slots behind
  /// `from`; empty if it does not live when the slot begins.
  struct Life {
    int64_t value = -1, from = 0, to = 0;
  };
  Life lifeAcross(int64_t value, int64_t slot) const;
  /// Whether a run of the call in the slot would make something that is read.
  bool isUseful(int64_t call, int64_t slot) const;

  const std::vector<int64_t> &clonesIn(int64_t slot) const { return clones[slot]; }
  int64_t numClones() const { return count; }
  Retention answer() const;
  /// Makes the clones those of an answer, as far as they can be.
  void load(const Retention &answer);

private:
  // (slot, call, whether it makes the value), ordered.
  using Event = uint64_t;
  static Event event(int64_t slot, int64_t call, bool makes) { return (uint64_t(slot) << 32 | call) << 1 | makes; }
  static int64_t slotOf(Event event) { return event >> 33; }
  static bool makes(Event event) { return event & 1; }
  static constexpr Event none = ~Event(0);

  int64_t around() const { return problem.staticBytes + (problem.inFlight - 1) * keptBytes(); }
  int64_t heldAt(int64_t slot) const { return slot < numSlots() ? before[slot] : 0; }
  int64_t keptBytes() const { return std::max(heldAt(backward), heldAt(awaited)); }
  void change(int64_t call, int64_t slot);
  void changeEvent(int64_t value, Event event, bool add);
  Event nextEvent(int64_t value, Event event) const;
  void live(int64_t value, int64_t from, int64_t to, int64_t sign);
  void touch(int64_t slot);
  void playStale() const;
  int64_t play(int64_t slot) const;

  std::vector<std::vector<int64_t>> args;   // of each call, made ones, each once
  std::vector<std::vector<Event>> events;   // of each value, ascending
  std::vector<std::vector<int64_t>> clones; // of each slot, ascending
  std::vector<int64_t> before;              // of each slot: live when it begins
  mutable std::vector<int64_t> inside;      // of each slot: the most beside that, but for those that are stale
  mutable std::vector<int64_t> stale;
  mutable std::vector<char> isStale;                // of each slot
  std::vector<std::pair<int64_t, int64_t>> journal; // calls and slots that were toggled
  std::vector<std::pair<int64_t, int64_t>> touched; // since then, and what was inside them
  std::vector<char> isTouched;                      // of each slot
  int64_t ns = 0, count = 0, backward, awaited;     // the first calls of B, and of a W that others run before
};

} // namespace plc::planner

#endif
