//===- Calls.cpp - functions, reductions and fns in expressions -----------===//
#include "Builtins.h"
#include "Emit/Integers.h"
#include "RuleBuilder.h"
#include <cmath>

using namespace plc::language;
using llvm::Twine;

/// Dispatches by the kind of the function. A call of whole tensors was evaluated when indices were collected
/// (`bareCalls`).
const Node *RuleBuilder::resolveCall(const Expr &expr, const Context &context) {
  Builtin builtin = builtinOf(expr.name);
  if (builtin != Builtin::None && !expr.given.empty()) {
    diagnostics.error(expr.given[0].location, "'" + expr.name + "' has no argument '" + expr.given[0].name + "'");
    return nullptr;
  }
  switch (builtin) {
  case Builtin::Function: return resolveBuiltin(expr, context, 1, 1);
  case Builtin::Function2: return resolveBuiltin(expr, context, 2, 2);
  case Builtin::Extremum: return expr.brackets ? resolveReduction(expr, context) : resolveBuiltin(expr, context, 2, 2);
  case Builtin::Reduction: return resolveReduction(expr, context);
  case Builtin::Positions: return resolvePositions(expr, context);
  case Builtin::Draw: return resolveDraw(expr);
  case Builtin::Conversion:
  case Builtin::Stop: return resolveConversion(expr, context);
  case Builtin::Size: {
    auto it = expr.operands.size() == 1 ? byName.find(expr.operands[0]->text) : byName.end();
    if (it != byName.end() && (*indices)[it->second].extent)
      return makeNumber(static_cast<double>((*indices)[it->second].extent), expr.location);
    if (const Size *extent = isSizeCall(expr) ? scope.sizes.findExtent(expr.operands[0]->name) : nullptr)
      return makeNumber(static_cast<double>(*extent->value), expr.location);
    diagnostics.error(expr.location, "'size' takes one index of the rule");
    return nullptr;
  }
  case Builtin::Pad: return resolvePad(expr, context);
  case Builtin::None: break;
  }
  auto known = bareCalls.find(&expr);
  if (known != bareCalls.end()) {
    const Binding &result = known->second;
    if (result.kind == Binding::Number)
      return makeNumber(result.number, expr.location);
    if (result.kind == Binding::Broken ||
        (!result.view.axes.empty() && (!bare || left.size() != result.view.axes.size())))
      return nullptr;
    llvm::SmallVector<Node::Position, 4> entries;
    for (unsigned i = 0; i < result.view.axes.size(); ++i)
      entries.push_back({{left[i]}});
    return makeRead(result.view, entries, expr.location);
  }
  if (!hasIndex(expr))
    return nullptr; // the walk over indices has reported it
  const Function *callee = elaborator.find(expr, scope.function);
  return callee ? resolveFn(expr, *callee, context) : nullptr;
}

/// An elementwise function of `least` to `most` arguments.
const Node *RuleBuilder::resolveBuiltin(const Expr &expr, const Context &context, unsigned least, unsigned most) {
  if (expr.operands.size() < least || expr.operands.size() > most || expr.brackets) {
    if (expr.brackets)
      diagnostics.error(expr.location, "'" + expr.name + "' is elementwise, it binds no index");
    else
      diagnostics.error(expr.location,
                        "'" + expr.name + "' has " + Twine(expr.operands.size()) + " arguments, expected " +
                            Twine(least) +
                            (least == 2 ? "; over an axis it names it: '" + expr.name + "[i](..)'" : ""));
    return nullptr;
  }
  // The other functions are of reals only.
  bool ofIntegers = llvm::is_contained({"abs", "sign", "relu", "max", "min"}, expr.name);
  std::vector<const Node *> operands;
  for (const Expr *operand : expr.operands)
    operands.push_back(ofIntegers ? wantNumber(resolve(*operand, context))
                                  : wantReal(resolve(*operand, context), ("'" + expr.name + "'").str()));
  // Constants are folded in f64 and rounded once, as `1 / sqrt(K)` in an initializer is.
  if (expr.name == "sqrt" && operands[0] && operands[0]->kind == Node::Number)
    return makeNumber(std::sqrt(operands[0]->number), expr.location);
  return makeMap(expr.name, expr.location, std::move(operands));
}

