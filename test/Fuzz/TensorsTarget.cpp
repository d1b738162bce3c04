//===- TensorsTarget.cpp - any bytes, read as tensors ---------------------===//
//
// What must hold of any bytes: they are refused, or give tensors that have as many bytes as their shapes ask for; and a
// .npy file that is read in parts is refused, or gives elements, as one that is read whole.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "MemoryFile.h"
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Tensors/Npy.h"
#include "plc/Runtime/Tensors/Safetensors.h"

using namespace plc::runtime;

static std::optional<Tensor> whole(const std::string &file, std::string_view bytes) {
  try {
    Tensor tensor = parseNpy(file, bytes);
    require(tensor.data.size() == tensor.info.numBytes(), "elements that its shape does not have");
    return tensor;
  } catch (const Error &) {
    return std::nullopt;
  }
}

static std::optional<Tensor> inParts(const std::string &file) {
  try {
    StoredElements elements = openNpy(file);
    Tensor tensor{elements.info(), Bytes(elements.info().numBytes())};
    int64_t count = elements.info().numElements(), half = count / 2;
    std::byte *middle = tensor.data.data() + static_cast<size_t>(half) * byteWidth(tensor.info.type);
    elements.read(0, half, tensor.data.data());
    elements.read(half, count - half, middle);
    return tensor;
  } catch (const Error &) {
    return std::nullopt;
  }
}

static void checkSafetensors(const std::string &file) {
  try {
    SafetensorsFile contents(file);
    for (const auto &[name, info] : contents.tensors) {
      if (!info.isReadable())
        continue;
      require(contents.read(name).data.size() == info.numBytes(), "a tensor that its shape does not have");
      require(openSafetensors(file, name).info().shape == info.shape, "a tensor of another shape");
    }
  } catch (const Error &) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const MemoryFolder folder;
  static const MemoryFile memory(folder.path + "/tensors");
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  const std::string &file = memory.hold(bytes);
  std::optional<Tensor> tensor = whole(file, bytes), again = inParts(file);
  require(tensor.has_value() == again.has_value(), "a .npy that is refused only whole, or only in parts");
  require(!tensor || (tensor->info.shape == again->info.shape && tensor->data == again->data),
          "other elements in parts");
  checkSafetensors(file);
  return 0;
}
