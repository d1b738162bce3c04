// Elements of one axis in several files, one behind another.
#ifndef PLC_LIB_RUNTIME_TENSORS_ELEMENTSEQUENCE_H
#define PLC_LIB_RUNTIME_TENSORS_ELEMENTSEQUENCE_H

#include "plc/Runtime/Tensors/StoredElements.h"

namespace plc::runtime {

/// The elements of several files of one axis as one sequence, in the type of an input.
class ElementSequence {
public:
  /// Throws fileError unless each file's elements have the input's type, or can be converted to it.
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
