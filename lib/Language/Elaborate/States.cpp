//===- States.cpp - values that a layer keeps from run to run -------------===//
#include "Elaborator.h"
#include <cmath>

using namespace plc::language;
using llvm::Twine;

/// The state of a name; null if the layer has none.
static BodyState *findState(Body &body, const Scope &scope, StringRef name) {
  auto found =
      llvm::find_if(body.states, [&](const BodyState &state) { return state.name == scope.path + name.str(); });
  return found == body.states.end() ? nullptr : &*found;
}

/// The layer's own parameter of a name; null if it has none.
static BodyParameter *findParameter(Body &body, const Scope &scope, StringRef name) {
  auto found = llvm::find_if(body.parameters, [&](const BodyParameter &parameter) {
    return parameter.sharedPath.empty() && parameter.name == scope.path + name.str();
  });
  return found == body.parameters.end() ? nullptr : &*found;
}

int64_t Elaborator::batchAxis(const Declarator &declarator) const {
  StringRef batch = library.main().file.batch;
  for (auto [position, entry] : llvm::enumerate(declarator.axes))
    if (!batch.empty() && entry.expr && entry.expr->kind == Expr::Name && entry.expr->name == batch)
      return position;
  return -1;
}

/// `state k[B, T] = 0`. The name is the value before the run, in all rules.
void Elaborator::elaborateStates(const Statement &statement, Scope &scope, Body &body) {
  for (const ParamName &state : statement.params) {
    const Declarator &name = state.declarator;
    Binding binding;
    binding.location = name.location;
    Value value{name.name.str(), elementNamed(name.element), {}, name.location};
    std::optional<llvm::SmallVector<Axis, 4>> axes = headerAxes(name, scope);
    const Expr &init = *statement.initializers[state.initializer].arguments[0];
    std::optional<double> number = evaluateNumber(init, scope.sizes, diagnostics);
    bool fits =
        number && std::isfinite(*number) &&
        (isRealElement(value.element) || (std::abs(*number) <= INT32_MAX && holdsNumber(value.element, *number)));
    if (number && !fits)
      diagnostics.error(init.location, "state '" + name.name + "' begins as " + init.text.substr(0, 60) +
                                           ", expected a finite number of its type, " + nameOf(value.element));
    if (axes)
      value.axes = *axes;
    if (axes && fits && checkStep(value)) {
      binding.kind = Binding::Tensor;
      binding.view = body.whole(body.add(value));
      body.states.push_back(
          {scope.path + value.name, binding.view.value, std::nullopt, *number, name.location, batchAxis(name)});
      scope.declared["next " + name.name.str()] = {&name, axes};
    } else {
      body.broken = true;
    }
    define(scope, body, name.name, name.location, binding);
  }
}

/// `next k[b, t] = ..` is a rule like others, for a state or a frozen parameter that the layer has.
void Elaborator::elaborateNext(const Statement &statement, Scope &scope, Body &body) {
  const Declarator &left = statement.lefts[0];
  const Binding *named = scope.find(statement.skip);
  const BodyParameter *parameter = findParameter(body, scope, statement.skip);
  bool isFrozen = parameter && parameter->frozen && body.values[parameter->value].element == Element::Real;
  if (!isFrozen && !findState(body, scope, statement.skip)) {
    body.broken = true;
    if (named && named->kind == Binding::Broken)
      return; // a state or a parameter with an error
    if (parameter) {
      diagnostics
          .error(left.location, "'next " + statement.skip + "' gives a value to a parameter that is " +
                                    (parameter->frozen ? "no real" : "trained") +
                                    "; only a frozen one of reals has a next value: 'param frozen " + statement.skip +
                                    "[..] = 0'")
          .note(named->location, "'" + statement.skip + "' is defined here");
      return;
    }
    plc::Diagnostic &error = diagnostics.error(left.location, "'next " + statement.skip +
                                                                  "' gives a value to a state that the layer does not "
                                                                  "have; declare it before: 'state " +
                                                                  statement.skip + "[..] = 0'");
    if (named)
      error.note(named->location, "'" + statement.skip + "' is defined here, as no state");
    return;
  }
  elaborateRule(*this, scope, body, statement);
}

/// At the end of a layer: the values that its states have in the next run, and its frozen parameters in the next step.
void Elaborator::takeNextValues(Scope &scope, Body &body) {
  bool known = !body.broken && !scope.function.hasSyntaxErrors; // otherwise a rule for it may have had an error
  for (const Statement *statement : scope.function.body) {
    if (statement->isBroken)
      continue;
    for (const ParamName &name : statement->params) {
      if (BodyParameter *parameter = findParameter(body, scope, name.declarator.name)) {
        const Binding *next = scope.find("next " + name.declarator.name.str());
        if (next && next->kind == Binding::Tensor)
          parameter->next = next->view.value;
        continue;
      }
      BodyState *state = findState(body, scope, name.declarator.name);
      const Binding *next = scope.find("next " + name.declarator.name.str());
      if (!state)
        continue;
      if (next && next->kind == Binding::Tensor)
        state->next = next->view.value;
      else
        body.broken = true;
      if (!next && known)
        diagnostics.error(name.declarator.location, "state '" + name.declarator.name +
                                                        "' is never given its next value: 'next " +
                                                        name.declarator.name + "[..] = ..'");
    }
  }
}

/// States are the last arguments and results of a body.
void Elaborator::addStates(Instance &instance) {
  Body &body = instance.body;
  for (const BodyState &state : body.states) {
    if (!state.next)
      continue; // and so the body is broken
    body.arguments.push_back(state.old);
    body.results.push_back(*state.next);
    instance.results.emplace_back(body.values[*state.next]);
  }
}

/// Adds a program state for each state of a call, and passes its value before the run.
void Elaborator::passStates(const Call &call, const Instance &instance, Step &step) {
  for (const BodyState &state : instance.body.states) {
    if (!state.next)
      continue;
    std::string path = step.path + "." + state.name;
    Value value = instance.body.values[state.old];
    value.name = path;
    program.states.push_back(
        {path, state.init, call.body.add(value), 0, state.batch, state.location, call.expr.location});
    step.arguments.push_back(program.states.back().old);
  }
}

/// The values after the run are the last results of the call.
void Elaborator::takeStates(const Instance &instance, llvm::ArrayRef<Binding> results) {
  size_t count = llvm::count_if(instance.body.states, [](const BodyState &state) { return state.next.has_value(); });
  for (size_t i = 0; i < count; ++i)
    program.states[program.states.size() - count + i].next = results[results.size() - count + i].view.value;
}

/// Makes states arguments and results of the model. A loss is a function of its batch alone, so a model with a loss may
/// not have states.
void Elaborator::finishStates(const Function &model) {
  Body &body = program.body;
  for (const State &state : program.states) {
    body.arguments.push_back(state.old);
    body.results.push_back(state.next);
    program.argumentBatch.push_back(state.batch);
    program.resultBatch.push_back(state.batch);
  }
  auto loss = llvm::find_if(model.results, [](const Declarator &result) { return result.name == "loss"; });
  if (program.states.empty() || loss == model.results.end())
    return;
  const State &state = program.states.front();
  diagnostics
      .error(loss->location,
             "model '" + model.name + "' has a 'loss' and keeps the state '" + state.path +
                 "': what a run leaves behind has no gradient; give the loss to a model of layers without "
                 "state, whose parameters have the same paths by 'layer .. as NAME', or keep what a step leaves in a "
                 "frozen parameter with a 'next'")
      .note(state.call, "the layer that has it is called here")
      .note(state.location, "the state is declared here");
  body.broken = true;
}
