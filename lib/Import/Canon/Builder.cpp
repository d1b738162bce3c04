//===- Builder.cpp - makes operators of a net -----------------------------===//
#include "Canon/Canon.h"

#include <algorithm>
#include <cmath>

using namespace plc;
using namespace plc::import;

OpClass plc::import::classOf(Op op) {
  static constexpr OpClass classes[] = {
#define PLC_OP(ID, CLASS, TEXT) OpClass::CLASS,
#include "Net/Ops.def"
  };
  return classes[size_t(op)];
}

const char *plc::import::textOf(Op op) {
  static constexpr const char *texts[] = {
#define PLC_OP(ID, CLASS, TEXT) TEXT,
#include "Net/Ops.def"
  };
  return texts[size_t(op)];
}

std::optional<double> plc::import::numberOf(const NetNode *node) {
  return node && node->formula && node->formula->kind == Formula::Number ? std::optional(node->formula->value)
                                                                         : std::nullopt;
}

/// How many elements are read to evaluate an operator.
static double workOf(const NetNode &node) {
  double count = double(elementsOf(node.shape()));
  if (node.is(OpClass::Reduction))
    return double(elementsOf(node.operands[0]->shape()));
  return count * double(node.op == Op::Matmul    ? node.operands[0]->shape().back()
                        : node.op == Op::Running ? node.extent(node.dim)
                                                 : 1);
}

/// Whether a comparison of positions holds for all sizes, or for none: the sides differ by a sum of one sign.
static bool isProven(const NetNode &node) {
  const std::optional<Formula> &a = node.operands[0]->formula, &b = node.operands[1]->formula;
  bool isAffine = a && b && (a->kind == Formula::Number || a->kind == Formula::Affine) && b->kind == Formula::Number;
  if (!isAffine)
    return false;
  double difference = a->value - b->value;
  bool grows = std::all_of(a->factors.begin(), a->factors.end(), [](const auto &each) { return each.second >= 0; });
  bool isBounded = node.op == Op::GreaterEqual || node.op == Op::Less ? difference >= 0 : difference > 0;
  return a->factors.empty() || (grows && isBounded);
}

/// Comparisons and bounds that hold at the exported sizes may not hold at others.
static bool isSizeBound(const NetNode &node) {
  if (!node.isSized || !node.formula)
    return false;
  switch (node.op) {
  case Op::Less:
  case Op::LessEqual:
  case Op::Greater:
  case Op::GreaterEqual:
  case Op::Equal:
  case Op::NotEqual: return node.formula->kind == Formula::Number && !isProven(node);
  case Op::Maximum:
  case Op::Minimum: return true;
  default: return false;
  }
}

bool Builder::keeps(double more) { return (work += more) <= double(4 * mostElements); }

void Builder::fold(NetNode &node) {
  bool isRule = node.op == Op::Itself;
  if (node.op == Op::Input || node.op == Op::Parameter || node.op == Op::State || node.isDraw() || isRule)
    return;
  if (node.op == Op::Full || node.op == Op::Number) { // whatever tensor it takes its shape from
    node.isConstant = true;
    node.formula = Formula{Formula::Number, node.number};
  } else if (node.op != Op::Arange && node.op != Op::Constant) {
    node.isConstant = std::all_of(node.operands.begin(), node.operands.end(),
                                  [](const NetNode *operand) { return !operand || operand->isConstant; });
    for (const NetNode *operand : node.operands)
      node.isSized |= operand && operand->isSized;
  } else {
    node.isConstant = true;
    node.isSized = node.op == Op::Arange;
  }
  if (!node.isConstant)
    return;
  if (!keeps(workOf(node)) || count(&node) > mostElements) {
    if (node.op == Op::Arange)
      node.formula = Formula{Formula::Affine, double(node.ints[0]), {{0, node.ints[1]}}};
    return;
  }
  if (!node.value)
    node.value = evaluate(node);
  for (const NetNode *operand : node.operands)
    node.isUnproven |= operand && operand->isUnproven && node.op != Op::Full;
  if (node.value && !node.formula && !node.isUnproven)
    node.formula = fitFormula(*node.value, node.type.type, node.isSized);
  if (isSizeBound(node)) {
    node.isUnproven = true;
    node.formula.reset();
  }
}

void Builder::spend(double more) {
  constexpr int most = 1 << 20;
  if ((operators += more) > most)
    throw CannotImport("a model of more than " + std::to_string(most) +
                       " operators, with those of its loops written out; export a part of it");
}

