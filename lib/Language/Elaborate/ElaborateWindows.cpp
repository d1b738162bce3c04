//===- ElaborateWindows.cpp - affine positions on the right ---------------===//
//
// `x[n, c, 2*i + p - 1]` reads an axis at positions that move with several indices. Extents come from elsewhere in the
// rule: from tensors that have the index alone, or from brackets. Where nothing gives them and the positions can count
// the whole axis once, they do (AffineIndices.cpp). A position that can fall outside is an error, unless it stands in
// `pad(..)`.
//
//===----------------------------------------------------------------------===//
#include "Emit/Integers.h"
#include "RuleBuilder.h"
#include "Syntax/References.h"
#include "llvm/Support/MathExtras.h"

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostic;

/// Whether a guarded position in a value from before a loop moves with its iterations. It then is a padded read in all
/// of them, so that iterations in which it is inside are like those in which it is not.
bool RuleBuilder::movesUnderGuard(const Expr &position, StringRef tensor) const {
  const Binding *binding = branches.empty() ? nullptr : scope.find(tensor);
  bool moves = false;
  for (const auto &loop : scope.rolled)
    if (binding && binding->kind == Binding::Tensor && mentions(position, loop.getKey())) {
      if (binding->view.value >= loop.getValue())
        return false;
      moves = true;
    }
  return moves;
}

/// Collects the indices of a position on the right. `axis` is null if the tensor's axes are not known.
bool RuleBuilder::collectAffine(const Expr &expr, const Axis *axis, StringRef tensor, bool padded) {
  std::optional<Affine> affine = affineOf(expr);
  badIndices |= !affine; // do not report a missing extent: the unreadable expression may have given it
  if (!affine)
    return false;
  bool inside = axis && affine->constant && *affine->constant >= 0 && *affine->constant < axis->extent;
  affine->moves = axis && !padded && movesUnderGuard(expr, tensor);
  if ((padded || !branches.empty()) && affine->constant && axis && (!inside || affine->moves)) {
    affine->start = *affine->constant;
    affine->constant.reset();
  }
  Affine &kept = affines[&expr] = std::move(*affine);
  if (!axis)
    return true;
  if (kept.constant)
    return checkConstant(*kept.constant, expr, *axis, tensor);
  readings.push_back({&kept, *axis, tensor, padded, branches});
  return true;
}

/// Collects `pad(x[..], v)`, whose positions may fall outside.
bool RuleBuilder::collectPad(const Expr &call) {
  const std::vector<const Expr *> &operands = call.operands;
  if (call.brackets || operands.empty() || operands.size() > 2 || operands[0]->kind != Expr::Access) {
    diagnostics.error(call.location,
                      "'pad' takes a tensor with indices, and the number that stands around it if that is "
                      "not 0: 'pad(x[i + p - 1], v)'");
    badIndices = true;
    return false;
  }
  bool read = collectAccess(*operands[0], /*padded=*/true);
  return read && (operands.size() == 1 || collect(*operands[1]));
}

/// Whether all indices of the position have extents.
bool RuleBuilder::isComplete(const Affine &affine) const {
  return llvm::all_of(affine.indices, [&](IndexId id) { return (*indices)[id].extent != 0; });
}

/// Gives all positions of the rule their extents, and checks that they are inside.
bool RuleBuilder::settlePositions() {
  // One position may give an extent that another one lacks, so this repeats until nothing changes.
  bool ok = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (Reading &reading : readings) {
      if (reading.settled || (!isComplete(*reading.affine) && !isSplit(reading)))
        continue;
      if (!isComplete(*reading.affine))
        ok &= deduceParts(reading);
      reading.settled = changed = true;
    }
  }
  for (Reading &reading : readings)
    ok &= !reading.settled ? refuseOpen(reading) : isComplete(*reading.affine) && checkInside(reading);
  readings.clear();
  badIndices |= !ok;
  return ok;
}

/// Whether the position can count the whole axis, given the extents that are known.
bool RuleBuilder::isSplit(const Reading &reading) const {
  const Affine &affine = *reading.affine;
  // `x[0 + i]` reads a slice.
  return !reading.padded && affine.start == 0 && affine.terms.size() > 1 && countsOnce(affine);
}

/// Takes the extents of a position that counts the whole axis from its coefficients.
bool RuleBuilder::deduceParts(Reading &reading) {
  return setParts(*reading.affine) && setAxis(*reading.affine, reading.axis, "'" + reading.tensor + "'");
}

