// Blocks of samples with fixed numbers for each source.
#include "BlendedData.h"

#include "plc/Runtime/Base/ShortestDigits.h"
#include "plc/Runtime/Tensors/InitialValues.h"

#include <algorithm>
#include <numeric>

namespace plc::runtime {

namespace {

// Part of the meaning of a seed. Fractions are rounded to multiples of its inverse.
constexpr int64_t blockLength = 65536;

const uint64_t stream = hashBytes("blend");

/// Samples of a block for each source: at least one, and beyond that the method of largest remainders.
std::vector<int64_t> countsOf(const std::vector<double> &weights) {
  const double largest = *std::max_element(weights.begin(), weights.end()); // their sum may be no number
  double all = 0;
  for (double weight : weights)
    all += weight / largest;
  std::vector<double> shares;
  std::vector<int64_t> counts;
  for (double weight : weights) {
    shares.push_back(weight / largest / all * blockLength);
    counts.push_back(std::max<int64_t>(1, static_cast<int64_t>(shares.back())));
  }
  for (int64_t sum; (sum = std::accumulate(counts.begin(), counts.end(), int64_t(0))) != blockLength;) {
    // The source that lacks most, or has most too many. Of equal ones the first.
    const int64_t step = sum < blockLength ? 1 : -1;
    size_t most = counts.size();
    auto gap = [&](size_t i) { return static_cast<double>(step) * (shares[i] - static_cast<double>(counts[i])); };
    for (size_t i = 0; i < counts.size(); ++i)
      if (counts[i] + step > 0 && (most == counts.size() || gap(i) > gap(most)))
        most = i;
    counts[most] += step;
  }
  return counts;
}

} // namespace

BlendedData::BlendedData(const EntryInfo &entry, std::vector<std::unique_ptr<SampledData>> given,
                         const std::vector<double> &weights)
    : SampledData(entry), sources(std::move(given)), counts(countsOf(weights)), orderInBlock(stream) {
  for (double weight : weights)
    weightsText += (weightsText.empty() ? "" : ", ") + shortestDigits(ElementType::F64, weight);
}

DataLengths BlendedData::lengths() const {
  DataLengths all;
  for (const auto &source : sources) {
    DataLengths some = source->lengths();
    all = {all.rows + some.rows, all.elements + some.elements};
  }
  return all;
}

int64_t BlendedData::numHeldOut() const {
  int64_t all = 0;
  for (const auto &source : sources)
    all += source->numHeldOut();
  return all;
}

uint64_t BlendedData::seedOf(uint64_t seed, size_t source) const { return randomBits(seed, stream, source); }

BlendedData::Drawn BlendedData::draw(uint64_t seed, int64_t number) const {
  int64_t index = number / blockLength;
  if (index != blockIndex || seed != blockSeed) {
    blockIndex = index;
    blockSeed = seed;
    std::vector<size_t> chosen; // the sources of the block, sorted
    std::vector<int64_t> next;  // the number of each source's next sample
    for (size_t source = 0; source < sources.size(); ++source) {
      chosen.insert(chosen.end(), static_cast<size_t>(counts[source]), source);
      next.push_back(index * counts[source]);
    }
    block.clear();
    for (int64_t i = 0; i < blockLength; ++i) {
      size_t source = chosen[static_cast<size_t>(orderInBlock.at(i, blockLength, seed, index))];
      block.push_back({source, next[source]++});
    }
  }
  return block[static_cast<size_t>(number % blockLength)];
}

void BlendedData::putTrainSample(uint64_t seed, int64_t number, int64_t at, std::vector<Bytes> &tensors) const {
  Drawn drawn = draw(seed, number);
  sources[drawn.source]->putTrainSample(seedOf(seed, drawn.source), drawn.number, at, tensors);
}

void BlendedData::putHeldOutSample(int64_t number, int64_t at, std::vector<Bytes> &tensors) const {
  auto source = sources.begin();
  for (; number >= (*source)->numHeldOut(); ++source)
    number -= (*source)->numHeldOut();
  (*source)->putHeldOutSample(number, at, tensors);
}

std::string BlendedData::describeSample(uint64_t seed, int64_t number, size_t input) const {
  Drawn drawn = draw(seed, number);
  return sources[drawn.source]->describeSample(seedOf(seed, drawn.source), drawn.number, input);
}

void BlendedData::checkTraining() const {
  for (const auto &source : sources)
    source->checkTraining();
}

/// If all sources together have no batch, the first one has none.
void BlendedData::checkHeldOut() const {
  if (numHeldOutBatches() < 1)
    sources[0]->checkHeldOut();
}

} // namespace plc::runtime