/// `real(e)`, `i32(e)`, `i64(e)` and `stop(e)`. A conversion that changes nothing is dropped.
const Node *RuleBuilder::resolveConversion(const Expr &expr, const Context &context) {
  if (expr.operands.size() != 1 || expr.brackets) {
    diagnostics.error(expr.location,
                      "'" + expr.name + "' has " + Twine(expr.operands.size()) + " arguments, expected 1");
    return nullptr;
  }
  const Node *operand = resolve(*expr.operands[0], context);
  if (!operand)
    return nullptr;
  Node node;
  node.kind = expr.name == "stop" ? Node::Stop : Node::Cast;
  node.location = expr.location;
  node.operands = {operand};
  node.element = expr.name == "real"  ? Element::Real
                 : expr.name == "i32" ? Element::I32
                 : expr.name == "i64" ? Element::I64
                                      : operand->element;
  // Only reals have a derivative to stop, so the argument must be real; a number takes the type of what it meets and is
  // real by itself.
  bool changes = node.kind == Node::Stop ? isRealElement(operand->element) : operand->element != node.element;
  if (!changes || (operand->kind == Node::Number && !isInteger(node.element)))
    return operand;
  return finish(std::move(node));
}

/// Reports a bracketed index that the argument does not have, or whose extent is not known.
bool RuleBuilder::bindsUnder(const Expr &expr, IndexId id, const Node &operand) {
  const Index &index = (*indices)[id];
  SMLoc location = index.location.isValid() ? index.location : expr.location;
  if (!llvm::is_contained(operand.dims, id))
    diagnostics.error(location,
                      "index '" + index.name + "' is bound by '" + expr.name + "' but does not occur under it");
  else if (!index.extent && index.left < 0 && !badIndices)
    diagnostics.error(location,
                      "index '" + index.name + "' has no extent: no tensor has it; write '" + index.name + ": N'");
  else
    return true;
  return false;
}

/// The indices in the brackets of a call; nullopt if one is none, which the walk over indices reports.
std::optional<llvm::SmallVector<IndexId, 4>> RuleBuilder::boundBy(const Expr &expr) {
  llvm::SmallVector<IndexId, 4> ids;
  for (const IndexEntry &entry : expr.indices) {
    if (entry.isEllipsis())
      for (unsigned i = 0; scope.ellipsis && i < scope.ellipsis->size(); ++i)
        ids.push_back(ellipsisIndex(i));
    else if (entry.expr->kind == Expr::Name && byName.count(entry.expr->name))
      ids.push_back(indexNamed(entry.expr->name));
    else
      return std::nullopt;
  }
  return ids;
}

/// `sum[i](e)` and its kind. The indices are bound, so the sum rule does not place them.
const Node *RuleBuilder::resolveReduction(const Expr &expr, const Context &context) {
  if (!expr.brackets || expr.operands.size() != 1) {
    if (expr.brackets)
      diagnostics.error(expr.location,
                        "'" + expr.name + "' has " + Twine(expr.operands.size()) + " arguments, expected 1");
    else
      diagnostics.error(expr.location,
                        "'" + expr.name + "' names the indices that it reduces: '" + expr.name + "[i](..)'");
    return nullptr;
  }
  std::optional<llvm::SmallVector<IndexId, 4>> found = boundBy(expr);
  if (!found)
    return nullptr;
  llvm::ArrayRef<IndexId> ids = *found;
  Context inner = hiding(context, ids);
  inner.bound.append(ids.begin(), ids.end());
  const Node *operand = resolve(*expr.operands[0], inner);
  StringRef function = expr.name;
  if (function == "any" || function == "all")
    operand = wantCondition(operand);
  else if (function == "sum" && operand && operand->element == Element::Bool)
    function = "any"; // a sum of truth values says that there is one
  else
    operand = wantNumber(operand);
  // A mean of integers would have to round, which ` ` says explicitly.
  if (expr.name == "mean")
    operand = wantReal(operand, "'mean'");
  if (!operand)
    return nullptr;
  for (IndexId id : ids)
    if (!bindsUnder(expr, id, *operand))
      return nullptr;
  Node node;
  node.kind = Node::Reduce;
  node.location = expr.location;
  node.function = function;
  node.element = operand->element == Element::Number ? Element::Real : operand->element;
  node.operands = {operand};
  node.summed.assign(ids.begin(), ids.end());
  llvm::sort(node.summed);
  return finish(std::move(node));
}

/// `random()` and `normal()` draw once for each element of the left side. `training()` and `step()` are one value.
const Node *RuleBuilder::resolveDraw(const Expr &expr) {
  if (expr.brackets || !expr.operands.empty()) {
    diagnostics.error(expr.location, "'" + expr.name + "' has no arguments: '" + expr.name + "()'");
    return nullptr;
  }
  Node node;
  node.kind = Node::Draw;
  node.location = expr.location;
  node.function = expr.name;
  node.element = expr.name == "training" ? Element::Bool : expr.name == "step" ? Element::I32 : Element::Real;
  return finish(std::move(node));
}

