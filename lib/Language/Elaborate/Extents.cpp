//===- Extents.cpp - checks declared extents and types --------------------===//
//
// A header states the extents and type of a result, and a line of its own (`y: [N, C1 + C2]`) those of any name that
// later rules define. The statement gives the extents of an affine left side, and the type of numbers. Everything else
// must agree with what the rules imply.
//
//===----------------------------------------------------------------------===//
#include "Elaborator.h"
#include "RuleBuilder.h"

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;

/// Records a line that states extents. It must come before all rules of the name, and be the only one.
void Elaborator::elaborateExtents(const Statement &statement, Scope &scope, Body &body) {
  const Declarator &said = statement.lefts[0];
  auto refuse = [&](const Twine &what, SMLoc earlier, const Twine &note) {
    diagnostics.error(said.location, "'" + said.name + "' " + what).note(earlier, note);
    body.broken = true;
  };
  if (const Binding *binding = scope.find(said.name))
    return refuse("is defined before the line that gives its extents", binding->location, "it is defined here");
  if (const Size *size = scope.sizes.find(said.name))
    return refuse("is " + Twine(isSizeName(said.name) ? "a size" : "an iteration") + ", expected a name for a tensor",
                  size->location, "it is defined here");
  auto [declared, isNew] = scope.declared.try_emplace(said.name);
  if (!isNew)
    return refuse("is given extents twice", declared->second.declarator->location, "the first are here");
  declared->second.declarator = &said;
  for (const IndexEntry &entry : said.axes)
    if (entry.isEllipsis() && !scope.ellipsis)
      diagnostics.error(entry.location, "'...' needs an fn with '...' in its header");
  declared->second.axes = headerAxes(said, scope);
  body.broken |= !declared->second.axes;
}

/// Checks, at the end of the block with the line, that a rule has defined the name.
void Elaborator::endExtents(const Statement &statement, Scope &scope, Body &body) {
  const Declarator &said = statement.lefts[0];
  auto declared = scope.declared.find(said.name);
  if (declared == scope.declared.end() || declared->second.declarator != &said)
    return;
  if (!scope.find(said.name) && !scope.function.hasSyntaxErrors) {
    diagnostics.error(said.location, "'" + said.name + "' is given extents but no rule behind defines it");
    body.broken = true;
  }
  scope.declared.erase(declared);
}

/// Checks a rule's value against the line that states its extents and type. A number takes the type of the line, and a
/// storage type rounds.
bool Elaborator::checkDeclared(StringRef name, Binding &binding, Scope &scope, Body &body) {
  auto found = scope.declared.find(name);
  if (found == scope.declared.end() || binding.kind == Binding::Broken)
    return true;
  const auto &[declarator, axes] = found->second;
  bool ok = axes && conforms(*declarator, *axes, binding, body);
  body.broken |= !ok;
  Element element = elementNamed(declarator->element);
  if (ok && binding.kind == Binding::Number)
    binding = {Binding::Tensor, body.whole(materialise(body, binding, name, element)), 0, binding.location};
  else if (ok && isNarrow(element))
    binding = roundTo(element, binding, name, scope, body);
  return ok;
}

/// Checks a result against its header. A result of an fn without brackets may have any shape.
bool Elaborator::checkResult(const Declarator &result, const Binding &binding, Scope &scope, const Body &body) {
  bool anyShape = !result.brackets && scope.function.kind == Function::Fn;
  if (anyShape)
    return conforms(result, binding.view.axes, binding, body, "result ");
  std::optional<llvm::SmallVector<Axis, 4>> axes = headerAxes(result, scope);
  return axes && conforms(result, *axes, binding, body, "result ");
}

/// Whether a number is one of the type.
static bool canBe(Element element, double number) {
  return isRealElement(element) || (isInteger(element) && holdsNumber(element, number));
}

/// Whether a value has the stated type and extents. Reports each difference.
bool Elaborator::conforms(const Declarator &said, llvm::ArrayRef<Axis> axes, const Binding &binding, const Body &body,
                          StringRef noun) {
  auto differs = [&](const Twine &what, SMLoc location, const Twine &declared) -> Diagnostic & {
    return diagnostics.error(binding.location, noun + "'" + said.name + "' " + what).note(location, declared);
  };
  std::string here = ("'" + said.name + "' is declared here").str();
  Element element = elementNamed(said.element);
  bool number = binding.kind == Binding::Number;
  Element found = number ? element : body.values[binding.view.value].element;
  llvm::ArrayRef<Axis> own = binding.view.axes;
  if (number && !canBe(element, binding.number)) {
    differs("is a number that is no " + nameOf(element), said.location, here);
    return false;
  }
  if (found != element && found != computedAs(element)) {
    differs("is " + nameOf(found) + ", expected " + nameOf(element), said.location, here);
    return false;
  }
  if (own.size() != axes.size()) {
    differs("has rank " + Twine(own.size()) + ", expected " + Twine(axes.size()), said.location, here);
    return false;
  }
  bool ok = true;
  for (auto [position, actual, expected] : llvm::enumerate(own, axes)) {
    if (actual.extent == expected.extent)
      continue;
    Diagnostic &error = differs("has extent " + Twine(actual.extent) + " at axis " + Twine(position) + ", expected " +
                                    Twine(expected.extent),
                                expected.location, "extent " + Twine(expected.extent) + " is declared here");
    if (actual.location.isValid())
      error.note(actual.location, "extent " + Twine(actual.extent) + " is from here");
    ok = false;
  }
  return ok;
}