/// Reports an index without an extent.
bool RuleBuilder::refuseOpen(const Reading &reading) {
  const Affine &affine = *reading.affine;
  auto isOpen = [&](IndexId id) { return (*indices)[id].extent == 0; };
  auto open = llvm::find_if(affine.indices, isOpen);
  size_t which = open - affine.indices.begin();
  Index &index = (*indices)[*open];
  // The most that stay inside, if the others are known.
  std::string most = "N";
  int64_t room = reading.axis.extent - 1 - affine.start;
  bool known = llvm::count_if(affine.indices, isOpen) == 1 && affine.strides[which] > 0 && !reading.padded &&
               reading.branches.empty();
  for (auto [id, stride] : llvm::zip(affine.indices, affine.strides))
    if (id != *open && stride > 0)
      known = known && !llvm::SubOverflow(room, stride * ((*indices)[id].extent - 1), room);
  if (known && room >= 0)
    most = std::to_string(room / affine.strides[which] + 1);
  diagnostics
      .error(affine.locations[which], "index '" + index.name + "' has no extent: '" + affine.expr->clipped() +
                                          "' reads a part of the axis of '" + reading.tensor +
                                          "' and tells none; write '" + index.name + ": " + most +
                                          "' on the left or in the brackets of a reduction")
      .note(reading.axis.location, "the axis has extent " + Twine(reading.axis.extent) + " from here");
  return false;
}

/// Checks that no position falls outside, unless conditions around it exclude that. Drops the strides where the indices
/// count the whole axis.
bool RuleBuilder::checkInside(const Reading &reading, bool onLeft) {
  Affine &affine = *reading.affine;
  int64_t least = affine.start, most = affine.start, inner = 1;
  bool fits = true, whole = affine.start == 0;
  for (auto [id, stride] : llvm::zip(affine.indices, affine.strides)) {
    int64_t reach, &end = stride > 0 ? most : least;
    fits &= !llvm::MulOverflow(stride, (*indices)[id].extent - 1, reach) && !llvm::AddOverflow(end, reach, end);
  }
  if (!fits)
    return refuseAffine(*affine.expr, "is beyond 2^63");
  for (size_t i = affine.indices.size(); i-- > 0;) {
    whole = whole && !affine.strides.empty() && affine.strides[i] == inner;
    fits &= !llvm::MulOverflow(inner, (*indices)[affine.indices[i]].extent, inner);
  }
  if (whole && fits && inner == reading.axis.extent && !affine.moves)
    affine.strides.clear();
  if (reading.padded || (least >= 0 && most < reading.axis.extent)) {
    affine.guarded = affine.moves;
    return true;
  }
  affine.guarded = excludes(reading) == std::pair(true, true);
  if (affine.guarded)
    return true;
  if (affine.indices.empty())
    return checkConstant(least, *affine.expr, reading.axis, reading.tensor, &reading);
  std::string remedy = onLeft ? "" : ("; 'pad(" + reading.tensor + "[..])' reads 0 outside of it").str();
  Diagnostic &error =
      diagnostics.error(affine.expr->location, "'" + affine.expr->clipped() + "' is from " + Twine(least) + " to " +
                                                   Twine(most) + ", but the axis of '" + reading.tensor +
                                                   "' has extent " + Twine(reading.axis.extent) + remedy);
  error.note(reading.axis.location, "extent " + Twine(reading.axis.extent) + " is from here");
  noteMissing(error, reading);
  return false;
}

/// A padded read. Numbers alone may stand around a tensor.
const Node *RuleBuilder::resolvePad(const Expr &call, const Context &context) {
  if (call.operands.empty() || call.operands[0]->kind != Expr::Access)
    return nullptr;            // reported by the walk over indices
  Context unguarded = context; // positions outside need no condition
  unguarded.guard = nullptr;
  const Node *read = resolveAccess(*call.operands[0], unguarded);
  const Node *outside = call.operands.size() == 2 ? resolve(*call.operands[1], context) : makeNumber(0, call.location);
  if (!read || !outside)
    return nullptr;
  if (outside->kind != Node::Number || (!isRealElement(read->element) && !isIntegral(*outside))) {
    diagnostics.error(outside->location, "'pad' puts a number around " + nameOf(read->element) + ", found " +
                                             (outside->kind == Node::Number ? "one that is no integer" : "a tensor"));
    return nullptr;
  }
  if (read->element == Element::Bool && outside->number != 0) {
    diagnostics.error(outside->location, "around bool 'pad' puts 0, which is false");
    return nullptr;
  }
  Node node = *read;
  node.padding = outside->number;
  return padGathers(finish(std::move(node)), outside);
}

/// Reads computed positions where they are inside, and the number elsewhere: the position is clamped, and a select
/// tests whether that changed it.
const Node *RuleBuilder::padGathers(const Node *read, const Node *outside) {
  const Node *inside = nullptr;
  Node clamped = *read;
  for (auto [axis, position] : llvm::enumerate(clamped.positions)) {
    if (!position.gathered)
      continue;
    auto number = [&](int64_t value) { return makeNumber(double(value), read->location); };
    const Node *found = position.gathered, *last = number(body.values[read->value].axes[axis].extent - 1);
    const Node *near = makeMap("min", read->location, {makeMap("max", read->location, {found, number(0)}), last});
    const Node *same = makeMap("eq", read->location, {near, found});
    if (!near || !same)
      return nullptr;
    Node condition = *same;
    condition.element = Element::Bool;
    same = finish(std::move(condition));
    inside = inside ? makeMap("and", read->location, {inside, same}) : same;
    position.gathered = near;
  }
  return inside ? makeMap("select", read->location, {inside, finish(std::move(clamped)), outside}) : read;
}
