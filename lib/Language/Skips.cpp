//===- Skips.cpp - values that one layer stashes and others pop -----------===//
#include "Builtins.h"
#include "RuleBuilder.h"
#include "llvm/ADT/DenseSet.h"

using namespace plc::language;
using llvm::Twine;

static const Statement *findSkip(const Function &layer, Statement::Kind kind, StringRef skip) {
  for (const Statement *statement : layer.body)
    if (statement->kind == kind && statement->skip == skip)
      return statement;
  return nullptr;
}

std::vector<const Statement *> plc::language::popsOf(const Function &layer) {
  std::vector<const Statement *> pops;
  for (const Statement *statement : layer.body)
    if (statement->kind == Statement::Pop && !statement->isBroken)
      pops.push_back(statement);
  return pops;
}

/// `stash skip = u`. A name's value is passed as it is, except a parameter's, which becomes an equation.
void Elaborator::elaborateStash(const Statement &statement, Scope &scope, Body &body) {
  const Expr &expr = *statement.value;
  const Binding *named = expr.kind == Expr::Name ? scope.find(expr.name) : nullptr;
  bool parameter = named && named->kind == Binding::Tensor &&
                   llvm::any_of(body.parameters, [&](const auto &p) { return p.value == named->view.value; });
  Binding value;
  if (named && !parameter) {
    value = *named;
    scope.uses.try_emplace(expr.name, expr.place);
  } else if (std::optional<Binding> result = RuleBuilder(*this, scope, body).buildArgument(expr)) {
    value = *result;
  }
  body.broken |= value.kind == Binding::Broken;
  body.stashes.push_back({statement.skip, value});
}

/// The stashes of an instance whose results are known. What the layer takes or gives anyway is no further result.
void Elaborator::addStashes(Instance &instance) {
  Body &body = instance.body;
  for (const Body::Stash &stash : body.stashes) {
    Instance::Stash &added = instance.stashes.emplace_back();
    added.skip = stash.skip;
    if (stash.value.kind == Binding::Broken || body.broken)
      continue;
    ValueId id = materialise(body, stash.value, stash.skip);
    added.isArgument = llvm::is_contained(body.arguments, id);
    std::vector<ValueId> &list = added.isArgument ? body.arguments : body.results;
    added.position = llvm::find(list, id) - list.begin();
    if (added.position == list.size()) {
      body.results.push_back(id);
      instance.results.push_back(body.values[id]);
      instance.results.back()->name = stash.skip.str();
    }
    added.isKnown = true;
  }
}

void Elaborator::checkLayerSkips(const Function &layer) {
  for (const Statement *statement : layer.body) {
    if (statement->kind != Statement::Stash && statement->kind != Statement::Pop)
      continue;
    const Statement *stash = findSkip(layer, Statement::Stash, statement->skip);
    if (!stash || stash == statement)
      continue;
    bool pops = statement->kind == Statement::Pop;
    diagnostics
        .error(statement->skipPlace, "skip '" + statement->skip + "' is " +
                                         (pops ? "stashed and popped by one layer" : "stashed twice by one layer"))
        .note(stash->skipPlace, pops ? "it is stashed here" : "the first stash is here");
  }
}

Elaborator::SkipKey Elaborator::keyOf(StringRef skip, const Namespace *space, const std::string &name) const {
  bool inside = space && (!space->hasOnly ||
                          llvm::any_of(space->only, [&](const auto &listed) { return listed.first == skip; }));
  return {skip.str(), inside ? name : ""};
}

std::string Elaborator::describe(const SkipKey &key) {
  return "skip '" + key.first + "'" + (key.second.empty() ? "" : " in '" + key.second + "'");
}

Diagnostic &Elaborator::skipError(SMLoc place, const Twine &text) {
  skipErrors.push_back({place, text.str(), {}});
  return skipErrors.back();
}

