//===- ElaborateBodies.cpp - inlined fns and layer instances --------------===//
#include "Builtins.h"
#include "Elaborator.h"
#include "RuleBuilder.h"
#include "plc/Support/Nearest.h"
#include <cmath>
#include <cstdio>

using namespace plc::language;
using llvm::Twine;
using plc::Nearest;

/// Refuses tensors whose size in bytes overflows.
bool Elaborator::checkStep(const Value &value) {
  // The precision is not chosen yet, so each element counts as the widest one, f64.
  int64_t bytes = 8;
  for (const Axis &axis : value.axes)
    if (llvm::MulOverflow(bytes, axis.extent, bytes)) {
      std::string shape;
      for (const Axis &other : value.axes)
        shape += (shape.empty() ? "[" : ", ") + std::to_string(other.extent);
      diagnostics.error(value.location, "tensor '" + value.name + "' of shape " + shape +
                                            "] is too large: a tensor has fewer than 2^63 bytes, at 8 each");
      return false;
    }
  return countStep(value.location);
}

/// Reports the limit once; everything after it fails silently.
bool Elaborator::countStep(SMLoc location) {
  if (++steps <= stepLimit)
    return true;
  if (steps == stepLimit + 1)
    diagnostics.error(location, "the program has more than " + Twine(stepLimit) + " equations and iterations");
  return false;
}

/// Begins the body of a callee; reports recursion.
bool Elaborator::enter(const Call &call) {
  if (llvm::is_contained(active, &call.callee)) {
    diagnostics.error(call.expr.location, "'" + call.callee.name + "' calls itself; recursion is not supported")
        .note(call.callee.location, "'" + call.callee.name + "' is defined here");
    return false;
  }
  if (active.size() >= callDepthLimit) {
    diagnostics.error(call.expr.location, "calls are nested deeper than " + Twine(callDepthLimit));
    return false;
  }
  active.push_back(&call.callee);
  return true;
}

/// Inlines an fn, or calls a layer. An fn has no parameters, so it may not call a layer.
std::optional<std::vector<Binding>> Elaborator::call(const Call &call) {
  if (call.callee.kind == Function::Layer && call.caller.function.kind == Function::Fn) {
    diagnostics
        .error(call.expr.location, "found a call of layer '" + call.callee.name +
                                       "' in an fn, which has no parameters; expected it in a layer or model")
        .note(call.callee.location, "'" + call.callee.name + "' is defined here");
    return std::nullopt;
  }
  if (call.callee.kind == Function::Fn && call.space) {
    diagnostics.error(call.expr.location, "'in " + call.space->name + "' belongs behind the call of a layer")
        .note(call.callee.location, "'" + call.callee.name + "' is defined here");
    return std::nullopt;
  }
  if (!enter(call))
    return std::nullopt;
  Scope scope(call.callee, diagnostics, library.sizesOf(call.callee));
  std::optional<std::vector<Binding>> results;
  if (bindArguments(call, scope))
    results = call.callee.kind == Function::Fn ? inlineBody(call, scope) : callLayer(call, scope);
  active.pop_back();
  return results;
}

/// Elaborates the callee's body into the caller's. Its equations carry the call in their location.
std::optional<std::vector<Binding>> Elaborator::inlineBody(const Call &call, Scope &scope) {
  call.body.frames.push_back({call.expr.location, call.caller.frame});
  scope.frame = &call.body.frames.back();
  scope.guard = call.guard;
  // A call of whole tensors in a guarded body has the same conditions if it has the same axes in front.
  if (auto &outer = call.caller.guard;
      outer && !scope.guard && scope.ellipsis && call.caller.ellipsis &&
      llvm::equal(*scope.ellipsis, *call.caller.ellipsis, [](Axis a, Axis b) { return a.extent == b.extent; }))
    scope.guard = outer;
  diagnostics.enterCall(call.expr.location);
  elaborateBody(call.callee.body, scope, call.body);
  takeNextValues(scope, call.body);
  std::optional<std::vector<Binding>> results = takeResults(call.callee, scope, call.body);
  diagnostics.leaveCall();
  return results;
}

