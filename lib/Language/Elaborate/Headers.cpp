//===- Headers.cpp - binds calls to headers -------------------------------===//
#include "Builtins.h"
#include "Elaborator.h"
#include "RuleBuilder.h"
#include "plc/Support/Nearest.h"

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;
using plc::Nearest;

/// The function that a call names. A name of the standard library that is not in use gets the `use` as a remedy.
const Function *Elaborator::find(const Expr &call, const Function &caller) {
  const llvm::StringMap<const Function *> &functions = library.seenBy(caller);
  auto it = functions.find(call.name);
  if (it == functions.end()) {
    auto standard = library.standard.find(call.name);
    bool isStandard = standard != library.standard.end();
    Nearest nearest(call.name);
    nearest.offerKeys(functions);
    nearest.offerKeys(library.standard);
    nearest.offerKeys(builtins());
    Diagnostic &error =
        diagnostics.error(call.location, "unknown function '" + call.name + "'" + (isStandard ? "" : nearest.text()));
    if (isStandard)
      error.note(call.location, "'" + call.name + "' is in the standard library: write 'use " + standard->second + "'");
    return nullptr;
  }
  if (it->second->kind == Function::Layer || it->second->kind == Function::Fn)
    return it->second;
  StringRef kind = it->second->kind == Function::Model ? "a model" : "an optimizer";
  diagnostics.error(call.location, "'" + call.name + "' is " + kind + ", expected a layer or fn")
      .note(it->second->location, "the " + kind.split(' ').second + " is defined here");
  return nullptr;
}

/// Sizes behind `;` come first, since axes of the arguments may be computed from them.
bool Elaborator::bindArguments(const Call &call, Scope &scope) {
  const Function &callee = call.callee;
  if (call.arguments.size() != callee.arguments.size()) {
    diagnostics
        .error(call.expr.location, "'" + callee.name + "' has " + Twine(call.arguments.size()) +
                                       " arguments, expected " + Twine(callee.arguments.size()))
        .note(callee.location, "'" + callee.name + "' is defined here");
    return false;
  }
  scope.ellipsis = call.ellipsis;
  bool ok = bindGiven(call, scope);
  for (auto [formal, actual, expr] : llvm::zip(callee.arguments, call.arguments, call.expr.operands)) {
    if (actual.kind == Binding::Tensor) {
      ok &= bindTensor(call, scope, formal, actual, expr->location);
    } else if (formal.brackets || !formal.element.empty()) {
      diagnostics
          .error(expr->location, "found a number for '" + formal.name + "' of '" + callee.name + "', expected a tensor")
          .note(formal.location, "'" + formal.name + "' is declared here");
      ok = false;
    }
    Binding binding = actual;
    binding.location = formal.location;
    scope.names[formal.name] = binding;
    tell(formal.location, call.body, binding);
  }
  return ok;
}

Element plc::language::elementNamed(StringRef name) {
#define PLC_ELEMENT_TYPE(ID, NAME, ...)                                                                                \
  if (name == NAME)                                                                                                    \
    return Element::ID;
#include "plc/Support/ElementTypes.def"
  return Element::Real;
}