/// `argmax[i, ..](e)` and `argmin[i, ..](e)`, which bind their indices; `topk[i, j: N](e)`, which binds i and brings j.
const Node *RuleBuilder::resolvePositions(const Expr &expr, const Context &context) {
  bool brings = expr.name == "topk";
  auto isEllipsis = [](const IndexEntry &entry) { return entry.isEllipsis(); };
  bool fits = expr.brackets && expr.operands.size() == 1 &&
              (brings ? expr.indices.size() == 2 && llvm::none_of(expr.indices, isEllipsis) : !expr.indices.empty());
  if (!fits) {
    diagnostics.error(expr.location, brings ? "'topk' binds one index and brings another: 'topk[i, j: 2](..)'"
                                            : "'" + expr.name + "' binds indices: '" + expr.name + "[i](..)'");
    return nullptr;
  }
  std::optional<llvm::SmallVector<IndexId, 4>> ids = boundBy(expr);
  if (!ids)
    return nullptr;
  llvm::ArrayRef<IndexId> bound = llvm::ArrayRef(*ids).drop_back(brings);
  Context inner = hiding(context, bound);
  inner.bound.append(bound.begin(), bound.end());
  const Node *operand = wantNumber(resolve(*expr.operands[0], inner));
  if (!operand)
    return nullptr;
  int64_t positions = 1;
  for (IndexId id : bound) {
    const Index &over = (*indices)[id];
    if (!bindsUnder(expr, id, *operand))
      return nullptr;
    // Positions are i32.
    if (over.extent && (__builtin_mul_overflow(positions, over.extent, &positions) || positions > INT32_MAX)) {
      diagnostics.error(expr.location, "'" + expr.name + "' gives positions in i32, but index '" + over.name +
                                           "' has extent " + Twine(over.extent) +
                                           (bound.size() == 1 ? "" : ", too many together with the indices before it"));
      return nullptr;
    }
  }
  Node node;
  node.kind = Node::Positions;
  node.location = expr.location;
  node.function = expr.name;
  node.element = Element::I32;
  node.operands = {operand};
  node.summed.assign(bound.begin(), bound.end()); // in their order: the last one counts fastest
  if (!brings)
    return finish(std::move(node));
  const Index &over = (*indices)[bound[0]], &brought = (*indices)[ids->back()];
  node.index = ids->back();
  if (llvm::is_contained(operand->dims, node.index)) {
    diagnostics.error(brought.location, "index '" + brought.name + "' is brought by 'topk' but occurs under it");
    return nullptr;
  }
  if (!brought.extent) {
    diagnostics.error(brought.location, "index '" + brought.name + "' has no extent; write '" + brought.name + ": 2'");
    return nullptr;
  }
  if (over.extent && brought.extent > over.extent) {
    diagnostics
        .error(brought.location, "'topk' takes " + Twine(brought.extent) + " elements of index '" + over.name +
                                     "', which has extent " + Twine(over.extent))
        .note(over.extentLocation, "extent " + Twine(over.extent) + " is from here");
    return nullptr;
  }
  return finish(std::move(node));
}

/// The value of a node as an argument with the given axes: a view if it only reads, else a new equation.
std::optional<Binding> RuleBuilder::argumentOf(const Node *node, const CallAxes &over, const Declarator &formal,
                                               SMLoc location) {
  llvm::ArrayRef<IndexId> axes = over.ids;
  Binding binding;
  binding.location = location;
  if (llvm::any_of(axes, [&](IndexId id) { return !(*indices)[id].extent; }))
    return std::nullopt; // an index without an extent is reported once, for the whole rule
  if (node->kind == Node::Number && axes.empty()) {
    binding.kind = Binding::Number;
    binding.number = node->number;
    return binding;
  }
  // An argument that only reads a tensor along its axes is passed as a view, so that no equation copies it.
  bool plain = node->kind == Node::Read && over.parts.size() == axes.size() && node->positions.size() == axes.size() &&
               node->dims.size() == axes.size() &&
               llvm::all_of(node->positions, [](const Node::Position &position) { return position.isIndex(); });
  if (!plain) {
    Element wanted = elementNamed(formal.element);
    bool fits = isRealElement(wanted) || (isInteger(wanted) && isIntegral(*node));
    bool becomes = node->element == Element::Number && fits;
    binding = addEquation(formal.name, location, node, axes, over.parts, becomes ? wanted : elementOf(*node, ""));
    return binding.kind == Binding::Broken ? std::nullopt : std::optional(binding);
  }
  binding.kind = Binding::Tensor;
  binding.view.value = node->value;
  for (const Node::Position &position : node->positions)
    binding.view.dims.push_back(llvm::find(axes, position.indices[0]) - axes.begin());
  for (IndexId id : axes)
    binding.view.axes.push_back({(*indices)[id].extent, (*indices)[id].extentLocation});
  return binding;
}

