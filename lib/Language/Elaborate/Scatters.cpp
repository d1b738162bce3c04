//===- Scatters.cpp - left sides with computed positions ------------------===//
//
// `a[b, dst[b, e], d] += m[b, e, d]` adds each value of the right side to the element that its positions name. So does
// `a[b, 2*i + p] = m[b, i, p]` if that neither splits an axis nor gives a slice of one: windows, strides, numbers. The
// rule runs over the indices of all positions, in the order of the brackets. An index that only a position has is not
// summed by the sum rule, because the left side has it. Elements that no position names are 0. `max=`, `min=` and
// `mul=` join in place of the addition; elements that no position names are what such a reduction begins at.
//
//===----------------------------------------------------------------------===//
#include "Emit/EmitEquations.h"
#include "Emit/Integers.h"
#include "RuleBuilder.h"
#include "plc/Dialect/Ein/Ein.h"
#include "llvm/ADT/StringSwitch.h"

using namespace plc::language;
using llvm::Twine;
using mlir::AffineMap;

/// Whether a position is computed, or moves so that it neither splits an axis nor gives a slice of one. That depends on
/// its form, or on the extents that the right side gives its indices. Nullopt if a position cannot be read.
std::optional<bool> RuleBuilder::scatters(const Declarator &declarator, const Expr &right) {
  bool found = false;
  for (const IndexEntry &entry : declarator.axes) {
    bool isIndex = !entry.isEllipsis() && entry.expr->kind == Expr::Name && !isSizeName(entry.expr->name);
    if (entry.isEllipsis() || isIndex || entry.extent)
      continue;
    if (readsTensor(*entry.expr, scope)) {
      found = true;
      continue;
    }
    std::optional<Affine> affine = affineOf(*entry.expr);
    if (!affine)
      return std::nullopt;
    if (affine->indices.size() > 1)
      collectOnce(right);
    // Elements outside of a part are 0 for a sum, and another number for a maximum.
    found |= !isPartOrSplit(*affine) || (joiner != "add" && affine->start);
    affines[entry.expr] = std::move(*affine);
  }
  return found;
}

/// Checks that affine positions stay inside.
bool RuleBuilder::checkTargets(llvm::ArrayRef<LeftAxis> targets, llvm::ArrayRef<Axis> axes, StringRef name) {
  bool ok = true;
  for (auto [target, axis] : llvm::zip(targets, axes))
    if (auto affine = affines.find(target.expr); target.expr && affine != affines.end() && !affine->second.constant)
      ok &= checkInside({&affine->second, axis, name, /*padded=*/false}, /*onLeft=*/true);
  return ok;
}

/// The axes of the left side: plain indices, which are declared, and expressions.
std::optional<std::vector<RuleBuilder::LeftAxis>> RuleBuilder::collectTargets(const Declarator &declarator) {
  std::vector<LeftAxis> targets;
  bool ok = true;
  for (const IndexEntry &entry : declarator.axes) {
    if (entry.isEllipsis() || (entry.expr->kind == Expr::Name && !isSizeName(entry.expr->name))) {
      size_t before = left.size();
      ok &= declareEntries({entry}, left);
      for (IndexId id : llvm::ArrayRef(left).drop_front(before))
        targets.push_back({id, nullptr, entry.location});
    } else if (entry.extent) {
      diagnostics.error(entry.extent->location,
                        "an extent belongs behind an index, found '" + entry.expr->text.substr(0, 60) + "'");
      ok = false;
    } else {
      ok &= collect(*entry.expr);
      targets.push_back({std::nullopt, entry.expr, entry.location});
    }
  }
  return ok ? std::optional(std::move(targets)) : std::nullopt;
}

/// The whole axes, from an earlier clause, a line `a: [..]` or the header. Plain indices count them.
std::optional<llvm::SmallVector<Axis, 4>> RuleBuilder::axesOfTargets(StringRef name, SMLoc location,
                                                                     llvm::ArrayRef<LeftAxis> targets) {
  std::optional<llvm::SmallVector<Axis, 4>> whole = wholeAxes(name);
  if (earlier && earlier->kind == Binding::Tensor)
    whole = earlier->view.axes;
  if (!whole) {
    diagnostics.error(
        location, "'" + name + "' gets values at computed positions but nothing says the axes; state them before: '" +
                      name + ": [..]'");
    return std::nullopt;
  }
  if (whole->size() != targets.size()) {
    diagnostics.error(location,
                      "'" + name + "' has " + Twine(targets.size()) + " indices here but rank " + Twine(whole->size()));
    return std::nullopt;
  }
  bool ok = true;
  for (auto [target, axis] : llvm::zip(targets, *whole))
    if (target.index)
      ok &= setExtent(*target.index, axis, target.location, "'" + name + "'");
  return ok ? whole : std::nullopt;
}

