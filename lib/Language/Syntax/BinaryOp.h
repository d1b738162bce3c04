//===- BinaryOp.h - operators between operands ------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_SYNTAX_BINARYOP_H
#define PLC_LIB_LANGUAGE_SYNTAX_BINARYOP_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstdint>
#include <optional>

namespace plc::language {

/// The operator before an operand: of a sum `Add` or `Sub`, of a product one of the next four, of a chain of bit
/// operations one of the last. The first operand of a chain has `Add`, `Mul` or the operator behind it, though the text
/// has nothing there.
enum class BinaryOp : char { Add, Sub, Mul, Div, FloorDiv, Mod, BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight };

/// The operator of a token between two operands.
inline BinaryOp binaryOpOf(llvm::StringRef token) {
  return llvm::StringSwitch<BinaryOp>(token)
      .Case("+", BinaryOp::Add)
      .Case("-", BinaryOp::Sub)
      .Case("*", BinaryOp::Mul)
      .Case("/", BinaryOp::Div)
      .Case("//", BinaryOp::FloorDiv)
      .Case("%", BinaryOp::Mod)
      .Case("&", BinaryOp::BitAnd)
      .Case("|", BinaryOp::BitOr)
      .Cases({"^", "~"}, BinaryOp::BitXor)
      .Case("<<", BinaryOp::ShiftLeft)
      .Case(">>", BinaryOp::ShiftRight);
}

/// How the ein dialect writes a bit operation; empty for other operators.
inline llvm::StringRef bitFunctionOf(BinaryOp op) {
  switch (op) {
  case BinaryOp::BitAnd: return "bit_and";
  case BinaryOp::BitOr: return "bit_or";
  case BinaryOp::BitXor: return "bit_xor";
  case BinaryOp::ShiftLeft: return "shift_left";
  case BinaryOp::ShiftRight: return "shift_right";
  default: return "";
  }
}

/// A bit operation of two integers; nullopt where the result has more than 64 bits.
inline std::optional<int64_t> applyBits(BinaryOp op, int64_t a, int64_t b) {
  bool inside = b >= 0 && b < 64;
  switch (op) {
  case BinaryOp::BitAnd: return a & b;
  case BinaryOp::BitOr: return a | b;
  case BinaryOp::BitXor: return a ^ b;
  case BinaryOp::ShiftRight: return a >> (inside ? b : 63);
  case BinaryOp::ShiftLeft: {
    int64_t shifted = inside ? static_cast<int64_t>(static_cast<uint64_t>(a) << b) : 0;
    bool fits = a == 0 || (inside && shifted >> b == a);
    return fits ? std::optional(shifted) : std::nullopt;
  }
  default: return std::nullopt;
  }
}

/// Whether the operator returns an integer by rounding down.
inline bool isRounding(BinaryOp op) { return op == BinaryOp::FloorDiv || op == BinaryOp::Mod; }

} // namespace plc::language

#endif
