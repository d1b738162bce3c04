//===- ElaborateModels.cpp - models: layer calls, paths, repeat -----------===//
#include "Elaborator.h"
#include "RollIterations.h"
#include "llvm/ADT/bit.h"

using namespace plc::language;
using llvm::Twine;

/// A key that is equal for calls that share a body: types of arguments, and the values behind `;`.
static std::string keyOf(const Function &layer, const Scope &scope, llvm::ArrayRef<Value> arguments) {
  // Two files may have a layer of one name.
  std::string key = std::to_string(reinterpret_cast<uintptr_t>(&layer));
  for (const Value &argument : arguments) {
    key += (";" + nameOf(argument.element)).str();
    for (const Axis &axis : argument.axes)
      key += "," + std::to_string(axis.extent);
  }
  for (const NamedExpr &given : layer.given) {
    key += ";";
    if (const Size *size = isSizeName(given.name) ? scope.sizes.find(given.name) : nullptr; size && size->value)
      key += std::to_string(*size->value);
    else if (const Binding *binding = scope.find(given.name))
      key += std::to_string(llvm::bit_cast<uint64_t>(binding->number));
  }
  return key;
}

/// A model's call: finds or makes the instance, then passes arguments, parameters, states and skips, in this order.
std::optional<std::vector<Binding>> Elaborator::callLayer(const Call &call, Scope &scope) {
  std::optional<std::string> space = namespaceOf(call.space, call.caller);
  if (!space)
    return std::nullopt;
  program.called.insert(&call.callee);
  std::string path = call.caller.path + (space->empty() ? "" : *space + ".") + call.callee.nameInPaths().str() +
                     call.caller.iterations;
  // Only the model's calls are units of the plan. A layer that a layer calls becomes part of the caller's body.
  if (call.caller.function.kind == Function::Layer)
    return inlineLayer(call, scope, *space, path);
  std::vector<Value> types;
  Step step;
  step.location = call.expr.location;
  for (auto [argument, formal] : llvm::zip(call.arguments, call.callee.arguments)) {
    step.arguments.push_back(materialise(call.body, argument, formal.name));
    Value type = call.body.values[step.arguments.back()];
    type.name = formal.name.str();
    for (auto [axis, entry] : llvm::zip(type.axes, formal.axes))
      axis.location = entry.location;
    types.push_back(type);
  }
  if (!bindPops(call, scope, *space, step, types)) {
    call.body.broken = true;
    return std::nullopt;
  }
  Instance &instance = instanceFor(call, scope, types, *space);
  call.body.broken |= instance.body.broken;
  takeImports(call, instance, *space, step);
  step.callee = &instance;
  step.iteration = call.caller.iteration;
  enterPath(call, path);
  enterNestedPaths(call, instance, path);
  step.path = path;
  addParameters(call, instance, step);
  passStates(call, instance, step);
  std::vector<Binding> results;
  for (const std::optional<Value> &type : instance.results) {
    Binding &binding = results.emplace_back();
    binding.location = call.expr.location;
    if (!type || !checkStep(*type))
      continue;
    binding.kind = Binding::Tensor;
    step.results.push_back(call.body.add(*type));
    binding.view = call.body.whole(step.results.back());
  }
  takeStates(instance, results);
  takeStashes(call, instance, *space, step, results);
  if (!instance.hasErrors && layersOf(call.callee).size() > 1)
    --callsBegun;
  call.body.steps.push_back(std::move(step));
  results.resize(call.callee.results.size());
  return results;
}

/// The instance of a layer for the types of a call's arguments.
Instance &Elaborator::instanceFor(const Call &call, Scope &scope, llvm::ArrayRef<Value> types,
                                  const std::string &space) {
  std::vector<Instance *> &candidates = instances[::keyOf(call.callee, scope, types)];
  // Two calls with equal types share a body only if what nested layers pop has equal types too.
  for (Instance *candidate : candidates)
    if (importsFit(*candidate, call, space))
      return *candidate;
  size_t before = diagnostics.size();
  Outside context{call, space};
  outside = &context;
  diagnostics.enterCall(call.expr.location);
  std::unique_ptr<Instance> made = instantiate(call.callee, scope, types);
  diagnostics.leaveCall();
  outside = nullptr;
  made->hasErrors = diagnostics.size() != before;
  made->body.broken |= made->hasErrors;
  // Instances of one layer, or of two layers with one name, get numbered symbols.
  size_t same =
      llvm::count_if(program.instances, [&](const auto &other) { return other->layer->name == call.callee.name; });
  made->symbol = call.callee.name.str() + (same ? "." + std::to_string(same) : "");
  candidates.push_back(made.get());
  program.instances.push_back(std::move(made));
  return *candidates.back();
}

