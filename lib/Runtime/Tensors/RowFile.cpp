// Reads one row of a tensor in a file.
#include "RowFile.h"

#include "plc/Runtime/Base/Error.h"

namespace plc::runtime {

RowFile::RowFile(StoredElements given, const TensorInfo &input) : elements(std::move(given)) {
  elements.convertTo(input.type, "input '" + input.name + "'");
  info = elements.info();
  info.batchAxis = input.batchAxis;
  TensorInfo expected = input;
  auto axis = static_cast<size_t>(input.batchAxis);
  if (info.shape.size() > axis)
    expected.shape[axis] = info.shape[axis];
  if (info.type != expected.type || info.shape != expected.shape)
    throw fileError(elements.name(), "rows of " + info.typeText() + ", expected " + expected.typeText() +
                                         " for input '" + input.name + "'");
  // Rows along the first axis are contiguous: read on demand. Others need the whole tensor.
  if (axis == 0)
    return;
  all.resize(info.numBytes());
  elements.read(0, info.numElements(), all.data());
}

void RowFile::read(int64_t row, std::byte *sample) const {
  if (!all.empty()) {
    takeSamples(info, all.data(), row, 1, sample);
    return;
  }
  int64_t length = info.numElements() / count();
  elements.read(row * length, length, sample);
}

} // namespace plc::runtime
