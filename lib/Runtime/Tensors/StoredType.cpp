// The table of element types in files.
#include "plc/Runtime/Tensors/StoredType.h"

#include <cstring>

namespace plc::runtime {

namespace {

template <class From, class To>
void widen(const std::byte *from, size_t count, std::byte *to) {
  for (size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    To wide = static_cast<To>(value);
    std::memcpy(to + i * sizeof(To), &wide, sizeof(To));
  }
}

template <class Value>
void copy(const std::byte *from, size_t count, std::byte *to) {
  std::memcpy(to, from, count * sizeof(Value));
}

constexpr StoredType types[] = {
#define PLC_ELEMENT_TYPE(ID, NAME, VALUE, KIND, SUM, NPY, SAFETENSORS)                                                 \
  {NPY, SAFETENSORS, sizeof(VALUE), ElementType::ID, copy<VALUE>},
#include "plc/Support/ElementTypes.def"
#define PLC_STORED_TYPE(VALUE, READ_AS, NPY, SAFETENSORS)                                                              \
  {NPY, SAFETENSORS, sizeof(VALUE), ElementType::READ_AS, widen<VALUE, ElementTraits<ElementType::READ_AS>::Value>},
#include "StoredTypes.def"
};

// Files of bytes have no header.
constexpr StoredType byte = {"", "", 1, ElementType::I32, widen<uint8_t, int32_t>};

} // namespace

Bytes StoredType::read(std::string_view bytes) const {
  size_t count = bytes.size() / width;
  Bytes elements(count * byteWidth(readAs));
  widen(reinterpret_cast<const std::byte *>(bytes.data()), count, elements.data());
  return elements;
}

std::span<const StoredType> storedTypes() { return types; }

const StoredType &storedByte() { return byte; }

} // namespace plc::runtime