void Elaborator::enterSkips(const Function &layer, SMLoc call, const Namespace *space, const Scope &caller) {
  std::optional<std::string> name = namespaceOf(space, caller);
  skipsUnknown |= !name || layer.hasSyntaxErrors;
  if (!name)
    return;
  for (const auto &[skip, place] : space ? space->only : decltype(space->only)())
    if (!findSkip(layer, Statement::Stash, skip) && !findSkip(layer, Statement::Pop, skip) && !layer.hasSyntaxErrors)
      skipError(place, "'only' names '" + skip + "' but layer '" + layer.name + "' stashes and pops no such skip")
          .note(layer.place, "'" + layer.name + "' is defined here");
  for (const Statement *statement : layer.body) {
    bool pops = statement->kind == Statement::Pop;
    if (!pops && statement != findSkip(layer, Statement::Stash, statement->skip))
      continue; // no skip, or reported by `checkLayerSkips`
    if (pops && findSkip(layer, Statement::Stash, statement->skip))
      continue; // so was this
    SkipKey key = keyOf(statement->skip, space, *name);
    auto found = skips.find(key);
    if (pops && found == skips.end()) {
      earlyPops.push_back({key, call, statement});
    } else if (pops) {
      found->second.popped = true;
    } else if (found == skips.end()) {
      bool own = findSkip(layer, Statement::Pop, statement->skip) != nullptr;
      skips[key] = {Binding(), call, statement, own};
    } else {
      bool turns = found->second.call == call;
      skipError(call, describe(key) + " is stashed twice" +
                          (turns ? "; each turn of a 'repeat' needs a namespace of its own: 'in NAME[l]'" : ""))
          .note(found->second.call, "the first stash is by this call")
          .note(statement->skipPlace, "it is stashed here");
    }
  }
}

/// Binds what a call of a layer pops, as arguments behind its own; false if the body cannot be elaborated.
bool Elaborator::bindPops(const Call &call, Scope &scope, const std::string &space, Step &step,
                          std::vector<Value> &types) {
  bool ok = true;
  for (const Statement *pop : popsOf(call.callee)) {
    const Declarator &left = pop->lefts[0];
    auto found = skips.find(keyOf(pop->skip, call.space, space));
    Value type{left.name.str(), elementNamed(left.element), {}, left.place};
    if (found != skips.end() && found->second.value.kind == Binding::Tensor) {
      const Binding &value = found->second.value;
      ok &= bindTensor(call, scope, left, value, call.expr.place, "popped");
      step.arguments.push_back(value.view.value);
      type.axes = value.view.axes;
      for (auto [axis, entry] : llvm::zip(type.axes, left.axes))
        axis.place = entry.place;
    } else {
      // An error that is reported at the end: the body is checked if the sizes are known.
      call.body.broken = true;
      std::optional<llvm::SmallVector<Axis, 4>> axes;
      if (sizesKnown(left, scope))
        axes = headerAxes(left, scope);
      ok &= axes.has_value();
      type.axes = axes.value_or(llvm::SmallVector<Axis, 4>());
    }
    types.push_back(type);
  }
  return ok;
}

bool Elaborator::sizesKnown(const Declarator &declarator, const Scope &scope) {
  return llvm::all_of(declarator.axes, [&](const IndexEntry &entry) {
    return !entry.isEllipsis() && (entry.expr->kind != Expr::Name || scope.sizes.find(entry.expr->name));
  });
}

/// What the stashes of a call give.
void Elaborator::takeStashes(const Call &call, const Instance &instance, const std::string &space, const Step &step,
                             llvm::ArrayRef<Binding> results) {
  for (const Instance::Stash &stash : instance.stashes) {
    auto found = skips.find(keyOf(stash.skip, call.space, space));
    if (!stash.isKnown || found == skips.end() || found->second.call != call.expr.place)
      continue;
    Binding &value = found->second.value;
    if (!stash.isArgument) {
      value = results[stash.position];
    } else if (stash.position < step.arguments.size()) {
      value.kind = Binding::Tensor;
      value.view = call.body.whole(step.arguments[stash.position]);
    }
    value.place = call.expr.place;
  }
}

/// Reports all errors about the skips of a model together.
void Elaborator::checkSkips(const Function &model) {
  skipsUnknown |= model.hasSyntaxErrors;
  for (const EarlyPop &pop : earlyPops) {
    auto stash = skips.find(pop.key);
    if (stash != skips.end()) {
      stash->second.popped = true;
      skipError(pop.call, describe(pop.key) + " is popped before it is stashed")
          .note(pop.statement->skipPlace, "it is popped here")
          .note(stash->second.call, "it is stashed by this call");
    } else if (!skipsUnknown) {
      Diagnostic &error = skipError(pop.call, describe(pop.key) + " is popped without a stash")
                              .note(pop.statement->skipPlace, "it is popped here");
      for (const auto &[key, other] : skips)
        if (key.first == pop.key.first) {
          error.note(other.call, "this call makes " + describe(key));
          break;
        }
    }
  }
  llvm::DenseSet<const char *> reported;
  for (const auto &[key, skip] : skips)
    if (!skip.popped && !skipsUnknown && reported.insert(skip.call.getPointer()).second)
      skipError(skip.call, describe(key) + " is never popped").note(skip.statement->skipPlace, "it is stashed here");
  for (const Diagnostic &error : skipErrors) {
    Diagnostic &copy = diagnostics.error(error.place, error.text);
    for (const Diagnostic::Note &note : error.notes)
      copy.note(note.place, note.text);
    program.body.broken = true;
  }
}
