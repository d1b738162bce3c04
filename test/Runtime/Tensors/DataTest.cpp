#include "Tensors/DataWindows.h"

#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace plc::runtime;
using plc::ElementType;

namespace {

/// A file whose byte i is i mod 251, and windows of 8 over it, next one byte on.
struct Text {
  explicit Text(int size) {
    std::FILE *out = std::fopen(file.c_str(), "wb");
    for (int i = 0; i < size; ++i)
      std::fputc(i % 251, out);
    std::fclose(out);
  }
  ~Text() { std::remove(file.c_str()); }
  std::string file = testing::TempDir() + "plc-data-test.text";
  EntryInfo entry{"train", 2, 1, 1, {{"tok", ElementType::I32, {2, 8}, 0}, {"next", ElementType::I64, {2, 8}, 0}}, {}};
  std::vector<DataOption> options{{"tok", file, 0}, {"next", file, 1}};
};

int32_t tokAt(const std::vector<Bytes> &batch, int i) {
  int32_t value;
  std::memcpy(&value, batch[0].data() + i * 4, 4);
  return value;
}
int64_t nextAt(const std::vector<Bytes> &batch, int i) {
  int64_t value;
  std::memcpy(&value, batch[1].data() + i * 8, 8);
  return value;
}

TEST(Data, ShiftedInputFollowsTheSameWindow) {
  Text text(200);
  Windows data(text.entry, text.options, 0.1);
  for (int step = 1; step < 50; ++step) {
    auto batch = data.trainBatch(0, step);
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(nextAt(batch, i), tokAt(batch, i) + 1);
  }
}

// 200 bytes, a tenth held out: training reads bytes 0..179 only, all of them in the end, shifted ones included.
TEST(Data, TrainingNeverReadsTheHeldOutPart) {
  Text text(200);
  Windows data(text.entry, text.options, 0.1);
  std::set<int64_t> seen;
  for (int step = 1; step < 2000; ++step) {
    auto batch = data.trainBatch(5, step);
    for (int i = 0; i < 16; ++i)
      seen.insert({tokAt(batch, i), nextAt(batch, i)});
  }
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), 179);
  EXPECT_EQ(seen.size(), 180u);
}

TEST(Data, PositionsDependOnSeedAndStep) {
  Text text(240);
  Windows data(text.entry, text.options, 0.1);
  EXPECT_EQ(data.trainBatch(1, 1), data.trainBatch(1, 1));
  EXPECT_NE(data.trainBatch(1, 1), data.trainBatch(2, 1));
  EXPECT_NE(data.trainBatch(1, 1), data.trainBatch(1, 2));
}

// 203 bytes, of which 195 are first ones of a window and its shift: 25 windows, from 0, 1 or 2 on.
TEST(Data, WindowsOfAnEpochStandSideBySide) {
  Text text(203);
  Windows data(text.entry, text.options, 0, WindowOrder::Epochs);
  std::vector<int> starts;
  for (int step = 1; step <= 50; ++step)
    for (int i : {0, 8})
      starts.push_back(tokAt(data.trainBatch(3, step), i));
  std::set<int> phases;
  for (int epoch = 0; epoch < 4; ++epoch) {
    std::set<int> seen(starts.begin() + epoch * 25, starts.begin() + (epoch + 1) * 25);
    ASSERT_EQ(seen.size(), 25u);
    EXPECT_EQ(*seen.rbegin() - *seen.begin(), 24 * 8);
    phases.insert(*seen.begin());
  }
  EXPECT_GT(phases.size(), 1u);
  EXPECT_LE(*phases.rbegin(), 2);
  EXPECT_FALSE(std::equal(starts.begin(), starts.begin() + 25, starts.begin() + 25));
}

// 97 bytes, 48 held out: windows at 49, 57, .. 81 (at 89 the shifted one would end after 97): 5 windows, 2 batches.
TEST(Data, HeldOutWindowsAreConsecutive) {
  Text text(97);
  Windows data(text.entry, text.options, 0.5);
  ASSERT_EQ(data.numHeldOutBatches(), 2);
  EXPECT_EQ(tokAt(data.heldOutBatch(/*seed=*/0, 0), 0), 49);
  EXPECT_EQ(tokAt(data.heldOutBatch(/*seed=*/0, 0), 8), 57);
  EXPECT_EQ(tokAt(data.heldOutBatch(/*seed=*/0, 1), 0), 65);
}

} // namespace
