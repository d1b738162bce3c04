//===- GatheredFactors.h - contractions that read parts of a table -*- C++ -*-===//
#ifndef PLC_ANALYSIS_GATHEREDFACTORS_H
#define PLC_ANALYSIS_GATHEREDFACTORS_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::ein {

/// Whether a product of two factors, given by the dimension of each of their axes, takes a matrix out of a table for each
/// position: `factor` is a gather by one tensor of positions, and has axes of the table alone that the product keeps and
/// such that it sums with the other factor. Then it is one contraction, whose kernel reads the table in place.
bool takesMatrices(mlir::Value factor, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> other,
                   llvm::ArrayRef<int64_t> result);

/// The dimensions of such a product that count the positions.
llvm::SmallVector<int64_t> countPositions(mlir::Value factor, llvm::ArrayRef<int64_t> dims);

/// The gather that a contraction reads in place as its factor `operand`; null if that factor is read from memory. At most
/// one factor is read so.
GatherOp readInPlace(ContractOp op, unsigned operand);

/// Whether a gather is no value but a way to read its table: its only reader is a contraction that reads it in place.
bool isReadInPlace(mlir::Operation *op);

} // namespace plc::ein

#endif
