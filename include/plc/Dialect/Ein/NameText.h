//===- NameText.h - a name within an operation ------------------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_NAMETEXT_H
#define PLC_DIALECT_EIN_NAMETEXT_H

#include "mlir/IR/OpImplementation.h"

namespace plc::ein {

/// The directive custom<Name>: a string, or an attribute without `#ein.`, as in `state<"attention.0.k">`. MLIR's parser
/// reads a colon and a type behind an attribute as the attribute's own.
mlir::ParseResult parseName(mlir::OpAsmParser &parser, mlir::Attribute &name);
void printName(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Attribute name);

} // namespace plc::ein

#endif
