//===- Gather.cpp - gather, scatter_add and cast --------------------------===//
#include "Equations.h"

#include <cmath>
#include <limits>

namespace plc::reference {
namespace {

int64_t loadIndex(const Operand &operand, int64_t offset) {
  return operand.element == Element::I32 ? operand.as<int32_t>()[offset] : operand.as<int64_t>()[offset];
}

/// Visits each point of the domain with its offset in `dense` and its checked offset in the indexed `table`.
template <typename Point>
std::optional<OutOfRange> forEachPoint(const Extents &extents, const Operand &dense, const Operand &table,
                                       const std::vector<IndexOperand> &indices, Point point) {
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
    for (size_t i = 0; i < indices.size(); ++i) {
      int64_t position = offsetIn(indices[i].values), value = loadIndex(indices[i].values, position);
      if (value < 0 || value >= indices[i].extent)
        return OutOfRange{i, position, value, indices[i].extent};
      at += value * indices[i].stride;
    }
    point(offsetIn(dense), at);
    for (int64_t dim = int64_t(extents.size()) - 1; dim >= 0 && ++index[dim] == extents[dim]; --dim)
      index[dim] = 0;
  }
  return std::nullopt;
}

template <typename T>
void castTo(const Tensor &input, T *out, auto convert) {
  int64_t count = input.numElements();
  auto from = [&](auto *values) {
    for (int64_t i = 0; i < count; ++i)
      out[i] = convert(values[i]);
  };
  switch (input.element) {
  case Element::F32: return from(input.as<float>());
  case Element::F64: return from(input.as<double>());
  case Element::I32: return from(input.as<int32_t>());
  case Element::I64: return from(input.as<int64_t>());
  case Element::I1: return from(input.as<uint8_t>());
  }
}

template <typename I>
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

} // namespace

std::optional<OutOfRange> gather(const Extents &extents, const Operand &table, const std::vector<IndexOperand> &indices,
                                 const Operand &result) {
  auto run = [&](auto *from, auto *to) {
    return forEachPoint(extents, result, table, indices, [=](int64_t dense, int64_t at) { to[dense] = from[at]; });
  };
  switch (byteWidth(result.element)) {
  case 1: return run(table.as<uint8_t>(), result.as<uint8_t>());
  case 4: return run(table.as<uint32_t>(), result.as<uint32_t>());
  default: return run(table.as<uint64_t>(), result.as<uint64_t>());
  }
}

std::optional<OutOfRange> scatterAdd(const Extents &extents, const Operand &updates,
                                     const std::vector<IndexOperand> &indices, const Operand &result) {
  auto run = [&](auto *from, auto *to) {
    return forEachPoint(extents, updates, result, indices, [=](int64_t dense, int64_t at) { to[at] += from[dense]; });
  };
  switch (result.element) {
  case Element::F32: return run(updates.as<float>(), result.as<float>());
  case Element::F64: return run(updates.as<double>(), result.as<double>());
  case Element::I32: return run(updates.as<uint32_t>(), result.as<uint32_t>());
  default: return run(updates.as<uint64_t>(), result.as<uint64_t>());
  }
}

void cast(const Tensor &input, Tensor &result) {
  switch (result.element) {
  case Element::F32: return castTo(input, result.as<float>(), [](auto x) { return static_cast<float>(x); });
  case Element::F64: return castTo(input, result.as<double>(), [](auto x) { return static_cast<double>(x); });
  case Element::I32: return castTo(input, result.as<int32_t>(), [](auto x) { return toInteger<int32_t>(x); });
  case Element::I64: return castTo(input, result.as<int64_t>(), [](auto x) { return toInteger<int64_t>(x); });
  case Element::I1: return castTo(input, result.as<uint8_t>(), [](auto x) { return uint8_t(x != 0); });
  }
}

} // namespace plc::reference
