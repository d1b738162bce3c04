// The rows of a tensor in a file: its slices along the batch axis.
#ifndef PLC_LIB_RUNTIME_TENSORS_ROWFILE_H
#define PLC_LIB_RUNTIME_TENSORS_ROWFILE_H

#include "plc/Runtime/Tensors/StoredElements.h"

namespace plc::runtime {

/// The rows of one tensor: its slices along the batch axis of an input. Rows that are contiguous in the file are read
/// on demand.
class RowFile {
public:
  /// Throws fileError unless the rows have the type and shape of the input's samples, or can be converted.
  RowFile(StoredElements elements, const TensorInfo &input);

  int64_t count() const { return info.shape[static_cast<size_t>(info.batchAxis)]; }
  const std::string &name() const { return elements.name(); }
  /// Copies one row to `sample`.
  void read(int64_t row, std::byte *sample) const;

private:
  StoredElements elements;
  TensorInfo info;
  Bytes all; // the whole tensor, if a row is not contiguous in the file
};

} // namespace plc::runtime

#endif
