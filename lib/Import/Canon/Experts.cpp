//===- Experts.cpp - sorts, counts and products by groups, by name --------===//
// Mixtures of experts sort tokens by their experts, compute in that order, and turn back. Rows are independent of each
// other, so the same rules hold in the old order: both turns are left out.
#include "Canon/Canon.h"

#include <algorithm>
#include <unordered_map>

using namespace plc;
using namespace plc::import;

namespace {
/// Positions of the `count` largest or smallest elements, in order; of equal ones the lowest comes first.
NetNode *order(Builder &build, NetNode *x, int dim, int64_t count, bool isDescending) {
  Shape shape = x->shape();
  shape[dim] = count;
  NetNode *by = isDescending ? x : build.map(Op::Negate, {x});
  bool isBest = count == 1 && isDescending;
  return build.make(isBest ? Op::ArgMax : Op::TopK, {by}, {ElementType::I64, shape}, {.dim = dim});
}

/// Values in order, and their positions.
NetNode *sorted(Call &call, int64_t count, bool isDescending) {
  NetNode *x = call.tensor("self");
  int dim = call.dim("dim", x->rank(), -1);
  NetNode *positions = order(call.build, x, dim, count < 0 ? x->extent(dim) : count, isDescending);
  if (call.results.size() == 1 && call.isNamed("argsort"))
    return positions;
  call.results[0] = call.build.make(Op::PickedBest, {x, positions}, {x->type.type, positions->shape()}, {.dim = dim});
  if (call.results.size() > 1)
    call.results[1] = positions;
  return nullptr;
}

/// The lower of the middle ones.
NetNode *median(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  int dim = call.dim("dim", x->rank(), -1);
  NetNode *positions = order(build, x, dim, x->extent(dim), false);
  NetNode *middle = build.slice(positions, dim, (x->extent(dim) - 1) / 2, 1);
  NetNode *values = build.make(Op::Gather, {x, middle}, {x->type.type, middle->shape()}, {.dim = dim});
  call.results[0] = build.view(values, call.shape());
  if (call.isUsed(1))
    call.results[1] = build.view(middle, call.shape());
  return nullptr;
}

/// How many elements lie in each of equal bins; the last one has its upper end.
NetNode *histogram(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  int64_t bins = call.integer("bins", 100);
  double low = call.real("min"), high = call.real("max");
  if (low >= high)
    throw CannotImport("a histogram without bounds");
  NetNode *source = x->op == Op::Convert ? x->operands[0] : x, *rows = build.view(x, {build.count(x)});
  NetNode *bin = nullptr;
  if (isInteger(source->type.type) && high - low == double(bins - 1)) { // a bin for each number
    rows = build.view(source, rows->shape());
    bin = low == 0 ? rows : build.map(Op::Sub, {rows, build.number(low, ElementType::I64)});
  } else {
    auto constant = [&](double value) { return build.number(value, ElementType::F64); };
    bin = build.map(Op::Mul, {build.map(Op::Sub, {rows, constant(low)}), constant(double(bins) / (high - low))});
    NetNode *isLast = build.compare(Op::Equal, rows, constant(high));
    bin = build.map(Op::Where, {isLast, constant(double(bins - 1)), build.map(Op::Floor, {bin})}, x->type.type);
  }
  NetNode *is = build.compare(Op::Equal, build.unsqueeze(bin, 1), build.arange(bins));
  NetNode *counts = build.reduce(Op::Sum, build.convert(is, call.type().type), {0}, call.type());
  if (bin == rows)
    build.counted[counts] = source;
  return counts;
}

/// Rows of x by the matrices of their groups, which end where `offs` says.
NetNode *groupedProduct(Call &call) {
  Builder &build = call.build;
  auto argument = [&](std::initializer_list<const char *> names) {
    for (const char *name : names)
      if (call.has(name))
        return call.tensor(name);
    throw CannotImport("a product by groups without rows, matrices and ends of groups");
  };
  NetNode *x = argument({"self", "mat_a", "input"}), *w = argument({"mat2", "mat_b", "weight"}),
          *ends = argument({"offs"});
  if (x->rank() != 2 || w->rank() != 3 || call.has("bias"))
    throw CannotImport("a product by groups other than of rows by matrices, without a bias");
  NetNode *group = nullptr;
  if (auto known = build.counted.find(ends); known != build.counted.end() && known->second->op == Op::PickedBest) {
    group = known->second; // the rows are sorted by it
  } else {
    NetNode *rows = build.unsqueeze(build.arange(x->extent(0)), 1);
    NetNode *isBehind = build.convert(build.compare(Op::GreaterEqual, rows, ends), ElementType::I64);
    group = build.reduce(Op::Sum, isBehind, {1}, {ElementType::I64, {x->extent(0)}});
  }
  NetNode *chosen = build.indexAlong(w, 0, group);
  return build.view(build.matmul(build.unsqueeze(x, 1), chosen, {x->extent(0), 1, w->extent(2)}), call.shape());
}

bool isOp(const NetNode *node, Op op) { return node->op == op && !node->formula; }

/// Whether an index counts the positions of another one: a[p[i]] = i, as a scatter of 0, 1, .. or as a sort gives it.
bool isInverse(const NetNode *index, const NetNode *of) {
  if (isOp(index, Op::Where)) // of positions that are all given, what was there before is not seen
    index = index->operands[1];
  if (isOp(index, Op::Scatter)) {
    const std::optional<Formula> &source = index->operands[0]->formula;
    return index->operands[1] == of && source && source->kind == Formula::Affine && source->value == 0 &&
           source->factors.size() == 1 && source->factors[0].second == 1;
  }
  return isOp(index, Op::TopK) && isOp(index->operands[0], Op::Negate) && index->operands[0]->operands[0] == of;
}

/// The sort by which an index of rows turns back, if it is one.
NetNode *turnedBy(const NetNode *index, const Net &net) {
  for (const NetNode &node : net.nodes)
    if (isOp(&node, Op::TopK) && node.rank() == 1 && node.extent(0) == node.operands[0]->extent(0) &&
        isInverse(index, &node))
      return const_cast<NetNode *>(&node);
  return nullptr;
}

/// A value whose rows are in sorted order, in the old order; null if rows depend on each other or on their positions.
class Turn {
public:
  Turn(Builder &build, NetNode *order) : build(build), order(order), rows(order->extent(0)) {}
  NetNode *back(NetNode *node);

private:
  NetNode *backIndexed(NetNode *node);

