//===- Collect.cpp - tensors that a `repeat` collects ---------------------===//
//
// In `repeat t < T { .. y[n, t, k] = e }` each iteration gives one position of an axis. The elements are equations
// without that axis. After the last iteration they are joined, a few at a time, so that each element is copied about
// log T times. Two blocks A and B of P positions each become y[n, P*h + p, k] = if h == 0 then A[n, p, k] else B[n, p,
// k].
//
//===----------------------------------------------------------------------===//
#include "RuleBuilder.h"

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;

/// Adds the indices of `repeat`s in an expression. False if it contains an index of the rule.
static bool addIterations(const Expr &expr, const Scope &scope, llvm::SmallVectorImpl<StringRef> &iterations) {
  if (expr.kind == Expr::Access || expr.kind == Expr::Call)
    return false;
  if (expr.kind == Expr::Name && !isSizeName(expr.name)) {
    if (!scope.iterationCounts.count(expr.name) || !scope.sizes.find(expr.name))
      return false;
    if (!llvm::is_contained(iterations, expr.name))
      iterations.push_back(expr.name);
  }
  return llvm::all_of(expr.operands, [&](const Expr *operand) { return addIterations(*operand, scope, iterations); });
}

/// The indices of `repeat`s that an entry of the left side contains.
static llvm::SmallVector<StringRef, 1> iterationsOf(const IndexEntry &entry, const Scope &scope) {
  llvm::SmallVector<StringRef, 1> iterations;
  if (entry.expr && !entry.extent && !addIterations(*entry.expr, scope, iterations))
    iterations.clear();
  return iterations;
}

/// The first entry of the left side that is the index of a `repeat`.
std::optional<unsigned> RuleBuilder::iterationEntryOf(const Statement &rule) const {
  if (rule.lefts.size() != 1)
    return std::nullopt;
  for (auto [position, entry] : llvm::enumerate(rule.lefts[0].axes))
    if (!iterationsOf(entry, scope).empty())
      return position;
  return std::nullopt;
}

/// The axis of the tensor for an entry of the left side; `...` stands for several axes.
unsigned RuleBuilder::axisOfEntry(const Declarator &left, unsigned entry) const {
  bool dots = entry > 0 && left.axes[0].isEllipsis() && scope.ellipsis;
  return dots ? entry - 1 + scope.ellipsis->size() : entry;
}

/// Explains an unknown name that a `repeat` is still collecting.
void RuleBuilder::noteCollected(Diagnostic &error, StringRef name) const {
  auto found = scope.collected.find(name);
  if (found != scope.collected.end())
    error.note(found->second.left->location,
               "'" + name + "' is whole behind the 'repeat' whose iterations give its elements");
}

/// Builds the element of one iteration as a rule without the collected axis, and records it.
void RuleBuilder::buildIteration(const Statement &rule, unsigned entry) {
  const Declarator &left = rule.lefts[0];
  Scope::Collected *collected = nullptr;
  size_t iterations = 0;
  for (const IndexEntry &other : left.axes)
    iterations += iterationsOf(other, scope).size();
  if (rule.adds)
    diagnostics.error(left.location,
                      "found '" + clauseToken(rule.join) +
                          "' for the element of an iteration, expected '=': each iteration gives its own once");
  else if (iterations > 1)
    diagnostics.error(left.location,
                      "found " + Twine(iterations) +
                          " iterations on a left side, expected 1; what an inner 'repeat' collects can be an "
                          "element of the outer one");
  else
    collected = collectedOf(left, entry);
  body.broken |= !collected;
  if (!collected)
    return;
  iterationAxis = collected->axis;
  Declarator slice = left;
  slice.axes.erase(slice.axes.begin() + entry);
  std::optional<Binding> value = buildEquation(left.name, left.location, &slice, *rule.value);
  body.broken |= !value;
  if (value)
    addSlice(left, *left.axes[entry].expr, *collected, *value);
  else
    collected->whole.extent = 0;
}

