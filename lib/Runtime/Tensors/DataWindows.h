// Windows of files of bytes, or of elements of one axis.
#ifndef PLC_LIB_RUNTIME_TENSORS_DATAWINDOWS_H
#define PLC_LIB_RUNTIME_TENSORS_DATAWINDOWS_H

#include "ElementSequence.h"
#include "EpochOrder.h"
#include "plc/Runtime/Tensors/Data.h"

namespace plc::runtime {

/// The windows of an entry's inputs, of text for example. All inputs of a sample are read at one position, each plus
/// its shift:
///
///   0 ......... train windows, at any start ......... T | window | window | ... size      (T = size - held-out
///   elements)
///
/// A training window, shifted or not, ends at or before T. Held-out windows do not overlap, nor do those of an epoch.
class Windows : public Data {
public:
  Windows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout,
          WindowOrder order = WindowOrder::Random);

  DataLengths lengths() const override { return {0, size}; }
  std::vector<Bytes> trainBatch(uint64_t seed, int64_t step) const override;
  std::string describeTrainSample(uint64_t seed, int64_t step, size_t input, int64_t sample) const override;
  int64_t numHeldOutBatches() const override;
  std::vector<Bytes> heldOutBatch(uint64_t seed, int64_t index) const override;
  void checkTraining() const override;
  void checkHeldOut() const override;

private:
  struct Source {
    TensorInfo input;
    std::string file;
    ElementSequence elements;
    int64_t shift, window; // in elements: of the option; of a sample
  };
  /// Where the windows of a training batch begin; startsOfEpochs for that order.
  std::vector<int64_t> trainStarts(uint64_t seed, int64_t step) const;
  std::vector<int64_t> startsOfEpochs(uint64_t seed, int64_t step) const;
  std::vector<Bytes> readBatch(const std::vector<int64_t> &starts) const;
  int64_t numTrainStarts() const { return heldOutStart - reach + 1; }

  int64_t batch;
  WindowOrder order;
  EpochOrder epochs;
  std::vector<Source> sources; // in the order of the entry's inputs
  const char *unit = "bytes";  // "elements" if a file has others
  int64_t size = 0;            // of the shortest source
  int64_t heldOutStart = 0;    // T above
  int64_t reach = 0;           // from a start to the end of its last window
  int64_t stride = 0;          // the longest window
};

} // namespace plc::runtime

#endif