NetNode *Builder::make(Op op, Nodes operands, TensorType type, With with) {
  spend(1);
  NetNode made;
  made.op = op;
  made.id = int(net.nodes.size());
  made.operands = std::move(operands);
  made.type = std::move(type);
  made.ints = std::move(with.ints);
  made.dim = with.dim;
  made.number = with.number;
  made.windows = std::move(with.windows);
  made.isFromEnd = with.isFromEnd;
  made.isCut = with.isCut;
  made.source = source;
  verify(made);
  NetNode &node = net.nodes.emplace_back(std::move(made));
  fold(node);
  if (!node.formula)
    match(node);
  return &node;
}

NetNode *Builder::number(double value, ElementType type) { return make(Op::Number, {}, {type, {}}, {.number = value}); }

NetNode *Builder::correction(const NetNode *x, const Shape &dims, double less) {
  double count = 1;
  for (int64_t dim : dims)
    count *= double(x->extent(int(dim)));
  NetNode *factor = number(count / (count - less), ElementType::F64);
  if (less == std::floor(less) && std::fabs(less) < count) {
    factor->counted = x;
    factor->ints = dims;
    factor->dim = int(less);
  }
  return factor;
}

NetNode *Builder::permute(NetNode *x, const Shape &dims) {
  Shape shape;
  for (int64_t dim : dims)
    shape.push_back(x->extent(int(dim)));
  return make(Op::Permute, {x}, {x->type.type, shape}, {.ints = dims});
}

int64_t Builder::ratio(int64_t a, int64_t b) {
  if (b == 0)
    throw CannotImport("its shapes do not fit: " + std::to_string(a) + " elements in parts of 0");
  return a / b;
}

NetNode *Builder::transpose(NetNode *x, int a, int b) {
  Shape dims(x->rank());
  for (int i = 0; i < x->rank(); ++i)
    dims[i] = i == a ? b : i == b ? a : i;
  return permute(x, dims);
}

NetNode *Builder::unsqueeze(NetNode *x, int dim) {
  Shape shape = x->shape();
  shape.put(size_t(dim), 1);
  return view(x, shape);
}

NetNode *Builder::slice(NetNode *x, int dim, int64_t start, int64_t length, int64_t step, With with) {
  Shape shape = x->shape();
  if (start == 0 && length == shape[dim])
    return x;
  shape[dim] = length;
  with.ints = {start, step};
  with.dim = dim;
  return make(Op::Slice, {x}, {x->type.type, shape}, std::move(with));
}

NetNode *Builder::flip(NetNode *x, int dim) {
  return slice(x, dim, x->extent(dim) - 1, x->extent(dim), -1, {.isFromEnd = true});
}

NetNode *Builder::select(NetNode *x, int dim, int64_t index) {
  Shape shape = x->shape();
  bool isFromEnd = index < 0;
  if (isFromEnd)
    index += shape[dim];
  shape.drop(size_t(dim));
  return make(Op::Select, {x}, {x->type.type, shape}, {.ints = {index}, .dim = dim, .isFromEnd = isFromEnd});
}

NetNode *Builder::expand(NetNode *x, Shape shape) {
  int more = int(shape.size()) - x->rank();
  for (int i = 0; i < int(shape.size()); ++i)
    if (shape[i] < 0)
      shape[i] = x->extent(i - more);
  if (shape == x->shape())
    return x;
  return make(Op::Expand, {x}, {x->type.type, std::move(shape)});
}

NetNode *Builder::pad(NetNode *x, Shape pads, double value) {
  Shape shape = x->shape();
  bool isPadded = false;
  for (size_t i = 0; i < pads.size(); i += 2) { // less than 0 cuts off
    int dim = x->rank() - 1 - int(i / 2);
    int64_t before = std::max<int64_t>(-pads[i], 0), behind = std::max<int64_t>(-pads[i + 1], 0);
    x = slice(x, dim, before, x->extent(dim) - before - behind, 1, {.isCut = true});
    pads[i] += before;
    pads[i + 1] += behind;
    shape[dim] = x->extent(dim) + pads[i] + pads[i + 1];
    isPadded |= pads[i] || pads[i + 1];
  }
  return isPadded ? make(Op::Pad, {x}, {x->type.type, shape}, {.ints = pads, .number = value}) : x;
}

NetNode *Builder::unfold(NetNode *x, int dim, int64_t count, int64_t size, int64_t step, int64_t dilation) {
  Shape shape = x->shape();
  shape[dim] = count;
  shape.push_back(size);
  return make(Op::Unfold, {x}, {x->type.type, shape}, {.ints = {step, dilation}, .dim = dim});
}

