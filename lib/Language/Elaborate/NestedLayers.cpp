//===- NestedLayers.cpp - layers called by layers -------------------------===//
//
// The body of a nested layer becomes part of the body that calls it. So cuts, kinds and shared bodies are those of the
// layer that the model calls. Its parameters have paths under that call. Skips between nested layers stay inside; other
// skips become results and arguments of the outer body.
//
//===----------------------------------------------------------------------===//
#include "Elaborator.h"
#include "llvm/ADT/SetVector.h"

using namespace plc::language;
using llvm::Twine;

/// Inlines a layer like an fn, with its own path and with its pops bound to stashes of the body.
std::optional<std::vector<Binding>> Elaborator::inlineLayer(const Call &call, Scope &scope, const std::string &space,
                                                            const std::string &path) {
  std::string own = path;
  enterPath(call, own);
  scope.path = own + ".";
  scope.caller = &call.caller;
  scope.space = call.space;
  scope.spaceName = space;
  for (const Statement *pop : popsOf(call.callee)) {
    Binding &binding = scope.popped[pop];
    binding = popNested(call, scope, *pop);
    if (binding.kind == Binding::Broken ||
        !bindTensor(call, scope, pop->lefts[0], binding, call.expr.location, "popped")) {
      call.body.broken = true;
      return std::nullopt;
    }
    binding.location = pop->lefts[0].location;
  }
  std::optional<std::vector<Binding>> results = inlineBody(call, scope);
  nameRules(scope, call.body);
  return results;
}

/// The value of a skip that the body stashed or popped before. Otherwise the skip becomes an argument of the body.
Binding Elaborator::popNested(const Call &call, Scope &scope, const Statement &pop) {
  Body &body = call.body;
  SkipKey key = keyIn(scope, pop.skip);
  for (Body::Stash &stash : body.stashes)
    if (stash.key == key) {
      stash.popped = true;
      Binding value = stash.value;
      // A popped value is an argument, and arguments are tensors. So a stashed number becomes a tensor of rank 0.
      if (value.kind == Binding::Number)
        value = {Binding::Tensor, body.whole(materialise(body, value, pop.skip)), 0, value.location};
      return value;
    }
  for (const Body::Import &import : body.imports)
    if (import.key == key)
      return import.value ? Binding{Binding::Tensor, body.whole(*import.value), 0, pop.location} : Binding();
  return importSkip(call, scope, pop, key);
}

/// Makes an argument for a skip that the model's call of the outer layer pops. If there is no such skip, which is
/// reported at the end, the rest is checked as far as sizes are known.
Binding Elaborator::importSkip(const Call &call, Scope &scope, const Statement &pop, const SkipKey &key) {
  Body &body = call.body;
  const Declarator &left = pop.lefts[0];
  std::optional<Value> type;
  auto found = outside ? skips.find(within(outside->call.space, outside->space, key)) : skips.end();
  if (found != skips.end() && found->second.value.kind == Binding::Tensor) {
    const Binding &value = found->second.value;
    type = Value{left.name.str(), outside->call.body.values[value.view.value].element, value.view.axes, left.location};
  } else {
    body.broken = true;
    if (sizesKnown(left, scope))
      if (std::optional<llvm::SmallVector<Axis, 4>> axes = headerAxes(left, scope))
        type = Value{left.name.str(), elementNamed(left.element), *axes, left.location};
  }
  body.imports.push_back({key, &pop, std::nullopt});
  if (!type)
    return Binding();
  body.arguments.push_back(body.add(*type));
  body.imports.back().value = body.arguments.back();
  return {Binding::Tensor, body.whole(body.arguments.back()), 0, left.location};
}

/// Whether a body was elaborated for the types that this call pops.
bool Elaborator::importsFit(const Instance &instance, const Call &call, const std::string &space) const {
  return llvm::all_of(instance.body.imports, [&](const Body::Import &import) {
    auto found = skips.find(within(call.space, space, import.key));
    if (!import.value || found == skips.end() || found->second.value.kind != Binding::Tensor)
      return false;
    const Value &wanted = instance.body.values[*import.value];
    const View &view = found->second.value.view;
    auto extentOf = [](const Axis &axis) { return axis.extent; };
    return wanted.element == call.body.values[view.value].element &&
           llvm::equal(llvm::map_range(wanted.axes, extentOf), llvm::map_range(view.axes, extentOf));
  });
}

/// Passes the skips that nested layers pop, behind the layer's own arguments.
void Elaborator::takeImports(const Call &call, const Instance &instance, const std::string &space, Step &step) {
  for (const Body::Import &import : instance.body.imports) {
    SkipKey key = within(call.space, space, import.key);
    auto found = skips.find(key);
    if (found == skips.end()) {
      earlyPops.push_back({key, call.expr.location, import.pop});
      call.body.broken = true;
      continue;
    }
    found->second.popped = true;
    call.body.broken |= found->second.value.kind != Binding::Tensor;
    step.arguments.push_back(found->second.value.view.value);
  }
}

/// Nested paths are unique in the model, too: `f(x) in block` may collide with the `f` of a `block`.
void Elaborator::enterNestedPaths(const Call &call, const Instance &instance, const std::string &path) {
  for (const auto &[nested, location] : instance.body.calls) {
    std::string whole = path + "." + nested;
    auto [earlier, isNew] = call.body.calls.try_emplace(whole, call.expr.location);
    if (isNew)
      continue;
    diagnostics
        .error(call.expr.location,
               "two calls of layers have the path '" + whole + "'; name one: '" + call.callee.name + "(..) in NAME'")
        .note(earlier->second, "the first is here")
        .note(location, "the second is here, inside");
    call.body.broken = true;
  }
}

/// The layer, and all layers that it calls, directly or through others.
std::vector<const Function *> Elaborator::layersOf(const Function &layer) const {
  llvm::SetVector<const Function *> layers;
  std::vector<const Expr *> exprs;
  std::vector<const Statement *> statements;
  layers.insert(&layer);
  for (size_t next = 0; next < layers.size(); ++next) {
    const Function *user = layers[next];
    statements.assign(layers[next]->body.begin(), layers[next]->body.end());
    while (!statements.empty()) {
      const Statement &statement = *statements.back();
      statements.pop_back();
      statements.insert(statements.end(), statement.body.begin(), statement.body.end());
      if (statement.value)
        exprs.push_back(statement.value);
    }
    while (!exprs.empty()) {
      const Expr &expr = *exprs.back();
      exprs.pop_back();
      exprs.insert(exprs.end(), expr.operands.begin(), expr.operands.end());
      const Function *called = expr.kind == Expr::Call ? library.seenBy(*user).lookup(expr.name) : nullptr;
      if (called && called->kind == Function::Layer)
        layers.insert(called);
    }
  }
  return {layers.begin(), layers.end()};
}
