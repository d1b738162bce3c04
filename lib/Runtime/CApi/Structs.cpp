// Reads and fills structs of the C API.
#include "CApi/Structs.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Support/Version.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace plc::runtime {

// Numbers of the C API never change.
static_assert(PLC_F64 == int(ElementType::F64) && PLC_F32 == int(ElementType::F32) &&
              PLC_I64 == int(ElementType::I64) && PLC_I32 == int(ElementType::I32) &&
              PLC_BOOL == int(ElementType::Bool) && PLC_F16 == int(ElementType::F16) &&
              PLC_BF16 == int(ElementType::BF16) && PLC_I8 == int(ElementType::I8) && PLC_U8 == int(ElementType::U8) &&
              plc::allElementTypes.size() == 9);
static plc_element_type cTypeOf(ElementType type) { return static_cast<plc_element_type>(type); }

/// The size of a caller's struct, which may be compiled with another header. Refuses what cannot be a size, as in a
/// program that never set it: no struct will exceed `most`.
static size_t sizeOf(const void *theirs, const char *type) {
  constexpr size_t most = 4096;
  size_t size;
  std::memcpy(&size, theirs, sizeof(size));
  if (size < sizeof(size) || size > most || size % alignof(size_t))
    throw usageError("found " + std::to_string(size) + " for 'struct_size' of " + type + "; set it to sizeof(" + type +
                     ")");
  return size;
}

plc_options optionsOf(const plc_options *given) {
  plc_options options{};
  if (!given)
    return options;
  size_t size = sizeOf(given, "plc_options"), known = std::min(size, sizeof(options));
  std::memcpy(&options, given, known);
  const auto *bytes = reinterpret_cast<const char *>(given);
  if (std::any_of(bytes + known, bytes + size, [](char byte) { return byte != 0; }))
    throw usageError("found a field of plc_options that libplcrt " + std::string(plc::version()) +
                     " does not know, whose plc_options ends after " + std::to_string(known) +
                     " bytes; leave it zero, or run with a newer library");
  return options;
}

void checkIndex(size_t count, size_t index, const char *noun) {
  if (index >= count)
    throw usageError("found " + std::string(noun) + " " + std::to_string(index) + ", but there are " +
                     std::to_string(count));
}

plc_tensor_info infoOf(const module::TensorInfo &tensor) {
  return {0, tensor.name.c_str(), cTypeOf(tensor.type), tensor.shape.size(), tensor.shape.data(), tensor.numBytes()};
}

plc_tensor_info infoOf(const module::ParameterInfo &parameter) {
  return {0,
          parameter.path.c_str(),
          cTypeOf(parameter.type),
          parameter.shape.size(),
          parameter.shape.data(),
          parameter.tensor().numBytes()};
}

void fill(plc_tensor_info known, plc_tensor_info *info) {
  size_t size = sizeOf(info, "plc_tensor_info");
  known.struct_size = size;
  std::memset(static_cast<void *>(info), 0, size);
  std::memcpy(static_cast<void *>(info), &known, std::min(size, sizeof(known)));
}

} // namespace plc::runtime
