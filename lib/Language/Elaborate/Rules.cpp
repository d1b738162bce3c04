//===- Rules.cpp - one rule as a whole ------------------------------------===//
#include "Builtins.h"
#include "Emit/Integers.h"
#include "RuleBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;

void plc::language::elaborateRule(Elaborator &elaborator, Scope &scope, Body &body, const Statement &rule) {
  RuleBuilder(elaborator, scope, body).build(rule);
}

/// The namespace of a rule's call; null without one.
static const Namespace *spaceOf(const Statement &rule) { return rule.space.name.empty() ? nullptr : &rule.space; }

/// Dispatches by the form of the rule: an element of a `repeat`, a clause, a call of whole tensors, or an equation.
void RuleBuilder::build(const Statement &rule) {
  if (std::optional<unsigned> entry = iterationEntryOf(rule))
    return buildIteration(rule, *entry);
  if (rule.adds)
    return buildClause(rule);
  const Expr &value = *rule.value;
  // Only a call of whole tensors can have several results and name a namespace; every other right side is an equation.
  bool call = value.kind == Expr::Call && builtinOf(value.name) == Builtin::None && !hasIndex(value) &&
              llvm::none_of(rule.lefts, [](const Declarator &left) { return left.brackets; });
  std::vector<Binding> values(rule.lefts.size());
  if (call) {
    if (std::optional<std::vector<Binding>> results = buildCall(rule))
      values = std::move(*results);
  } else if (!rule.space.name.empty()) {
    diagnostics.error(rule.location, "'in " + rule.space.name + "' belongs behind the call of a layer");
  } else if (rule.lefts.size() > 1) {
    diagnostics.error(rule.location, "found " + Twine(rule.lefts.size()) +
                                         " left sides, expected 1: only a call of whole tensors gives several");
  } else if (std::optional<Binding> result =
                 buildEquation(rule.lefts[0].name, rule.lefts[0].location, &rule.lefts[0], value)) {
    values = {*result};
  }
  body.broken |= llvm::any_of(values, [](const Binding &binding) { return binding.kind == Binding::Broken; });
  for (auto [left, binding] : llvm::zip(rule.lefts, values)) {
    binding.location = left.location;
    // A new definition starts a new list of clauses, which may begin after uses of the old value.
    if (elaborator.define(scope, body, left.name, left.location, binding)) {
      scope.defined.insert(left.name);
      scope.uses.erase(left.name);
    }
  }
}

/// `y[i] += e`: the first clause of a name defines it, the others add to what is there, in text order. `max=`, `min=`
/// and `mul=` join likewise.
void RuleBuilder::buildClause(const Statement &rule) {
  joiner = rule.join;
  const Declarator &left = rule.lefts[0];
  const Expr &value = *rule.value;
  const Binding *before = scope.find(left.name);
  // Adding to an argument or a parameter would change what other rules read.
  if (before && !scope.defined.contains(left.name)) {
    diagnostics
        .error(left.location, "'" + clauseToken(joiner) + "' adds to what rules of this body define, but '" +
                                  left.name + "' is no rule's result")
        .note(before->location, "'" + left.name + "' is defined here");
    body.broken = true;
    return;
  }
  if (!before)
    scope.uses.erase(left.name);
  // A clause adds to the exact sum, not to the rounded one.
  else if (auto exact = body.rounded.find(before->view.value);
           before->kind == Binding::Tensor && exact != body.rounded.end())
    earlier = exact->second;
  else
    earlier = *before;
  if (value.kind == Expr::Call && builtinOf(value.name) == Builtin::None && !hasIndex(value)) {
    whole = &value;
    space = spaceOf(rule);
  } else if (!rule.space.name.empty()) {
    diagnostics.error(rule.location, "'in " + rule.space.name + "' belongs behind the call of a layer");
  }
  Binding result;
  if (std::optional<Binding> sum = buildEquation(left.name, left.location, &left, value))
    result = *sum;
  auto use = scope.uses.find(left.name);
  if (earlier && use != scope.uses.end()) {
    diagnostics
        .error(left.location,
               "'" + left.name + "' gets a clause here but is used before: it is the sum of all its clauses")
        .note(use->second, "'" + left.name + "' is used here");
    result = Binding();
  }
  result.location = left.location;
  body.broken |= result.kind == Binding::Broken;
  if (!before && !elaborator.define(scope, body, left.name, left.location, result))
    return;
  Binding &now = scope.names[left.name];
  bool isRounded = !before && now.kind == Binding::Tensor && body.rounded.count(now.view.value);
  if (!isRounded)
    now = result;
  if (before)
    elaborator.roundDeclared(left.name, scope, body);
  scope.defined.insert(left.name);
}

