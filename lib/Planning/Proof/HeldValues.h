//===- HeldValues.h - which values the bytes of an arena hold ---*- C++ -*-===//
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

/// Values beside each other, counted from the begin of their block, in the order of their disjoint places.
struct Piece {
  Range range;
  mlir::Value value;
};
using Contents = std::vector<Piece>;

/// A map from the bytes of an arena to blocks of values of one micro-batch. Contents that come again, of another
/// micro-batch or at another place, are one number, so that a block costs no more than a value.
class HeldValues {
public:
  using Instance = std::pair<mlir::Value, int64_t>;

  HeldValues() { numberOf({}); }

  /// The number of contents; that of none is 0.
  int64_t numberOf(const Contents &contents);
  const Contents &get(int64_t number) const { return all[number]; }

  bool holds(Range range, mlir::Value value, int64_t microBatch) const;
  /// The value whose bytes begin here.
  std::optional<Instance> beginsAt(int64_t at) const;
  /// The operation that last took bytes of a value; null if none did.
  mlir::Operation *endOf(mlir::Value value, int64_t microBatch) const;

  /// Nothing that has one of these bytes is there any more.
  void erase(Range range, mlir::Operation *by);
  void put(Range range, mlir::Value value, int64_t microBatch);

  /// The contents of the block of a micro-batch that begins with these bytes, 0 if there is none; nothing if another
  /// block has one of the bytes.
  std::optional<int64_t> blockIn(Range range, int64_t microBatch) const;
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