/// Binds the axes of one argument to a header's. Checks element type and rank; `...` takes the leading axes.
bool Elaborator::bindTensor(const Call &call, Scope &scope, const Declarator &formal, const Binding &actual,
                            SMLoc location, StringRef noun) {
  const Function &callee = call.callee;
  const View &view = actual.view;
  Element found = call.body.values[view.value].element;
  if (Element wanted = elementNamed(formal.element); found != wanted && computedAs(found) != wanted) {
    diagnostics
        .error(location, noun + " '" + formal.name + "' of '" + callee.name + "' is " + nameOf(found) + ", expected " +
                             nameOf(elementNamed(formal.element)))
        .note(formal.location, "'" + formal.name + "' is declared here");
    return false;
  }
  size_t rank = view.axes.size(), named = formal.axes.size();
  bool dots = named > 0 && formal.axes[0].isEllipsis();
  if (!formal.brackets && callee.kind == Function::Fn)
    return true; // an argument of an fn without brackets takes any shape
  named -= dots;
  if (dots ? rank < named : rank != named) {
    diagnostics
        .error(location, noun + " '" + formal.name + "' of '" + callee.name + "' has rank " + Twine(rank) +
                             ", expected " + (dots ? "at least " : "") + Twine(named))
        .note(formal.location, "'" + formal.name + "' is declared here");
    return false;
  }
  bool ok = true;
  size_t leading = rank - named;
  // All arguments must agree on the axes that `...` stands for.
  if (dots) {
    llvm::SmallVector<Axis, 4> axes(view.axes.begin(), view.axes.begin() + leading);
    bool same = !scope.ellipsis ||
                (scope.ellipsis->size() == axes.size() && llvm::all_of(llvm::zip(*scope.ellipsis, axes), [](auto pair) {
                   return std::get<0>(pair).extent == std::get<1>(pair).extent;
                 }));
    auto list = [](llvm::ArrayRef<Axis> axes) {
      std::string text;
      for (const Axis &axis : axes)
        text += (text.empty() ? "" : ", ") + std::to_string(axis.extent);
      return "[" + text + "]";
    };
    if (!same) {
      diagnostics
          .error(location, "'...' of '" + callee.name + "' is " + list(axes) + " in argument '" + formal.name +
                               "' but " + list(*scope.ellipsis) + " in an earlier one")
          .note(formal.location, "'" + formal.name + "' is declared here");
      ok = false;
    } else {
      scope.ellipsis = axes;
    }
  }
  for (size_t i = 0; i < named; ++i)
    ok &= bindAxis(call, scope, formal, formal.axes[i + dots], view.axes[leading + i], leading + i, location, noun);
  return ok;
}

/// Binds one axis. A lower-case name or an unknown size takes the extent; a known size or a formula must equal it.
bool Elaborator::bindAxis(const Call &call, Scope &scope, const Declarator &formal, const IndexEntry &entry,
                          Axis actual, unsigned position, SMLoc location, StringRef noun) {
  StringRef name = entry.expr ? entry.expr->text : "...";
  if (!entry.expr)
    return false; // `...` behind the first entry: the parser reported it
  std::optional<int64_t> expected;
  SMLoc expectedLocation = entry.location;
  bool isDim = false;
  if (entry.expr->kind == Expr::Name && !isSizeName(entry.expr->name)) {
    auto [it, isNew] = scope.header.try_emplace(name, actual);
    scope.sizes.bindExtent(name, {it->second.extent, it->second.location});
    expected = it->second.extent;
    expectedLocation = it->second.location;
  } else if (entry.expr->kind == Expr::Name && !scope.sizes.find(entry.expr->name)) {
    scope.sizes.bind(entry.expr->name, {actual.extent, location});
    return true;
  } else {
    expected = scope.sizes.evaluateExtent(*entry.expr);
    if (const Size *size = entry.expr->kind == Expr::Name ? scope.sizes.find(entry.expr->name) : nullptr)
      expectedLocation = size->location;
    isDim = expected && entry.expr->kind == Expr::Name && !scope.sizes.own().count(entry.expr->name);
  }
  if (!expected || *expected == actual.extent)
    return expected.has_value();
  Diagnostic &error = diagnostics.error(location, noun + " '" + formal.name + "' of '" + call.callee.name +
                                                      "' has extent " + Twine(actual.extent) + " at axis " +
                                                      Twine(position) + " but '" + name + "' is " + Twine(*expected));
  error.note(entry.location, "'" + name + "' is declared here");
  if (expectedLocation.isValid() && expectedLocation != entry.location)
    error.note(expectedLocation, "extent " + Twine(*expected) + " is from here" +
                                     (isDim ? "; a call binds only a size that no 'dim' declares" : ""));
  if (actual.location.isValid())
    error.note(actual.location, "extent " + Twine(actual.extent) + " is from here");
  return false;
}