/// Takes the extents of earlier clauses: they are those of this one.
bool RuleBuilder::joinEarlier(const Declarator &clause) {
  if (earlier->kind == Binding::Broken)
    return false;
  // A sum without clauses has the shape of the first.
  if (isEmptySum())
    return true;
  llvm::ArrayRef<Axis> axes;
  if (earlier->kind == Binding::Tensor)
    axes = earlier->view.axes;
  if (bare) {
    bareAxes.emplace(axes.begin(), axes.end());
    bareOwner = clause.name.str();
    bareLocation = clause.location;
    return true;
  }
  if (leftAxes.size() != axes.size()) {
    diagnostics
        .error(clause.location,
               "'" + clause.name + "' has " + Twine(leftAxes.size()) + " indices here but rank " + Twine(axes.size()))
        .note(earlier->location, "'" + clause.name + "' is defined here");
    return false;
  }
  bool ok = true;
  for (auto [own, axis] : llvm::zip(leftAxes, axes)) {
    const Index &index = (*indices)[own.indices[0]];
    if (own.offset)
      continue;
    if (own.expr)
      ok &= setAxis(own, axis, "'" + clause.name + "'");
    else
      ok &= setExtent(own.indices[0], axis, index.extent ? index.location : earlier->location, "'" + clause.name + "'");
  }
  return ok;
}

/// The sum so far plus one more clause.
const Node *RuleBuilder::addEarlier(const Node *clause, SMLoc location) {
  // `aux = 0` before a `repeat` stands for an empty sum; adding a real 0 would turn -0 into +0.
  if (isEmptySum())
    return clause;
  if (earlier->kind == Binding::Number) {
    if (clause->kind == Node::Number && joiner == "add")
      return makeNumber(earlier->number + clause->number, location);
    return makeMap(joiner, location, {makeNumber(earlier->number, location), clause});
  }
  llvm::SmallVector<Node::Position, 4> entries;
  for (const Affine &axis : leftAxes)
    entries.push_back({axis.indices});
  const Node *sum = makeRead(earlier->view, entries, location);
  // Clauses of truth values are joined by 'or'.
  if (sum && joiner == "add" && sum->element == Element::Bool && clause->element == Element::Bool)
    return makeMap("or", location, {sum, clause});
  return wantNumber(sum) && wantNumber(clause) ? makeMap(joiner, location, {sum, clause}) : nullptr;
}

/// `y, z = f(a, b)`.
std::optional<std::vector<Binding>> RuleBuilder::buildCall(const Statement &rule) {
  std::optional<std::vector<Binding>> results = callWhole(*rule.value, spaceOf(rule));
  if (!results || results->size() == rule.lefts.size())
    return results;
  Diagnostic &error =
      diagnostics.error(rule.location, "'" + rule.value->name + "' has " + Twine(results->size()) + " results but " +
                                           Twine(rule.lefts.size()) + " names take them");
  if (const Function *callee = elaborator.find(*rule.value, scope.function))
    error.note(callee->location, "'" + callee->name + "' is defined here");
  return std::nullopt;
}

std::optional<Binding> RuleBuilder::buildArgument(const Expr &expr) {
  return buildEquation("argument", expr.location, nullptr, expr);
}

