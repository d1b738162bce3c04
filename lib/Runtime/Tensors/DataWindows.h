// Windows of files of bytes, or of elements of one axis.
#ifndef PLC_LIB_RUNTIME_TENSORS_DATAWINDOWS_H
#define PLC_LIB_RUNTIME_TENSORS_DATAWINDOWS_H

#include "ElementSequence.h"
#include "EpochOrder.h"
#include "SampledData.h"

namespace plc::runtime {

/// The windows of an entry's inputs, of text for example. All inputs of a sample are read at one position, each plus
/// its shift:
///
///   0 ......... train windows, at any start ......... T | window | window | ... size
///
/// where T is the size without the held-out elements. A training window, shifted or not, ends at or before T. Held-out
/// windows do not overlap, nor do those of an epoch.
class Windows : public SampledData {
public:
  Windows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout,
          WindowOrder order = WindowOrder::Random);

  DataLengths lengths() const override { return {0, size}; }
  int64_t numHeldOut() const override;
  void putTrainSample(uint64_t seed, int64_t number, int64_t at, std::vector<Bytes> &tensors) const override;
  void putHeldOutSample(int64_t number, int64_t at, std::vector<Bytes> &tensors) const override;
  std::string describeSample(uint64_t seed, int64_t number, size_t input) const override;
  void checkTraining() const override;
  void checkHeldOut() const override;

private:
  struct Source {
    std::string file;
    ElementSequence elements;
    int64_t shift, window; // in elements: of the option; of a sample
  };
  /// Where the windows of a training sample begin; startInEpoch for that order.
  int64_t trainStart(uint64_t seed, int64_t number) const;
  int64_t startInEpoch(uint64_t seed, int64_t number) const;
  void putWindow(int64_t start, int64_t at, std::vector<Bytes> &tensors) const;
  int64_t numTrainStarts() const { return heldOutStart - reach + 1; }

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
