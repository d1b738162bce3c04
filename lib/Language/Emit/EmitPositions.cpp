//===- EmitPositions.cpp - argmax, argmin and topk as equations -----------===//
//
// Positions of extremes are made of reductions, comparisons and the index itself, so they run, are cut and are batched
// like those (Ein/Rationale.md, "Positions of extremes are no operation"). A position that attains the extreme becomes
// the index, any other the extent; the least is the answer, so that the lowest of equal positions wins. A NaN extreme
// equals no element, and is attained where an element is NaN.
//
//===----------------------------------------------------------------------===//
#include "EmitEquations.h"
#include "Integers.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Ein/Views.h"

#include <cmath>

using namespace plc::language;

/// Up to this many positions each is found by itself, by a dozen equations each. For more, the elements that come
/// before each element are counted. Not tuned.
static constexpr int64_t mostIterations = 64;

/// The value of a padding element. It comes behind every element, because it stands behind its equals.
static double leastOf(Element element) {
  return isRealElement(element) ? -INFINITY : element == Element::I64 ? -0x1p63 : -0x1p31;
}

/// The rows whose extremes are searched.
struct BodyEmitter::Ranking {
  const Node &node;
  Operand all; // the elements
  Element element;
  llvm::ArrayRef<IndexId> domain;     // indices of `all`
  llvm::ArrayRef<IndexId> overs;      // of a row; of topk one
  Operand index;                      // they as one number
  llvm::SmallVector<IndexId, 4> kept; // `domain` without them

  IndexId over() const { return overs.front(); }
};

/// Indices as one number, of which the last one counts fastest.
BodyEmitter::Operand BodyEmitter::emitIndices(llvm::ArrayRef<IndexId> ids, SMLoc location) {
  Operand number = emitIndex(ids.front(), location);
  for (size_t i = 1; i < ids.size(); ++i) {
    llvm::ArrayRef<IndexId> domain = ids.take_front(i + 1);
    Operand factor = emitNumber(static_cast<double>(extent(ids[i])), location, Element::I32);
    number = emitMap("mul", {number, factor}, domain.drop_back(), Element::I32, location);
    number = emitMap("add", {number, emitIndex(ids[i], location)}, domain, Element::I32, location);
  }
  return number;
}

BodyEmitter::Operand BodyEmitter::emitIndex(IndexId id, SMLoc location) {
  Node node;
  node.kind = Node::Iota;
  node.index = id;
  node.location = location;
  return emitIota(node, Element::I32);
}

/// The first position of an extreme among all elements. With `before`, of the largest among those that come behind it:
/// smaller elements, and equal ones at higher positions. NaN comes before all numbers, and counts as equal to NaN.
///
/// Elements are compared with numbers of the row, so that no row of masks is kept between positions.
BodyEmitter::Extreme BodyEmitter::emitExtreme(const Ranking &r, bool largest, const Extreme *before) {
  SMLoc location = r.node.location;
  auto map = [&](StringRef function, llvm::ArrayRef<Operand> operands, Element element) {
    return emitMap(function, operands, r.domain, element, location);
  };
  auto truth = [&](StringRef function, llvm::ArrayRef<Operand> operands) {
    return map(function, operands, Element::Bool);
  };
  auto ofRow = [&](StringRef function, llvm::ArrayRef<Operand> operands) {
    return emitMap(function, operands, r.kept, Element::Bool, location);
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
    seen = map("select", {left, r.all, emitNumber(leastOf(r.element), location, r.element)}, r.element);
  }
  llvm::SmallVector<IndexId, 4> overs(r.overs);
  llvm::sort(overs);
  Extreme found;
  found.value = emitReduction(largest ? "max" : "min", seen, overs, r.kept, location);
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
  int64_t end = 1;
  for (IndexId id : overs)
    end *= extent(id);
  Operand none = emitNumber(static_cast<double>(end), location, Element::I32);
  found.position = emitReduction("min", map("select", {attains, r.index, none}, Element::I32), overs, r.kept, location);
  return found;
}