/// Models, and bodies of `repeat`, may bind a name anew; elsewhere a name has one definition.
bool Elaborator::define(Scope &scope, Body &body, StringRef name, SMLoc location, Binding binding) {
  const Binding *earlier = scope.find(name);
  bool rebinds = scope.function.kind == Function::Model || !scope.iterations.empty();
  if (earlier && !rebinds) {
    diagnostics.error(location, "'" + name + "' is defined twice")
        .note(earlier->location, "the first definition is here");
    body.broken = true;
    return false;
  }
  if (const Size *size = scope.sizes.find(name)) {
    diagnostics
        .error(location, "'" + name + "\' is " + (isSizeName(name) ? "a size" : "an iteration") +
                             ", expected a name for a tensor")
        .note(size->location, Twine("the ") + (isSizeName(name) ? "size" : "iteration") + " is defined here");
    body.broken = true;
    return false;
  }
  if (!checkDeclared(name, binding, scope, body))
    binding = {Binding::Broken, {}, 0, location};
  scope.names[name] = binding;
  tell(location, body, binding);
  return true;
}

/// Binds the names that a refused statement would define, so that their uses are not reported as unknown.
static void breakNames(const Statement &statement, Scope &scope, Body &body) {
  auto refuse = [&](const Declarator &name) { scope.names[name.name] = {Binding::Broken, {}, 0, name.location}; };
  llvm::for_each(statement.lefts, refuse);
  for (const ParamName &param : statement.params)
    refuse(param.declarator);
  body.broken = true;
}

/// Reports a parameter or a skip outside of a layer or inside a `repeat` of it: they belong to a layer as a whole.
bool Elaborator::refuseInside(const Statement &statement, StringRef what, Scope &scope, Body &body) {
  bool iteration = scope.function.kind == Function::Layer && !scope.iterations.empty();
  if (scope.function.kind == Function::Layer && !iteration)
    return false;
  StringRef where = iteration ? "a 'repeat'" : scope.function.kind == Function::Fn ? "an fn" : "a model";
  diagnostics.error(statement.location,
                    "found " + what + " in " + where + ", expected it in a layer" +
                        (iteration ? "; a layer that the iterations call has its own in each" : ""));
  breakNames(statement, scope, body);
  return true;
}

void Elaborator::elaborateBody(const std::vector<Statement *> &statements, Scope &scope, Body &body) {
  for (const Statement *statement : statements) {
    if (statement->isBroken) {
      breakNames(*statement, scope, body);
      continue;
    }
    switch (statement->kind) {
    case Statement::Rule:
      if (!statement->isNext)
        elaborateRule(*this, scope, body, *statement);
      else if (!refuseInside(*statement, "'next'", scope, body))
        elaborateNext(*statement, scope, body);
      break;
    case Statement::Extents: elaborateExtents(*statement, scope, body); break;
    case Statement::Param:
      if (!refuseInside(*statement, "a parameter", scope, body))
        elaborateParams(*statement, scope, body);
      break;
    case Statement::Share:
      if (!refuseInside(*statement, "a parameter", scope, body))
        elaborateShare(*statement, scope, body);
      break;
    case Statement::Stash:
      if (!refuseInside(*statement, "a skip", scope, body))
        elaborateStash(*statement, scope, body);
      break;
    case Statement::Pop:
      if (!refuseInside(*statement, "a skip", scope, body))
        elaboratePop(*statement, scope, body);
      break;
    case Statement::State:
      if (!refuseInside(*statement, "a state", scope, body))
        elaborateStates(*statement, scope, body);
      break;
    case Statement::Repeat: elaborateRepeat(*statement, scope, body); break;
    }
  }
  for (const Statement *statement : statements)
    if (statement->kind == Statement::Extents && !statement->isBroken)
      endExtents(*statement, scope, body);
}

static std::string print(double value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%g", value);
  return digits;
}

/// Why an initializer cannot have these numbers; empty if it can.
static std::string wrongIn(StringRef kind, const double (&values)[2]) {
  auto [first, second] = values;
  if (kind == "constant" && std::isnan(first))
    return "the constant is not a number";
  if (kind == "normal" && !(first >= 0 && std::isfinite(first)))
    return "'normal' has the deviation " + print(first) + ", expected a finite number of at least 0";
  if (kind == "uniform" && !(first <= second && std::isfinite(first) && std::isfinite(second)))
    return "'uniform' is from " + print(first) + " to " + print(second) + ", expected finite bounds in order";
  return "";
}

