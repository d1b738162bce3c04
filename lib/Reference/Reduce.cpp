//===- Reduce.cpp - reductions in lanes or chains -------------------------===//
#include "EquationKinds.h"

#include "plc/Dialect/Ein/Ein.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace plc::reference {
namespace {

using ein::Reduction;

template <Reduction reduction, typename T>
// The value that a reduction starts from.
T initial() {
  using Limits = std::numeric_limits<T>;
  if constexpr (reduction == Reduction::sum || reduction == Reduction::any)
    return 0;
  else if constexpr (reduction == Reduction::prod || reduction == Reduction::all)
    return 1;
  else if constexpr (std::is_integral_v<T>)
    return reduction == Reduction::max ? Limits::min() : Limits::max();
  else
    return reduction == Reduction::max ? -Limits::infinity() : Limits::infinity();
}

template <typename T>
bool isNaN(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(x);
  return false;
}

template <Reduction reduction, typename T>
// One step of a reduction. NaN wins in maxima and minima; integers wrap.
T combine(T so, T x) {
  if constexpr (reduction == Reduction::sum && std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(so) + std::make_unsigned_t<T>(x)); // wraps
  else if constexpr (reduction == Reduction::sum)
    return so + x;
  else if constexpr (reduction == Reduction::prod && std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(so) * std::make_unsigned_t<T>(x)); // wraps
  else if constexpr (reduction == Reduction::prod)
    return so * x;
  else if constexpr (reduction == Reduction::any)
    return so || x;
  else if constexpr (reduction == Reduction::all)
    return so && x;
  else if constexpr (reduction == Reduction::max)
    return x > so || isNaN(x) ? x : so;
  else
    return x < so || isNaN(x) ? x : so;
}

// T is the element, S the type of the reduction: elements become S exactly, and the result becomes T with one rounding.

template <Reduction reduction, typename S, typename T>
// The order `lanes`: element i goes to lane i mod 16, then the lanes are added as a tree.
S reduceLanes(const T *x, const std::vector<int64_t> &offsets) {
  S lanes[ein::sumLanes];
  std::fill_n(lanes, ein::sumLanes, initial<reduction, S>());
  for (size_t i = 0; i < offsets.size(); ++i)
    lanes[i % ein::sumLanes] = combine<reduction>(lanes[i % ein::sumLanes], static_cast<S>(x[offsets[i]]));
  for (int64_t half = ein::sumLanes / 2; half; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane)
      lanes[lane] = combine<reduction>(lanes[lane], lanes[lane + half]);
  return lanes[0];
}

template <Reduction reduction, typename T, typename S>
void reduceTyped(const Extents &extents, const Operand &input, const Operand &result,
                 const std::vector<int64_t> &reduced, bool lanes, bool accumulate) {
  std::vector<int64_t> kept;
  for (int64_t dim = 0; dim < int64_t(extents.size()); ++dim)
    if (std::find(reduced.begin(), reduced.end(), dim) == reduced.end())
      kept.push_back(dim);
  std::vector<int64_t> to = flattenedOffsets(extents, kept, result.strides),
                       from = flattenedOffsets(extents, kept, input.strides),
                       along = flattenedOffsets(extents, reduced, input.strides);
  const T *x = input.as<T>();
  T *out = result.as<T>();
  std::vector<S> values(to.size(), initial<reduction, S>());
  if (accumulate && !lanes)
    for (size_t r = 0; r < to.size(); ++r)
      values[r] = static_cast<S>(out[to[r]]);
  if (lanes)
    for (size_t r = 0; r < to.size(); ++r)
      values[r] = reduceLanes<reduction, S>(x + from[r], along);
  else // one chain per result, all chains side by side
    for (int64_t offset : along)
      for (size_t r = 0; r < to.size(); ++r)
        values[r] = combine<reduction>(values[r], static_cast<S>(x[from[r] + offset]));
  for (size_t r = 0; r < to.size(); ++r) {
    // A sum in lanes is added to the accumulator at its end; a chain started from it.
    bool adds = accumulate && lanes;
    out[to[r]] = static_cast<T>(adds ? combine<Reduction::sum>(static_cast<S>(out[to[r]]), values[r]) : values[r]);
  }
}

template <typename T, typename S>
void dispatch(Reduction reduction, auto &&...arguments) {
  switch (reduction) {
  case Reduction::sum: return reduceTyped<Reduction::sum, T, S>(arguments...);
  case Reduction::max: return reduceTyped<Reduction::max, T, T>(arguments...);
  case Reduction::min: return reduceTyped<Reduction::min, T, T>(arguments...);
  case Reduction::prod: return reduceTyped<Reduction::prod, T, S>(arguments...);
  case Reduction::any: return reduceTyped<Reduction::any, T, T>(arguments...);
  case Reduction::all: return reduceTyped<Reduction::all, T, T>(arguments...);
  }
}

} // namespace

void fillInitial(Reduction reduction, Tensor &result) {
  visit(result.element, [&](auto element) {
    using T = typename decltype(element)::Value;
    auto fill = [&](T value) { std::fill_n(result.as<T>(), result.numElements(), value); };
    if constexpr (!element.isNarrow)
      switch (reduction) {
      case Reduction::sum:
      case Reduction::any: return fill(initial<Reduction::sum, T>());
      case Reduction::prod:
      case Reduction::all: return fill(initial<Reduction::prod, T>());
      case Reduction::max: return fill(initial<Reduction::max, T>());
      case Reduction::min: return fill(initial<Reduction::min, T>());
      }
  });
}

void reduce(Reduction reduction, const Extents &extents, const Operand &input, const Operand &result, ElementType sum,
            const std::vector<int64_t> &reduced, bool lanes, bool accumulate) {
  visit(result.element, [&](auto element) {
    using T = typename decltype(element)::Value;
    auto run = [&]<typename S>(S) { dispatch<T, S>(reduction, extents, input, result, reduced, lanes, accumulate); };
    if constexpr (element.isNarrow)
      __builtin_trap(); // the verifier lets nothing narrow be reduced
    else if constexpr (element.kind == ElementKind::Real)
      visitReal(sum, [&](auto wider) { run(typename decltype(wider)::Value()); });
    else
      run(T()); // integers wrap, in any width
  });
}

} // namespace plc::reference
