//===- ElaborateSlices.cpp - left sides that are a slice of an axis -------===//
//
// `y[n, C + c] += b[n, c]` gives the elements from C on. A header, a line of its own or an earlier clause states the
// extent of the axis. The other elements are 0, or false. The slice is placed at its offset, and added to the clauses
// before.
//
//===----------------------------------------------------------------------===//
#include "Emit/EmitEquations.h"
#include "RuleBuilder.h"
#include "plc/Dialect/Ein/Ein.h"

using namespace plc::language;
using llvm::Twine;
using mlir::AffineMap;

/// Adds the equation of a slice; its result has the whole axes.
std::optional<Binding> RuleBuilder::addPart(StringRef name, SMLoc location, const Node *node) {
  std::optional<llvm::SmallVector<Axis, 4>> whole = wholeAxes(name);
  if (earlier)
    whole = earlier->view.axes;
  if (!whole || whole->size() != leftAxes.size()) {
    diagnostics.error(location, "'" + name +
                                    "' gets a part of an axis but nothing says the axes; state them before: '" + name +
                                    ": [..]'");
    return std::nullopt;
  }
  if (joiner != "add") {
    diagnostics.error(location, "found '" + clauseToken(joiner) + "' of '" + name +
                                    "', other rules of which give parts of an axis; parts are joined by '+='");
    return std::nullopt;
  }
  llvm::SmallVector<unsigned, 4> slices;
  for (const Affine &axis : leftAxes)
    slices.push_back(axis.indices.size());
  Binding slice = addEquation(name, location, node, left, slices, elementOf(*node, name));
  if (slice.kind == Binding::Broken)
    return std::nullopt;
  Step &step = body.steps.back();
  Value &value = body.values[step.result];
  for (auto [own, axis, extent] : llvm::zip(leftAxes, *whole, value.axes)) {
    step.offsets.push_back(own.offset);
    if (!own.offset)
      continue;
    if (*own.offset > axis.extent || extent.extent > axis.extent - *own.offset) {
      diagnostics
          .error(own.expr->location, "'" + own.expr->text.substr(0, 60) + "' gives " + Twine(extent.extent) +
                                         " elements from " + Twine(*own.offset) + " on, but the axis of '" + name +
                                         "' has extent " + Twine(axis.extent))
          .note(axis.location, "extent " + Twine(axis.extent) + " is from here")
          .note(extent.location, "extent " + Twine(extent.extent) + " is from here");
      return std::nullopt;
    }
    extent = axis;
  }
  if (!elaborator.checkStep(value))
    return std::nullopt;
  slice.view = body.whole(step.result);
  return earlier ? addWholes(name, location, slice) : slice;
}

/// The clauses before joined with one more, both over whole axes.
std::optional<Binding> RuleBuilder::addWholes(StringRef name, SMLoc location, const Binding &slice) {
  llvm::SmallVector<IndexId, 4> ids;
  llvm::SmallVector<Node::Position, 4> entries;
  for (auto [position, axis] : llvm::enumerate(slice.view.axes)) {
    ids.push_back(indexNamed(("#" + Twine(position)).str()));
    (*indices)[ids.back()] = {"", axis.extent, axis.location, "'" + name.str() + "'", int(position), SMLoc()};
    entries.push_back({{ids.back()}});
  }
  const Node *before = earlier->kind == Binding::Number ? makeNumber(earlier->number, location)
                                                        : makeRead(earlier->view, entries, location);
  const Node *now = makeRead(slice.view, entries, location);
  const Node *sum = makeMap(now->element == Element::Bool ? "or" : joiner, location, {before, now});
  if (!sum)
    return std::nullopt;
  Binding result = addEquation(name, location, sum, ids, llvm::SmallVector<unsigned, 4>(ids.size(), 1), sum->element);
  return result.kind == Binding::Broken ? std::nullopt : std::optional(result);
}
