//===- Domain.h - iteration domains and strided operands --------*- C++ -*-===//
#ifndef PLC_LIB_REFERENCE_DOMAIN_H
#define PLC_LIB_REFERENCE_DOMAIN_H

#include "plc/Reference/Tensor.h"

#include <array>
#include <vector>

namespace plc::reference {

using Extents = std::vector<int64_t>;

/// A tensor seen from an iteration domain: the element of a point is at the sum of index times stride.
struct Operand {
  ElementType element;
  void *data;
  std::vector<int64_t> strides; // one per dimension of the domain, in elements

  template <typename T>
  T *as() const {
    return static_cast<T *>(data);
  }
};

/// The dimensions `dims` of a domain, flattened in that order (first = slowest), as offsets in one operand.
inline std::vector<int64_t> flattenedOffsets(const Extents &extents, const std::vector<int64_t> &dims,
                                             const std::vector<int64_t> &strides) {
  std::vector<int64_t> offsets = {0};
  for (int64_t dim : dims) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * extents[dim]);
    for (int64_t base : offsets)
      for (int64_t i = 0; i < extents[dim]; ++i)
        next.push_back(base + i * strides[dim]);
    offsets = std::move(next);
  }
  return offsets;
}

/// Visits the domain in row-major order, a row of the innermost dimension at a time: row(offsets), where offsets are
/// those of the row's first point in each of N operands. Offsets advance by addition.
template <size_t N, typename Row>
void forEachRow(const Extents &extents, const std::array<const std::vector<int64_t> *, N> &strides, Row row) {
  int64_t rank = extents.size();
  std::vector<int64_t> index(rank, 0);
  std::array<int64_t, N> offsets{};
  while (true) {
    row(offsets);
    int64_t dim = rank - 2;
    for (; dim >= 0; --dim) {
      for (size_t i = 0; i < N; ++i)
        offsets[i] += (*strides[i])[dim];
      if (++index[dim] < extents[dim])
        break;
      for (size_t i = 0; i < N; ++i)
        offsets[i] -= index[dim] * (*strides[i])[dim];
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

/// Extent of the innermost dimension; 1 for a domain of rank 0.
inline int64_t rowLength(const Extents &extents) { return extents.empty() ? 1 : extents.back(); }
/// Step of an operand along a row.
inline int64_t rowStride(const Operand &operand) { return operand.strides.empty() ? 0 : operand.strides.back(); }

} // namespace plc::reference

#endif
