//===- Skips.cpp - values that layers stash and others pop ----------------===//
#include "Builtins.h"
#include "RuleBuilder.h"
#include "llvm/ADT/DenseSet.h"

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;

static constexpr const char *iterationsNeedSpaces =
    "; each iteration of a 'repeat' needs a namespace of its own: 'in NAME[l]'";

/// The first statement of a kind with this skip; null if there is none.
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

/// `stash skip = u`. The value of a name is passed as it is. A parameter becomes an equation, since calls do not return
/// parameters.
void Elaborator::elaborateStash(const Statement &statement, Scope &scope, Body &body) {
  const Expr &expr = *statement.value;
  const Binding *named = expr.kind == Expr::Name ? scope.find(expr.name) : nullptr;
  bool parameter = named && named->kind == Binding::Tensor &&
                   llvm::any_of(body.parameters, [&](const auto &p) { return p.value == named->view.value; });
  Binding value;
  if (named && !parameter) {
    value = *named;
    scope.uses.try_emplace(expr.name, expr.location);
  } else if (std::optional<Binding> result = RuleBuilder(*this, scope, body).buildArgument(expr)) {
    value = *result;
  }
  body.broken |= value.kind == Binding::Broken;
  SkipKey key = keyIn(scope, statement.skip);
  SMLoc call = scope.caller ? scope.frame->call : SMLoc();
  for (const Body::Stash &earlier : body.stashes) {
    if (earlier.key != key || (!call.isValid() && !earlier.call.isValid()))
      continue; // two stashes of the layer itself are reported by `checkLayerSkips`
    diagnostics
        .error(call.isValid() ? call : statement.skipLocation,
               describe(key) + " is stashed twice by one layer" + (call == earlier.call ? iterationsNeedSpaces : ""))
        .note(earlier.call.isValid() ? earlier.call : earlier.statement->skipLocation, "the first stash is here");
    body.broken = true;
    return;
  }
  body.stashes.push_back({key, value, &statement, call});
}

/// Binds the name to the value that was bound when the layer was called.
void Elaborator::elaboratePop(const Statement &statement, Scope &scope, Body &body) {
  const Declarator &left = statement.lefts[0];
  for (Body::Stash &stash : body.stashes)
    if (!scope.caller && stash.call.isValid() && stash.key == keyIn(scope, statement.skip)) {
      diagnostics
          .error(statement.skipLocation,
                 describe(stash.key) + " is stashed and popped by one layer; let the layer that it calls return it")
          .note(stash.call, "it is stashed by this call");
      stash.popped = body.broken = true;
    }
  define(scope, body, left.name, left.location, scope.popped.lookup(&statement));
}

