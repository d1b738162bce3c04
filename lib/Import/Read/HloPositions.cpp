// Converts StableHLO whose positions are computed: slices that begin anywhere, updates of them, sorted elements.
#include "Read/HloGraph.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using llvm::StringRef;

namespace plc::import {

static Argument valueOf(const Hlo &x) { return ValueName{x.name}; }

/// The positions of a slice of `count` elements that begins at `start`, moved to where it fits into `extent`.
Hlo HloOp::positions(const Hlo &start, int64_t extent, int64_t count) {
  Hlo first = to.view(start, {1});
  Hlo inside = to.add("clamp", "default", {{"self", valueOf(first)}, {"min", int64_t(0)}, {"max", extent - count}},
                      first.type, {1});
  if (count == 1)
    return inside;
  Hlo line =
      to.add("arange", "start_step",
             {{"start", int64_t(0)}, {"end", count}, {"step", int64_t(1)}, {"dtype", first.type}}, first.type, {count});
  return to.add("add", "Tensor", {{"self", valueOf(line)}, {"other", valueOf(inside)}}, first.type, {count});
}

HloOp::Result HloOp::dynamicSlice() {
  Shape sizes = integers("slice_sizes");
  Hlo x = operands[0];
  requireFit(sizes.size() == x.shape.size() && operands.size() == sizes.size() + 1);
  for (size_t i = 0; i < sizes.size(); ++i) {
    requireFit(sizes[i] >= 0 && sizes[i] <= x.shape[i]);
    if (sizes[i] == x.shape[i])
      continue;
    std::optional<double> begin = to.splat(operands[i + 1]);
    if (begin && std::abs(*begin) < 0x1p53) {
      int64_t first = std::clamp<int64_t>(static_cast<int64_t>(*begin), 0, x.shape[i] - sizes[i]);
      x = to.slice(x, static_cast<int64_t>(i), first, first + sizes[i], 1);
      continue;
    }
    std::vector<ValueName> indices(i);
    indices.push_back({positions(operands[i + 1], x.shape[i], sizes[i]).name});
    Shape shape = x.shape;
    shape[i] = sizes[i];
    x = to.add("index", "Tensor", {{"self", valueOf(x)}, {"indices", indices}}, x.type, shape);
  }
  return x;
}

/// An update of a range of one axis; one that is computed is of one element.
HloOp::Result HloOp::updateSlice() {
  const Hlo &x = operands[0], &part = operands[1];
  requireFit(operands.size() == x.shape.size() + 2 && part.rank() == x.rank());
  std::optional<size_t> axis;
  for (size_t i = 0; i < x.shape.size(); ++i) {
    requireFit(part.shape[i] <= x.shape[i]);
    if (part.shape[i] == x.shape[i])
      continue;
    if (axis)
      return std::nullopt;
    axis = i;
  }
  if (!axis)
    return part;
  int64_t extent = x.shape[*axis], count = part.shape[*axis];
  std::optional<double> begin = to.splat(operands[*axis + 2]);
  if (begin && std::abs(*begin) < 0x1p53)
    return to.update(x, part, *axis, std::clamp<int64_t>(static_cast<int64_t>(*begin), 0, extent - count));
  if (count != 1)
    return std::nullopt;
  Shape ones(x.shape.size(), 1);
  ones[*axis] = extent;
  Hlo at = positions(operands[*axis + 2], extent, 1);
  Hlo line =
      to.add("arange", "start_step", {{"start", int64_t(0)}, {"end", extent}, {"step", int64_t(1)}, {"dtype", at.type}},
             at.type, {extent});
  Hlo isHere = to.add("eq", "Tensor", {{"self", valueOf(line)}, {"other", valueOf(at)}}, ElementType::Bool, {extent});
  Hlo condition = to.expand(to.view(isHere, ones), x.shape), value = to.expand(part, x.shape);
  return to.add("where", "self", {{"condition", valueOf(condition)}, {"self", valueOf(value)}, {"other", valueOf(x)}},
                x.type, x.shape);
}

/// Rows that are set or added at an index of the first axes: the opposite of `gather`.
HloOp::Result HloOp::scatter() {
  if (operands.size() != 3 || op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return std::nullopt;
  const Hlo &x = operands[0], &values = operands[2];
  Hlo index = operands[1];
  std::string numbers = text("scatter_dimension_numbers");
  Shape window = listIn(numbers, "update_window_dims"), inserted = listIn(numbers, "inserted_window_dims"),
        map = listIn(numbers, "scatter_dims_to_operand_dims"), first(map.size());
  int64_t vector = 0;
  requireFit(
      !StringRef(numbers).split("index_vector_dim = ").second.take_while(llvm::isDigit).getAsInteger(10, vector));
  requireFit(vector <= index.rank() && window.size() + map.size() <= x.shape.size() + inserted.size());
  std::iota(first.begin(), first.end(), 0);
  if (vector == index.rank()) {
    Shape wide = index.shape;
    wide.push_back(1);
    index = to.view(index, wide);
  }
  Shape places(index.shape.begin(), index.shape.end() - 1), result = places, trailing(window.size());
  std::iota(trailing.begin(), trailing.end(), static_cast<int64_t>(places.size()));
  requireFit(map.size() <= x.shape.size());
  result.insert(result.end(), x.shape.begin() + static_cast<long>(map.size()), x.shape.end());
  bool isRows = vector == index.rank() - 1 && index.shape.back() == static_cast<int64_t>(map.size()) && map == first &&
                inserted == first && window == trailing && values.shape == result &&
                listIn(numbers, "input_batching_dims").empty();
  mlir::Block &body = op->getRegion(0).front();
  bool isSet = body.getOperations().size() == 1 && body.getNumArguments() == 2 && body.back().getNumOperands() == 1 &&
               body.back().getOperand(0) == body.getArgument(1);
  if (!isRows || (!isSet && reducer() != StringRef("add")))
    return std::nullopt;
  std::vector<ValueName> indices;
  for (size_t i = 0; i < map.size(); ++i) {
    Hlo one = to.slice(index, vector, static_cast<int64_t>(i), static_cast<int64_t>(i) + 1, 1);
    indices.push_back({to.view(one, places).name});
  }
  return to.add("index_put", "default",
                {{"self", valueOf(x)}, {"indices", indices}, {"values", valueOf(values)}, {"accumulate", !isSet}},
                x.type, x.shape);
}

/// An operator that gives elements and the positions that they had.
std::vector<Hlo> HloOp::withPositions(const char *name, const char *overload,
                                      std::vector<std::pair<std::string, Argument>> arguments, Shape shape) {
  Hlo values = to.add(name, overload, std::move(arguments), operands[0].type, shape);
  Hlo places{to.unique(name), ElementType::I64, shape};
  to.graph.types[places.name] = {places.type, shape};
  to.graph.nodes.back().results.push_back(places.name);
  return {values, to.convert(places, ElementType::I32)};
}

std::optional<std::vector<Hlo>> HloOp::topk() {
  int64_t k = integer("k", -1);
  requireFit(operands.size() == 1 && op->getNumResults() == 2 && operands[0].rank() > 0 && k >= 0 &&
             k <= operands[0].shape.back());
  Shape best = operands[0].shape;
  best.back() = k;
  return withPositions("topk", "default", {{"self", valueOf(operands[0])}, {"k", k}, {"dim", int64_t(-1)}}, best);
}

/// Whether a value of a block is computed of its argument `number` alone.
static bool isOfArgument(mlir::Value value, unsigned number) {
  llvm::SmallPtrSet<mlir::Operation *, 8> seen;
  llvm::SmallVector<mlir::Value> open{value};
  while (!open.empty()) {
    mlir::Value next = open.pop_back_val();
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(next)) {
      if (argument.getArgNumber() != number)
        return false;
    } else if (seen.insert(next.getDefiningOp()).second) {
      llvm::append_range(open, next.getDefiningOp()->getOperands());
    }
  }
  return true;
}

/// Sorted elements, perhaps with their positions: the second operand counts them.
std::optional<std::vector<Hlo>> HloOp::sort() {
  if (operands.empty() || operands.size() > 2 || op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return std::nullopt;
  const Hlo &x = operands[0];
  int64_t dim = integer("dimension", -1);
  requireFit(dim >= 0 && dim < x.rank() && op->getNumResults() == operands.size());
  mlir::Operation *counts = operands.size() == 2 ? op->getOperand(1).getDefiningOp() : nullptr;
  auto along = counts ? llvm::dyn_cast_or_null<mlir::IntegerAttr>(attributeOf(counts, "iota_dimension")) : nullptr;
  if (operands.size() == 2 && (!along || along.getInt() != dim || operands[1].shape != x.shape))
    return std::nullopt;
  mlir::Operation &end = op->getRegion(0).front().back();
  mlir::Operation *compare = end.getNumOperands() == 1 ? end.getOperand(0).getDefiningOp() : nullptr;
  if (!compare || compare->getName().stripDialect() != StringRef("compare") || compare->getNumOperands() != 2)
    return std::nullopt;
  std::string direction;
  llvm::raw_string_ostream(direction) << attributeOf(compare, "comparison_direction");
  bool isUp = StringRef(direction).contains(" LT"), isDown = StringRef(direction).contains(" GT");
  if (!isOfArgument(compare->getOperand(0), 0) || !isOfArgument(compare->getOperand(1), 1) || !(isUp || isDown))
    return std::nullopt;
  std::vector<Hlo> both = withPositions(
      "sort", "stable", {{"self", valueOf(x)}, {"stable", true}, {"dim", dim}, {"descending", isDown}}, x.shape);
  if (operands.size() == 2)
    both[1] = to.convert(both[1], operands[1].type);
  both.resize(operands.size());
  return both;
}

} // namespace plc::import
