//===- BinaryOp.h - operators between two operands --------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_SYNTAX_BINARYOP_H
#define PLC_LIB_LANGUAGE_SYNTAX_BINARYOP_H

#include "llvm/ADT/StringRef.h"

namespace plc::language {

/// What stands before an operand of a sum (`Add`, `Sub`) or of a product (the others). The first operand of a chain has
/// `Add` or `Mul`, though nothing is written there.
enum class BinaryOp : char { Add, Sub, Mul, Div, FloorDiv, Mod };

/// Of the token between two operands: + - * / // %.
inline BinaryOp binaryOpOf(llvm::StringRef token) {
  if (token == "+")
    return BinaryOp::Add;
  if (token == "-")
    return BinaryOp::Sub;
  if (token == "*")
    return BinaryOp::Mul;
  if (token == "/")
    return BinaryOp::Div;
  return token == "//" ? BinaryOp::FloorDiv : BinaryOp::Mod;
}

/// Whether it gives an integer by rounding down.
inline bool isRounding(BinaryOp op) { return op == BinaryOp::FloorDiv || op == BinaryOp::Mod; }

} // namespace plc::language

#endif
