//===- GatheredFactors.h - factors read through gathers ---------*- C++ -*-===//
#ifndef PLC_ANALYSIS_GATHEREDFACTORS_H
#define PLC_ANALYSIS_GATHEREDFACTORS_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::ein {

/// Whether a product of two factors takes a matrix out of a table for each position. Axes are given by the dimensions
/// of the product. `factor` is a gather by one tensor of positions, or the cast of such a gather from a narrow table.
/// Of the axes that only the table has, the product keeps some, and sums some with the other factor. Then the product
/// is one contraction, whose kernel reads the table in place.
bool takesMatrices(mlir::Value factor, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> other,
                   llvm::ArrayRef<int64_t> result);

/// The dimensions of such a product that count positions.
llvm::SmallVector<int64_t> countPositions(mlir::Value factor, llvm::ArrayRef<int64_t> dims);

/// The tensor that a contraction reads for a factor: the narrow tensor in memory if the factor is the cast of one,
/// because kernels widen where they read; else the factor itself.
mlir::Value heldAs(mlir::Value factor);

/// The narrow type that a factor is widened from, also behind views; null if it is not widened.
mlir::Type widenedFrom(mlir::Value factor);

/// The tensor in memory behind a held one: an argument that is rounded to it where it is read, if the rounding has no
/// other reader; else the held tensor itself.
mlir::Value readAs(mlir::Value held);

/// The gather that a contraction reads in place as its factor `operand`; null if that factor is read from memory. At
/// most one factor is read in place.
GatherOp readInPlace(ContractOp op, unsigned operand);

/// Whether a gather or a cast is only a way to read a tensor: its single reader is a contraction that reads it in
/// place.
bool isReadInPlace(mlir::Operation *op);

} // namespace plc::ein

#endif
