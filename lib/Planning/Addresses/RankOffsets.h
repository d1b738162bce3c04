//===- RankOffsets.h - where a rank's values lie ---------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_RANKOFFSETS_H
#define PLC_LIB_PLANNING_ADDRESSES_RANKOFFSETS_H

#include "Lifetimes.h"
#include "Statics.h"

#include "plc/Planner/Addresses/Pack.h"

#include <memory>
#include <optional>

namespace plc::plan {

/// A rank whose values are to be placed behind its static area.
struct RankValues {
  RankValues(ProgramOp program, RankOp rank, TaskSlots &slots, const Statics &statics, int64_t staticBytes);

  ProgramOp program;
  RankOp rank;
  ein::MicroBatches cut; ///< of the program, which is asked for each value of each micro-batch
  TaskSlots &slots;
  const Statics &statics;
  int64_t staticBytes;
  std::vector<mlir::Operation *> actions; ///< by the numbers that `lifetimes` has
  Lifetimes lifetimes;

  /// What a message action carries, resolved.
  mlir::Value carried(ActionInterface action) const { return slots.resolve(slots.getRoutes().carried(action)); }
  bool isShort(int64_t microBatch) const { return cut.samplesOf(microBatch) < cut.samplesOf(0); }
  /// Rounded as places are.
  int64_t bytesOf(mlir::Value value, int64_t microBatch) const;
  /// The least that all of them take, at any places, and the static area: the most that live at one time.
  int64_t bound() const;
};

/// Bytes that are dead after an action.
struct Death {
  mlir::Operation *action;
  int64_t microBatch, at, bytes;
};

/// Places of the values of a rank that have none for the whole step.
class Places {
public:
  virtual ~Places() = default;

  virtual planner::Fault pack(const planner::MemoryStrategyRow &strategy) = 0;
  /// What was placed, for people: "12 values", "3 blocks of 12 values".
  virtual std::string describe() const = 0;
  /// Where the highest value ends.
  int64_t getEnd() const { return end; }
  /// Whether it is proven that no places of these values end lower.
  virtual bool isProven() const { return false; }

  /// The place of what a message carries.
  virtual int64_t offsetOf(mlir::Value value, int64_t microBatch) const = 0;
  /// What a run gives: for each base of its task's frame, or for each slot, without frames.
  virtual llvm::SmallVector<int64_t> addressesOf(RunOp run, int64_t action) const = 0;
  virtual void writeFrames(mlir::OpBuilder &builder, mlir::Location loc) const {}
  virtual std::vector<Death> deaths() const = 0;

protected:
  explicit Places(const RankValues &rank) : rank(rank), end(rank.staticBytes) {}

  const RankValues &rank;
  int64_t end;
};

/// Each value of each micro-batch by itself, with its life in calls: nothing fits closer. Work and addresses grow with
/// values times micro-batches. With `effort` places are searched for, whatever the strategy.
std::unique_ptr<Places> placeValues(const RankValues &rank, std::optional<planner::PackEffort> effort = std::nullopt);

/// Each group of `Lifetimes` is laid out once, in blocks (`BlockLayouts`), and each segment of these gets an address for each
/// micro-batch: work and addresses grow with values, and with tasks times micro-batches. A segment lives as long as the
/// longest life in it, so bytes of values that are not made yet, or are not needed any more, lie idle in the runs where it
/// begins and ends, but for temporaries.
///
/// With `spare` a segment has its address already when that of so many micro-batches before begins, and what tasks make for
/// themselves alone lies apart from all other blocks: then other orders than the list's are possible, too.
std::unique_ptr<Places> placeBlocks(const RankValues &rank, int64_t spare = 0);

} // namespace plc::plan

#endif