/// Binds the arguments behind `;`: sizes (upper-case) and numbers, by name, with defaults.
bool Elaborator::bindGiven(const Call &call, Scope &scope) {
  bool ok = true;
  for (const NamedExpr &actual : call.expr.given) {
    bool known = llvm::any_of(call.callee.given, [&](const NamedExpr &formal) { return formal.name == actual.name; });
    if (!known) {
      Nearest nearest(actual.name);
      for (const NamedExpr &formal : call.callee.given)
        nearest.offer(formal.name);
      diagnostics
          .error(actual.location,
                 "'" + call.callee.name + "' has no argument '" + actual.name + "' behind ';'" + nearest.text())
          .note(call.callee.location, "'" + call.callee.name + "' is defined here");
      ok = false;
    }
  }
  for (const NamedExpr &formal : call.callee.given) {
    const NamedExpr *actual = nullptr;
    for (const NamedExpr &candidate : call.expr.given)
      if (candidate.name == formal.name)
        actual = &candidate;
    ok &= bindGivenValue(formal, actual, call, scope);
  }
  return ok;
}

bool Elaborator::bindGivenValue(const NamedExpr &formal, const NamedExpr *actual, const Call &call, Scope &scope) {
  const Expr *value = actual ? actual->value : formal.value;
  if (!value) {
    diagnostics
        .error(call.expr.location,
               "argument '" + formal.name + "' of '" + call.callee.name + "' is missing and has no default")
        .note(formal.location, "'" + formal.name + "' is declared here");
    return false;
  }
  // A default is evaluated with the callee's names, an argument with the caller's.
  const Scope &where = actual ? call.caller : scope;
  if (isSizeName(formal.name)) {
    // 0 is a flag that is not set; where an extent is meant, `evaluateExtent` refuses it.
    std::optional<int64_t> size = where.sizes.evaluate(*value);
    if (size && *size < 0) {
      diagnostics
          .error(value->location,
                 "'" + formal.name + "' of '" + call.callee.name + "' is " + Twine(*size) + ", expected at least 0")
          .note(formal.location, "'" + formal.name + "' is declared here");
      size.reset();
    }
    scope.sizes.bind(formal.name, {size, value->location});
    return size.has_value();
  }
  Binding binding;
  binding.location = formal.location;
  // A number of the caller may be passed on by name.
  const Binding *named = actual && value->kind == Expr::Name ? call.caller.find(value->name) : nullptr;
  if (named && named->kind != Binding::Tensor) {
    binding = *named;
  } else if (std::optional<double> number = evaluateNumber(*value, where.sizes, diagnostics)) {
    binding.kind = Binding::Number;
    binding.number = *number;
  }
  scope.names[formal.name] = binding;
  return binding.kind != Binding::Broken;
}

/// The axes that a header states; none after an error.
std::optional<llvm::SmallVector<Axis, 4>> Elaborator::headerAxes(const Declarator &declarator, Scope &scope) {
  llvm::SmallVector<Axis, 4> axes;
  bool ok = true;
  for (const IndexEntry &entry : declarator.axes) {
    if (entry.isEllipsis()) {
      // Otherwise the header's arguments have no `...`, or the parser reported it.
      ok &= scope.ellipsis.has_value();
      if (!ok)
        continue;
      axes.append(scope.ellipsis->begin(), scope.ellipsis->end());
      continue;
    }
    auto named = scope.header.find(entry.expr->text);
    if (named != scope.header.end()) {
      axes.push_back({named->second.extent, entry.location});
      continue;
    }
    std::optional<int64_t> extent = scope.sizes.evaluateExtent(*entry.expr);
    ok &= extent.has_value();
    axes.push_back({extent.value_or(1), entry.location});
  }
  return ok ? std::optional(axes) : std::nullopt;
}

std::optional<std::vector<Binding>> Elaborator::takeResults(const Function &function, Scope &scope, Body &body) {
  std::vector<Binding> results;
  bool ok = true;
  for (const Declarator &result : function.results) {
    const Binding *binding = scope.find(result.name);
    if (!binding) {
      if (!function.hasSyntaxErrors)
        diagnostics.error(result.location, "result '" + result.name + "' of '" + function.name + "' is never defined");
      ok = false;
      continue;
    }
    results.push_back(*binding);
    bool fits = binding->kind != Binding::Broken && checkResult(result, *binding, scope, body);
    if (Element element = elementNamed(result.element); fits && isNarrow(element))
      results.back() = roundTo(element, *binding, result.name, scope, body);
    ok &= fits;
  }
  body.broken |= !ok;
  return ok ? std::optional(results) : std::nullopt;
}