/// Makes results of the stashes whose values are known. A value that is an argument or a result anyway adds no result.
void Elaborator::addStashes(Instance &instance) {
  Body &body = instance.body;
  for (const Body::Stash &stash : body.stashes) {
    if (stash.call.isValid() && stash.popped)
      continue; // popped by another layer inside the same body, so it is no result
    Instance::Stash &added = instance.stashes.emplace_back();
    added.stash = &stash;
    if (stash.value.kind == Binding::Broken || body.broken)
      continue;
    ValueId id = materialise(body, stash.value, stash.statement->skip);
    added.isArgument = llvm::is_contained(body.arguments, id);
    std::vector<ValueId> &list = added.isArgument ? body.arguments : body.results;
    added.position = llvm::find(list, id) - list.begin();
    if (added.position == list.size()) {
      body.results.push_back(id);
      instance.results.push_back(body.values[id]);
      instance.results.back()->name = stash.statement->skip.str();
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
        .error(statement->skipLocation, "skip '" + statement->skip + "' is " +
                                            (pops ? "stashed and popped by one layer" : "stashed twice by one layer"))
        .note(stash->skipLocation, pops ? "it is stashed here" : "the first stash is here");
  }
}

/// The key outside of a call, of a skip that its body knows as `key`: the call's namespace comes in front.
SkipKey Elaborator::within(const Namespace *space, const std::string &name, SkipKey key) {
  bool inside = space && (!space->hasOnly ||
                          llvm::any_of(space->only, [&](const auto &listed) { return listed.first == key.first; }));
  if (inside)
    key.second = name + (key.second.empty() ? "" : "." + key.second);
  return key;
}

/// The key of a layer's skip in the body that the layer is part of.
SkipKey Elaborator::keyIn(const Scope &scope, StringRef skip) {
  SkipKey key{skip.str(), ""};
  for (const Scope *inner = &scope; inner; inner = inner->caller)
    key = within(inner->space, inner->spaceName, key);
  return key;
}

std::string Elaborator::describe(const SkipKey &key) {
  return "skip '" + key.first + "'" + (key.second.empty() ? "" : " in '" + key.second + "'");
}

Diagnostic &Elaborator::skipError(SMLoc location, const Twine &text) {
  skipErrors.push_back({location, text.str(), {}});
  return skipErrors.back();
}

/// Errors in one layer alone are reported by `checkLayerSkips`, so they are skipped here.
void Elaborator::enterSkips(const Function &layer, SMLoc call, const Namespace *space, const Scope &caller) {
  std::optional<std::string> name = namespaceOf(space, caller);
  skipsUnknown |= !name || layer.hasSyntaxErrors;
  if (!name)
    return;
  std::vector<const Function *> layers = layersOf(layer);
  callsBegun += layers.size() > 1;
  for (const auto &[skip, location] : space ? space->only : decltype(space->only)())
    if (llvm::none_of(layers, [&](const Function *inner) {
          return inner->hasSyntaxErrors || findSkip(*inner, Statement::Stash, skip) ||
                 findSkip(*inner, Statement::Pop, skip);
        }))
      skipError(location, "'only' names '" + skip + "' but layer '" + layer.name + "' stashes and pops no such skip")
          .note(layer.location, "'" + layer.name + "' is defined here");
  for (const Statement *statement : layer.body) {
    bool pops = statement->kind == Statement::Pop;
    if (!pops && statement != findSkip(layer, Statement::Stash, statement->skip))
      continue; // no skip, or reported by `checkLayerSkips`
    if (pops && findSkip(layer, Statement::Stash, statement->skip))
      continue; // reported already, too
    SkipKey key = within(space, *name, {statement->skip.str(), ""});
    auto found = skips.find(key);
    if (!pops)
      enterStash(key, *statement, call, findSkip(layer, Statement::Pop, statement->skip) != nullptr);
    else if (found == skips.end())
      earlyPops.push_back({key, call, statement});
    else
      found->second.popped = true;
  }
}

/// Adds a skip. A second stash of the same key is an error.
void Elaborator::enterStash(const SkipKey &key, const Statement &stash, SMLoc call, bool popped) {
  auto [found, isNew] = skips.try_emplace(key, Skip{Binding(), call, &stash, popped});
  if (!isNew)
    skipError(call, describe(key) + " is stashed twice" + (found->second.call == call ? iterationsNeedSpaces : ""))
        .note(found->second.call, "the first stash is by this call")
        .note(stash.skipLocation, "it is stashed here");
}

/// Binds the pops of a call as arguments behind its own. False if the body cannot be elaborated.
bool Elaborator::bindPops(const Call &call, Scope &scope, const std::string &space, Step &step,
                          std::vector<Value> &types) {
  bool ok = true;
  for (const Statement *pop : popsOf(call.callee)) {
    const Declarator &left = pop->lefts[0];
    auto found = skips.find(within(call.space, space, {pop->skip.str(), ""}));
    Value type{left.name.str(), elementNamed(left.element), {}, left.location};
    if (found != skips.end() && found->second.value.kind == Binding::Tensor) {
      const Binding &value = found->second.value;
      ok &= bindTensor(call, scope, left, value, call.expr.location, "popped");
      step.arguments.push_back(value.view.value);
      type.element = call.body.values[value.view.value].element;
      type.axes = value.view.axes;
      for (auto [axis, entry] : llvm::zip(type.axes, left.axes))
        axis.location = entry.location;
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

/// Whether the axes of a declaration can be evaluated in a scope.
bool Elaborator::sizesKnown(const Declarator &declarator, const Scope &scope) {
  return llvm::all_of(declarator.axes, [&](const IndexEntry &entry) {
    if (entry.isEllipsis())
      return scope.ellipsis.has_value();
    bool isName = entry.expr->kind == Expr::Name;
    return !isName || scope.sizes.find(entry.expr->name) || scope.header.count(entry.expr->name);
  });
}

/// Gives the skips of a call the values that it returns.
void Elaborator::takeStashes(const Call &call, const Instance &instance, const std::string &space, const Step &step,
                             llvm::ArrayRef<Binding> results) {
  for (const Instance::Stash &stash : instance.stashes) {
    SkipKey key = within(call.space, space, stash.stash->key);
    if (stash.stash->call.isValid())
      enterStash(key, *stash.stash->statement, call.expr.location, false);
    auto found = skips.find(key);
    if (!stash.isKnown || found == skips.end() || found->second.call != call.expr.location)
      continue;
    found->second.popped |= stash.stash->popped;
    Binding &value = found->second.value;
    if (!stash.isArgument) {
      value = results[stash.position];
    } else if (stash.position < step.arguments.size()) {
      value.kind = Binding::Tensor;
      value.view = call.body.whole(step.arguments[stash.position]);
    }
    value.location = call.expr.location;
  }
}

/// Reports all errors about the skips of a model at once, at its end: a missing stash may be in a call that failed.
void Elaborator::checkSkips(const Function &model) {
  skipsUnknown |= model.hasSyntaxErrors || callsBegun > 0;
  for (const EarlyPop &pop : earlyPops) {
    auto stash = skips.find(pop.key);
    if (stash != skips.end()) {
      stash->second.popped = true;
      skipError(pop.call, describe(pop.key) + " is popped before it is stashed")
          .note(pop.statement->skipLocation, "it is popped here")
          .note(stash->second.call, "it is stashed by this call");
    } else if (!skipsUnknown) {
      Diagnostic &error = skipError(pop.call, describe(pop.key) + " is popped without a stash")
                              .note(pop.statement->skipLocation, "it is popped here");
      for (const auto &[key, other] : skips)
        if (key.first == pop.key.first) {
          error.note(other.call, "this call makes " + describe(key));
          break;
        }
    }
  }
  // One error for each call is enough: its other skips are missing for the same reason.
  llvm::DenseSet<const char *> reported;
  for (const auto &[key, skip] : skips)
    if (!skip.popped && !skipsUnknown && reported.insert(skip.call.getPointer()).second)
      skipError(skip.call, describe(key) + " is never popped").note(skip.statement->skipLocation, "it is stashed here");
  for (const Diagnostic &error : skipErrors) {
    Diagnostic &copy = diagnostics.error(error.location, error.text);
    for (const Diagnostic::Note &note : error.notes)
      copy.note(note.location, note.text);
    program.body.broken = true;
  }
}
