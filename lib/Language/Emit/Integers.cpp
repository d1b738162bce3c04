//===- Integers.cpp - integer expressions ---------------------------------===//
#include "Integers.h"
#include <algorithm>
#include <cmath>
#include <tuple>

using namespace plc::language;

bool plc::language::isBitFunction(StringRef function) {
  return llvm::is_contained({"bit_and", "bit_or", "bit_xor", "shift_left", "shift_right"}, function);
}

/// Functions that return integers for integers.
static bool keepsIntegers(StringRef function) {
  return llvm::is_contained({"add", "sub", "neg", "abs", "sign", "relu", "max", "min"}, function) ||
         isBitFunction(function);
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
  return llvm::any_of(node.operators, isRounding) || (node.kind == Node::Map && isBitFunction(node.function)) ||
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
  if (node.kind == Node::Map && node.function == "shift_left")
    return bound(*node.operands[0], indices) * std::exp2(std::min(bound(*node.operands[1], indices), 64.0));
  // Bits of one operand may join those of another, up to the next power of 2.
  return node.kind == Node::Map && isBitFunction(node.function) ? 2 * result : result;
}

Element plc::language::integerTypeOf(const Node &node, const std::vector<Index> &indices) {
  return bound(node, indices) <= 2147483647.0 ? Element::I32 : Element::I64;
}

/// The range where the type holds it; all integers where it may wrap.
static Range heldIn(Element element, Range range) {
  double limit = element == Element::I32 ? INT32_MAX : 9007199254740992.0;
  bool fits = (range.least >= -limit || std::isinf(range.least)) && (range.most <= limit || std::isinf(range.most));
  return fits ? range : Range();
}

/// The range of a chain of factors, by the ranges of its operands.
static Range rangeOfTerm(const Node &node, llvm::ArrayRef<Range> ranges) {
  Range all{1, 1};
  for (auto [range, op, negated] : llvm::zip(ranges, node.operators, node.negated)) {
    Range by = negated ? Range{-range.most, -range.least} : range;
    bool isNumber = by.least == by.most && by.least > 0;
    if (op == BinaryOp::Mul) {
      if (!all.isBounded() || !by.isBounded())
        return Range();
      auto [least, most] =
          std::minmax({all.least * by.least, all.least * by.most, all.most * by.least, all.most * by.most});
      all = {least, most};
    } else if (!isNumber) {
      return Range();
    } else if (op == BinaryOp::FloorDiv) {
      all = {std::floor(all.least / by.least), std::floor(all.most / by.least)};
    } else if (all.least < 0 || all.most >= by.least) { // `%`
      all = {0, by.least - 1};
    }
  }
  return all;
}

Range Range::of(const Node &node, const std::vector<Index> &indices, const Body &body, unsigned depth) {
  auto below = [&](IndexId id) { return indices[id].extent ? Range{0, double(indices[id].extent) - 1} : Range(); };
  if (!isIntegral(node) || depth == 0)
    return Range();
  switch (node.kind) {
  case Node::Number: return {node.number, node.number};
  case Node::Iota: return below(node.index);
  case Node::Positions: {
    double positions = 1;
    for (IndexId id : node.summed)
      positions *= double(indices[id].extent);
    return positions ? Range{0, positions - 1} : Range();
  }
  case Node::Read: {
    // What an equation of the body makes, as a whole.
    auto makes = [&](const Step &step) { return step.value && step.result == node.value && step.targets.empty(); };
    auto step = std::find_if(body.steps.rbegin(), body.steps.rend(), makes);
    bool isPart = step == body.steps.rend() || node.padding || isNarrow(body.values[node.value].element) ||
                  llvm::any_of(step->offsets, [](auto &offset) { return offset.has_value(); });
    return isPart ? Range() : of(*step->value, *step->indices, body, depth - 1);
  }
  case Node::Map:
  case Node::Term: break;
  default: return Range();
  }
  llvm::SmallVector<Range> ranges;
  bool isSelect = node.function == "select";
  for (const Node *operand : llvm::ArrayRef(node.operands).drop_front(isSelect))
    ranges.push_back(of(*operand, indices, body, depth - 1));
  if (node.kind == Node::Term)
    return node.summed.empty() ? heldIn(node.element, rangeOfTerm(node, ranges)) : Range();
  if (ranges.size() != 2)
    return Range();
  auto [a, b] = std::pair(ranges[0], ranges[1]);
  if (node.function == "add")
    return heldIn(node.element, {a.least + b.least, a.most + b.most});
  if (node.function == "sub")
    return heldIn(node.element, {a.least - b.most, a.most - b.least});
  if (node.function == "max")
    return {std::max(a.least, b.least), std::max(a.most, b.most)};
  if (node.function == "min")
    return {std::min(a.least, b.least), std::min(a.most, b.most)};
  if (isSelect)
    return {std::min(a.least, b.least), std::max(a.most, b.most)};
  return node.function == "bit_and" && b.least >= 0 ? Range{0, b.most} : Range();
}
