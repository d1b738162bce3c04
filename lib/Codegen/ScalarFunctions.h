//===- ScalarFunctions.h - ein's scalar functions as IR ---------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_SCALARFUNCTIONS_H
#define PLC_LIB_CODEGEN_SCALARFUNCTIONS_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace plc::codegen {

/// The function of operands that are all elements or all vectors of one length.
mlir::Value applyFunction(mlir::ImplicitLocOpBuilder &builder, ein::Function function, mlir::ValueRange operands);

/// One step of a reduction: sum, x > m ? x : m, or x < m ? x : m.
mlir::Value combine(mlir::ImplicitLocOpBuilder &builder, ein::Reduction reduction, mlir::Value m, mlir::Value x);

/// What a reduction starts from, as an element or vector.
mlir::Value identityOf(mlir::ImplicitLocOpBuilder &builder, ein::Reduction reduction, mlir::Type type);

/// The number, as an element.
mlir::Value constantElement(mlir::ImplicitLocOpBuilder &builder, ein::ConstantOp constant);

/// `ein.cast` of an element or vector. Of narrow reals, whose bits registers hold as integers, `from` says which they are;
/// it is the value's own type where that is left out.
mlir::Value castElement(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::Type element,
                        mlir::Type from = {});

} // namespace plc::codegen

#endif