/// The elements collected so far; null after an error. All iterations must agree on the axis.
Scope::Collected *RuleBuilder::collectedOf(const Declarator &left, unsigned entry) {
  StringRef iteration = iterationsOf(left.axes[entry], scope)[0];
  auto found = scope.collected.find(left.name);
  if (found == scope.collected.end()) {
    if (const Binding *before = scope.find(left.name)) {
      diagnostics
          .error(left.location, "the iterations of 'repeat' give elements of '" + left.name + "' ('" + iteration +
                                    "' is a number, no index), but it is defined before")
          .note(before->location, "it is defined here");
      return nullptr;
    }
    Scope::Collected collected{&left, iteration, axisOfEntry(left, entry), collectedAxis(left, entry), {}, {}};
    return &scope.collected.try_emplace(left.name, std::move(collected)).first->second;
  }
  Scope::Collected &collected = found->second;
  if (collected.iteration == iteration && collected.axis == axisOfEntry(left, entry) &&
      collected.left->axes.size() == left.axes.size())
    return &collected;
  diagnostics.error(left.location, "'" + left.name + "' gets elements of another axis or 'repeat' than before")
      .note(collected.left->location, "it gets elements here too");
  collected.whole.extent = 0;
  return nullptr;
}

/// The axis that the iterations fill: as it is declared, else one position for each iteration.
Axis RuleBuilder::collectedAxis(const Declarator &left, unsigned entry) {
  unsigned rank = axisOfEntry(left, left.axes.size() - 1) + 1;
  if (std::optional<llvm::SmallVector<Axis, 4>> axes = wholeAxes(left.name); axes && axes->size() == rank)
    return (*axes)[axisOfEntry(left, entry)];
  const Expr &position = *left.axes[entry].expr;
  if (position.kind == Expr::Name)
    return {scope.iterationCounts.lookup(position.name), position.location};
  diagnostics.error(position.location, "nothing says how many elements '" + left.name +
                                           "' has in this axis; state the axes before: '" + left.name + ": [..]'");
  return {0, position.location};
}

/// Records an element. It must be inside, the first one there, and like the others.
void RuleBuilder::addSlice(const Declarator &left, const Expr &position, Scope::Collected &collected,
                           const Binding &slice) {
  std::optional<int64_t> at = scope.sizes.evaluate(position);
  if (!at || collected.whole.extent == 0 || !checkConstant(*at, position, collected.whole, left.name)) {
    collected.whole.extent = 0;
    return;
  }
  auto [earlier, isNew] = collected.slices.try_emplace(*at, slice);
  const Binding &first = collected.slices.begin()->second;
  bool sameShape = llvm::all_of_zip(first.view.axes, slice.view.axes,
                                    [](const Axis &a, const Axis &b) { return a.extent == b.extent; });
  if (!isNew)
    diagnostics.error(left.location, "'" + left.name + "' gets the element at " + Twine(*at) + " a second time")
        .note(earlier->second.location, "the first is here");
  else if (!sameShape || body.values[first.view.value].element != body.values[slice.view.value].element)
    diagnostics.error(left.location, "the iterations give '" + left.name + "' elements of different shapes or types");
  else
    return;
  collected.whole.extent = 0;
}

/// Adds an index to the left side that the text does not have.
IndexId RuleBuilder::addLeft(const Twine &name, Axis axis) {
  IndexId id = indexNamed(("#" + name).str());
  (*indices)[id] = {"", axis.extent, axis.location, "", int(left.size()), SMLoc()};
  left.push_back(id);
  return id;
}

