//===- EquationKinds.h - the arithmetic of each equation --------*- C++ -*-===//
//
// Plain loops over strided operands. Interpreter.cpp derives the operands from operations. These loops define the
// numerics: compiled code must give the same bits.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_LIB_REFERENCE_EQUATIONKINDS_H
#define PLC_LIB_REFERENCE_EQUATIONKINDS_H

#include "Domain.h"

#include <optional>

namespace plc::ein {
enum class Function : uint32_t;
enum class Reduction : uint32_t;
} // namespace plc::ein

namespace plc::reference {

/// How a sum of products is divided: one chain, or blocks of 256. Blocks begin anew after every `anew` elements (0:
/// never). Blocks of pairs have 32 elements and two chains.
struct SumBlocks {
  bool chain = false;
  int64_t anew = 0;
  bool pairs = false;
};

/// The sum over `summed`, flattened in that order, of the product of the inputs:
/// - in blocks: each an ascending chain c = fma(a, b, c) from 0. They are added in ascending order to the result; the
///   first is stored unless `accumulate`.
/// - as one chain: from the result, or from 0 unless `accumulate`.
/// - in pairs: as `ein.contract` says.
///
/// All in the type `sum`, which holds the elements exactly, rounded once at the end. With more than two inputs a is the
/// product of all but the last, from left to right; with one input b is 1.
void contract(const Extents &extents, const std::vector<Operand> &inputs, const Operand &result, ElementType sum,
              const std::vector<int64_t> &summed, SumBlocks blocks, bool accumulate);

/// result = function(inputs) at each point. False if the function is not defined on that element type.
bool map(ein::Function function, const Extents &extents, const std::vector<Operand> &inputs, const Operand &result);

/// The reduction over `reduced`, in ascending order. With `lanes`, element i of the flattened dimensions goes to lane i
/// mod 16. Each lane ascends from 0 (or -inf, +inf); then lane l takes l + 8, l + 4, l + 2, l + 1. A sum is added to
/// the result if `accumulate`. Without `lanes` it is one ascending chain, of a sum from the result if `accumulate`. It
/// is taken in the type `sum`, as a contraction.
void reduce(ein::Reduction reduction, const Extents &extents, const Operand &input, const Operand &result,
            ElementType sum, const std::vector<int64_t> &reduced, bool lanes, bool accumulate);

/// An index tensor of a gather or scatter, and the axes of the table that it positions.
struct IndexOperand {
  Operand values;
  int64_t stride; // of the axis, in elements of the table
  int64_t extent; // of the axis
};

/// An index out of range: which index tensor, the flattened position in it, the value found.
struct OutOfRange {
  size_t index;
  int64_t position, value, extent;
};

/// result = table at each point. After a fault the result is undefined.
std::optional<OutOfRange> gather(const Extents &extents, const Operand &table, const std::vector<IndexOperand> &indices,
                                 const Operand &result);

/// result += updates at each point in ascending order; with a factor, result = fma(updates, factor, result). Another
/// reduction joins in place of the sum, to what `fillInitial` has put there.
std::optional<OutOfRange> scatterAdd(const Extents &extents, const Operand &updates,
                                     const std::vector<IndexOperand> &indices, const std::optional<Operand> &factor,
                                     const Operand &result, ein::Reduction join);

/// Sets all elements to what a reduction begins at.
void fillInitial(ein::Reduction reduction, Tensor &result);

/// result = updates at each point in ascending order whose positions are all in range.
void put(const Extents &extents, const Operand &updates, const std::vector<IndexOperand> &indices,
         const Operand &result);

/// Converts to the result's type: to nearest, ties to even; real to integer toward 0, out of range and NaN to the
/// smallest integer.
void cast(const Tensor &input, Tensor &result);

} // namespace plc::reference

#endif
