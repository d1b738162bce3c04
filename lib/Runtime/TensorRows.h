// Rows of tensor files: a sample is one row along the batch axis of every input's tensor.
#ifndef PLC_RUNTIME_TENSORROWS_H
#define PLC_RUNTIME_TENSORROWS_H

#include "Data.h"

namespace plc::runtime {

/// Every training row is used once per epoch, in an order that depends on seed and epoch; a batch may end one epoch and
/// begin the next. The last rows are held out.
class TensorRows : public Data {
public:
  TensorRows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout);

  std::vector<Bytes> trainBatch(uint64_t seed, int64_t step) const override;
  int64_t numHeldOutBatches() const override { return (rows - trainRows) / batch; }
  std::vector<Bytes> heldOutBatch(int64_t index) const override;
  void checkTraining() const override;
  void checkHeldOut() const override;

private:
  struct Source {
    std::string file;
    Tensor tensor;
    TensorInfo input;
  };
  /// The order of an epoch's training rows; the last one asked for is kept.
  const std::vector<int64_t> &orderOf(uint64_t seed, int64_t epoch) const;
  std::vector<Bytes> readBatch(const std::vector<int64_t> &chosen) const;

  int64_t batch;
  std::vector<Source> sources; // in the order of the entry's inputs
  int64_t rows = 0, trainRows = 0;
  mutable std::vector<int64_t> order;
  mutable uint64_t orderSeed = 0;
  mutable int64_t orderEpoch = -1;
};

} // namespace plc::runtime

#endif
