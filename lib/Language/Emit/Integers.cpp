//===- Integers.cpp - integer expressions ---------------------------------===//
#include "Integers.h"
#include <cmath>

using namespace plc::language;

/// Functions that return integers for integers.
static bool keepsIntegers(StringRef function) {
  return llvm::is_contained({"add", "sub", "neg", "abs", "sign", "relu", "max", "min"}, function);
}

bool plc::language::isIntegral(const Node &node) {
  if (node.element != Element::Number)
    return isInteger(node.element);
  auto areIntegral = [](llvm::ArrayRef<const Node *> operands) {
    return llvm::all_of(operands, [](const Node *operand) { return isIntegral(*operand); });
  };
  switch (node.kind) {
  case Node::Number: return node.number == std::floor(node.number) && std::abs(node.number) <= 9007199254740992.0;
  case Node::Iota: return true;
  case Node::Term:
    return node.summed.empty() && !llvm::is_contained(node.operators, BinaryOp::Div) && areIntegral(node.operands);
  case Node::Map:
    if (node.function == "select")
      return areIntegral(llvm::ArrayRef(node.operands).drop_front());
    return keepsIntegers(node.function) && areIntegral(node.operands);
  default: return false;
  }
}

bool plc::language::roundsNumbers(const Node &node) {
  if (node.element != Element::Number || !isIntegral(node))
    return false;
  return llvm::any_of(node.operators, isRounding) ||
         llvm::any_of(node.operands, [](const Node *operand) { return roundsNumbers(*operand); });
}

/// A bound on the magnitude of every intermediate value of an expression.
static double bound(const Node &node, const std::vector<Index> &indices) {
  double result = node.kind == Node::Number ? std::abs(node.number) : 0;
  if (node.kind == Node::Iota)
    result = static_cast<double>(indices[node.index].extent);
  for (auto [position, operand] : llvm::enumerate(node.operands)) {
    double next = bound(*operand, indices);
    bool multiplies = node.kind == Node::Term && position > 0 && node.operators[position] == BinaryOp::Mul;
    bool adds = node.kind == Node::Map && (node.function == "add" || node.function == "sub");
    result = multiplies ? std::max(result, 1.0) * std::max(next, 1.0) : adds ? result + next : std::max(result, next);
  }
  return result;
}

Element plc::language::integerTypeOf(const Node &node, const std::vector<Index> &indices) {
  return bound(node, indices) <= 2147483647.0 ? Element::I32 : Element::I64;
}
