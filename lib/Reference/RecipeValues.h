//===- RecipeValues.h - elements as values of the recipes -------------*- C++ -*-===//
#ifndef PLC_LIB_REFERENCE_RECIPEVALUES_H
#define PLC_LIB_REFERENCE_RECIPEVALUES_H

#include "plc/Support/ElementType.h"

#include <type_traits>

namespace plc {
// Narrow elements are moved unchanged. The recipes find these through the types' namespace.
inline BFloat16 select(bool mask, BFloat16 a, BFloat16 b) { return mask ? a : b; }
inline Float16 select(bool mask, Float16 a, Float16 b) { return mask ? a : b; }
} // namespace plc

namespace plc::reference {

/// An integer whose arithmetic wraps (in C++ signed overflow is undefined): the value type of Recipes.h.
template <typename T>
struct Wrapping {
  T value;

  using U = std::make_unsigned_t<T>;
  friend Wrapping operator-(Wrapping a) { return {T(U(0) - U(a.value))}; }
  friend Wrapping operator+(Wrapping a, Wrapping b) { return {T(U(a.value) + U(b.value))}; }
  friend Wrapping operator-(Wrapping a, Wrapping b) { return {T(U(a.value) - U(b.value))}; }
  friend Wrapping operator*(Wrapping a, Wrapping b) { return {T(U(a.value) * U(b.value))}; }
  friend Wrapping operator/(Wrapping a, Wrapping b) { return {T(a.value / b.value)}; }
  friend Wrapping operator^(Wrapping a, Wrapping b) { return {T(a.value ^ b.value)}; }
  friend Wrapping operator&(Wrapping a, Wrapping b) { return {T(a.value & b.value)}; }
  friend Wrapping operator|(Wrapping a, Wrapping b) { return {T(a.value | b.value)}; }
  friend Wrapping operator<<(Wrapping a, Wrapping b) { return {T(U(a.value) << b.value)}; }
  friend Wrapping operator>>(Wrapping a, Wrapping b) { return {T(a.value >> b.value)}; }
  friend auto operator<=>(Wrapping, Wrapping) = default;
  friend Wrapping select(bool mask, Wrapping a, Wrapping b) { return mask ? a : b; }
  friend Wrapping like(Wrapping, double x) { return {T(x)}; }
  friend Wrapping wordLike(Wrapping, uint64_t n) { return {T(n)}; }
  friend Wrapping shiftDown(Wrapping a, int n) { return {T(U(a.value) >> n)}; }
  friend constexpr int widthOf(Wrapping) { return 8 * sizeof(T); }
};

/// An element as the value type of the recipes.
template <typename Traits>
auto valueOf(typename Traits::Value element) {
  if constexpr (Traits::kind == ElementKind::Truth)
    return element != 0;
  else if constexpr (Traits::kind == ElementKind::Integer)
    return Wrapping<typename Traits::Value>{element};
  else
    return element;
}

/// A value of the recipes as the stored element.
inline BFloat16 elementOf(BFloat16 value) { return value; }
inline Float16 elementOf(Float16 value) { return value; }
inline float elementOf(float value) { return value; }
inline double elementOf(double value) { return value; }
inline uint8_t elementOf(bool value) { return value; }
template <typename T>
T elementOf(Wrapping<T> value) {
  return value.value;
}

} // namespace plc::reference

#endif
