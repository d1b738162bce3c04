//===- Match.cpp - known functions in several operators -------------------===//
#include "Canon/Canon.h"

#include <algorithm>

using namespace plc;
using namespace plc::import;

/// Below copies that change nothing. A conversion between reals is one: the model's precision is the strategy's.
static NetNode *through(NetNode *node) {
  while (node->op == Op::Copy || (node->op == Op::Convert && node->isReal() && node->operands[0]->isReal()))
    node = node->operands[0];
  return node;
}

static bool isOp(const NetNode *node, Op op) { return node && node->op == op && !node->formula; }

static void become(NetNode &node, Op op, std::vector<NetNode *> operands, double number = 0) {
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
  NetNode *mean = through(scale->operands[0]->operands[0]);
  if (!eps || !isOp(mean, Op::Mean) || mean->ints != std::vector<int64_t>{x->rank() - 1})
    return false;
  NetNode *square = through(mean->operands[0]);
  if (!isOp(square, Op::Square) || through(square->operands[0]) != x)
    return false;
  become(node, Op::RmsNorm, {x, nullptr}, *eps);
  return true;
}

/// (0.5 x) (1 + tanh(c (x + 0.044715 x^3))).
static bool matchGeluTanh(NetNode &node, NetNode *half, NetNode *sum) {
  if (!isOp(half, Op::Mul) || numberOf(half->operands[1]) != 0.5 || !isOp(sum, Op::Add) ||
      numberOf(sum->operands[1]) != 1.0 || !isOp(sum->operands[0], Op::Tanh))
    return false;
  become(node, Op::GeluTanh, {through(half->operands[0])});
  return true;
}

static bool matchProduct(NetNode &node, NetNode *x, NetNode *y) {
  if (isOp(y, Op::Sigmoid) && through(y->operands[0]) == x) {
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

void plc::import::match(NetNode &node) {
  if (matchIdentity(node))
    return;
  if (node.op != Op::Mul)
    return;
  NetNode *x = through(node.operands[0]), *y = through(node.operands[1]);
  matchProduct(node, x, y) || matchProduct(node, y, x);
}
