// Batches of rows of tensor files.
#ifndef PLC_LIB_RUNTIME_TENSORS_TENSORROWS_H
#define PLC_LIB_RUNTIME_TENSORS_TENSORROWS_H

#include "EpochOrder.h"
#include "RowFile.h"
#include "plc/Runtime/Tensors/Data.h"

namespace plc::runtime {

/// A sample is one row along the batch axis of every input's tensor. Each epoch uses every training row once, in an
/// order that depends on seed and epoch. A batch may end one epoch and begin the next. The last rows are held out.
class TensorRows : public Data {
public:
  TensorRows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout);

  DataLengths lengths() const override { return {rows, 0}; }
  std::vector<Bytes> trainBatch(uint64_t seed, int64_t step) const override;
  std::string describeTrainSample(uint64_t seed, int64_t step, size_t input, int64_t sample) const override;
  int64_t numHeldOutBatches() const override { return (rows - trainRows) / batch; }
  std::vector<Bytes> heldOutBatch(uint64_t seed, int64_t index) const override;
  void checkTraining() const override;
  void checkHeldOut() const override;

private:
  struct Source {
    TensorInfo input;
    std::vector<RowFile> files;

    /// The file of a row, and its index there.
    std::pair<const RowFile &, int64_t> find(int64_t row) const;
  };
  /// The row of a sample of a training batch.
  int64_t trainRow(uint64_t seed, int64_t step, int64_t sample) const;
  std::vector<Bytes> readBatch(const std::vector<int64_t> &chosen) const;

  int64_t batch;
  std::vector<Source> sources; // in the order of the entry's inputs
  std::string name;            // the first source's file, for messages
  int64_t rows = 0, trainRows = 0;
  EpochOrder epochs;
};

} // namespace plc::runtime

#endif
