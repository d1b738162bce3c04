// Elements of one axis in one or several files, one behind the other, as those of an input.
#ifndef PLC_LIB_RUNTIME_TENSORS_ELEMENTSEQUENCE_H
#define PLC_LIB_RUNTIME_TENSORS_ELEMENTSEQUENCE_H

#include "plc/Runtime/Tensors/StoredElements.h"

namespace plc::runtime {

class ElementSequence {
public:
  /// Throws fileError unless the elements of each file are the input's, or become so.
  ElementSequence(const TensorInfo &input, std::vector<StoredElements> files);

  int64_t size() const { return ends.back(); }
  void read(int64_t first, int64_t count, std::byte *elements) const;

private:
  std::vector<StoredElements> files;
  std::vector<int64_t> ends; // where each file ends, in elements
  size_t width;
};

} // namespace plc::runtime

#endif
