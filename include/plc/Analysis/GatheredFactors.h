//===- GatheredFactors.h - factors that contractions read elsewhere -*- C++ -*-===//
#ifndef PLC_ANALYSIS_GATHEREDFACTORS_H
#define PLC_ANALYSIS_GATHEREDFACTORS_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::ein {

/// Whether a product of two factors, given by the dimension of each of their axes, takes a matrix out of a table for each
/// position: `factor` is a gather by one tensor of positions, or the cast of one out of a narrow table, and has axes of the table alone that the product keeps and
/// such that it sums with the other factor. Then it is one contraction, whose kernel reads the table in place.
bool takesMatrices(mlir::Value factor, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> other,
                   llvm::ArrayRef<int64_t> result);

/// The dimensions of such a product that count the positions.
llvm::SmallVector<int64_t> countPositions(mlir::Value factor, llvm::ArrayRef<int64_t> dims);

/// The tensor that a contraction reads for a factor: of the cast of a narrow one in memory the narrow one, which is widened where
/// it is read; else the factor.
mlir::Value heldAs(mlir::Value factor);

/// The narrow type that a factor is widened from, by a cast or behind views of what is; null if it is not.
mlir::Type widenedFrom(mlir::Value factor);

/// The tensor in memory behind a held one: what is rounded to it where it is read, if that is an argument and has no other reader; else the
/// held one itself.
mlir::Value readAs(mlir::Value held);

/// The gather that a contraction reads in place as its factor `operand`; null if that factor is read from memory. At most
/// one factor is read so.
GatherOp readInPlace(ContractOp op, unsigned operand);

/// Whether a gather or a cast is no value but a way to read a tensor: its only reader is a contraction that reads that in place.
bool isReadInPlace(mlir::Operation *op);

} // namespace plc::ein

#endif
