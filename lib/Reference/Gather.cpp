//===- Gather.cpp - gather, scatter_add, put and cast ---------------------===//
#include "EquationKinds.h"
#include "RecipeValues.h"

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Numerics/Recipes.h"

#include <cmath>
#include <limits>

namespace plc::reference {
namespace {

int64_t loadIndex(const Operand &operand, int64_t offset) {
  return visit(operand.element, [&](auto traits) -> int64_t {
    if constexpr (traits.kind == ElementKind::Integer)
      return operand.as<typename decltype(traits)::Value>()[offset];
    __builtin_trap(); // the verifier lets nothing else be an index
  });
}

/// Visits each point of the domain in row-major order, with its offsets in `dense`, in the indexed `table`, and in
/// `second` (0 without one). A position outside the table ends the visit, or skips the point with `skipsOutside`.
template <typename Point>
std::optional<OutOfRange> forEachPoint(const Extents &extents, const Operand &dense, const Operand &table,
                                       const std::vector<IndexOperand> &indices, const Operand *second, Point point,
                                       bool skipsOutside = false) {
  Extents index(extents.size(), 0);
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  for (int64_t n = 0; n < count; ++n) {
    auto offsetIn = [&](const Operand &operand) {
      int64_t offset = 0;
      for (size_t dim = 0; dim < index.size(); ++dim)
        offset += index[dim] * operand.strides[dim];
      return offset;
    };
    int64_t at = offsetIn(table);
    bool inside = true;
    for (size_t i = 0; i < indices.size(); ++i) {
      int64_t position = offsetIn(indices[i].values), value = loadIndex(indices[i].values, position);
      bool fits = value >= 0 && value < indices[i].extent;
      if (!fits && !skipsOutside)
        return OutOfRange{i, position, value, indices[i].extent};
      inside &= fits;
      at += fits ? value * indices[i].stride : 0;
    }
    if (inside)
      point(offsetIn(dense), at, second ? offsetIn(*second) : 0);
    for (int64_t dim = int64_t(extents.size()) - 1; dim >= 0 && ++index[dim] == extents[dim]; --dim)
      index[dim] = 0;
  }
  return std::nullopt;
}

/// One step of a scatter, by the recipe of the reduction's function.
template <typename V>
V joined(ein::Reduction join, V so, V x) {
  switch (join) {
  case ein::Reduction::sum: return numerics::Recipe<ein::Function::add>()(so, x);
  case ein::Reduction::prod: return numerics::Recipe<ein::Function::mul>()(so, x);
  case ein::Reduction::max: return numerics::Recipe<ein::Function::max>()(so, x);
  case ein::Reduction::min: return numerics::Recipe<ein::Function::min>()(so, x);
  case ein::Reduction::any:
  case ein::Reduction::all: break;
  }
  __builtin_trap(); // the verifier lets nothing else join
}

template <typename I>
// Rounds toward 0. Reals out of range, and NaN, give the smallest integer.
I toInteger(auto x) {
  if constexpr (std::is_floating_point_v<decltype(x)>) {
    // 2^(width - 1) is exact; everything that truncates into range is above -2^(width - 1) - 1.
    double bound = -double(std::numeric_limits<I>::min());
    double value = std::trunc(double(x));
    return value >= -bound && value < bound ? static_cast<I>(value) : std::numeric_limits<I>::min();
  } else {
    return static_cast<I>(x);
  }
}

/// One element converted to another type, by the type that sums of the first are taken in, which holds it exactly.
template <typename To, typename From>
typename To::Value castElement(typename From::Value element) {
  using Wide = typename ElementTraits<From::sum>::Value;
  auto x = static_cast<Wide>(element); // exact
  if constexpr (To::kind == ElementKind::Real)
    return static_cast<typename To::Value>(x);
  else if constexpr (To::kind == ElementKind::Integer && std::is_unsigned_v<typename To::Value>)
    return static_cast<typename To::Value>(toInteger<typename ElementTraits<To::sum>::Value>(x)); // modulo 2^width
  else if constexpr (To::kind == ElementKind::Integer)
    return toInteger<typename To::Value>(x);
  else
    return x != 0;
}

} // namespace

std::optional<OutOfRange> gather(const Extents &extents, const Operand &table, const std::vector<IndexOperand> &indices,
                                 const Operand &result) {
  return visit(result.element, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    const T *from = table.as<T>();
    T *to = result.as<T>();
    return forEachPoint(extents, result, table, indices, nullptr,
                        [=](int64_t dense, int64_t at, int64_t) { to[dense] = from[at]; });
  });
}

std::optional<OutOfRange> scatterAdd(const Extents &extents, const Operand &updates,
                                     const std::vector<IndexOperand> &indices, const std::optional<Operand> &factor,
                                     const Operand &result, ein::Reduction join) {
  return visit(result.element, [&](auto traits) {
    using Traits = decltype(traits);
    using T = typename Traits::Value;
    const T *from = updates.as<T>();
    T *to = result.as<T>();
    if constexpr (traits.kind == ElementKind::Real && !traits.isNarrow)
      if (factor) {
        const T *times = factor->as<T>();
        return forEachPoint(extents, updates, result, indices, &*factor,
                            [=](int64_t dense, int64_t at, int64_t second) {
                              to[at] = numerics::fma(from[dense], times[second], to[at]);
                            });
      }
    return forEachPoint(extents, updates, result, indices, nullptr, [=](int64_t dense, int64_t at, int64_t) {
      if constexpr (traits.kind != ElementKind::Truth && !traits.isNarrow)
        to[at] = elementOf(joined(join, valueOf<Traits>(to[at]), valueOf<Traits>(from[dense])));
    });
  });
}

void put(const Extents &extents, const Operand &updates, const std::vector<IndexOperand> &indices,
         const Operand &result) {
  visit(result.element, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    const T *from = updates.as<T>();
    T *to = result.as<T>();
    forEachPoint(
        extents, updates, result, indices, nullptr, [=](int64_t dense, int64_t at, int64_t) { to[at] = from[dense]; },
        /*skipsOutside=*/true);
  });
}

void cast(const Tensor &input, Tensor &result) {
  visit(input.element, [&](auto from) {
    visit(result.element, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      const auto *x = input.as<typename From::Value>();
      auto *y = result.as<typename To::Value>();
      for (int64_t i = 0, count = input.numElements(); i < count; ++i)
        y[i] = castElement<To, From>(x[i]);
    });
  });
}

} // namespace plc::reference