/// Finds one position after another.
BodyEmitter::Operand BodyEmitter::emitIterations(const Ranking &r, int64_t count) {
  SMLoc location = r.node.location;
  llvm::SmallVector<Extreme> found;
  for (int64_t iteration = 0; iteration < count; ++iteration)
    found.push_back(emitExtreme(r, /*largest=*/true, iteration ? &found.back() : nullptr));
  Operand which = emitIndex(r.node.index, location), result = found.back().position;
  for (int64_t iteration = count - 1; iteration-- > 0;) {
    Operand number = emitNumber(static_cast<double>(iteration), location, Element::I32);
    Operand is = emitMap("eq", {which, number}, {r.node.index}, Element::Bool, location);
    result = emitMap("select", {is, found[iteration].position, result}, r.node.dims, Element::I32, location);
  }
  return count > 1 ? result : emitMap("id", result, r.node.dims, Element::I32, location);
}

IndexId BodyEmitter::addIndex(int64_t extent) {
  Index &index = step->indices->emplace_back();
  index.extent = extent;
  return step->indices->size() - 1;
}

/// For each value of the index `brought`: the element before which that many others come.
BodyEmitter::Operand BodyEmitter::emitRanks(const Ranking &r, IndexId brought, llvm::ArrayRef<IndexId> dims) {
  SMLoc location = r.node.location;
  IndexId twin = addIndex(extent(r.over()));
  llvm::SmallVector<IndexId, 4> both(r.domain);
  both.push_back(twin);
  Operand other = r.all;
  std::replace(other.dims.begin(), other.dims.end(), r.over(), twin);
  auto compare = [&](StringRef function, llvm::ArrayRef<Operand> operands) {
    return emitMap(function, operands, both, Element::Bool, location);
  };
  // NaN comes before all numbers.
  Operand isLower = emitMap("lt", {emitIndex(twin, location), r.index}, {r.over(), twin}, Element::Bool, location);
  Operand before =
      compare("or", {compare("gt", {other, r.all}), compare("and", {compare("eq", {other, r.all}), isLower})});
  if (isRealElement(r.element)) {
    Operand ownNaN = emitMap("ne", {r.all, r.all}, r.domain, Element::Bool, location),
            otherNaN = compare("ne", {other, other});
    before = compare("select", {ownNaN, compare("and", {otherNaN, isLower}), compare("or", {otherNaN, before})});
  }
  Operand rank = emitReduction("sum", emitCast(before, Element::I32, location), {twin}, r.domain, location);
  llvm::SmallVector<IndexId, 4> placed(r.domain);
  placed.push_back(brought);
  Operand is = emitMap("eq", {rank, emitIndex(brought, location)}, placed, Element::Bool, location);
  Operand none = emitNumber(static_cast<double>(extent(r.over())), location, Element::I32);
  Operand position = emitMap("select", {is, r.index, none}, placed, Element::I32, location);
  return emitReduction("min", position, {r.over()}, dims, location);
}

/// The elements of rows, at positions along their last axis.
BodyEmitter::Operand BodyEmitter::pick(const Operand &rows, const Operand &positions, SMLoc location) {
  llvm::ArrayRef<IndexId> domain = positions.dims;
  llvm::SmallVector<mlir::AffineExpr> table;
  for (mlir::AffineExpr axis : mapOf(domain, llvm::ArrayRef(rows.dims).drop_back()).getResults())
    table.push_back(axis);
  table.push_back(mlir::getAffineSymbolExpr(0, builder.getContext()));
  mlir::AffineMap maps[] = {mlir::AffineMap::get(domain.size(), 1, table, builder.getContext()), mapOf(domain, domain),
                            mapOf(domain, domain)};
  auto type = llvm::cast<mlir::RankedTensorType>(rows.value.getType()).clone(extents(domain));
  return {plc::ein::GatherOp::create(builder, at(location), type, rows.value, positions.value, extents(domain),
                                     builder.getAffineMapArrayAttr(maps)),
          positions.dims};
}

