//===- RankOffsets.h - addresses of a rank's values -------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_RANKOFFSETS_H
#define PLC_LIB_PLANNING_ADDRESSES_RANKOFFSETS_H

#include "Lifetimes.h"
#include "PersistentBuffers.h"

#include "plc/Planner/Addresses/Pack.h"

#include <memory>
#include <optional>

namespace plc::plan {

/// The values of a rank that need offsets behind its persistent buffers, with all that is known of them. Shared by both
/// ways of placing values.
struct RankValues {
  RankValues(ProgramOp program, RankOp rank, TaskSlots &slots, const PersistentBuffers &buffers,
             int64_t persistentBytes);

  ProgramOp program;
  RankOp rank;
  ein::MicroBatches cut; ///< sizes of micro-batches, cached because each value of each micro-batch asks
  TaskSlots &slots;
  const PersistentBuffers &buffers;
  int64_t persistentBytes;
  std::vector<mlir::Operation *> actions; ///< by number, as in `lifetimes`
  Lifetimes lifetimes;

  /// The resolved value that a message carries.
  mlir::Value carried(ActionInterface action) const { return slots.resolve(slots.getRoutes().carried(action)); }
  bool isShort(int64_t microBatch) const { return cut.samplesOf(microBatch) < cut.samplesOf(0); }
  /// Bytes of a value in a micro-batch, rounded to the alignment.
  int64_t bytesOf(mlir::Value value, int64_t microBatch) const;
  /// A lower bound on the arena: persistent buffers and the most bytes that are live at one time.
  int64_t bound() const;
};

/// Bytes that are dead after an action: the offset, and the size.
struct Death {
  mlir::Operation *action;
  int64_t microBatch, at, bytes;
};

/// Offsets of all values of a rank that have no persistent buffer. First `pack`, then ask.
class RankOffsets {
public:
  virtual ~RankOffsets() = default;

  /// Finds the offsets by a strategy. Fails if the sizes are too large for it.
  virtual planner::Status pack(const planner::MemoryStrategyRow &strategy) = 0;
  /// What was placed, for remarks: "12 values", "3 blocks of 12 values".
  virtual std::string describe() const = 0;
  /// The end of the highest value, in the arena.
  int64_t getEnd() const { return end; }
  /// Whether no offsets of these values end lower, as an exhaustive search has shown.
  virtual bool isProven() const { return false; }

  /// The offset of a value that a message carries.
  virtual int64_t offsetOf(mlir::Value value, int64_t microBatch) const = 0;
  /// The addresses that a run lists: one for each base of its task's frame or, without frames, for each slot.
  virtual llvm::SmallVector<int64_t> addressesOf(RunOp run, int64_t action) const = 0;
  /// Writes the frames of tasks, if this way of placing has any.
  virtual void writeFrames(mlir::OpBuilder &builder, mlir::Location loc) const {}
  /// The drops to write: bytes that another task could still read by mistake.
  virtual std::vector<Death> deaths() const = 0;

protected:
  explicit RankOffsets(const RankValues &rank) : rank(rank), end(rank.persistentBytes) {}

  const RankValues &rank;
  int64_t end;
};

/// Places each value of each micro-batch by itself, with its lifetime in calls. This packs most tightly, but work and
/// addresses grow with values times micro-batches. `effort` replaces the strategy by a search of that effort.
std::unique_ptr<RankOffsets> layOutValues(const RankValues &rank,
                                          std::optional<planner::PackEffort> effort = std::nullopt);

/// Lays out each group of `Lifetimes` once, in blocks (`BlockLayouts`), cuts these into segments, and gives each
/// segment an address for each micro-batch. Work and addresses grow with values, and with tasks times micro-batches. A
/// segment lives as long as its longest value, so other bytes of it lie idle in the runs in which it begins and ends;
/// temporaries use them.
///
/// With `spare` a segment has its address from the time when that of `spare` micro-batches earlier begins, and
/// temporaries lie apart from all other blocks. Then orders other than the list's are possible, too.
std::unique_ptr<RankOffsets> layOutBlocks(const RankValues &rank, int64_t spare = 0);

} // namespace plc::plan

#endif