/// Resolves the positions to integers. Their indices belong to the left side, behind the plain ones.
bool RuleBuilder::resolveTargets(llvm::ArrayRef<LeftAxis> targets, llvm::ArrayRef<Axis> axes, StringRef name,
                                 std::vector<Step::Target> &resolved) {
  llvm::SmallVector<IndexId, 4> order;
  auto add = [&](IndexId id, SMLoc location) {
    if (llvm::is_contained(order, id))
      return;
    order.push_back(id);
    if (!(*indices)[id].location.isValid())
      (*indices)[id].location = location;
  };
  // Twice: the order of a node's indices depends on that of the left side, which the first round finds.
  for (bool ordered : {false, true}) {
    resolved.clear();
    for (const LeftAxis &target : targets) {
      const Node *position = target.expr ? resolveGathered(*target.expr, outermost()) : nullptr;
      if (target.expr && !position)
        return false;
      resolved.push_back({target.index, position});
      if (position && position->kind == Node::Number && !ordered &&
          !checkConstant(static_cast<int64_t>(position->number), *target.expr, axes[resolved.size() - 1], name))
        return false;
      if (target.index)
        add(*target.index, target.location);
      else
        for (IndexId id : position->dims)
          add(id, target.location);
    }
    left = order;
    for (auto [position, id] : llvm::enumerate(left))
      (*indices)[id].left = position;
    if (ordered)
      break;
  }
  return true;
}

/// Builds a rule with computed positions, in the steps of `buildEquation`.
std::optional<Binding> RuleBuilder::buildScatter(StringRef name, SMLoc location, const Declarator &declarator,
                                                 const Expr &expr) {
  bool known = !earlier || earlier->kind != Binding::Broken;
  std::optional<std::vector<LeftAxis>> targets = collectTargets(declarator);
  bool ok = targets && collectRight(expr) && known;
  ok &= checkClashes();
  std::optional<llvm::SmallVector<Axis, 4>> whole;
  std::vector<Step::Target> resolved;
  if (!ok || !(whole = axesOfTargets(name, location, *targets)) || !resolveTargets(*targets, *whole, name, resolved))
    return std::nullopt;
  ok = placeSums(expr, *this, *indices, sums, diagnostics, joiner == "add" ? "" : clauseToken(joiner));
  const Node *node = resolve(expr, outermost());
  if (!node || !ok || !finishLeft(name) || !checkTargets(*targets, *whole, name))
    return std::nullopt;
  if (node->element == Element::Bool) {
    diagnostics.error(node->location, "values at computed positions are " +
                                          Twine(joiner == "add" ? "added" : "numbers") +
                                          ", found bool; convert with 'real(..)' or 'i32(..)'");
    return std::nullopt;
  }
  Binding part =
      addEquation(name, location, node, left, llvm::SmallVector<unsigned, 4>(left.size(), 1), elementOf(*node, name));
  if (part.kind == Binding::Broken)
    return std::nullopt;
  Step &step = body.steps.back();
  step.targets = std::move(resolved);
  step.join = joiner;
  body.values[step.result].axes = *whole;
  if (!elaborator.checkStep(body.values[step.result]))
    return std::nullopt;
  part.view = body.whole(step.result);
  return earlier && !isEmptySum() ? addWholes(name, location, part) : part;
}

static plc::ein::Reduction reductionOf(StringRef join) {
  return llvm::StringSwitch<plc::ein::Reduction>(join)
      .Case("max", plc::ein::Reduction::max)
      .Case("min", plc::ein::Reduction::min)
      .Case("mul", plc::ein::Reduction::prod)
      .Default(plc::ein::Reduction::sum);
}

/// Joins `updates`, over the indices of the left side, at the step's positions.
mlir::Value BodyEmitter::emitScatter(mlir::Value updates, mlir::Type result) {
  llvm::ArrayRef<IndexId> domain = step->left;
  llvm::SmallVector<mlir::Value> positions;
  llvm::SmallVector<AffineMap> maps{mapOf(domain, domain)};
  llvm::SmallVector<mlir::AffineExpr> axes;
  for (const Step::Target &target : step->targets) {
    if (target.index) {
      axes.push_back(mapOf(domain, *target.index).getResult(0));
      continue;
    }
    Operand position = emitNode(*target.position, integerTypeOf(*target.position, *step->indices));
    axes.push_back(mlir::getAffineSymbolExpr(positions.size(), builder.getContext()));
    positions.push_back(position.value);
    maps.push_back(mapOf(domain, position.dims));
  }
  maps.push_back(AffineMap::get(domain.size(), positions.size(), axes, builder.getContext()));
  return plc::ein::ScatterAddOp::create(
      builder, at(step->location), result, updates, positions,
      /*factor=*/mlir::Value(), /*accumulator=*/mlir::Value(), builder.getDenseI64ArrayAttr(extents(domain)),
      builder.getAffineMapArrayAttr(maps), plc::ein::joinAttr(builder.getContext(), reductionOf(step->join)));
}
