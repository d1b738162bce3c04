//===- Equations.h - reading and building equations by dimensions -*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_BASE_EQUATIONS_H
#define PLC_LIB_ALGEBRA_BASE_EQUATIONS_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/Builders.h"

namespace plc::algebra {

using Dims = llvm::SmallVector<int64_t, 4>;

/// A tensor at a point of a domain: axis i is indexed by dimension dims[i]; -1 - k stands for symbol k of a gather.
struct Access {
  mlir::Value value;
  Dims dims;
};

Access inputOf(ein::Equation op, unsigned index);
llvm::SmallVector<Access> inputsOf(ein::Equation op);
Access resultOf(ein::Equation op);

bool contains(llvm::ArrayRef<int64_t> dims, int64_t dim);
bool containsAll(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> others);
/// The different dimensions, in order of first occurrence.
Dims distinct(llvm::ArrayRef<int64_t> dims);
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
mlir::Type elementOf(mlir::Value value);
/// The axes of a tensor, as dimensions: 0, 1, ..
Dims axesOf(mlir::Type type);

/// The value of a constant, if it is one.
std::optional<double> constantOf(mlir::Value value);

/// Dimensions by number: their extents, and the one along which micro-batches differ in size, if there is one.
struct Dimensions {
  llvm::ArrayRef<int64_t> extents;
  std::optional<int64_t> batch;
};
Dimensions domainOf(ein::Equation op);
/// The axes of a tensor.
Dimensions dimensionsOf(mlir::Type type);
Dimensions dimensionsOf(mlir::Value value);

/// Builds equations over dimensions that are numbered as the caller likes. Every equation is built over those that it uses
/// alone, in the order of `normalizeDomain`, and its result has a batch axis where the batch indexes it. Dimensions may be
/// added meanwhile (`addDim`).
class EquationBuilder {
public:
  EquationBuilder(mlir::OpBuilder &builder, mlir::Location loc, Dimensions over)
      : builder(builder), loc(loc), extents(over.extents.begin(), over.extents.end()), batch(over.batch) {}

  mlir::Location getLoc() const { return loc; }

  int64_t addDim(int64_t extent) {
    extents.push_back(extent);
    return extents.size() - 1;
  }

  /// result[dims] = function(inputs). `dims` are different and have all dimensions of the inputs.
  mlir::Value map(ein::Function function, llvm::ArrayRef<Access> inputs, llvm::ArrayRef<int64_t> dims);
  /// The same, without an equation if it would copy.
  mlir::Value copy(Access input, llvm::ArrayRef<int64_t> dims);
  /// result[dims] = reduction over the other dimensions of the input.
  mlir::Value reduce(ein::Reduction reduction, Access input, llvm::ArrayRef<int64_t> dims, mlir::Value into = {});
  /// Sum of the product over the dimensions that are not in `dims`, as one equation.
  mlir::Value contract(llvm::ArrayRef<Access> inputs, llvm::ArrayRef<int64_t> dims, mlir::Value into = {});
  /// The same of one or two inputs, in the form that `--ein-simplify` gives it; `dims` are different, and may have
  /// dimensions that no input has (the result repeats along them).
  mlir::Value product(llvm::ArrayRef<Access> inputs, llvm::ArrayRef<int64_t> dims, mlir::Value into = {});
  mlir::Value gather(llvm::ArrayRef<Access> inputs, llvm::ArrayRef<int64_t> dims);
  mlir::Value scatterAdd(llvm::ArrayRef<Access> inputs, Access resultLike, mlir::Value into = {});
  /// `into`, replaced at the positions that the inputs behind the first hold, once `after` are there.
  mlir::Value put(llvm::ArrayRef<Access> inputs, Access resultLike, mlir::ValueRange after, mlir::Value into);
  /// The number, of rank 0.
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

/// The value again, made by an equation of its own.
mlir::Value copyOf(mlir::OpBuilder &builder, mlir::Value value);
/// A value of zeros.
mlir::Value zerosOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

/// Whether a contraction of two inputs is a matrix product: it sums, and both inputs have dimensions of their own.
bool isMatrixLike(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b, llvm::ArrayRef<int64_t> result);

/// Whether the product of two factors is computed as one contraction: a matrix product, one of matrices that positions
/// choose out of a table, or one that sums within windows alone (each channel with a window of its own). The value of a factor may be null: then no equation makes it yet.
bool isOneContraction(const Access &a, const Access &b, llvm::ArrayRef<int64_t> result);

/// Whether the dimensions of an equation are numbered as `normalizeDomain` does.
bool isNormalized(ein::Equation op);

/// Renumbers the dimensions of an equation in canonical order: of a map those of its result, of a contraction those of
/// its result and then the summed ones, of a reduction those of its input. Gathers and scatters keep theirs.
void normalizeDomain(ein::Equation op);

/// Axes of a type in another order: axis i of the result is axis order[i].
mlir::RankedTensorType permuted(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> order);

/// Elementwise, a gather or a view, and cheaper to compute than to store.
bool isCheap(mlir::Operation *op);

/// Sum of values of one type: a balanced tree, the first half (the longer one) left.
mlir::Value sumTree(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> values);

} // namespace plc::algebra

#endif