std::optional<Initializer> Elaborator::initializerOf(const Statement &statement, const ParamName &param, Scope &scope) {
  const Declarator &name = param.declarator;
  if (param.initializer < 0) {
    diagnostics.error(name.location, "parameter '" + name.name +
                                         "' has no initializer: '~ normal(s)', '~ uniform(a, b)' or '= constant'");
    return std::nullopt;
  }
  const InitializerExpr &expr = statement.initializers[param.initializer];
  double values[2] = {0, 0};
  for (auto [position, argument] : llvm::enumerate(expr.arguments)) {
    std::optional<double> value = evaluateNumber(*argument, scope.sizes, diagnostics);
    if (!value)
      return std::nullopt;
    values[position] = *value;
  }
  if (std::string wrong = wrongIn(expr.kind, values); !wrong.empty()) {
    diagnostics.error(expr.location, wrong);
    return std::nullopt;
  }
  return Initializer{expr.kind, values[0], values[1]};
}

/// Can a parameter have its type?
bool Elaborator::checkParameter(const ParamName &param, const Initializer &initializer) {
  const Declarator &name = param.declarator;
  Element element = elementNamed(name.element);
  bool isCount = !isRealElement(element);
  if (isCount && !isNarrow(element) && !param.frozen)
    diagnostics.error(name.elementLocation, "parameter '" + name.name + "' is " + nameOf(element) +
                                                ", which has no gradient to train it by; write 'frozen' behind "
                                                "'param', or leave the type out");
  else if (isNarrow(element) && !param.frozen)
    diagnostics.error(name.elementLocation, "parameter '" + name.name + "' is " + nameOf(element) +
                                                ", which is too coarse to train: a step would round its updates away; "
                                                "write 'frozen' behind 'param', or leave the type out");
  else if (isCount && (initializer.kind != "constant" || !holdsNumber(element, initializer.a)))
    diagnostics.error(name.location, "parameter '" + name.name + "' of " + nameOf(element) + " begins as " +
                                         initializer.kind + ", expected '= constant' of " +
                                         (isInteger(element) ? "an integer in range" : "0 or 1"));
  else
    return true;
  return false;
}

/// The names of sizes in a declaration, one for each axis; empty for a number, a formula or `...`.
static std::vector<std::string> sizeNamesOf(const Declarator &declarator, size_t count) {
  std::vector<std::string> names;
  for (const IndexEntry &entry : declarator.axes)
    if (entry.isEllipsis())
      names.resize(names.size() + count + 1 - declarator.axes.size());
    else
      names.push_back(entry.expr->kind == Expr::Name ? entry.expr->name.str() : "");
  return names;
}

/// Declares parameters. An error in one does not hide errors in the others.
void Elaborator::elaborateParams(const Statement &statement, Scope &scope, Body &body) {
  for (const ParamName &param : statement.params) {
    const Declarator &name = param.declarator;
    Binding binding;
    binding.location = name.location;
    Value value{name.name.str(), elementNamed(name.element), {}, name.location};
    std::optional<llvm::SmallVector<Axis, 4>> axes = headerAxes(name, scope);
    std::optional<Initializer> initializer = initializerOf(statement, param, scope);
    if (initializer && !checkParameter(param, *initializer))
      axes.reset();
    if (axes)
      value.axes = *axes;
    if (axes && initializer && checkStep(value)) {
      binding.kind = Binding::Tensor;
      binding.view = body.whole(body.add(value));
      body.parameters.push_back({binding.view.value, scope.path + value.name, *initializer, param.frozen, "",
                                 sizeNamesOf(name, value.axes.size()), std::nullopt});
      if (param.frozen)
        scope.declared["next " + name.name.str()] = {&name, axes};
    } else {
      body.broken = true;
    }
    define(scope, body, name.name, name.location, binding);
  }
}