NetNode *Builder::indexAlong(NetNode *x, int dim, NetNode *index) {
  Shape shape = x->shape();
  // i // n chooses each n times.
  std::optional<double> times = index->op == Op::FloorDiv ? numberOf(index->operands[1]) : std::nullopt;
  if (times && index->operands[0]->op == Op::Arange && index->operands[0]->ints == Shape{0, 1} &&
      double(index->extent(0)) == *times * double(shape[dim])) {
    shape.put(size_t(dim) + 1, int64_t(*times));
    NetNode *wide = expand(unsqueeze(x, dim + 1), shape);
    shape.drop(size_t(dim) + 1);
    shape[dim] = index->extent(0);
    return view(wide, shape);
  }
  shape.drop(size_t(dim));
  shape.insert(shape.begin() + dim, index->shape().begin(), index->shape().end());
  Nodes operands(size_t(dim) + 2);
  operands.front() = x;
  operands.back() = index;
  return make(Op::Index, operands, {x->type.type, shape});
}

NetNode *Builder::dropout(NetNode *x, double rate) {
  if (rate == 0)
    return x;
  const NetNode *below = x;
  while (below->op == Op::Copy || below->op == Op::Convert || below->op == Op::View)
    below = below->operands[0];
  return below->op == Op::Expand || numberOf(below) ? map(Op::Mul, {x, kept(x->type, rate)})
                                                    : make(Op::Dropout, {x}, x->type, {.number = rate});
}

NetNode *Builder::inTraining(NetNode *x, NetNode *otherwise) {
  return map(Op::Where, {make(Op::Training, {}, {boolType, {}}), x, otherwise}, x->type.type);
}

NetNode *Builder::kept(TensorType type, double rate) {
  auto constant = [&](double value) { return number(value, ElementType::F64); };
  NetNode *isLeftOut = compare(Op::Less, make(Op::Random, {}, type), constant(rate));
  NetNode *drawn = map(Op::Where, {isLeftOut, constant(0), constant(1 / (1 - rate))}, type.type);
  return inTraining(drawn, constant(1));
}

int64_t Builder::count(const NetNode *x) { return elementsOf(x->shape()); }

NetNode *Builder::arange(int64_t count, int64_t start, int64_t step, ElementType type) {
  bool isTruth = kindOf(type) == ElementKind::Truth;
  if (isTruth) // no formula counts those
    return convert(arange(count, start, step), type);
  return make(Op::Arange, {}, {type, {count}}, {.ints = {start, step}});
}

NetNode *Builder::convert(NetNode *x, ElementType type) {
  if (type == x->type.type)
    return x;
  return make(Op::Convert, {x}, {type, x->shape()});
}

NetNode *Builder::map(Op op, Nodes operands, ElementType type) {
  Shape shape;
  for (const NetNode *operand : operands) {
    if (operand->rank() > int(shape.size()))
      shape.put(0, 1, size_t(operand->rank()) - shape.size());
    size_t more = shape.size() - operand->rank();
    for (int i = 0; i < operand->rank(); ++i)
      if (operand->extent(i) != 1)
        shape[i + more] = operand->extent(i);
  }
  return make(op, std::move(operands), {type, shape});
}

NetNode *Builder::matmul(NetNode *x, NetNode *y, Shape shape, NetNode *bias) {
  return make(Op::Matmul, {x, y, bias}, {x->type.type, std::move(shape)});
}

NetNode *Builder::cat(const Nodes &parts, int dim) {
  Nodes filled;
  for (NetNode *part : parts)
    if (part->rank() > dim && part->extent(dim)) // PyTorch joins an empty tensor of one axis to anything
      filled.push_back(part);
  if (filled.size() == 1)
    return filled[0];
  if (filled.empty())
    throw CannotImport("a concatenation of no elements");
  spend(double(filled.size()) * double(filled.size()) / 64); // each clause knows the parts before it
  Shape shape = filled[0]->shape();
  shape[dim] = 0;
  for (const NetNode *part : filled)
    shape[dim] += part->extent(dim);
  return make(Op::Cat, filled, {filled[0]->type.type, shape}, {.dim = dim});
}

NetNode *Builder::reduce(Op op, NetNode *x, Shape dims, TensorType type) {
  if (dims.empty())
    for (int i = 0; i < x->rank(); ++i)
      dims.push_back(i);
  for (int64_t &dim : dims)
    dim += dim < 0 ? x->rank() : 0;
  return make(op, {x}, std::move(type), {.ints = std::move(dims)});
}
