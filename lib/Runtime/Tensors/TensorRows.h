// Batches of rows of tensor files.
#ifndef PLC_LIB_RUNTIME_TENSORS_TENSORROWS_H
#define PLC_LIB_RUNTIME_TENSORS_TENSORROWS_H

#include "EpochOrder.h"
#include "RowFile.h"
#include "SampledData.h"

namespace plc::runtime {

/// A sample is one row along the batch axis of every input's tensor. Each epoch uses every training row once, in an
/// order that depends on seed and epoch. A batch may end one epoch and begin the next. The last rows are held out.
class TensorRows : public SampledData {
public:
  TensorRows(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout);

  DataLengths lengths() const override { return {rows, 0}; }
  int64_t numHeldOut() const override { return rows - trainRows; }
  void putTrainSample(uint64_t seed, int64_t number, int64_t at, std::vector<Bytes> &tensors) const override;
  void putHeldOutSample(int64_t number, int64_t at, std::vector<Bytes> &tensors) const override;
  std::string describeSample(uint64_t seed, int64_t number, size_t input) const override;
  void checkTraining() const override;
  void checkHeldOut() const override;

private:
  struct Source {
    std::vector<RowFile> files;

    /// The file of a row, and its index there.
    std::pair<const RowFile &, int64_t> find(int64_t row) const;
  };
  int64_t trainRow(uint64_t seed, int64_t number) const;
  void putRow(int64_t row, int64_t at, std::vector<Bytes> &tensors) const;

  std::vector<Source> sources; // in the order of the entry's inputs
  std::string name;            // the first source's file, for messages
  int64_t rows = 0, trainRows = 0;
  EpochOrder epochs;
};

} // namespace plc::runtime

#endif
