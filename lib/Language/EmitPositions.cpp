//===- EmitPositions.cpp - argmax, argmin and topk as equations ---------------===//
//
// Positions of extremes are made of reductions, comparisons and the index itself: they run, are cut and are batched as
// those are. A position that attains the extreme is the index, any other the extent; the least of all is the answer, so
// that ties go to the lowest. An extreme that is NaN equals nothing, and is attained where an element is NaN.
//
//===----------------------------------------------------------------------===//
#include "EmitEquations.h"
#include "Integers.h"

#include <cmath>

using namespace plc::language;

// Up to so many positions each is found by itself; more are found by counting, for each element, those that come before
// it: so many equations would cost more than the square of the extent.
static constexpr int64_t mostTurns = 64;

struct BodyEmitter::Ranking {
  const Node &node;
  Operand all; // the elements
  Element element;
  llvm::ArrayRef<IndexId> domain; // indices of `all`
  IndexId over;
  Operand index;                      // `over` as a number
  llvm::SmallVector<IndexId, 4> kept; // `domain` without `over`
};

BodyEmitter::Operand BodyEmitter::emitIndex(IndexId id, SMLoc place) {
  Node node;
  node.kind = Node::Iota;
  node.index = id;
  node.place = place;
  return emitIota(node, Element::I32);
}

/// The first position of an extreme among all elements or, of a largest, among those that come behind `before`: smaller ones,
/// and equal ones at higher positions. NaN comes before all numbers, and counts as equal to NaN.
///
/// What an element is compared with are numbers of the row, so that no row of masks is kept from turn to turn.
BodyEmitter::Extreme BodyEmitter::emitExtreme(const Ranking &r, bool largest, const Extreme *before) {
  SMLoc place = r.node.place;
  auto map = [&](StringRef function, llvm::ArrayRef<Operand> operands, Element element) {
    return emitMap(function, operands, r.domain, element, place);
  };
  auto truth = [&](StringRef function, llvm::ArrayRef<Operand> operands) {
    return map(function, operands, Element::Bool);
  };
  auto ofRow = [&](StringRef function, llvm::ArrayRef<Operand> operands) {
    return emitMap(function, operands, r.kept, Element::Bool, place);
  };
  bool real = isRealElement(r.element);
  Operand seen = r.all, isHigher;
  if (before) {
    assert(largest && "what is taken away is as small as can be");
    isHigher = truth("gt", {r.index, before->position});
    Operand left = truth(
        "or", {truth("lt", {r.all, before->value}), truth("and", {truth("eq", {r.all, before->value}), isHigher})});
    if (real)
      left = truth("select", {ofRow("ne", {before->value, before->value}),
                              truth("or", {truth("eq", {r.all, r.all}), isHigher}), left});
    double least = real ? -INFINITY : r.element == Element::I64 ? -0x1p63 : -0x1p31;
    seen = map("select", {left, r.all, emitNumber(least, place, r.element)}, r.element);
  }
  Extreme found;
  found.value = emitReduction(largest ? "max" : "min", seen, {r.over}, r.kept, place);
  Operand attains = truth("eq", {r.all, found.value});
  if (real)
    attains =
        truth("or", {attains, truth("and", {ofRow("ne", {found.value, found.value}), truth("ne", {r.all, r.all})})});
  if (before) {
    Operand again = ofRow("eq", {found.value, before->value});
    if (real)
      again = ofRow("or", {again, ofRow("ne", {found.value, found.value})});
    attains = truth("and", {attains, truth("or", {ofRow("not", {again}), isHigher})});
  }
  Operand none = emitNumber(static_cast<double>(extent(r.over)), place, Element::I32);
  found.position = emitReduction("min", map("select", {attains, r.index, none}, Element::I32), {r.over}, r.kept, place);
  return found;
}

/// One position after another.
BodyEmitter::Operand BodyEmitter::emitTurns(const Ranking &r, int64_t count) {
  SMLoc place = r.node.place;
  llvm::SmallVector<Extreme> found;
  for (int64_t turn = 0; turn < count; ++turn)
    found.push_back(emitExtreme(r, /*largest=*/true, turn ? &found.back() : nullptr));
  Operand which = emitIndex(r.node.index, place), result = found.back().position;
  for (int64_t turn = count - 1; turn-- > 0;) {
    Operand number = emitNumber(static_cast<double>(turn), place, Element::I32);
    Operand is = emitMap("eq", {which, number}, {r.node.index}, Element::Bool, place);
    result = emitMap("select", {is, found[turn].position, result}, r.node.dims, Element::I32, place);
  }
  return count > 1 ? result : emitMap("id", result, r.node.dims, Element::I32, place);
}

/// The element before which as many come as the new index says.
BodyEmitter::Operand BodyEmitter::emitRanks(const Ranking &r) {
  SMLoc place = r.node.place;
  step->indices->push_back((*step->indices)[r.over]);
  IndexId twin = step->indices->size() - 1;
  (*step->indices)[twin].left = -1;
  llvm::SmallVector<IndexId, 4> both(r.domain);
  both.push_back(twin);
  Operand other = r.all;
  std::replace(other.dims.begin(), other.dims.end(), r.over, twin);
  auto compare = [&](StringRef function, llvm::ArrayRef<Operand> operands) {
    return emitMap(function, operands, both, Element::Bool, place);
  };
  // NaN comes before all numbers.
  Operand isLower = emitMap("lt", {emitIndex(twin, place), r.index}, {r.over, twin}, Element::Bool, place);
  Operand before =
      compare("or", {compare("gt", {other, r.all}), compare("and", {compare("eq", {other, r.all}), isLower})});
  if (isRealElement(r.element)) {
    Operand ownNaN = emitMap("ne", {r.all, r.all}, r.domain, Element::Bool, place),
            otherNaN = compare("ne", {other, other});
    before = compare("select", {ownNaN, compare("and", {otherNaN, isLower}), compare("or", {otherNaN, before})});
  }
  Operand rank = emitReduction("sum", emitCast(before, Element::I32, place), {twin}, r.domain, place);
  llvm::SmallVector<IndexId, 4> placed(r.domain);
  placed.push_back(r.node.index);
  Operand is = emitMap("eq", {rank, emitIndex(r.node.index, place)}, placed, Element::Bool, place);
  Operand none = emitNumber(static_cast<double>(extent(r.over)), place, Element::I32);
  Operand position = emitMap("select", {is, r.index, none}, placed, Element::I32, place);
  return emitReduction("min", position, {r.over}, r.node.dims, place);
}

/// `argmax[i](e)`, `argmin[i](e)`, `topk[i, j: N](e)`.
BodyEmitter::Operand BodyEmitter::emitPositions(const Node &node) {
  const Node &term = *node.operands[0];
  Element element = term.element;
  if (element == Element::Number)
    element = isIntegral(term) ? integerTypeOf(term, *step->indices) : Element::Real;
  IndexId over = node.summed[0];
  Ranking ranking{node, emitNode(term, element), element, term.dims, over, emitIndex(over, node.place), {}};
  for (IndexId id : term.dims)
    if (id != over)
      ranking.kept.push_back(id);
  if (node.function != "topk")
    return emitExtreme(ranking, node.function == "argmax", nullptr).position;
  int64_t count = extent(node.index);
  return count <= mostTurns ? emitTurns(ranking, count) : emitRanks(ranking);
}
