//===- HeldValues.h - which value each byte of an arena has -----*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PROOF_HELDVALUES_H
#define PLC_LIB_PLANNING_PROOF_HELDVALUES_H

#include "plc/Dialect/Plan/Plan.h"

#include <map>
#include <tuple>

namespace plc::plan {

/// Bytes of an arena, or of a block.
struct Range {
  int64_t begin, end;
  bool overlaps(const Range &other) const { return begin < other.end && other.begin < end; }
  bool operator==(const Range &other) const { return begin == other.begin && end == other.end; }
};

/// "bytes 64 to 128".
std::string text(const Range &range);

/// Values side by side, with offsets in their block, sorted and disjoint.
struct Piece {
  Range range;
  mlir::Value value;
};
using Contents = std::vector<Piece>;

/// A map from the bytes of an arena to blocks of values, each of one micro-batch. Equal contents have one number,
/// whatever their micro-batch and address, so a block costs no more than a value.
class HeldValues {
public:
  using Instance = std::pair<mlir::Value, int64_t>;

  HeldValues() { numberOf({}); }

  /// The number of some contents; empty contents are 0.
  int64_t numberOf(const Contents &contents);
  const Contents &get(int64_t number) const { return all[number]; }

  /// Whether exactly these bytes are this value of this micro-batch.
  bool holds(Range range, mlir::Value value, int64_t microBatch) const;
  /// The value whose first byte is here.
  std::optional<Instance> beginsAt(int64_t at) const;
  /// The operation that last overwrote bytes of a value; null if none did. For notes of errors.
  mlir::Operation *endOf(mlir::Value value, int64_t microBatch) const;

  /// Removes every value that has one of the bytes; `by` is remembered for notes.
  void erase(Range range, mlir::Operation *by);
  /// Adds a value where nothing is.
  void put(Range range, mlir::Value value, int64_t microBatch);

  /// The contents of the micro-batch's block with these bytes, 0 if they are empty. Nothing if another block has one of
  /// them.
  std::optional<int64_t> blockIn(Range range, int64_t microBatch) const;
  /// Replaces the contents of the block that begins at `at`; 0 removes it.
  void replaceBlock(int64_t at, int64_t contents, int64_t microBatch, mlir::Operation *by);

private:
  struct Block {
    int64_t end, contents, microBatch;
  };
  struct Ended {
    int64_t contents, microBatch;
    mlir::Operation *by;
  };
  using Blocks = std::map<int64_t, Block>; // by first byte; no byte is in two

  Blocks::const_iterator blockWith(int64_t byte) const;

  Blocks blocks;
  std::vector<Ended> ended;
  std::vector<Contents> all;
  std::map<std::vector<std::tuple<int64_t, int64_t, void *>>, int64_t> numbers;
};

} // namespace plc::plan

#endif
