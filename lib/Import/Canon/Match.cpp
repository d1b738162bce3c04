//===- Match.cpp - known functions in several operators -------------------===//
#include "Canon/Canon.h"

#include <algorithm>
#include <cmath>

using namespace plc;
using namespace plc::import;

NetNode *plc::import::belowCopies(NetNode *node) {
  while (node->op == Op::Copy || (node->op == Op::Convert && node->isReal() && node->operands[0]->isReal()))
    node = node->operands[0];
  return node;
}

static bool isOp(const NetNode *node, Op op) { return node && node->op == op && !node->formula; }

static void become(NetNode &node, Op op, Nodes operands, double number = 0) {
  node.op = op;
  node.operands = std::move(operands);
  node.number = number;
}

/// The tensor that no input reaches: a gain.
static bool dependsOnInput(const NetNode *node) {
  if (node->op == Op::Input)
    return true;
  return !node->formula && std::any_of(node->operands.begin(), node->operands.end(),
                                       [](const NetNode *operand) { return operand && dependsOnInput(operand); });
}

/// x * rsqrt(mean(x x) + eps), along the last axis.
static bool matchRmsNorm(NetNode &node, NetNode *x, NetNode *scale) {
  if (!isOp(scale, Op::Rsqrt) || !isOp(scale->operands[0], Op::Add))
    return false;
  std::optional<double> eps = numberOf(scale->operands[0]->operands[1]);
  NetNode *mean = belowCopies(scale->operands[0]->operands[0]);
  if (!eps || !isOp(mean, Op::Mean) || mean->ints != Shape{x->rank() - 1})
    return false;
  NetNode *square = belowCopies(mean->operands[0]);
  if (!isOp(square, Op::Square) || belowCopies(square->operands[0]) != x)
    return false;
  become(node, Op::RmsNorm, {x, nullptr}, *eps);
  return true;
}

/// (0.5 x) (1 + tanh(c (x + 0.044715 x^3))), in whatever form: some numbers stand for all. Models write 8 digits of c.
static bool matchGeluTanh(NetNode &node, NetNode *half, NetNode *sum) {
  if (!isOp(half, Op::Mul) || numberOf(half->operands[1]) != 0.5 || !isOp(sum, Op::Add) ||
      numberOf(sum->operands[1]) != 1.0 || !isOp(sum->operands[0], Op::Tanh))
    return false;
  NetNode *x = belowCopies(half->operands[0]);
  double tolerance = node.type.type == ElementType::F64 ? 1e-14 : 1e-7;
  for (double at : {-2.0, -0.5, 0.25, 1.5}) {
    double expected = std::sqrt(2 / M_PI) * (at + 0.044715 * at * at * at);
    std::optional<double> found = evaluateAt(sum->operands[0]->operands[0], x, at);
    if (!found || std::fabs(*found - expected) > tolerance * std::fabs(expected))
      return false;
  }
  become(node, Op::GeluTanh, {x});
  return true;
}

static bool matchProduct(NetNode &node, NetNode *x, NetNode *y) {
  if (isOp(y, Op::Sigmoid) && belowCopies(y->operands[0]) == x) {
    become(node, Op::Silu, {x});
    return true;
  }
  if (matchRmsNorm(node, x, y))
    return true;
  bool isGain = x->rank() == 1 && isOp(y, Op::RmsNorm) && !y->operands[1] && !dependsOnInput(x);
  if (isGain) {
    become(node, Op::RmsNorm, {y->operands[0], x}, y->number);
    return true;
  }
  return matchGeluTanh(node, x, y);
}

/// x + 0, x * 1 and the like.
static bool matchIdentity(NetNode &node) {
  bool isSum = node.op == Op::Add || node.op == Op::Sub, isProduct = node.op == Op::Mul || node.op == Op::Div;
  if (!isSum && !isProduct)
    return false;
  for (size_t k : {1, 0}) {
    bool isNeutral =
        numberOf(node.operands[k]) == (isSum ? 0.0 : 1.0) && (k == 1 || node.op == Op::Add || node.op == Op::Mul);
    NetNode *x = node.operands[1 - k];
    if (isNeutral && x->type == node.type) {
      become(node, Op::Copy, {x});
      return true;
    }
  }
  return false;
}