/// Steps: declare the left side; collect the indices of the right side; place sums; resolve; add the equation. Each
/// step runs even after errors of the ones before, as far as its own errors are independent.
std::optional<Binding> RuleBuilder::buildEquation(StringRef name, SMLoc location, const Declarator *declarator,
                                                  const Expr &expr) {
  bool indexed = declarator && declarator->brackets;
  bare = !indexed && !hasIndex(expr);
  leftLocation = location;
  if (declarator)
    tensorNames.try_emplace(name, location);
  std::optional<bool> scattered = indexed ? scatters(*declarator, expr) : false;
  if (!scattered) {
    collectOnce(expr); // to report its errors
    return std::nullopt;
  }
  if (*scattered)
    return buildScatter(name, location, *declarator, expr);
  bool ok = !indexed || declareLeft(*declarator);
  if (ok && earlier)
    ok = joinEarlier(*declarator);
  ok &= collectRight(expr);
  if (bare)
    shapeBareLeft();
  else
    ok &= checkClashes();
  // Resolve names even if extents disagree, because errors in names are independent of them.
  ok &= placeSums(expr, *this, *indices, sums, diagnostics, joiner == "add" ? "" : clauseToken(joiner));
  noteIndices(expr);
  size_t errors = diagnostics.size();
  const Node *node = resolve(expr, outermost());
  ok &= node != nullptr;
  // Do not report missing extents if an expression could not be read: it may have given them.
  if (!bare && diagnostics.size() == errors)
    ok &= finishLeft(name);
  if (ok && takesPart())
    return addPart(name, location, node);
  if (ok && earlier)
    ok = (node = addEarlier(node, location));
  if (!ok)
    return std::nullopt;
  if (node->kind == Node::Number && left.empty() && !indexed) {
    Binding binding;
    binding.kind = Binding::Number;
    binding.number = node->number;
    binding.location = location;
    return binding;
  }
  llvm::SmallVector<unsigned, 4> parts;
  for (const Affine &axis : leftAxes)
    parts.push_back(axis.indices.size());
  Binding binding = addEquation(name, location, node, left, parts, elementOf(*node, declarator ? name : ""));
  return binding.kind == Binding::Broken ? std::nullopt : std::optional(binding);
}

/// Records indices and sums of a rule for editors.
void RuleBuilder::noteIndices(const Expr &expr) const {
  Facts *facts = elaborator.library.facts;
  if (!facts || bare)
    return;
  auto [rule, isNew] = facts->rules.try_emplace(expr.text.begin());
  if (!isNew)
    return;
  rule->second.indices = indices;
  for (const auto &[term, summed] : sums)
    for (IndexId id : summed)
      rule->second.summed.emplace_back(id, term->text);
}

/// Declares the indices of the left side, in order.
bool RuleBuilder::declareLeft(const Declarator &declarator) {
  bool ok = declareEntries(declarator.axes, left, &leftAxes);
  if (ok)
    markParts(declarator);
  for (auto [position, id] : llvm::enumerate(left))
    (*indices)[id].left = position;
  return ok;
}

/// Checks that every index on the left has an extent.
bool RuleBuilder::finishLeft(StringRef name) {
  if (badIndices || !takeDeclaredExtents(name))
    return false;
  // Do not report missing extents if a tensor is unknown: it may have given them.
  for (auto &[name, location] : tensorNames) {
    const Binding *binding = scope.find(name);
    if (location != leftLocation && (!binding || binding->kind == Binding::Broken))
      return false;
  }
  bool ok = true;
  for (IndexId id : left) {
    const Index &index = (*indices)[id];
    if (index.extent)
      continue;
    auto split = llvm::find_if(leftAxes, [&](const Affine &axis) { return axis.expr && axis.indices[0] == id; });
    std::string remedy = "; write '" + index.name + ": N'";
    if (split != leftAxes.end() && split->offset)
      remedy = ", and a part of an axis tells none";
    else if (split != leftAxes.end())
      remedy = ("; state the axis before: '" + name + ": [..]'").str();
    diagnostics.error(index.location,
                      "index '" + index.name + "' has no extent: no tensor on the right has it" + remedy);
    ok = false;
  }
  return ok;
}

