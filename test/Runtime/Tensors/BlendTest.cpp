#include "Tensors/BlendedData.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace plc::runtime;
using plc::ElementType;

namespace {

const EntryInfo entry{"train", 2, 1, 1, {{"x", ElementType::I64, {2}, 0}}, {}};

/// A source whose sample n is 1000000 * source + n.
struct Numbers : SampledData {
  Numbers(int64_t source, int64_t heldOut) : SampledData(entry), source(source), heldOut(heldOut) {}
  int64_t numHeldOut() const override { return heldOut; }
  void put(int64_t value, int64_t at, std::vector<Bytes> &tensors) const {
    std::memcpy(tensors[0].data() + at * 8, &value, 8);
  }
  void putTrainSample(uint64_t, int64_t number, int64_t at, std::vector<Bytes> &tensors) const override {
    put(1000000 * source + number, at, tensors);
  }
  void putHeldOutSample(int64_t number, int64_t at, std::vector<Bytes> &tensors) const override {
    put(1000000 * source + number, at, tensors);
  }
  std::string describeSample(uint64_t, int64_t number, size_t) const override {
    return std::to_string(source) + ":" + std::to_string(number);
  }
  void checkTraining() const override {}
  void checkHeldOut() const override {}
  int64_t source, heldOut;
};

BlendedData blend(const std::vector<double> &weights, int64_t heldOut = 0) {
  std::vector<std::unique_ptr<SampledData>> sources;
  for (size_t i = 0; i < weights.size(); ++i)
    sources.push_back(std::make_unique<Numbers>(static_cast<int64_t>(i), heldOut + static_cast<int64_t>(i)));
  return {entry, std::move(sources), weights};
}

std::vector<int64_t> read(const std::vector<Bytes> &batch) {
  std::vector<int64_t> values(2);
  std::memcpy(values.data(), batch[0].data(), 16);
  return values;
}

// Each source is used in its own order without a gap. Of each block of 65536 samples it has its share, rounded, and at
// least one.
TEST(Blend, EachSourceHasItsShareInItsOwnOrder) {
  constexpr int64_t block = 65536;
  const std::vector<double> weights = {5, 2.5, 0.001, 1e-30, 3};
  BlendedData data = blend(weights);
  std::map<int64_t, int64_t> next;
  for (int64_t sample = 0; sample < 3 * block; sample += 2) {
    for (int64_t value : read(data.trainBatch(7, sample / 2 + 1)))
      EXPECT_EQ(value % 1000000, next[value / 1000000]++);
    for (size_t i = 0; i < weights.size() && (sample + 2) % block == 0; ++i) {
      auto blocks = static_cast<double>((sample + 2) / block);
      EXPECT_NEAR(static_cast<double>(next[static_cast<int64_t>(i)]) / blocks,
                  std::max(1.0, static_cast<double>(block) * weights[i] / 10.501), 1);
    }
  }
  EXPECT_EQ(next[3], 3);
}

// A batch needs no history, and another seed gives another order.
TEST(Blend, IsAFunctionOfSeedAndStep) {
  BlendedData data = blend({1, 2}), again = blend({1, 2});
  std::vector<std::vector<int64_t>> batches;
  for (int64_t step = 1; step <= 3000; ++step)
    batches.push_back(read(data.trainBatch(3, step)));
  EXPECT_EQ(read(again.trainBatch(3, 2222)), batches[2221]);
  EXPECT_EQ(read(again.trainBatch(3, 17)), batches[16]);
  EXPECT_EQ(again.describeTrainSample(3, 17, 0, 1),
            std::to_string(batches[16][1] / 1000000) + ":" + std::to_string(batches[16][1] % 1000000));
  int64_t different = 0;
  for (int64_t step = 1; step <= 512; ++step)
    different += read(data.trainBatch(4, step)) != batches[static_cast<size_t>(step - 1)];
  EXPECT_GT(different, 100);
  // With another batch size a run goes on behind the samples that it has used.
  again.shiftSamples(100);
  EXPECT_EQ(read(again.trainBatch(3, 1)), batches[50]);
}

TEST(Blend, HeldOutSamplesAreOfOneSourceAfterAnother) {
  BlendedData data = blend({1, 1, 1}, 1); // 1, 2 and 3 of them
  ASSERT_EQ(data.numHeldOutBatches(), 3);
  EXPECT_EQ(read(data.heldOutBatch(0, 0)), (std::vector<int64_t>{0, 1000000}));
  EXPECT_EQ(read(data.heldOutBatch(0, 1)), (std::vector<int64_t>{1000001, 2000000}));
  EXPECT_EQ(read(data.heldOutBatch(0, 2)), (std::vector<int64_t>{2000001, 2000002}));
}

} // namespace
