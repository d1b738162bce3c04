// Training and held-out batches from files of bytes.
#ifndef PLC_RUNTIME_DATA_H
#define PLC_RUNTIME_DATA_H

#include "plc/Runtime/Engine.h"

namespace plc::runtime {

/// `--data IN=FILE[+n]`.
struct DataOption {
  std::string input, file;
  int64_t shift = 0;
};

/// The windows of one entry's inputs. All inputs of a sample are read at one position, each plus its shift:
///
///   0 ......... train windows, at any start ......... T | window | window | ... size      (T = size - held-out bytes)
///
/// A training window, shifted ones included, ends at or before T. Held-out windows do not overlap.
class ByteWindows {
public:
  /// Reads the files and checks that every input of the entry has data. Throws usageError or fileError.
  ByteWindows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout);

  /// The batch of a step: start positions depend on seed, step and sample alone.
  std::vector<Bytes> trainBatch(uint64_t seed, int64_t step) const;

  /// Whole batches of consecutive held-out windows; windows that do not fill a batch are left out.
  int64_t numHeldOutBatches() const;
  std::vector<Bytes> heldOutBatch(int64_t index) const;

  /// Throws if there is no training window, or no held-out batch.
  void checkTraining() const;
  void checkHeldOut() const;

private:
  struct Source {
    TensorInfo input;
    std::string file, text;
    int64_t shift, window; // bytes
  };
  std::vector<Bytes> readBatch(const std::vector<int64_t> &starts) const;
  int64_t numTrainStarts() const { return heldOutStart - reach + 1; }

  int64_t batch;
  std::vector<Source> sources; // in the order of the entry's inputs
  int64_t size = 0;            // of the shortest file
  int64_t heldOutStart = 0;    // T
  int64_t reach = 0;           // bytes from a start to the end of its furthest window
  int64_t stride = 0;          // the longest window
};

} // namespace plc::runtime

#endif
