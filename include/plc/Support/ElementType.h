//===- ElementType.h - the types of tensors' elements -----------*- C++ -*-===//
//
// The enum and all facts come from ElementTypes.def. Without LLVM, because compiler, interpreter and runtime share it.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_SUPPORT_ELEMENTTYPE_H
#define PLC_SUPPORT_ELEMENTTYPE_H

#include "plc/Support/NarrowReals.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plc {

enum class ElementKind : uint8_t { Real, Integer, Truth };

enum class ElementType : uint8_t {
#define PLC_ELEMENT_TYPE(ID, NAME, VALUE, KIND, SUM, NPY, SAFETENSORS) ID,
#include "plc/Support/ElementTypes.def"
};

inline constexpr std::array allElementTypes = {
#define PLC_ELEMENT_TYPE(ID, NAME, VALUE, KIND, SUM, NPY, SAFETENSORS) ElementType::ID,
#include "plc/Support/ElementTypes.def"
};

/// The facts of one type at compile time.
template <ElementType>
struct ElementTraits;
#define PLC_ELEMENT_TYPE(ID, NAME, VALUE, KIND, SUM, NPY, SAFETENSORS)                                                 \
  template <>                                                                                                          \
  struct ElementTraits<ElementType::ID> {                                                                              \
    using Value = VALUE;                                                                                               \
    static constexpr std::string_view name = NAME, npy = NPY, safetensors = SAFETENSORS;                               \
    static constexpr ElementKind kind = ElementKind::KIND;                                                             \
    static constexpr ElementType sum = ElementType::SUM;                                                               \
    static constexpr bool isNarrow = sum != ElementType::ID;                                                           \
  };
#include "plc/Support/ElementTypes.def"

/// Calls f with the traits of a type known at run time. There is no default: `f` is compiled for every row of the
/// table. So a new row is a compile error wherever f does not support it.
template <typename F>
constexpr decltype(auto) visit(ElementType type, F &&f) {
  switch (type) {
#define PLC_ELEMENT_TYPE(ID, NAME, VALUE, KIND, SUM, NPY, SAFETENSORS)                                                 \
  case ElementType::ID: return f(ElementTraits<ElementType::ID>());
#include "plc/Support/ElementTypes.def"
  }
  __builtin_trap();
}

/// The same for a type in which reals are computed; f is compiled for these alone.
template <typename F>
constexpr decltype(auto) visitReal(ElementType type, F &&f) {
  switch (type) {
#define PLC_ELEMENT_TYPE(ID, NAME, VALUE, KIND, SUM, NPY, SAFETENSORS)                                                 \
  case ElementType::ID:                                                                                                \
    if constexpr (ElementKind::KIND == ElementKind::Real && ElementType::SUM == ElementType::ID)                       \
      return f(ElementTraits<ElementType::ID>());                                                                      \
    else                                                                                                               \
      break;
#include "plc/Support/ElementTypes.def"
  }
  __builtin_trap();
}

/// Bytes of one element in memory.
constexpr size_t byteWidth(ElementType type) {
  return visit(type, [](auto traits) { return sizeof(typename decltype(traits)::Value); });
}
constexpr std::string_view nameOf(ElementType type) {
  return visit(type, [](auto traits) { return traits.name; });
}
constexpr ElementKind kindOf(ElementType type) {
  return visit(type, [](auto traits) { return traits.kind; });
}
/// The type in which such elements are computed.
constexpr ElementType sumTypeOf(ElementType type) {
  return visit(type, [](auto traits) { return traits.sum; });
}
/// Whether this is a storage type only, computed in another.
constexpr bool isNarrow(ElementType type) { return sumTypeOf(type) != type; }
constexpr bool isReal(ElementType type) { return kindOf(type) == ElementKind::Real; }
constexpr bool isInteger(ElementType type) { return kindOf(type) == ElementKind::Integer; }
/// Whether a program can compute its reals in this type.
constexpr bool isComputeType(ElementType type) { return isReal(type) && !isNarrow(type); }

/// The type of this name in the table.
constexpr std::optional<ElementType> parseElementType(std::string_view name) {
  for (ElementType type : allElementTypes)
    if (nameOf(type) == name)
      return type;
  return std::nullopt;
}

/// Names of the types that `accepts` takes, for a message: `f64, f32, i64, i32 or bool`.
template <typename Accepts>
std::string listElementTypes(Accepts accepts, std::string_view (*textOf)(ElementType) = nameOf) {
  std::string list, last;
  for (ElementType type : allElementTypes) {
    if (!accepts(type))
      continue;
    if (!last.empty())
      list += (list.empty() ? "" : ", ") + last;
    last = textOf(type);
  }
  return list.empty() ? last : list + " or " + last;
}
inline bool isAny(ElementType) { return true; }

} // namespace plc

#endif