/// Paths of calls are unique in a body. A duplicate is an error and is changed, so that its parameters do not collide,
/// too.
void Elaborator::enterPath(const Call &call, std::string &path) {
  auto [earlier, isNew] = call.body.calls.try_emplace(path, call.expr.location);
  if (isNew)
    return;
  diagnostics
      .error(call.expr.location,
             "two calls of layers have the path '" + path + "'; name one: '" + call.callee.name + "(..) in NAME'")
      .note(earlier->second, "the first is here");
  call.body.broken = true;
  // No name in a file has an apostrophe, so the changed path meets no other one.
  path += "'";
}

/// Checks that steps can replace a parameter of a call: they do so with the gradients of the layer's results.
void Elaborator::checkNext(const Call &call, const Instance &instance, const std::string &path) {
  if (llvm::any_of(instance.results, [](const std::optional<Value> &result) {
        return !result || (isRealElement(result->element) && !isNarrow(result->element));
      }))
    return;
  diagnostics.error(call.expr.location, "a step replaces parameter '" + path +
                                            "' when it computes gradients of the layer's results, but layer '" +
                                            call.callee.name + "' returns no real");
  call.body.broken = true;
}

/// Adds the parameters of a call to the program. Their paths are unique, since paths of calls are.
void Elaborator::addParameters(const Call &call, const Instance &instance, Step &step) {
  for (const BodyParameter &parameter : instance.body.parameters) {
    if (!parameter.sharedPath.empty()) {
      step.parameters.push_back(parameter.sharedPath);
      continue;
    }
    std::string path = step.path + "." + parameter.name;
    parameterByPath.try_emplace(path, program.parameters.size());
    const Value &value = instance.body.values[parameter.value];
    if (parameter.next)
      checkNext(call, instance, path);
    program.parameters.push_back({path, value, parameter.initializer, parameter.frozen, parameter.next.has_value(),
                                  parameter.next ? std::vector<std::string>() : parameter.sizes, call.expr.location});
    step.parameters.push_back(path);
  }
}

/// The type of a binding, for comparison and messages.
static std::string shapeOf(const Body &body, const Binding &binding) {
  if (binding.kind != Binding::Tensor)
    return "a number";
  std::string text;
  for (const Axis &axis : binding.view.axes)
    text += (text.empty() ? "" : ", ") + std::to_string(axis.extent);
  return (nameOf(body.values[binding.view.value].element) + "[" + text + "]").str();
}

void Elaborator::tell(SMLoc location, const Body &body, const Binding &binding) const {
  if (!library.facts || binding.kind == Binding::Broken)
    return;
  bool isTensor = binding.kind == Binding::Tensor;
  library.facts->types.try_emplace(location.getPointer(),
                                   Facts::Type{isTensor ? body.values[binding.view.value].element : Element::Number,
                                               isTensor ? binding.view.axes : llvm::SmallVector<Axis, 4>()});
}

/// Whether a number became a real tensor of rank 0, because clauses added to it.
static bool joins(const Body &body, const Binding &old, const Binding &now) {
  return old.kind == Binding::Number && now.kind == Binding::Tensor && now.view.axes.empty() &&
         body.values[now.view.value].element == Element::Real;
}

/// Whether a `repeat` adds clauses to a name.
static bool addsTo(const Statement &repeat, StringRef name) {
  return llvm::any_of(repeat.body, [&](const Statement *inner) {
    if (inner->kind == Statement::Repeat)
      return addsTo(*inner, name);
    return inner->adds && inner->lefts.front().name == name;
  });
}

/// Reports an index of a `repeat` that has the name of a tensor or of an enclosing `repeat`'s index.
bool Elaborator::checkIteration(const Statement &repeat, Scope &scope) {
  SMLoc earlier;
  if (const Size *iteration = scope.sizes.find(repeat.iteration))
    earlier = iteration->location;
  else if (const Binding *binding = scope.find(repeat.iteration))
    earlier = binding->location;
  else
    return true;
  diagnostics.error(repeat.iterationLocation, "'" + repeat.iteration + "' is defined twice")
      .note(earlier, "the first definition is here");
  return false;
}

