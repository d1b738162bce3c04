// Rows of different lengths, packed into samples of one length.
#ifndef PLC_LIB_RUNTIME_TENSORS_PACKEDROWS_H
#define PLC_LIB_RUNTIME_TENSORS_PACKEDROWS_H

#include "EpochOrder.h"
#include "RaggedRows.h"
#include "SampledData.h"

namespace plc::runtime {

/// Packs rows into windows of S positions, those of inputs [B, S]. With `tok=F` and `next=F+1`, rows `a b c d` and
/// `x y z` in a window of 6:
///
///   tok        a b c x y 0
///   next       b c d y z 0
///   segments   1 1 1 2 2 0     --pack INPUT=segments: which row of the window; 0: none
///   positions  0 1 2 0 1 0     --pack INPUT=positions: in the row
///   mask       1 1 1 1 1 0     --pack INPUT=mask
///
/// A row has as many positions as elements, less the largest shift. One with more than S is cut into pieces of S, each
/// a segment of its own. Windows do not depend on the seed. Each epoch uses each window once, shuffled by seed and
/// epoch. The last rows are held out, and packed into windows of their own.
class PackedRows : public SampledData {
public:
  PackedRows(const EntryInfo &entry, const std::vector<DataOption> &options, const std::vector<PackOption> &packs,
             double holdout);

  DataLengths lengths() const override { return {numRows, 0}; }
  int64_t numHeldOut() const override { return static_cast<int64_t>(heldOut.size()); }
  void putTrainSample(uint64_t seed, int64_t number, int64_t at, std::vector<Bytes> &tensors) const override;
  void putHeldOutSample(int64_t number, int64_t at, std::vector<Bytes> &tensors) const override;
  std::string describeSample(uint64_t seed, int64_t number, size_t input) const override;
  void checkTraining() const override;
  void checkHeldOut() const override;

private:
  /// Positions of a row that stand in one window.
  struct Piece {
    int64_t row, first, length;
  };
  using Window = std::vector<Piece>;
  /// How an input is filled: with elements of rows, or as `pack` says.
  struct Source {
    std::optional<RaggedRows> rows;
    int64_t shift = 0;
    std::optional<PackKind> pack;
  };
  void checkLengths(size_t source) const;
  std::vector<Window> pack(int64_t firstRow, int64_t endRow) const;
  void putWindow(const Window &packed, int64_t at, std::vector<Bytes> &tensors) const;
  const Window &trainWindow(uint64_t seed, int64_t number) const;

  std::vector<Source> sources;                // in the order of the entry's inputs
  size_t first = 0;                           // a source with rows
  std::string name;                           // its file, for messages
  int64_t numRows = 0, window = 0, reach = 0; // S; the largest shift
  std::vector<Window> train, heldOut;
  EpochOrder epochs;
};

} // namespace plc::runtime

#endif
