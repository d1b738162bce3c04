#include "Tensors/PackedRows.h"
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Tensors/Npy.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

using namespace plc::runtime;
using plc::ElementType;

namespace {

constexpr int64_t batch = 2, window = 6;

TensorInfo input(const char *name, ElementType type) { return {name, type, {batch, window}, 0}; }

struct Packed {
  explicit Packed(const std::string &lines) { std::ofstream(file, std::ios::binary) << lines; }
  ~Packed() { std::remove(file.c_str()); }
  PackedRows open(double holdout = 0) const { return {entry, {{"tok", file}, {"next", file, 1}}, packs, holdout}; }
  /// One input of a sample.
  template <typename Value>
  std::vector<Value> row(const std::vector<Bytes> &tensors, size_t index, int64_t sample) const {
    std::vector<Value> values(window);
    std::memcpy(values.data(), tensors[index].data() + static_cast<size_t>(sample * window) * sizeof(Value),
                window * sizeof(Value));
    return values;
  }

  std::string file = testing::TempDir() + "plc-pack-test.jsonl";
  EntryInfo entry{"train",
                  batch,
                  1,
                  1,
                  {input("tok", ElementType::I32), input("next", ElementType::I64), input("seg", ElementType::I32),
                   input("pos", ElementType::I32), input("mask", ElementType::F32)},
                  {}};
  std::vector<PackOption> packs{{"seg", PackKind::Segments}, {"pos", PackKind::Positions}, {"mask", PackKind::Mask}};
};

using Ints = std::vector<int32_t>;

// The windows of PackedRows.h, and one row longer than a window, of 8 positions: 6 and 2.
TEST(Pack, WindowsHaveRowsSegmentsAndPositions) {
  Packed packed("[1, 2, 3, 4]\n[24, 25, 26]\n[50, 51, 52, 53, 54, 55, 56, 57, 58]\n");
  PackedRows data = packed.open();
  auto batch = data.trainBatch(0, 1), other = data.trainBatch(0, 2);
  std::set<Ints> tokens, next, segments, positions;
  std::set<std::vector<float>> masks;
  for (const auto &tensors : {batch, other})
    for (int64_t sample : {0, 1}) {
      tokens.insert(packed.row<int32_t>(tensors, 0, sample));
      std::vector<int64_t> wide = packed.row<int64_t>(tensors, 1, sample);
      next.insert(Ints(wide.begin(), wide.end()));
      segments.insert(packed.row<int32_t>(tensors, 2, sample));
      positions.insert(packed.row<int32_t>(tensors, 3, sample));
      masks.insert(packed.row<float>(tensors, 4, sample));
    }
  // Lengths 6, 3, 2, 2: the last piece finds one free position in the second window, and needs two.
  EXPECT_EQ(tokens, (std::set<Ints>{{50, 51, 52, 53, 54, 55}, {1, 2, 3, 24, 25, 0}, {56, 57, 0, 0, 0, 0}}));
  EXPECT_EQ(next, (std::set<Ints>{{51, 52, 53, 54, 55, 56}, {2, 3, 4, 25, 26, 0}, {57, 58, 0, 0, 0, 0}}));
  EXPECT_EQ(segments, (std::set<Ints>{{1, 1, 1, 1, 1, 1}, {1, 1, 1, 2, 2, 0}, {1, 1, 0, 0, 0, 0}}));
  EXPECT_EQ(positions, (std::set<Ints>{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 0, 1, 0}, {0, 1, 0, 0, 0, 0}}));
  EXPECT_EQ(masks, (std::set<std::vector<float>>{{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 0}, {1, 1, 0, 0, 0, 0}}));
}

// Of rows of every length up to 9, each token is in one window of an epoch, and the windows are few.
TEST(Pack, EachPositionIsUsedOncePerEpoch) {
  std::string lines;
  std::multiset<int32_t> all;
  int32_t token = 1;
  for (int row = 0; row < 60; ++row) {
    lines += "[";
    for (int i = 0; i <= row % 9; ++i, ++token) {
      lines += (i ? ", " : "") + std::to_string(token);
      if (i < row % 9)
        all.insert(token);
    }
    lines += "]\n";
  }
  Packed packed(lines);
  PackedRows data = packed.open(), half = packed.open(0.5);
  int64_t windows = (static_cast<int64_t>(all.size()) + window - 1) / window; // the fewest
  auto epoch = [&](int64_t count, int64_t firstSample) {
    std::multiset<int32_t> seen;
    for (int64_t i = firstSample; i < firstSample + count; ++i)
      for (int32_t each : packed.row<int32_t>(data.trainBatch(5, i / batch + 1), 0, i % batch))
        if (each)
          seen.insert(each);
    return seen;
  };
  int64_t count = windows;
  while (count < windows + 4 && epoch(count, 0) != all)
    ++count;
  EXPECT_EQ(epoch(count, 0), all);
  EXPECT_EQ(epoch(count, count), all);
  EXPECT_LE(count, windows + 3);
  // Held-out rows are in windows of their own.
  std::set<int32_t> heldOut, trained;
  for (int64_t i = 0; i < half.numHeldOutBatches(); ++i)
    for (int64_t sample : {0, 1})
      for (int32_t each : packed.row<int32_t>(half.heldOutBatch(0, i), 0, sample))
        heldOut.insert(each);
  for (int64_t step = 1; step < 40; ++step)
    for (int64_t sample : {0, 1})
      for (int32_t each : packed.row<int32_t>(half.trainBatch(5, step), 0, sample))
        trained.insert(each);
  heldOut.erase(0);
  EXPECT_LT(*trained.rbegin(), *heldOut.begin());
}

TEST(Pack, SamplesAreDescribedByTheirLines) {
  Packed packed("[1, 2, 3, 4]\n[24, 25, 26]\n");
  EXPECT_EQ(packed.open().describeTrainSample(0, 1, 1, 0), packed.file + ":1, " + packed.file + ":2");
  EXPECT_EQ(packed.open().describeTrainSample(0, 1, 2, 0), "");
}

} // namespace