Binding RuleBuilder::join(StringRef name, SMLoc location, llvm::ArrayRef<Binding> blocks, unsigned axis,
                          int64_t inner) {
  llvm::SmallVector<Node::Position, 4> entries;
  llvm::SmallVector<unsigned, 4> parts;
  IndexId block = 0;
  llvm::ArrayRef<Axis> axes = blocks[0].view.axes;
  // The axes of a block with the number of the block in front of `axis`, merged with it if the blocks have it.
  for (unsigned position = 0; position <= axes.size(); ++position) {
    if (position == axis) {
      block = addLeft("block", {int64_t(blocks.size()), location});
      parts.push_back(inner > 0 ? 2 : 1);
    }
    if (position == axes.size())
      break;
    entries.push_back({{addLeft(Twine(position), axes[position])}});
    if (position != axis || inner == 0)
      parts.push_back(1);
  }
  const Node *value = makeRead(blocks.back().view, entries, location);
  // A chain of selects by the number of the block.
  for (size_t i = blocks.size() - 1; i-- > 0;) {
    Node iota;
    iota.kind = Node::Iota;
    iota.location = location;
    iota.index = block;
    Node test = *makeMap("eq", location, {finish(std::move(iota)), makeNumber(double(i), location)});
    test.element = Element::Bool;
    value = makeMap("select", location, {finish(std::move(test)), makeRead(blocks[i].view, entries, location), value});
  }
  return addEquation(name, location, value, left, parts, body.values[blocks[0].view.value].element);
}

Binding RuleBuilder::cut(StringRef name, SMLoc location, const Binding &value, unsigned axis, Axis extent) {
  llvm::SmallVector<Node::Position, 4> entries;
  for (auto [position, own] : llvm::enumerate(value.view.axes)) {
    IndexId id = addLeft(Twine(position), position == axis ? extent : own);
    if (position != axis) {
      entries.push_back({{id}});
      continue;
    }
    Node iota;
    iota.kind = Node::Iota;
    iota.location = location;
    iota.index = id;
    entries.push_back({{}, {}, finish(std::move(iota))});
  }
  const Node *read = makeRead(value.view, entries, location);
  return addEquation(name, location, read, left, llvm::SmallVector<unsigned, 4>(left.size(), 1),
                     body.values[value.view.value].element);
}

/// Joins the elements by the smallest factors of their number, so that a select has few branches.
Binding plc::language::wholeOf(Elaborator &elaborator, Scope &scope, Body &body, StringRef name,
                               const Scope::Collected &collected) {
  SMLoc location = collected.left->location;
  if (collected.rolled)
    return *collected.rolled;
  if (collected.whole.extent == 0)
    return {};
  std::vector<Binding> blocks;
  // Every position must have an element.
  for (const auto &[position, slice] : collected.slices) {
    if (position != int64_t(blocks.size()))
      break;
    blocks.push_back(slice);
  }
  if (int64_t(blocks.size()) != collected.whole.extent) {
    elaborator.diagnostics
        .error(location, "no iteration gives the element of '" + name + "' at " + Twine(blocks.size()) + ", of " +
                             Twine(collected.whole.extent))
        .note(collected.whole.location, "extent " + Twine(collected.whole.extent) + " is from here");
    return {};
  }
  int64_t inner = 0;
  do {
    unsigned radix = 1;
    // 2 is preferred, then 3 and 5. Without such a factor the last block is repeated; the copy is cut off at the end.
    for (unsigned small : {5, 3, 2})
      if (blocks.size() % small == 0)
        radix = small;
    if (radix == 1 && blocks.size() > 1) {
      blocks.push_back(blocks.back()); // cut off below
      radix = 2;
    }
    std::vector<Binding> joined;
    for (size_t begin = 0; begin < blocks.size(); begin += radix)
      joined.push_back(RuleBuilder(elaborator, scope, body)
                           .join(name, location, llvm::ArrayRef(blocks).slice(begin, radix), collected.axis, inner));
    if (llvm::any_of(joined, [](const Binding &block) { return block.kind == Binding::Broken; }))
      return {};
    blocks = std::move(joined);
    inner = std::max<int64_t>(inner, 1) * radix;
  } while (blocks.size() > 1);
  if (inner == collected.whole.extent)
    return blocks[0];
  return RuleBuilder(elaborator, scope, body).cut(name, location, blocks[0], collected.axis, collected.whole);
}