/// The part of a join in which a slice or a selected element lies; null if it lies in several.
static NetNode *partOf(const NetNode &node, int64_t &offset) {
  offset = node.ints[0];
  int64_t length = node.op == Op::Select ? 1 : node.extent(node.dim);
  for (NetNode *part : node.operands[0]->operands) {
    int64_t extent = part->extent(node.dim);
    if (offset >= 0 && offset + length <= extent)
      return part;
    offset -= extent;
  }
  return nullptr;
}

void plc::import::matchJoins(Net &net) {
  for (NetNode &node : net.nodes) {
    bool isSlice = node.op == Op::Slice && node.ints[1] == 1;
    int64_t offset = 0;
    while ((isSlice || node.op == Op::Select) && !node.formula && node.operands[0]->op == Op::Cat &&
           node.operands[0]->dim == node.dim) {
      NetNode *part = partOf(node, offset);
      if (!part)
        break;
      bool isLast = part == node.operands[0]->operands.back();
      node.isFromEnd &= isLast;
      node.isCut &= isLast;
      node.operands[0] = part;
      node.ints[0] = offset;
      if (numberOf(part))
        node.formula = part->formula;
      if (isSlice && part->shape() == node.shape()) {
        node.op = Op::Copy;
        break;
      }
    }
  }
}

/// 1 / (1 + exp(-x)).
static bool matchSigmoid(NetNode &node) {
  NetNode *sum = belowCopies(node.operands[1]);
  if (numberOf(node.operands[0]) != 1.0 || !isOp(sum, Op::Add))
    return false;
  for (size_t k : {0, 1}) {
    NetNode *exp = belowCopies(sum->operands[k]);
    if (numberOf(sum->operands[1 - k]) == 1.0 && isOp(exp, Op::Exp) && isOp(exp->operands[0], Op::Negate)) {
      become(node, Op::Sigmoid, {exp->operands[0]->operands[0]});
      return true;
    }
  }
  return false;
}

/// x * c / c: a mean as a sum of windows.
static bool matchScales(NetNode &node) {
  NetNode *product = belowCopies(node.operands[0]);
  std::optional<double> divisor = numberOf(node.operands[1]);
  bool isInverse = divisor && isOp(product, Op::Mul) && numberOf(product->operands[1]) == divisor &&
                   product->operands[0]->type == node.type;
  if (isInverse)
    become(node, Op::Copy, {product->operands[0]});
  return isInverse;
}

/// Zeros around an image are the convolution's own padding. No padding is a copy.
static void matchPadding(NetNode &node) {
  if (node.op == Op::Pad && std::all_of(node.ints.begin(), node.ints.end(), [](int64_t each) { return each == 0; }))
    return become(node, Op::Copy, node.operands);
  NetNode *pad = node.op == Op::Convolution ? node.operands[0] : nullptr;
  size_t count = node.windows.pad.size();
  if (!isOp(pad, Op::Pad) || pad->number != 0 || pad->ints.size() > 2 * count)
    return;
  for (size_t i = 0; i < pad->ints.size(); i += 2)
    if (pad->ints[i] < 0 || pad->ints[i] != pad->ints[i + 1])
      return;
  for (size_t i = 0; i < pad->ints.size() / 2; ++i) // the last axis first
    node.windows.pad[count - 1 - i] += pad->ints[2 * i];
  node.operands[0] = pad->operands[0];
}

/// A product of channels before a norm is a convolution like its neighbours, which have one layer with it.
static void matchNormed(NetNode *x) {
  bool isImage = x->rank() == 4 && !x->operand(2);
  if (isImage && isOp(x, Op::PatchConv) && x->windows.kernel == Shape{1, 1})
    x->op = Op::Convolution;
}

void plc::import::match(NetNode &node) {
  if (matchIdentity(node))
    return;
  matchPadding(node);
  if (node.op == Op::BatchNorm && node.operands[3] && node.operands[4])
    matchNormed(node.operands[0]);
  if (node.op == Op::Add)
    matchRope(node);
  if (node.op == Op::Div)
    matchSigmoid(node) || matchScales(node);
  if (node.op != Op::Mul)
    return;
  NetNode *x = belowCopies(node.operands[0]), *y = belowCopies(node.operands[1]);
  matchProduct(node, x, y) || matchProduct(node, y, x);
}
