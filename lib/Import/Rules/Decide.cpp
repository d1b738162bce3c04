//===- Decide.cpp - which values are rules --------------------------------===//
// Softmax, norms, convolutions, pools and joins are; so are values that are used twice, in another layer or as
// results. A product stays inside its one user if that is a sum, a function, a scale, a softmax or a choice.
#include "Rules/Rules.h"

#include <algorithm>

using namespace plc;
using namespace plc::import;

NetNode *plc::import::belowMaps(NetNode *node) {
  while (node->isMap() && !node->isLeaf())
    node = node->operands[0];
  return node;
}

static bool isJoin(const NetNode *node) { return node->op == Op::Cat && node->tile.kind == Tile::Stack; }
static bool isIndex(const NetNode *node) {
  return node->op == Op::Index || node->op == Op::Embedding || node->op == Op::Gather || node->op == Op::Scatter;
}
/// A condition that costs nothing to state again.
static constexpr int cheapest = 6;
/// Operators in one expression, beyond which it is not read at a glance.
/// Parts of a join that may be the steps of a loop, of which the last one is a
/// rule like the others.
static constexpr size_t fewestSteps = 4;
static constexpr int longest = 9, longestFactor = 5, longestFloating = 7;

static bool isUnary(Op op) {
  switch (op) {
  case Op::Gelu:
  case Op::GeluTanh:
  case Op::Silu:
  case Op::Relu:
  case Op::Tanh:
  case Op::Sigmoid:
  case Op::Exp:
  case Op::Negate:
  case Op::Square: return true;
  default: return false;
  }
}

/// A function of one element, perhaps with a number.
static bool isOfOne(const NetNode *node) {
  bool isBound = node->op == Op::Minimum || node->op == Op::Maximum;
  return isUnary(node->op) || (isBound && numberOf(node->operands[1]));
}

/// Whether a value is read without indices where all that it is made of is: a choice needs them.
static bool isBare(const NetNode *node) {
  bool isChosen = node->op == Op::Where || (node->op == Op::Convert && !node->operands[0]->isReal());
  return node->isLeaf() || node->isRule ||
         (!isChosen && std::all_of(node->operands.begin(), node->operands.end(),
                                   [](const NetNode *operand) { return !operand || isBare(operand); }));
}

std::vector<NetNode *> Rules::consumers(const NetNode *node) const {
  std::vector<NetNode *> found;
  for (NetNode *user : node->users) {
    if ((user->isMap() && user->tile.kind != Tile::Merge) || (isJoin(user) && !user->isRule)) {
      std::vector<NetNode *> behind = consumers(user);
      found.insert(found.end(), behind.begin(), behind.end());
    } else {
      found.insert(found.end(), std::count(user->operands.begin(), user->operands.end(), node), user);
    }
  }
  if (node->isOutput || node->isResult || node->isNext)
    found.push_back(nullptr);
  return found;
}

/// What depends on sizes alone is stated where it is used, and so are small conditions on integer inputs, as padding
/// masks.
void Rules::findFloating() {
  for (NetNode *node : net.order) {
    if (node->formula)
      node->cost = 0;
    else if (node->op == Op::Input && !node->isReal())
      node->cost = 1;
    else if (!node->isLeaf() && (node->isElementwise() || node->isMap() || node->op == Op::Index)) {
      int cost = node->isMap() || node->op == Op::Index ? 0 : 1;
      bool isCheap = true;
      for (const NetNode *operand : node->operands) {
        isCheap &= !operand || operand->cost >= 0;
        cost += operand ? operand->cost : 0;
      }
      if (isCheap && cost <= cheapest)
        node->cost = cost;
    }
    bool isCondition = node->cost > 0 && node->isElementwise() && !node->isOutput;
    node->isFloating = !node->isLeaf() && (node->isConstant || isCondition);
  }
}

bool Rules::isFloatingRule(NetNode *node, const std::vector<NetNode *> &uses) {
  bool isIndexed = std::any_of(uses.begin(), uses.end(), [](const NetNode *user) { return user && isIndex(user); });
  if (isIndexed && node->op != Op::Where && node->op != Op::And)
    return true;
  std::map<int, int> bySegment;
  int most = 0;
  for (const NetNode *user : uses)
    most = std::max(most, ++bySegment[user ? user->segment : -1]);
  bool isScaled = node->op == Op::Mul && numberOf(node->operands[1]) == 1.0;
  bool isLong = node->weight > longestFloating && node->cost < 0;
  return (most > 1 || isLong) && node->op != Op::Cos && node->op != Op::Sin && !isScaled;
}

