// Reads ranges that may span several files.
#include "ElementSequence.h"

#include "plc/Runtime/Base/Error.h"

#include <algorithm>

namespace plc::runtime {

ElementSequence::ElementSequence(const TensorInfo &input, std::vector<StoredElements> given)
    : files(std::move(given)), width(byteWidth(input.type)) {
  for (StoredElements &file : files) {
    std::string found = file.info().typeText();
    file.convertTo(input.type, "input '" + input.name + "'");
    if (file.info().type != input.type || file.info().shape.size() != 1)
      throw fileError(file.name(), "elements of " + found + ", expected " + std::string(nameOf(input.type)) +
                                       (file.info().shape.size() == 1 ? "" : " on one axis") + " for input '" +
                                       input.name + "'");
    ends.push_back((ends.empty() ? 0 : ends.back()) + file.info().numElements());
  }
}

void ElementSequence::read(int64_t first, int64_t count, std::byte *elements) const {
  // From the file that has the first element on.
  for (auto file = static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), first) - ends.begin()); count;
       ++file) {
    int64_t some = std::min(count, ends[file] - first);
    files[file].read(first - (file ? ends[file - 1] : 0), some, elements);
    first += some;
    count -= some;
    elements += static_cast<size_t>(some) * width;
  }
}

} // namespace plc::runtime
