//===- Nodes.cpp - makes nodes, and checks their element types ------------===//
#include "Emit/Integers.h"
#include "RuleBuilder.h"

#include <cmath>

using namespace plc::language;

StringRef plc::language::nameOf(Element element) {
  if (std::optional<ElementType> chosen = chosenType(element))
    return nameOf(*chosen);
  return element == Element::Real ? "real" : "a number";
}

/// Sets the free indices of a node, in canonical order: as on the left side, then by first occurrence.
void RuleBuilder::setDims(Node &node) const {
  auto add = [&](IndexId id) {
    if (!llvm::is_contained(node.dims, id) && !llvm::is_contained(node.summed, id))
      node.dims.push_back(id);
  };
  if ((node.kind == Node::Iota && node.function.empty()) || (node.kind == Node::Positions && node.function == "topk"))
    add(node.index);
  if (node.kind == Node::Draw && isRealElement(node.element)) // one for each element
    llvm::for_each(left, add);
  for (const Node::Position &position : node.positions) {
    if (position.gathered)
      llvm::for_each(position.gathered->dims, add);
    llvm::for_each(position.indices, add);
  }
  for (const Node *operand : node.operands)
    llvm::for_each(operand->dims, add);
  llvm::sort(node.dims, [&](IndexId a, IndexId b) {
    auto key = [&](IndexId id) {
      int left = (*indices)[id].left;
      return std::make_pair(left < 0, left < 0 ? int(id) : left);
    };
    return key(a) < key(b);
  });
}

const Node *RuleBuilder::finish(Node node) {
  setDims(node);
  return &body.nodes.emplace_back(std::move(node));
}

const Node *RuleBuilder::makeNumber(double value, SMLoc location) {
  Node node;
  node.kind = Node::Number;
  node.location = location;
  node.number = value;
  return finish(std::move(node));
}

const Node *RuleBuilder::makeMap(StringRef function, SMLoc location, std::vector<const Node *> operands) {
  if (llvm::is_contained(operands, nullptr))
    return nullptr;
  Node node;
  node.kind = Node::Map;
  node.location = location;
  node.function = function;
  llvm::ArrayRef<const Node *> typed(operands);
  std::optional<Element> element = unify(function == "select" ? typed.drop_front() : typed, location);
  if (!element)
    return nullptr;
  node.element = *element;
  node.operands = std::move(operands);
  return finish(std::move(node));
}

/// A read of a view: the positions of its axes, in the order of the value's.
const Node *RuleBuilder::makeRead(const View &view, llvm::ArrayRef<Node::Position> entries, SMLoc location) {
  Node node;
  node.kind = Node::Read;
  node.location = location;
  node.value = view.value;
  node.element = computedAs(body.values[view.value].element);
  for (unsigned axis : view.dims)
    node.positions.push_back(entries[axis]);
  return finish(std::move(node));
}

/// The element type that all operands take; nullopt after an error. Numbers adapt to tensors, and tensors must agree.
std::optional<Element> RuleBuilder::unify(llvm::ArrayRef<const Node *> operands, SMLoc location) {
  const Node *typed = nullptr;
  for (const Node *operand : operands) {
    if (operand->element == Element::Number)
      continue;
    if (typed && typed->element != operand->element) {
      diagnostics
          .error(operand->location, "found " + nameOf(operand->element) + " beside " + nameOf(typed->element) +
                                        "; convert with 'real(..)' or 'i32(..)'")
          .note(typed->location, "this is " + nameOf(typed->element));
      return std::nullopt;
    }
    typed = operand;
  }
  if (!typed)
    return Element::Number;
  // Every number is a real; only integers must be checked for a value that they hold.
  if (isRealElement(typed->element))
    return typed->element;
  for (const Node *operand : operands) {
    if (operand->element != Element::Number)
      continue;
    // A literal that i32 cannot hold would wrap silently beside an i32 tensor.
    bool isLarge = operand->kind == Node::Number && std::abs(operand->number) > INT32_MAX;
    bool fits = typed->element == Element::I64 || !isLarge;
    if (fits && isInteger(typed->element) && isIntegral(*operand))
      continue;
    diagnostics
        .error(operand->location, "found a number that is no " + nameOf(typed->element) + " beside a tensor of it")
        .note(typed->location, "this is " + nameOf(typed->element));
    return std::nullopt;
  }
  return typed->element;
}

/// Returns the node if arithmetic can use it; else null, after an error.
const Node *RuleBuilder::wantNumber(const Node *node) {
  if (!node || node->element != Element::Bool)
    return node;
  diagnostics.error(node->location, "found bool, expected a number; convert with 'real(..)' or 'i32(..)'");
  return nullptr;
}

/// Returns the node if it is real, or a number that can be; else null, after an error.
const Node *RuleBuilder::wantReal(const Node *node, StringRef user) {
  if (!node || !isInteger(node->element))
    return wantNumber(node);
  diagnostics.error(node->location,
                    user + " is for reals, found " + nameOf(node->element) + "; convert with 'real(..)'");
  return nullptr;
}

/// Returns the node if it is a condition; else null, after an error.
const Node *RuleBuilder::wantCondition(const Node *node) {
  if (!node || node->element == Element::Bool)
    return node;
  diagnostics.error(node->location, "found " + nameOf(node->element) + ", expected a condition");
  return nullptr;
}