/// Whether a value with one user, of its own layer, is a rule before it.
bool Rules::isRuleInside(NetNode *node, NetNode *user) {
  Op to = user->op;
  if (isIndex(user) && user->operands[0] != node)
    return true;
  bool isGain = (to == Op::RmsNorm || to == Op::LayerNorm) && user->operands[0] != node && node->rank() == 1;
  if (isGain && node->weight <= longestFactor)
    return false;
  bool isFormula = to == Op::Convolution && !isLibraryConvolution(user);
  if (to == Op::Pad || isFormula)
    return true;
  if (user->is(OpClass::Whole) && to != Op::Softmax && to != Op::LogSoftmax && to != Op::Running && to != Op::Cat &&
      to != Op::CrossEntropy && to != Op::Scatter) {
    // Behind changes of indices there may be no function of whole tensors.
    bool isInPlace = (to == Op::Convolution || to == Op::MaxPool || to == Op::MeanPool) && user->operands[0] == node &&
                     (!user->operand(1) || !user->operands[1]->isMap());
    return !(isOfOne(node) && !node->isHeavy && isInPlace && isBare(node));
  }
  if (node->is(OpClass::Contraction)) {
    bool isScale =
        (to == Op::Mul || to == Op::Div) && std::any_of(user->operands.begin(), user->operands.end(), numberOf);
    return !(to == Op::Add || to == Op::Sub || to == Op::Softmax || to == Op::LogSoftmax || to == Op::Where ||
             user->is(OpClass::Function) || isScale);
  }
  if (node->isHeavy && (user->is(OpClass::Contraction) || to == Op::Mul || user->is(OpClass::Reduction)))
    return true;
  if (user->is(OpClass::Contraction))
    return !((isUnary(node->op) || node->op == Op::Mul) && node->weight <= longestFactor);
  return node->weight > longest && to != Op::Softmax;
}

/// Whether what lies outside of a slice could be read by padding: then the slice is a rule of its own.
static bool isPaddedSlice(const NetNode *node) {
  if (node->op != Op::Pad && node->op != Op::Convolution)
    return false;
  for (const NetNode *x = node->operands[0]; x->isMap() && !x->isLeaf(); x = x->operands[0])
    if (x->op == Op::Slice && x->tile.kind != Tile::Whole) {
      int64_t end = x->ints[0] + x->ints[1] * (x->extent(x->dim) - 1) + 1;
      size_t pad = 2 * size_t(x->rank() - 1 - x->dim);
      bool isFront = node->op == Op::Pad && x == node->operands[0] && x->ints[0] == 0 &&
                     (pad >= node->ints.size() || node->ints[pad + 1] == 0 || end == x->operands[0]->extent(x->dim));
      if (!isFront)
        return true;
    }
  return false;
}

/// Whether a value is read at an offset.
static bool hasOffset(const NetNode *node) {
  if (!node || node->isLeaf() || node->isRule || !(node->isMap() || node->isElementwise()))
    return false;
  return (node->op == Op::Slice && node->tile.kind == Tile::Offset) ||
         std::any_of(node->operands.begin(), node->operands.end(), hasOffset);
}

/// Whether the rule of a value calls a function on whole tensors. Convolutions and pools may be formulas instead.
static bool takesWhole(const NetNode *node) {
  switch (node->op) {
  case Op::Lstm:
  case Op::Gru:
  case Op::GroupNorm:
  case Op::ConvTranspose:
  case Op::UpsampleNearest:
  case Op::UpsampleLinear: return true;
  case Op::BatchNorm: return node->rank() == 4;
  default: return false;
  }
}

bool Rules::isRule(NetNode *node) {
  if (isPaddedSlice(node)) {
    node->operands[0]->isRule = true;
    node->operands[0]->segment = node->segment;
  }
  if (isJoin(node))
    return !node->isFloating;
  if (node->isMap())
    return false;
  std::vector<NetNode *> uses = consumers(node);
  if (takesWhole(node))
    for (NetNode *operand : node->operands)
      if (operand && !operand->isLeaf() &&
          (operand->op == Op::Permute || operand->op == Op::Slice || operand->op == Op::Select ||
           operand->op == Op::Expand)) {
        operand->isRule = true;
        operand->segment = node->segment;
      }
  if (node->op == Op::Cat)
    for (NetNode *part : node->operands) {
      NetNode *step = belowMaps(part);
      if (hasOffset(part)) // an index of a clause takes its extent from a tensor
        step = part;
      else if (node->operands.size() < fewestSteps || step->isLeaf())
        continue;
      step->isRule = true;
      step->segment = step == part || step->segment < 0 ? node->segment : step->segment;
    }
  if (node->is(OpClass::Whole) || node->op == Op::Dropout || node->isNext)
    return true;
  bool isOwn =
      std::all_of(uses.begin(), uses.end(), [&](auto *user) { return user && user->segment == node->segment; });
  if (node->op == Op::Index && isOwn && isParameter(belowMaps(node->operands[0])))
    return false;
  if (node->isFloating)
    return isFloatingRule(node, uses);
  if (uses.size() != 1 || !uses[0] || uses[0]->segment != node->segment)
    return true;
  return isRuleInside(node, uses[0]);
}

void Rules::decide() {
  findFloating();
  for (NetNode *node : net.order) {
    node->weight = 1;
    if (node->isLeaf())
      continue;
    int weight = !node->isMap();
    bool hasHeavy = false;
    std::set<const NetNode *> operands(node->operands.begin(), node->operands.end());
    for (const NetNode *operand : operands) {
      if (!operand)
        continue;
      weight += operand->isRule ? 1 : operand->weight;
      hasHeavy |= operand->isHeavy && !operand->isRule;
    }
    node->weight = std::min(99, weight);
    node->isHeavy = node->is(OpClass::Contraction) || ((node->isElementwise() || node->isMap()) && hasHeavy);
    if (node->tile.kind == Tile::Merge) {
      node->isRule = true;
      node->isHeavy = false;
      NetNode *from = belowMaps(node->operands[0]);
      node->segment = from->segment;
      for (const NetNode *user : node->users)
        node->segment = node->segment < 0 ? user->segment : node->segment;
      node->segment = std::max(node->segment, 0);
      continue;
    }
    node->isRule = isRule(node);
  }
}
