//===- ScalarFunctions.h - emits ein's scalar functions ---------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_SCALARFUNCTIONS_H
#define PLC_LIB_CODEGEN_SCALARFUNCTIONS_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace plc::codegen {

/// The function of operands, which are all elements or all vectors of one length.
mlir::Value applyFunction(mlir::ImplicitLocOpBuilder &builder, ein::Function function, mlir::ValueRange operands);

/// One step of a reduction: sum, x > m ? x : m, or x < m ? x : m.
mlir::Value combine(mlir::ImplicitLocOpBuilder &builder, ein::Reduction reduction, mlir::Value m, mlir::Value x);

/// The value that a reduction starts from, as an element or a vector.
mlir::Value identityOf(mlir::ImplicitLocOpBuilder &builder, ein::Reduction reduction, mlir::Type type);

/// The constant's number, as an element.
mlir::Value constantElement(mlir::ImplicitLocOpBuilder &builder, ein::ConstantOp constant);

/// `ein.cast` of an element or vector. Registers hold narrow reals as integers of their bits, so `from` names the
/// value's type where it is narrow; by default it is the type of the SSA value.
mlir::Value castElement(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::Type element,
                        mlir::Type from = {});

} // namespace plc::codegen

#endif