/// Long rows are reduced in rounds. The `count` first of each `2 * count` elements remain, round after round, until few
/// groups are left. They stay in the order of groups and, in a group, of ranks, so that of equal elements the lower
/// position comes first. A round halves the row, so all rounds together compare an element with `4 * count` others,
/// whatever the row's extent.
BodyEmitter::Operand BodyEmitter::emitRounds(const Ranking &r, int64_t count) {
  SMLoc location = r.node.location;
  llvm::SmallVector<IndexId, 4> rowDims(r.kept);
  rowDims.push_back(r.over());
  Operand rows = emitMap("id", r.all, rowDims, r.element, location);
  std::optional<Operand> origins; // positions of the elements in the whole row; nullopt: still their own
  while (extent(rows.dims.back()) >= 4 * count) {
    int64_t length = extent(rows.dims.back()), width = 2 * count, groups = (length + width - 1) / width;
    IndexId group = addIndex(groups), within = addIndex(width), rank = addIndex(count);
    auto regroup = [&](Operand row, std::optional<Operand> otherwise) {
      if (groups * width == length)
        return row;
      llvm::SmallVector<int64_t> shape = extents(row.dims), offsets(shape.size(), 0), strides(shape.size(), 1);
      shape.back() = groups * width;
      row.dims.back() = addIndex(shape.back());
      row.value = plc::ein::insertSlice(builder, at(location), row.value, offsets, strides, shape);
      if (!otherwise)
        return row;
      Operand end = emitNumber(static_cast<double>(length), location, Element::I32);
      Operand inside =
          emitMap("lt", {emitIndex(row.dims.back(), location), end}, row.dims.back(), Element::Bool, location);
      return emitMap("select", {inside, row, *otherwise}, row.dims, r.element, location);
    };
    rows = regroup(rows, emitNumber(leastOf(r.element), location, r.element));
    llvm::SmallVector<IndexId, 4> kept(r.kept);
    kept.push_back(group);
    llvm::SmallVector<IndexId, 4> domain(kept), chosen(kept);
    domain.push_back(within);
    chosen.push_back(rank);
    unsigned last = r.kept.size();
    Operand all{plc::ein::split(builder, at(location), rows.value, last, {groups, width}), domain};
    Operand found =
        emitRanks({r.node, all, r.element, domain, within, emitIndex(within, location), kept}, rank, chosen);
    Operand begin =
        emitMap("mul", {emitIndex(group, location), emitNumber(static_cast<double>(width), location, Element::I32)},
                group, Element::I32, location);
    found = emitMap("add", {begin, found}, chosen, Element::I32, location);

    IndexId merged = addIndex(groups * count);
    auto merge = [&](Operand operand) {
      operand.value = plc::ein::merge(builder, at(location), operand.value, last, 2);
      operand.dims.assign(r.kept.begin(), r.kept.end());
      operand.dims.push_back(merged);
      return operand;
    };
    origins = merge(origins ? pick(regroup(*origins, std::nullopt), found, location) : found);
    rows = merge(pick(rows, found, location));
  }
  Operand found =
      emitRanks({r.node, rows, r.element, rows.dims, rows.dims.back(), emitIndex(rows.dims.back(), location), r.kept},
                r.node.index, r.node.dims);
  return origins ? pick(*origins, found, location) : found;
}

/// `argmax[i, ..](e)`, `argmin[i, ..](e)`, `topk[i, j: N](e)`.
BodyEmitter::Operand BodyEmitter::emitPositions(const Node &node) {
  const Node &term = *node.operands[0];
  Element element = term.element;
  if (element == Element::Number)
    element = isIntegral(term) ? integerTypeOf(term, *step->indices) : Element::Real;
  llvm::ArrayRef<IndexId> overs = node.summed;
  Ranking ranking{node, emitNode(term, element), element, term.dims, overs, emitIndices(overs, node.location), {}};
  for (IndexId id : term.dims)
    if (!llvm::is_contained(overs, id))
      ranking.kept.push_back(id);
  if (node.function != "topk")
    return emitExtreme(ranking, node.function == "argmax", nullptr).position;
  int64_t count = extent(node.index);
  return count <= mostIterations ? emitIterations(ranking, count) : emitRounds(ranking, count);
}