  Builder &build;
  NetNode *order;
  int64_t rows;
  std::unordered_map<NetNode *, NetNode *> known;
};

NetNode *Turn::backIndexed(NetNode *node) {
  NetNode *index = node->operands[1];
  for (size_t i = 2; i < node->operands.size() && node->op == Op::Index; ++i)
    if (node->operands[i])
      return nullptr;
  if (!index || index->rank() != 1)
    return nullptr;
  if (index == order)
    return node->operands[0];
  NetNode *turned = back(index);
  return turned ? build.indexAlong(node->operands[0], 0, turned) : nullptr;
}

NetNode *Turn::back(NetNode *node) {
  if (node == order)
    return build.arange(rows);
  if (auto found = known.find(node); found != known.end())
    return found->second;
  NetNode *&result = known[node];
  if (node->op == Op::Index || node->op == Op::PickedBest)
    return result = backIndexed(node);
  bool keepsRows = node->isElementwise() || node->op == Op::Convert || node->op == Op::Copy ||
                   (node->op == Op::Matmul && node->rank() == 3) || node->op == Op::View ||
                   ((node->op == Op::Slice || node->op == Op::Select) && node->dim > 0) ||
                   (node->op == Op::Permute && node->ints[0] == 0);
  if (!keepsRows || node->rank() == 0 || node->extent(0) != rows)
    return nullptr;
  Nodes operands;
  for (NetNode *operand : node->operands) {
    bool isSame = !operand || operand->rank() < node->rank() || operand->extent(0) == 1;
    if (isSame && node->op != Op::View) {
      operands.push_back(operand);
      continue;
    }
    NetNode *turned = operand->rank() && operand->extent(0) == rows ? back(operand) : nullptr;
    if (!turned)
      return nullptr;
    operands.push_back(turned);
  }
  return result = build.make(node->op, operands, node->type,
                             {node->ints, node->dim, node->number, node->windows, node->isFromEnd, node->isCut});
}
} // namespace

NetNode *plc::import::turnedBack(Builder &build, NetNode *x, NetNode *index) {
  if (index->rank() != 1 || x->rank() == 0 || index->extent(0) != x->extent(0))
    return nullptr;
  NetNode *order = turnedBy(index, build.net);
  return order ? Turn(build, order).back(x) : nullptr;
}

Handler plc::import::findSortHandler(const std::string &name) {
  static const std::unordered_map<std::string_view, Handler> handlers = {
      {"topk", [](Call &c) { return sorted(c, c.integer("k"), c.truth("largest", true)); }},
      {"sort", [](Call &c) { return sorted(c, -1, c.truth("descending")); }},
      {"argsort", [](Call &c) { return sorted(c, -1, c.truth("descending")); }},
      {"median", median},
      {"histc", histogram},
      {"_grouped_mm", groupedProduct},
      {"grouped_mm", groupedProduct},
      {"grouped_mm_fallback", groupedProduct}};
  auto found = handlers.find(name);
  return found == handlers.end() ? Handler() : found->second;
}
