//===- Reduce.cpp - sums, maxima and minima in lanes or chains ------------===//
#include "Equations.h"

#include "plc/Dialect/Ein/Ein.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace plc::reference {
namespace {

using ein::Reduction;

constexpr int64_t numLanes = 16;

template <Reduction reduction, typename T>
T initial() {
  using Limits = std::numeric_limits<T>;
  if constexpr (reduction == Reduction::sum)
    return 0;
  else if constexpr (std::is_integral_v<T>)
    return reduction == Reduction::max ? Limits::min() : Limits::max();
  else
    return reduction == Reduction::max ? -Limits::infinity() : Limits::infinity();
}

template <Reduction reduction, typename T>
T combine(T so, T x) {
  if constexpr (reduction == Reduction::sum && std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(so) + std::make_unsigned_t<T>(x)); // wraps
  else if constexpr (reduction == Reduction::sum)
    return so + x;
  else if constexpr (reduction == Reduction::max)
    return x > so ? x : so;
  else
    return x < so ? x : so;
}

template <Reduction reduction, typename T>
T reduceLanes(const T *x, const std::vector<int64_t> &offsets) {
  T lanes[numLanes];
  std::fill_n(lanes, numLanes, initial<reduction, T>());
  for (size_t i = 0; i < offsets.size(); ++i)
    lanes[i % numLanes] = combine<reduction>(lanes[i % numLanes], x[offsets[i]]);
  for (int64_t half = numLanes / 2; half; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane)
      lanes[lane] = combine<reduction>(lanes[lane], lanes[lane + half]);
  return lanes[0];
}

template <Reduction reduction, typename T>
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
  std::vector<T> values(to.size(), initial<reduction, T>());
  if (lanes)
    for (size_t r = 0; r < to.size(); ++r)
      values[r] = reduceLanes<reduction>(x + from[r], along);
  else // One chain per result, all chains abreast.
    for (int64_t offset : along)
      for (size_t r = 0; r < to.size(); ++r)
        values[r] = combine<reduction>(values[r], x[from[r] + offset]);
  T *out = result.as<T>();
  for (size_t r = 0; r < to.size(); ++r)
    out[to[r]] = accumulate ? combine<Reduction::sum>(out[to[r]], values[r]) : values[r];
}

template <typename T>
void dispatch(Reduction reduction, auto &&...arguments) {
  switch (reduction) {
  case Reduction::sum: return reduceTyped<Reduction::sum, T>(arguments...);
  case Reduction::max: return reduceTyped<Reduction::max, T>(arguments...);
  case Reduction::min: return reduceTyped<Reduction::min, T>(arguments...);
  }
}

} // namespace

void reduce(Reduction reduction, const Extents &extents, const Operand &input, const Operand &result,
            const std::vector<int64_t> &reduced, bool lanes, bool accumulate) {
  auto run = [&]<typename T>(T) { dispatch<T>(reduction, extents, input, result, reduced, lanes, accumulate); };
  switch (result.element) {
  case Element::F32: return run(float());
  case Element::I32: return run(int32_t());
  case Element::I64: return run(int64_t());
  default: return run(double());
  }
}

} // namespace plc::reference
