//===- Equations.h - reads and builds equations by dimensions ---*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_BASE_EQUATIONS_H
#define PLC_LIB_ALGEBRA_BASE_EQUATIONS_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/Builders.h"

namespace plc::algebra {

/// Dimensions of a domain, by number.
using Dims = llvm::SmallVector<int64_t, 4>;

/// A tensor read or written at a point of a domain. Axis i is indexed by dimension dims[i]. An entry -1 - k stands for
/// symbol k of a gather: a position that the index tensor k holds.
struct Access {
  mlir::Value value;
  Dims dims;
};

/// The accesses of an equation: one input, all inputs, the result.
Access inputOf(ein::Equation op, unsigned index);
llvm::SmallVector<Access> inputsOf(ein::Equation op);
Access resultOf(ein::Equation op);

/// Whether `dims` contains a dimension, or all of `others`.
bool contains(llvm::ArrayRef<int64_t> dims, int64_t dim);
bool containsAll(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> others);
/// The different dimensions, in order of first occurrence.
Dims distinct(llvm::ArrayRef<int64_t> dims);
/// Shape and element type of a value, which must be a ranked tensor.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
mlir::Type elementOf(mlir::Value value);
/// The axes of a tensor as dimensions: 0, 1, ..
Dims axesOf(mlir::Type type);

/// The number that an `ein.constant` has; nullopt for other values.
std::optional<double> constantOf(mlir::Value value);

/// Dimensions by number: their extents, and the dimension that runs along the batch, if there is one. Micro-batches may
/// differ in size along it.
struct Dimensions {
  llvm::ArrayRef<int64_t> extents;
  std::optional<int64_t> batch;
};
/// The domain of an equation.
Dimensions domainOf(ein::Equation op);
/// The axes of a tensor as a domain.
Dimensions dimensionsOf(mlir::Type type);
Dimensions dimensionsOf(mlir::Value value);

/// Builds equations over dimensions that the caller numbers as it likes. Each equation is built over the dimensions
/// that it uses, in the order of `normalizeDomain`. Its result has a batch axis where the batch dimension indexes it.
class EquationBuilder {
public:
  EquationBuilder(mlir::OpBuilder &builder, mlir::Location loc, Dimensions over)
      : builder(builder), loc(loc), extents(over.extents.begin(), over.extents.end()), batch(over.batch) {}

  mlir::Location getLoc() const { return loc; }

  /// Adds a dimension to the domain and returns its number.
  int64_t addDim(int64_t extent) {
    extents.push_back(extent);
    return extents.size() - 1;
  }

  /// result[dims] = function(inputs). `dims` are different and have all dimensions of the inputs.
  mlir::Value map(ein::Function function, llvm::ArrayRef<Access> inputs, llvm::ArrayRef<int64_t> dims);
  /// The same with the identity; returns the input itself if nothing would change.
  mlir::Value copy(Access input, llvm::ArrayRef<int64_t> dims);
  /// result[dims] = the reduction over all other dimensions of the input. `into`, if given, is the accumulator.
  mlir::Value reduce(ein::Reduction reduction, Access input, llvm::ArrayRef<int64_t> dims, mlir::Value into = {});
  /// The sum of the product over all dimensions that are not in `dims`, as one equation.
  mlir::Value contract(llvm::ArrayRef<Access> inputs, llvm::ArrayRef<int64_t> dims, mlir::Value into = {});
  /// The same of one or two inputs, in the form that `--ein-simplify` gives it: a contraction, or a product and a sum.
  /// `dims` are different and may have dimensions that no input has: the result repeats along them.
  mlir::Value product(llvm::ArrayRef<Access> inputs, llvm::ArrayRef<int64_t> dims, mlir::Value into = {});
  /// result[dims] = table[..]: the first input is the table, the others hold positions (see `Access`).
  mlir::Value gather(llvm::ArrayRef<Access> inputs, llvm::ArrayRef<int64_t> dims);
  /// Adds the first input at the positions that the other inputs hold, or joins it by another reduction. `resultLike`
  /// gives the result's shape and access.
  mlir::Value scatterAdd(llvm::ArrayRef<Access> inputs, Access resultLike, mlir::Value into = {},
                         ein::Reduction join = ein::Reduction::sum);
  /// Replaces elements of `into` at the positions that the inputs behind the first hold, after `after` are computed.
  mlir::Value put(llvm::ArrayRef<Access> inputs, Access resultLike, mlir::ValueRange after, mlir::Value into);
  /// The number, as a tensor of rank 0.
  Access constant(double value, mlir::Type element);
  /// The index along a dimension.
  Access iota(int64_t dim, mlir::Type element);

private:
  struct Domain;
  Domain domain(llvm::ArrayRef<int64_t> dims) const;
  mlir::RankedTensorType type(llvm::ArrayRef<int64_t> dims, mlir::Type element) const;
  Access withoutRepeats(const Access &input);
  Access sumLone(const Access &input, llvm::ArrayRef<int64_t> needed);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<int64_t> extents;
  std::optional<int64_t> batch;
};

/// The same value, made by an equation of its own.
mlir::Value copyOf(mlir::OpBuilder &builder, mlir::Value value);
/// A tensor of zeros.
mlir::Value zerosOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

/// Whether a contraction of two inputs is a matrix product. It sums a shared dimension, each input has a kept dimension
/// of its own (rows, columns), and neither sums alone nor reads a diagonal.
bool isMatrixLike(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b, llvm::ArrayRef<int64_t> result);

/// Whether the product of two factors is computed as one contraction:
/// - a matrix product;
/// - a product of matrices that positions choose from a table;
/// - a sum within windows alone, where each channel has a window of its own (a depthwise convolution).
/// The value of a factor may be null: then it is the product of other factors, which no equation computes yet.
bool isOneContraction(const Access &a, const Access &b, llvm::ArrayRef<int64_t> result);

/// Whether an equation numbers its dimensions as `normalizeDomain` does.
bool isNormalized(ein::Equation op);

/// Numbers the dimensions of an equation in canonical order. A map takes those of its result, a contraction those of
/// its result and then the summed ones, a reduction those of its input. Gathers and scatters keep their numbers.
void normalizeDomain(ein::Equation op);

/// The type with its axes in another order: axis i of the result is axis order[i].
mlir::RankedTensorType permuted(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> order);

/// Whether an equation is cheaper to recompute than to store: a cast, a gather, a view, or a function that is not
/// transcendental.
bool isCheap(mlir::Operation *op);

/// The sum of values of one type, as a balanced tree. The first half, the longer one if they differ, is the left
/// operand.
mlir::Value sumTree(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> values);

} // namespace plc::algebra

#endif
