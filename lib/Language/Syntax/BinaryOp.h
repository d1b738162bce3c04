//===- BinaryOp.h - operators between operands ------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_SYNTAX_BINARYOP_H
#define PLC_LIB_LANGUAGE_SYNTAX_BINARYOP_H

#include "llvm/ADT/StringRef.h"

namespace plc::language {

/// The operator before an operand: of a sum `Add` or `Sub`, of a product one of the others. The first operand of a
/// chain has `Add` or `Mul`, though the text has nothing there.
enum class BinaryOp : char { Add, Sub, Mul, Div, FloorDiv, Mod };

/// The operator of a token between two operands: + - * / // %.
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

/// Whether the operator returns an integer by rounding down.
inline bool isRounding(BinaryOp op) { return op == BinaryOp::FloorDiv || op == BinaryOp::Mod; }

} // namespace plc::language

#endif
