//===- MatchRope.cpp - rotary positions -----------------------------------===//
// x cos(a) + turned(x) sin(a), where a = position * base^-(r / R), and `turned` exchanges both halves of the last axis,
// or its neighbours. Both tables are known numbers: the base is that of their second row, and all others must be those
// of the library's function.
#include "Canon/Canon.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace plc;
using namespace plc::import;

/// Whether a node is a slice of x's last axis.
static bool isHalf(NetNode *node, NetNode *x, int64_t start, int64_t step) {
  node = belowCopies(node);
  return node->op == Op::Slice && belowCopies(node->operands[0]) == x && node->dim == x->rank() - 1 &&
         node->ints[0] == start && node->ints[1] == step && 2 * node->shape().back() == x->shape().back();
}

/// Which of both orders (-x2, x1) has; nullopt if it is something else.
static std::optional<Op> turnOf(NetNode *turned, NetNode *x) {
  turned = belowCopies(turned);
  bool isPairs = turned->op == Op::View;
  NetNode *cat = isPairs ? belowCopies(turned->operands[0]) : turned;
  if (cat->op != Op::Cat || cat->operands.size() != 2 || cat->dim != x->rank() - !isPairs)
    return std::nullopt;
  NetNode *first = belowCopies(cat->operands[0]), *second = belowCopies(cat->operands[1]);
  if (isPairs) { // a stack: both have a new last axis
    if (first->op != Op::View || second->op != Op::View || cat->shape().back() != 2 || turned->shape() != x->shape())
      return std::nullopt;
    first = belowCopies(first->operands[0]);
    second = belowCopies(second->operands[0]);
  }
  int64_t half = x->shape().back() / 2;
  if (first->op != Op::Negate || !isHalf(first->operands[0], x, isPairs ? 1 : half, isPairs ? 2 : 1) ||
      !isHalf(second, x, 0, isPairs ? 2 : 1))
    return std::nullopt;
  return isPairs ? Op::RopePairs : Op::Rope;
}

namespace {
/// A table of cosines or sines, broadcast to the shape of x.
struct Angles {
  const Dense &table;
  Shape strides; // by axis of x; 0: broadcast

  Angles(NetNode *node, const Shape &shape) : table(*node->value), strides(shape.size()) {
    int64_t stride = 1;
    for (size_t i = 0; i < table.shape.size(); ++i) {
      int64_t extent = table.shape[table.shape.size() - 1 - i];
      strides[shape.size() - 1 - i] = extent == 1 ? 0 : stride;
      stride *= extent;
    }
  }
  double at(const Shape &index) const {
    return table.elements[size_t(std::inner_product(index.begin(), index.end(), strides.begin(), int64_t(0)))];
  }
};
} // namespace

/// Whether all of a table are f(position * base^-(r / R)).
static bool isTable(const Angles &angles, const Shape &shape, int dim, Op order, double base, double (*f)(double)) {
  int64_t half = shape.back() / 2;
  Shape index(shape.size());
  while (true) {
    int64_t r = order == Op::Rope ? index.back() % half : index.back() / 2;
    double position = double(index[size_t(dim)]), angle = position * std::pow(base, -double(r) / double(half));
    if (std::fabs(angles.at(index) - f(angle)) > 1e-6 + 2e-7 * position)
      return false;
    size_t i = shape.size();
    while (i-- > 0 && (angles.strides[i] == 0 || ++index[i] == shape[i]))
      index[i] = 0;
    if (i == size_t(-1))
      return true;
  }
}

/// Whether a table is computed of positions and constants alone, so that it is the same function at other lengths.
static bool isAngle(NetNode *node) {
  if (node->isLeaf() && node->op != Op::Parameter)
    return true;
  bool isKnown = node->isMap() || node->op == Op::Cat || node->op == Op::Cos || node->op == Op::Sin ||
                 node->op == Op::Mul || node->op == Op::Div || node->op == Op::Pow || node->op == Op::Negate ||
                 node->op == Op::Matmul || node->op == Op::Repeat;
  return isKnown && std::all_of(node->operands.begin(), node->operands.end(),
                                [](NetNode *operand) { return !operand || isAngle(operand); });
}

/// The base in the fewest digits.
static std::optional<double> baseOf(const Angles &cosines, const Angles &sines, const Shape &shape, int dim, Op order) {
  Shape index(shape.size());
  index[size_t(dim)] = 1;
  index.back() = order == Op::Rope ? 1 : 2;
  double half = double(shape.back()) / 2;
  double exact = half == 1 ? 10000 : std::pow(std::atan2(sines.at(index), cosines.at(index)), -half);
  if (!(exact > 1) || exact > 1e12)
    return std::nullopt;
  for (int digits = 1; digits < 9; ++digits) {
    double unit = std::pow(10, std::floor(std::log10(exact)) + 1 - digits), base = std::round(exact / unit) * unit;
    if (isTable(cosines, shape, dim, order, base, std::cos) && isTable(sines, shape, dim, order, base, std::sin))
      return base;
  }
  return std::nullopt;
}

bool plc::import::matchRope(NetNode &node) {
  for (auto [a, b] : {std::pair(0, 1), std::pair(1, 0)}) {
    NetNode *left = belowCopies(node.operands[size_t(a)]), *right = belowCopies(node.operands[size_t(b)]);
    if (left->op != Op::Mul || right->op != Op::Mul)
      continue;
    for (auto [i, j] : {std::pair(0, 0), std::pair(0, 1), std::pair(1, 0), std::pair(1, 1)}) {
      NetNode *x = belowCopies(left->operands[size_t(i)]), *cosines = left->operands[size_t(1 - i)],
              *sines = right->operands[size_t(1 - j)];
      bool isKnown = cosines->value && sines->value && x->shape() == node.shape() && x->rank() > 1 &&
                     x->shape().back() % 2 == 0 && cosines->shape().back() == x->shape().back() &&
                     sines->shape().back() == x->shape().back();
      std::optional<Op> order = isKnown ? turnOf(right->operands[size_t(j)], x) : std::nullopt;
      if (!order || !isAngle(cosines) || !isAngle(sines))
        continue;
      Angles c(cosines, x->shape()), s(sines, x->shape());
      for (int dim = x->rank() - 2; dim >= 0; --dim) {
        if (x->extent(dim) < 2 || c.strides[size_t(dim)] == 0)
          continue;
        if (std::optional<double> base = baseOf(c, s, x->shape(), dim, *order)) {
          node.operands = {x};
          node.op = *order;
          node.number = *base;
          node.dim = dim;
          return true;
        }
      }
    }
  }
  return false;
}