/// The axes that a call with brackets must bind: those of the first argument.
static size_t leastNamed(const Function &callee) {
  return callee.arguments.empty()
             ? 0
             : llvm::count_if(callee.arguments[0].axes, [](const IndexEntry &entry) { return !entry.isEllipsis(); });
}

bool plc::language::bindsIndices(const Function &callee, size_t count) {
  size_t named = namedAxes(callee).size();
  return count >= leastNamed(callee) && (count <= named || named == 1);
}

/// `f[i, j](e, g)` binds i and j to the axes that the header names, those of the first argument first. If it names one
/// axis, all indices count that.
bool RuleBuilder::bindHeader(const Expr &expr, const Function &callee, BoundAxes &header) {
  llvm::SmallVector<const IndexEntry *> all = namedAxes(callee);
  llvm::ArrayRef<const IndexEntry *> named = llvm::ArrayRef(all).take_front(leastNamed(callee));
  if (!bindsIndices(callee, expr.indices.size())) {
    std::string hint =
        callee.name.str() +
        (named.empty() ? "(" : "[" + named[0]->expr->text.str() + (named.size() > 1 ? ", .." : "") + "](") + "..)";
    diagnostics
        .error(expr.location, "'" + callee.name + "' is called with " + Twine(expr.indices.size()) +
                                  " bracketed indices but its first argument names " + Twine(named.size()) + ": '" +
                                  hint + "'")
        .note(callee.location, "'" + callee.name + "' is defined here");
    return false;
  }
  for (auto [position, entry] : llvm::enumerate(expr.indices)) {
    if (entry.isEllipsis() || entry.expr->kind != Expr::Name || !byName.count(entry.expr->name))
      return false; // reported by the walk over indices
    header[all[all.size() == 1 ? 0 : position]->expr->text].push_back(indexNamed(entry.expr->name));
  }
  return true;
}

/// The caller's indices for the axes of an argument or a result of the header. `rest` stand for `...`.
std::optional<RuleBuilder::CallAxes> RuleBuilder::logicalAxes(const Declarator &formal, llvm::ArrayRef<IndexId> rest,
                                                              const BoundAxes &header, const Expr &call) {
  CallAxes axes;
  auto addRest = [&] {
    for (IndexId id : rest)
      axes.add(id);
  };
  if (!formal.brackets)
    addRest();
  for (const IndexEntry &entry : formal.axes) {
    if (entry.isEllipsis()) {
      addRest();
      continue;
    }
    auto it = header.find(entry.expr->text);
    if (it == header.end()) {
      diagnostics
          .error(call.location, "'" + call.name + "' cannot be called with these indices: nothing binds '" +
                                    entry.expr->text + "' of '" + formal.name +
                                    "'; a further bracketed index can, and whole tensors need none")
          .note(entry.location, "'" + entry.expr->text + "' is named here");
      return std::nullopt;
    }
    axes.add(it->second);
  }
  return axes;
}

/// Makes the arguments of a call from their nodes. False after an error.
bool RuleBuilder::passArguments(Call &call, llvm::ArrayRef<const Node *> nodes, llvm::ArrayRef<IndexId> rest,
                                const BoundAxes &header) {
  for (auto [node, formal, operand] : llvm::zip(nodes, call.callee.arguments, call.expr.operands)) {
    auto axes = logicalAxes(formal, rest, header, call.expr);
    if (!axes)
      return false;
    if (!formal.brackets && node->dims.empty())
      *axes = CallAxes(); // scalars join any shape
    for (IndexId id : node->dims)
      if (!llvm::is_contained(axes->ids, id)) {
        diagnostics
            .error(operand->location, "index '" + (*indices)[id].name + "' of this argument has no place in '" +
                                          formal.name + "' of '" + call.callee.name + "'")
            .note(formal.location, "'" + formal.name + "' is declared here");
        return false;
      }
    std::optional<Binding> binding = argumentOf(node, *axes, formal, operand->location);
    if (!binding)
      return false;
    call.arguments.push_back(std::move(*binding));
  }
  return true;
}