/// The axes that a declaration states for the name, or else the header. Without the axis of which the rule gives one
/// position.
std::optional<llvm::SmallVector<Axis, 4>> RuleBuilder::wholeAxes(StringRef name) {
  std::optional<llvm::SmallVector<Axis, 4>> axes;
  if (auto own = scope.declared.find(name); own != scope.declared.end())
    axes = own->second.axes;
  else
    for (const Declarator &result : scope.function.results)
      if (result.name == name && Elaborator::sizesKnown(result, scope))
        axes = elaborator.headerAxes(result, scope);
  if (axes && iterationAxis && *iterationAxis < axes->size())
    axes->erase(axes->begin() + *iterationAxis);
  return axes;
}

/// On an affine left side: stated axes give the extents that no tensor on the right gives.
bool RuleBuilder::takeDeclaredExtents(StringRef name) {
  std::optional<llvm::SmallVector<Axis, 4>> axes = wholeAxes(name);
  bool ok = axes || !scope.declared.count(name);
  for (auto [position, left] : llvm::enumerate(leftAxes))
    if (axes && axes->size() == leftAxes.size() && left.expr && !left.offset && !(*indices)[left.indices[0]].extent)
      ok &= setAxis(left, (*axes)[position], "'" + name + "'");
  return ok;
}

/// A left side without brackets takes the common extents of the tensors on the right.
void RuleBuilder::shapeBareLeft() {
  if (!bareAxes)
    return;
  for (auto [position, axis] : llvm::enumerate(*bareAxes)) {
    // A bare rule has no index names; names with '#' cannot be written, so they meet no index of the file.
    IndexId id = indexNamed(("#" + Twine(position)).str());
    (*indices)[id] = {("#" + Twine(position)).str(), axis.extent,   axis.location,
                      "'" + bareOwner + "'",         int(position), SMLoc()};
    left.push_back(id);
    leftAxes.push_back({{id}, {axis.location}});
  }
}

/// The element type of a rule with this value. Numbers and indices take the declared type; without one they are real,
/// unless they are rounded to integers.
Element RuleBuilder::elementOf(const Node &node, StringRef name) const {
  if (node.element != Element::Number)
    return node.element;
  const Declarator *declarator = nullptr;
  for (const Declarator &result : scope.function.results)
    if (result.name == name)
      declarator = &result;
  if (auto own = scope.declared.find(name); own != scope.declared.end())
    declarator = own->second.declarator;
  // Numbers alone have no type of their own. A number is never a boolean, so Bool stands for 'nothing is said'.
  if (Element said = declarator ? elementNamed(declarator->element) : Element::Bool;
      isRealElement(said) || (isInteger(said) && isIntegral(node)))
    return computedAs(said);
  return roundsNumbers(node) ? integerTypeOf(node, *indices) : Element::Real;
}

/// Adds `result[left] = node`. Axis a of the result merges the next `parts[a]` indices.
Binding RuleBuilder::addEquation(StringRef name, SMLoc location, const Node *node, llvm::ArrayRef<IndexId> left,
                                 llvm::ArrayRef<unsigned> parts, Element element) {
  Value value;
  value.name = name.str();
  value.element = element;
  value.location = location;
  llvm::ArrayRef<IndexId> rest = left;
  for (unsigned count : parts) {
    const Index &first = (*indices)[rest[0]];
    Axis &axis = value.axes.emplace_back(Axis{1, first.extentLocation});
    for (IndexId id : rest.take_front(count))
      if (llvm::MulOverflow(axis.extent, (*indices)[id].extent, axis.extent))
        axis.extent = INT64_MAX; // too large for any element: refused below
    rest = rest.drop_front(count);
  }
  Binding binding;
  binding.location = location;
  if (!elaborator.checkStep(value))
    return binding;
  Step step;
  step.location = location;
  step.frame = scope.frame;
  step.result = body.add(std::move(value));
  step.left.assign(left.begin(), left.end());
  step.parts.assign(parts.begin(), parts.end());
  step.value = node;
  step.indices = indices;
  body.steps.push_back(std::move(step));
  binding.kind = Binding::Tensor;
  binding.view = body.whole(body.steps.back().result);
  return binding;
}
