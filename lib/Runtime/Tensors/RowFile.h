// The rows of a tensor in a file: its slices along the batch axis of an input.
#ifndef PLC_LIB_RUNTIME_TENSORS_ROWFILE_H
#define PLC_LIB_RUNTIME_TENSORS_ROWFILE_H

#include "plc/Runtime/Tensors/StoredElements.h"

namespace plc::runtime {

class RowFile {
public:
  /// Throws fileError unless the rows have type and shape of the input's samples, or become so.
  RowFile(StoredElements elements, const TensorInfo &input);

  int64_t count() const { return info.shape[static_cast<size_t>(info.batchAxis)]; }
  const std::string &name() const { return elements.name(); }
  void read(int64_t row, std::byte *sample) const;

private:
  StoredElements elements;
  TensorInfo info;
  Bytes all; // if a row does not stand in one piece in the file
};

} // namespace plc::runtime

#endif