/// `NAME` or `NAME.ITERATION`; empty without a namespace. Nullopt after an error.
std::optional<std::string> Elaborator::namespaceOf(const Namespace *space, const Scope &scope) {
  if (!space)
    return "";
  if (!space->iteration)
    return space->name.str();
  std::optional<int64_t> iteration = scope.sizes.evaluate(*space->iteration);
  if (iteration && *iteration < 0) {
    diagnostics.error(space->iteration->location, "iteration '" + space->iteration->text.substr(0, 60) +
                                                      "' of namespace '" + space->name + "' is " + Twine(*iteration) +
                                                      ", expected at least 0");
    return std::nullopt;
  }
  return iteration ? std::optional(space->name.str() + "." + std::to_string(*iteration)) : std::nullopt;
}

/// Elaborates one iteration as a copy. Returns whether there was no error: the other iterations would report the same.
bool Elaborator::elaborateIteration(const Statement &repeat, int64_t iteration, int64_t count, Scope &scope,
                                    Body &body) {
  // The next iteration must not see names that this one defines, so each starts with the names before the `repeat`.
  llvm::StringMap<Binding> before = scope.names;
  size_t errors = diagnostics.size();
  // Iterations are numbered over the whole model, since paths do not distinguish those of two `repeat`s.
  if (scope.function.kind == Function::Model)
    scope.iteration = iterationsBegun++;
  if (!repeat.iteration.empty()) {
    scope.sizes.bind(repeat.iteration, {iteration, repeat.iterationLocation});
    scope.iterationCounts[repeat.iteration] = count;
  }
  elaborateBody(repeat.body, scope, body);
  // Carried names keep their types; names made in the iteration end with it.
  for (auto &[name, old] : before) {
    Binding &now = scope.names[name];
    if (old.kind != Binding::Broken && now.kind != Binding::Broken && shapeOf(body, old) != shapeOf(body, now) &&
        !joins(body, old, now) && !(old.isEmptySum() && addsTo(repeat, name))) {
      diagnostics
          .error(now.location, "an iteration of 'repeat' makes '" + name + "' " + shapeOf(body, now) + " but it was " +
                                   shapeOf(body, old))
          .note(old.location, "it was defined here");
      body.broken = true;
      now.kind = Binding::Broken;
    }
    old = now;
  }
  scope.names = std::move(before);
  skipsUnknown |= diagnostics.size() != errors;
  return diagnostics.size() == errors;
}

/// Makes a loop of the iterations if they are alike, else copies.
void Elaborator::elaborateRepeat(const Statement &statement, Scope &scope, Body &body) {
  std::optional<int64_t> count = scope.sizes.evaluate(*statement.value);
  if (!count) {
    skipsUnknown = body.broken = true;
    return;
  }
  if (*count < 0)
    diagnostics.error(statement.value->location, "'repeat' has " + Twine(*count) + " iterations, expected at least 0");
  if (!statement.iteration.empty() && !checkIteration(statement, scope)) {
    skipsUnknown = body.broken = true;
    return;
  }
  std::string outer = scope.iterations;
  int64_t outerIteration = scope.iteration;
  bool failed = false;
  for (int64_t iteration = 0; iteration < *count && !failed; ++iteration) {
    // The first iteration may differ from the others, as one that begins a sum does. So a loop may begin at the second.
    if (iteration < 2) {
      IterationRoller roller(*this, statement, scope, body);
      if (roller.roll(iteration, *count))
        break;
      if (iteration == 1 && *count >= IterationRoller::manyCopies && !roller.whyCopied().empty())
        diagnostics.warning(statement.location,
                            "the " + Twine(*count) + " iterations are copies, each compiled by itself, because " +
                                roller.whyCopied() + "; iterations that are alike are compiled once");
    }
    scope.iterations = outer + "." + std::to_string(iteration);
    failed = !elaborateIteration(statement, iteration, *count, scope, body);
    if (!countStep(statement.location)) // counts empty iterations too, or 2^60 of them would never end
      break;
  }
  scope.iterations = outer;
  scope.iteration = outerIteration;
  scope.sizes.unbind(statement.iteration);
  // Names that the iterations collected are whole tensors from here on.
  for (auto next = scope.collected.begin(); next != scope.collected.end();) {
    auto [name, collected] = *next;
    if (collected.iteration != statement.iteration) {
      ++next;
      continue;
    }
    Binding whole = failed ? Binding() : wholeOf(*this, scope, body, name, collected);
    body.broken |= whole.kind == Binding::Broken;
    next = scope.collected.erase(next); // its definition is no element any more
    if (define(scope, body, name, collected.left->location, whole))
      scope.defined.insert(name);
  }
}

