#include "StoredType.h"

#include <bit>
#include <cstring>

namespace plc::runtime {

namespace {

/// IEEE 754's binary16: 5 bits of exponent, 10 of fraction.
struct Half {
  uint16_t bits;

  operator float() const {
    uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    if (exponent == 0) { // subnormal or zero: a multiple of 2^-24
      float magnitude = static_cast<float>(fraction) * 0x1p-24f;
      return sign ? -magnitude : magnitude;
    }
    uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
  }
};

/// The upper half of an f32.
struct BFloat {
  uint16_t bits;

  operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
};

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

} // namespace

Bytes StoredType::read(std::string_view bytes) const {
  size_t count = bytes.size() / width;
  Bytes elements(count * byteWidth(readAs));
  widen(reinterpret_cast<const std::byte *>(bytes.data()), count, elements.data());
  return elements;
}

std::span<const StoredType> storedTypes() { return types; }

} // namespace plc::runtime