/// Finds the parameter that `share` names. Its path is relative to the layer, to a layer around it, or to the model,
/// and the layer that owns it must have been called before.
void Elaborator::elaborateShare(const Statement &statement, Scope &scope, Body &body) {
  const Declarator &name = statement.lefts[0];
  Binding binding;
  binding.location = name.location;
  auto take = [&](ValueId value) {
    binding.kind = Binding::Tensor;
    binding.view = body.whole(value);
  };
  bool nested = StringRef(statement.path).contains('.');
  for (const Scope *around = scope.caller; nested && around && binding.kind == Binding::Broken; around = around->caller)
    for (const BodyParameter &parameter : body.parameters)
      if (parameter.name == around->path + statement.path)
        take(parameter.value);
  auto owner = parameterByPath.find(statement.path);
  if (binding.kind == Binding::Broken && owner == parameterByPath.end()) {
    body.broken = true;
    Nearest nearest(statement.path);
    nearest.offerKeys(parameterByPath);
    if (calledByModel)
      diagnostics.error(statement.pathLocation,
                        "no layer called before this one has a parameter '" + statement.path + "'" + nearest.text());
  } else if (binding.kind == Binding::Broken) {
    Value value = program.parameters[owner->second].value;
    value.name = name.name.str();
    take(body.add(value));
    body.parameters.push_back(
        {binding.view.value, scope.path + value.name, {}, false, statement.path, {}, std::nullopt});
  }
  define(scope, body, name.name, name.location, binding);
}

/// Records the values that equations and calls of a body make, so that `expose` finds them by name.
void Elaborator::nameRules(const Scope &scope, Body &body) {
  llvm::DenseSet<ValueId> given(body.arguments.begin(), body.arguments.end());
  for (const BodyParameter &parameter : body.parameters)
    given.insert(parameter.value);
  for (const BodyState &state : body.states)
    given.insert(state.old);
  for (const auto &[name, binding] : scope.names)
    if (binding.kind == Binding::Tensor && binding.view.isWhole() && !given.contains(binding.view.value))
      body.rules[scope.path + name.str()] = binding.view.value;
}

/// Elaborates a layer's body for the sizes bound in `scope`. Even a broken body gets result types where the header
/// states them, so that its callers are checked.
std::unique_ptr<Instance> Elaborator::instantiate(const Function &layer, Scope &scope,
                                                  llvm::ArrayRef<Value> arguments) {
  auto instance = std::make_unique<Instance>();
  instance->layer = &layer;
  Body &body = instance->body;
  for (auto [formal, argument] : llvm::zip(layer.arguments, arguments)) {
    Binding binding;
    binding.kind = Binding::Tensor;
    binding.location = formal.location;
    body.arguments.push_back(body.add(argument));
    binding.view = body.whole(body.arguments.back());
    scope.names[formal.name] = binding;
    tell(formal.location, body, binding);
  }
  for (auto [pop, argument] : llvm::zip(popsOf(layer), arguments.drop_front(layer.arguments.size()))) {
    Binding &binding = scope.popped[pop];
    binding.kind = Binding::Tensor;
    binding.location = pop->lefts[0].location;
    body.arguments.push_back(body.add(argument));
    binding.view = body.whole(body.arguments.back());
  }
  elaborateBody(layer.body, scope, body);
  takeNextValues(scope, body);
  nameRules(scope, body);
  std::optional<std::vector<Binding>> results = takeResults(layer, scope, body);
  for (auto [position, declarator] : llvm::enumerate(layer.results)) {
    std::optional<Value> type;
    if (results && !body.broken) {
      Element element = elementNamed(declarator.element);
      body.results.push_back(materialise(body, (*results)[position], declarator.name, element));
      type = body.values[body.results.back()];
    } else if (std::optional<llvm::SmallVector<Axis, 4>> axes = headerAxes(declarator, scope)) {
      type = Value{declarator.name.str(), elementNamed(declarator.element), *axes, declarator.location};
    }
    instance->results.push_back(type);
  }
  addStashes(*instance);
  addStates(*instance);
  return instance;
}

/// The value of a binding: a number becomes an equation of the given type.
ValueId Elaborator::materialise(Body &body, const Binding &binding, StringRef name, Element element) {
  if (binding.kind == Binding::Tensor)
    return binding.view.value;
  Step step;
  step.location = binding.location;
  Node &node = body.nodes.emplace_back();
  node.kind = Node::Number;
  node.location = binding.location;
  node.number = binding.number;
  step.value = &node;
  step.indices = std::make_shared<std::vector<Index>>();
  step.result = body.add(Value{name.str(), element, {}, binding.location});
  body.steps.push_back(step);
  return step.result;
}