void Elaborator::elaborateModel(const Function &model) {
  program.model = &model;
  Scope scope(model, diagnostics, library.sizesOf(model));
  Body &body = program.body;
  active.push_back(&model);
  for (const NamedExpr &given : model.given)
    diagnostics.error(given.location, "argument '" + given.name + "' behind ';' of a model is not supported yet");
  for (const Declarator &formal : model.arguments) {
    Binding binding;
    binding.location = formal.location;
    Value value{formal.name.str(), elementNamed(formal.element), {}, formal.location};
    std::optional<llvm::SmallVector<Axis, 4>> axes = headerAxes(formal, scope);
    if (axes)
      value.axes = *axes;
    if (axes && checkStep(value)) {
      binding.kind = Binding::Tensor;
      body.arguments.push_back(body.add(value));
      binding.view = body.whole(body.arguments.back());
    } else {
      body.broken = true;
    }
    scope.names[formal.name] = binding;
    tell(formal.location, body, binding);
  }
  elaborateBody(model.body, scope, body);
  nameRules(scope, body);
  checkSkips(model);
  if (std::optional<std::vector<Binding>> results = takeResults(model, scope, body))
    for (auto [binding, declarator] : llvm::zip(*results, model.results))
      body.results.push_back(materialise(body, binding, declarator.name, elementNamed(declarator.element)));
  markBatch(model, scope);
  finishStates(model);
  active.pop_back();
}

/// Finds the batch axes of arguments and results by the name of the size.
void Elaborator::markBatch(const Function &model, Scope &scope) {
  StringRef batch = library.main().file.batch;
  if (!batch.empty()) {
    const Size *size = scope.sizes.find(batch);
    if (!size)
      scope.sizes.unknown(batch, library.main().file.batchLocation);
    else
      program.batch = size->value.value_or(0);
  }
  for (const Declarator &argument : model.arguments)
    program.argumentBatch.push_back(batchAxis(argument));
  for (const Declarator &result : model.results)
    program.resultBatch.push_back(batchAxis(result));
}

/// Checks what needs no call: only layers whose header and pops have known sizes.
void Elaborator::checkUncalled(const Function &layer) {
  Scope scope(layer, diagnostics, library.sizesOf(layer));
  for (const NamedExpr &given : layer.given)
    if (!given.value || !isSizeName(given.name))
      return;
    else if (std::optional<int64_t> size = scope.sizes.evaluate(*given.value))
      scope.sizes.bind(given.name, {size, given.location});
  std::vector<Value> arguments;
  for (const Declarator &formal : layer.arguments) {
    for (const IndexEntry &entry : formal.axes)
      if (entry.isEllipsis() || (entry.expr->kind == Expr::Name && !scope.sizes.find(entry.expr->name)))
        return; // a call binds it
    std::optional<llvm::SmallVector<Axis, 4>> axes = headerAxes(formal, scope);
    if (!axes)
      return;
    arguments.push_back({formal.name.str(), elementNamed(formal.element), *axes, formal.location});
  }
  for (const Statement *pop : popsOf(layer)) {
    const Declarator &left = pop->lefts[0];
    if (!sizesKnown(left, scope))
      return;
    std::optional<llvm::SmallVector<Axis, 4>> axes = headerAxes(left, scope);
    if (!axes)
      return;
    arguments.push_back({left.name.str(), elementNamed(left.element), *axes, left.location});
  }
  // A `share` cannot be checked without the model's calls, so a missing owner is no error here.
  calledByModel = false;
  active.push_back(&layer);
  instantiate(layer, scope, arguments);
  active.pop_back();
}