/// Reads the result of a call at the caller's indices.
const Node *RuleBuilder::readResult(const Binding &result, llvm::ArrayRef<IndexId> rest, const BoundAxes &header,
                                    const Call &call) {
  if (result.kind == Binding::Number)
    return makeNumber(result.number, call.expr.location);
  auto axes = logicalAxes(call.callee.results[0], rest, header, call.expr);
  if (!axes)
    return nullptr;
  if (result.view.axes.empty())
    *axes = CallAxes();
  llvm::SmallVector<Node::Position, 4> entries;
  llvm::ArrayRef<IndexId> ids = axes->ids;
  for (unsigned count : axes->parts) {
    entries.push_back({llvm::SmallVector<IndexId, 1>(ids.take_front(count))});
    ids = ids.drop_front(count);
  }
  return makeRead(result.view, entries, call.expr.location);
}

/// Inlines an fn over expressions with indices. Each argument becomes a tensor over the indices that the header binds
/// and, for `...`, over the others.
const Node *RuleBuilder::resolveFn(const Expr &expr, const Function &callee, const Context &context) {
  if (callee.kind == Function::Layer) {
    diagnostics.error(expr.location, "layer '" + callee.name + "' takes whole tensors, not expressions with indices")
        .note(callee.location, "'" + callee.name + "' is defined here");
    return nullptr;
  }
  BoundAxes header;
  if (!bindHeader(expr, callee, header))
    return nullptr;
  if (expr.operands.size() != callee.arguments.size()) {
    diagnostics
        .error(expr.location, "'" + callee.name + "' has " + Twine(expr.operands.size()) + " arguments, expected " +
                                  Twine(callee.arguments.size()))
        .note(callee.location, "'" + callee.name + "' is defined here");
    return nullptr;
  }
  llvm::SmallVector<IndexId> bound;
  for (auto &[name, ids] : header)
    bound.append(ids);
  Context inner = hiding(context, bound);
  std::vector<const Node *> nodes;
  for (const Expr *operand : expr.operands)
    nodes.push_back(resolve(*operand, inner));
  if (llvm::is_contained(nodes, nullptr))
    return nullptr;
  bool guards = (inner.guard || inner.hidden) && elaborator.readsAtPositions(callee);
  if (guards && inner.hidden)
    return refuseHidden(expr.location, inner), nullptr;

  // The other free indices are the `...`, in canonical order.
  Node all;
  all.kind = Node::Map;
  for (const Node *node : nodes)
    all.operands.push_back(node);
  all.summed.append(bound.begin(), bound.end());
  setDims(all);
  llvm::ArrayRef<IndexId> rest = all.dims;

  Call call{callee, expr, scope, body, {}, llvm::SmallVector<Axis, 4>()};
  for (IndexId id : rest)
    call.ellipsis->push_back({(*indices)[id].extent, (*indices)[id].extentLocation});
  if (!passArguments(call, nodes, rest, header))
    return nullptr;
  if (guards) {
    Declarator formal;
    formal.name = "guard";
    CallAxes axes;
    for (IndexId id : rest)
      axes.add(id);
    std::optional<Binding> guard = argumentOf(guardOver(inner.guard, rest), axes, formal, expr.location);
    if (!guard)
      return nullptr;
    call.guard = guard->view;
  }
  std::optional<std::vector<Binding>> results = elaborator.call(call);
  if (!results)
    return nullptr;
  if (results->size() != 1) {
    diagnostics.error(expr.location, "'" + expr.name + "' has " + Twine(results->size()) +
                                         " results, expected 1 inside an expression");
    return nullptr;
  }
  return readResult(results->front(), rest, header, call);
}

/// `f(a, b)` on whole tensors, or a call of a layer.
std::optional<std::vector<Binding>> RuleBuilder::callWhole(const Expr &expr, const Namespace *where) {
  const Function *callee = elaborator.find(expr, scope.function);
  std::vector<Binding> arguments;
  bool ok = callee != nullptr;
  for (const Expr *operand : expr.operands) {
    Binding argument;
    const Binding *named = operand->kind == Expr::Name ? scope.find(operand->name) : nullptr;
    if (named) {
      argument = *named;
      scope.uses.try_emplace(operand->name, operand->location);
    } else if (std::optional<Binding> value = RuleBuilder(elaborator, scope, body).buildArgument(*operand)) {
      argument = *value;
    }
    // All arguments are evaluated even after an error, so that each reports its own.
    ok &= argument.kind != Binding::Broken;
    arguments.push_back(argument);
  }
  // The skips of a layer that does not exist are unknown, so none is reported as missing.
  if (!callee)
    elaborator.enterUnknownSkips();
  else if (callee->kind == Function::Layer && scope.function.kind == Function::Model)
    elaborator.enterSkips(*callee, expr.location, where, scope);
  if (!ok)
    return std::nullopt;
  return elaborator.call({*callee, expr, scope, body, std::move(arguments), std::nullopt, where});
}
