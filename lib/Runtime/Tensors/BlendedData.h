// Samples of several files, by weights.
#ifndef PLC_LIB_RUNTIME_TENSORS_BLENDEDDATA_H
#define PLC_LIB_RUNTIME_TENSORS_BLENDEDDATA_H

#include "EpochOrder.h"
#include "SampledData.h"

namespace plc::runtime {

/// Draws each training sample from one of several sources. Of each block of 65536 samples a source has its fraction,
/// rounded, and at least one. A block has its samples in an order that depends on the seed:
///
///   weights 0.75, 0.25     | a b a a a a b a .. | a a a b a b a a .. |     source of sample 0, 1, ..
///                            0 0 1 2 3 4 1 5 ..                           its number within the source
///
/// So a source is used in its own order, an epoch after another, and the source of a sample needs no history.
class BlendedData : public SampledData {
public:
  /// Weights are finite and above 0.
  BlendedData(const EntryInfo &entry, std::vector<std::unique_ptr<SampledData>> sources,
              const std::vector<double> &weights);

  DataLengths lengths() const override;
  std::string weights() const override { return weightsText; }
  int64_t numHeldOut() const override;
  void putTrainSample(uint64_t seed, int64_t number, int64_t at, std::vector<Bytes> &tensors) const override;
  /// The held-out samples of all sources, one source after another.
  void putHeldOutSample(int64_t number, int64_t at, std::vector<Bytes> &tensors) const override;
  std::string describeSample(uint64_t seed, int64_t number, size_t input) const override;
  void checkTraining() const override;
  void checkHeldOut() const override;

private:
  struct Drawn {
    size_t source;
    int64_t number; // within the source
  };
  Drawn draw(uint64_t seed, int64_t number) const;
  /// The seed of a source, so that sources of one length differ in their order.
  uint64_t seedOf(uint64_t seed, size_t source) const;

  std::vector<std::unique_ptr<SampledData>> sources;
  std::vector<int64_t> counts; // of each source in a block
  std::string weightsText;
  EpochOrder orderInBlock;
  mutable std::vector<Drawn> block; // the last one that was needed
  mutable int64_t blockIndex = -1;
  mutable uint64_t blockSeed = 0;
};

} // namespace plc::runtime

#endif
