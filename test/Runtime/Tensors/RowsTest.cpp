#include "Tensors/TensorRows.h"
#include "plc/Runtime/Tensors/Npy.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

using namespace plc::runtime;
using plc::ElementType;

namespace {

/// 11 rows of one element each, of which row i holds i; the last two are held out.
struct Rows {
  Rows() {
    Tensor tensor{{"x", ElementType::I64, {11}, 0}, Bytes(11 * 8)};
    for (int64_t i = 0; i < 11; ++i)
      std::memcpy(tensor.data.data() + i * 8, &i, 8);
    std::ofstream(file, std::ios::binary) << formatNpy(tensor);
  }
  ~Rows() { std::remove(file.c_str()); }
  std::vector<int64_t> read(const std::vector<Bytes> &batch) const {
    std::vector<int64_t> values(2);
    std::memcpy(values.data(), batch[0].data(), 16);
    return values;
  }
  std::string file = testing::TempDir() + "plc-rows-test.npy";
  EntryInfo entry{"train", 2, 1, 1, {{"x", ElementType::I64, {2}, 0}}, {}};
};

// 9 training rows in batches of 2: two epochs are 9 batches.
TEST(Rows, EachIsUsedOncePerEpoch) {
  Rows rows;
  TensorRows data(rows.entry, {{"x", rows.file, 0}}, 0.2);
  std::vector<int64_t> seen;
  for (int64_t step = 1; step <= 9; ++step)
    for (int64_t row : rows.read(data.trainBatch(3, step)))
      seen.push_back(row);
  std::set<int64_t> first(seen.begin(), seen.begin() + 9), second(seen.begin() + 9, seen.end());
  EXPECT_EQ(first, (std::set<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(second, first);
  EXPECT_NE(std::vector<int64_t>(seen.begin(), seen.begin() + 9), std::vector<int64_t>(seen.begin() + 9, seen.end()));
}

TEST(Rows, OrderDependsOnSeedAndStepAlone) {
  Rows rows;
  TensorRows data(rows.entry, {{"x", rows.file, 0}}, 0.2), again(rows.entry, {{"x", rows.file, 0}}, 0.2);
  std::vector<int64_t> seventh = rows.read(data.trainBatch(3, 7));
  again.trainBatch(4, 1);
  EXPECT_EQ(rows.read(again.trainBatch(3, 7)), seventh);
}

TEST(Rows, LastOnesAreHeldOut) {
  Rows rows;
  TensorRows data(rows.entry, {{"x", rows.file, 0}}, 0.2);
  ASSERT_EQ(data.numHeldOutBatches(), 1);
  EXPECT_EQ(rows.read(data.heldOutBatch(/*seed=*/0, 0)), (std::vector<int64_t>{9, 10}));
}

} // namespace
