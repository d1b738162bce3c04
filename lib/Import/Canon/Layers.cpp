//===- Layers.cpp - products, sums, norms and windows, by name ------------===//
#include "Canon/Canon.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

using namespace plc;
using namespace plc::import;

namespace {
NetNode *linear(Call &call) {
  NetNode *weight = call.build.transpose(call.tensor("weight"), 0, 1);
  return call.build.matmul(call.tensor("input"), weight, call.shape(), call.tensorIf("bias"));
}

/// A vector is a matrix of one row or column.
NetNode *matmul(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self"), *y = call.tensor(call.has("mat2") ? "mat2" : call.has("vec") ? "vec" : "other");
  Shape shape = call.shape();
  bool isRow = x->rank() == 1, isColumn = y->rank() == 1;
  if (isColumn) {
    y = build.unsqueeze(y, 1);
    shape.push_back(1);
  }
  if (isRow) {
    x = build.unsqueeze(x, 0);
    shape.put(shape.size() - 1, 1);
  }
  NetNode *product = build.matmul(x, y, shape);
  return isRow || isColumn ? build.view(product, call.shape()) : product;
}

/// beta bias + alpha x y.
NetNode *addmm(Call &call, const char *first, const char *second) {
  Builder &build = call.build;
  double alpha = call.real("alpha", 1), beta = call.real("beta", 1);
  NetNode *x = call.tensor(first), *y = call.tensor(second), *bias = call.tensor("self");
  if (alpha == 1 && beta == 1 && bias->rank() == 1)
    return build.matmul(x, y, call.shape(), bias);
  NetNode *product = build.matmul(x, y, call.shape());
  if (alpha != 1)
    product = build.map(Op::Mul, {product, build.number(alpha, ElementType::F64)});
  if (beta == 0)
    return product;
  if (beta != 1)
    bias = build.map(Op::Mul, {bias, build.number(beta, ElementType::F64)});
  return build.make(Op::Add, {product, bias}, call.type());
}

/// Heads that share keys: each is repeated for the queries of its group.
NetNode *repeatHeads(Builder &build, NetNode *x, int64_t heads) {
  int dim = x->rank() - 3;
  Shape shape = x->shape(), wide = shape;
  int64_t times = Builder::ratio(heads, shape[dim]);
  shape.put(size_t(dim) + 1, times);
  wide[dim] *= times;
  return build.view(build.expand(build.unsqueeze(x, dim + 1), shape), wide);
}

NetNode *attention(Call &call) {
  Builder &build = call.build;
  NetNode *q = call.tensor("query"), *k = call.tensor("key"), *v = call.tensor("value"),
          *mask = call.tensorIf("attn_mask");
  int rank = q->rank();
  int64_t rows = q->extent(rank - 2), columns = k->extent(rank - 2);
  if (rank > 2 && k->extent(rank - 3) != q->extent(rank - 3)) {
    k = repeatHeads(build, k, q->extent(rank - 3));
    v = repeatHeads(build, v, q->extent(rank - 3));
  }
  Shape shape = q->shape();
  shape.back() = columns;
  NetNode *scores = build.matmul(q, build.transpose(k, rank - 2, rank - 1), shape);
  double scale = call.real("scale", 1 / std::sqrt(double(q->shape().back())));
  scores = build.map(Op::Mul, {scores, build.number(scale, ElementType::F64)});
  if (call.truth("is_causal"))
    mask = build.compare(Op::LessEqual, build.arange(columns), build.unsqueeze(build.arange(rows), 1));
  if (mask && mask->isBool())
    scores =
        build.map(Op::Where, {mask, scores, build.number(-std::numeric_limits<double>::infinity(), ElementType::F64)},
                  q->type.type);
  else if (mask)
    scores = build.map(Op::Add, {scores, mask});
  NetNode *weights = build.make(Op::Softmax, {scores}, scores->type, {.dim = rank - 1});
  return build.matmul(build.dropout(weights, call.real("dropout_p")), v, call.shape());
}

/// The root of order p of the sum of powers; the largest, or how many are not 0.
NetNode *norm(Call &call, double order) {
  Builder &build = call.build;
  NetNode *size = build.map(Op::Abs, {call.tensor("self")});
  auto over = [&](Op op, NetNode *x) { return build.reduce(op, x, call.integers("dim"), call.type()); };
  if (std::isinf(order))
    return over(order > 0 ? Op::MaxOf : Op::MinOf, size);
  if (order == 0)
    return over(Op::Sum,
                build.convert(build.compare(Op::NotEqual, size, build.number(0, ElementType::F64)), call.type().type));
  if (order == 1)
    return over(Op::Sum, size);
  auto power = [&](NetNode *x, double of) { return build.map(Op::Pow, {x, build.number(of, ElementType::F64)}); };
  return power(over(Op::Sum, power(size, order)), 1 / order);
}

NetNode *reduce(Call &call, Op op) {
  NetNode *x = call.tensor("self");
  if (double order = call.real("ord", 2); op == Op::Norm && order != 2)
    return norm(call, order);
  // Of a sum of integers or truths the type is the result's.
  if (op == Op::Sum && x->isBool())
    x = call.build.convert(x, call.type().type);
  return call.build.reduce(op, x, call.integers("dim"), call.type());
}

NetNode *softmax(Call &call, Op op) {
  NetNode *x = call.tensor("self");
  return call.build.make(op, {call.build.convert(x, call.type().type)}, call.type(),
                         {.dim = call.dim("dim", x->rank())});
}

NetNode *layerNorm(Call &call) {
  NetNode *x = call.tensor("input");
  return call.build.make(
      Op::LayerNorm, {x, call.tensorIf("weight"), call.tensorIf("bias")}, x->type,
      {.ints = {int64_t(call.integers("normalized_shape").size())}, .number = call.real("eps", 1e-5)});
}

NetNode *rmsNorm(Call &call) {
  return call.build.make(Op::RmsNorm, {call.tensor("input"), call.tensorIf("weight")}, call.type(),
                         {.number = call.real("eps", 1.1920929e-07)});
}

NetNode *batchNormByStatistics(Call &call) {
  return call.build.make(Op::BatchNorm,
                         {call.tensor("input"), call.tensorIf("running_mean"), call.tensorIf("running_var"),
                          call.tensorIf("weight"), call.tensorIf("bias")},
                         call.tensor("input")->type, {.number = call.real("eps", 1e-5)});
}

/// Each channel to mean 0 and variance 1 over all other axes, then a gain and an offset. Running statistics move
/// toward those of the batch. A model that trains keeps them, and takes them elsewhere.
NetNode *batchNormOfTraining(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("input");
  Shape dims, wide(size_t(x->rank()) - 1, 1), kept(size_t(x->rank()), 1);
  for (int i = 0; i < x->rank(); ++i)
    if (i != 1)
      dims.push_back(i);
  wide[0] = kept[1] = x->extent(1);
  NetNode *mean = build.reduce(Op::Mean, x, dims, {x->type.type, kept}), *centred = build.map(Op::Sub, {x, mean});
  NetNode *variance = build.reduce(Op::Mean, build.map(Op::Square, {centred}), dims, {x->type.type, kept});
  auto constant = [&](double value) { return build.number(value, ElementType::F64); };
  NetNode *deviation = build.map(Op::Rsqrt, {build.map(Op::Add, {variance, constant(call.real("eps", 1e-5))})});
  NetNode *result = build.map(Op::Mul, {centred, deviation});
  if (NetNode *weight = call.tensorIf("weight"))
    result = build.map(Op::Mul, {result, build.view(weight, wide)});
  if (NetNode *bias = call.tensorIf("bias"))
    result = build.map(Op::Add, {result, build.view(bias, wide)});
  double momentum = call.real("momentum", 0.1);
  NetNode *unbiased = build.map(Op::Mul, {variance, build.correction(x, dims, 1)});
  size_t next = 3; // among the results of the functional form
  for (auto [name, now] : {std::pair("running_mean", mean), std::pair("running_var", unbiased)})
    if (NetNode *before = call.tensorIf(name)) {
      now = build.map(Op::Mul, {build.view(now, before->shape()), constant(momentum)});
      now = build.map(Op::Add, {build.map(Op::Mul, {before, constant(1 - momentum)}), now});
      if (call.isNamed("_native_batch_norm_legit_functional"))
        call.results[next++] = now;
      else
        call.changed.push_back({name, now});
    }
  auto isKept = [&](const char *name) { return call.tensorIf(name) && call.tensorIf(name)->op == Op::Parameter; };
  bool keeps = isKept("running_mean") && isKept("running_var");
  call.results[0] = keeps ? build.inTraining(result, batchNormByStatistics(call)) : result;
  return nullptr;
}

NetNode *batchNorm(Call &call) {
  return call.truth("training") ? batchNormOfTraining(call) : batchNormByStatistics(call);
}

/// Of other than images it is made of its parts: each group to mean 0 and variance 1, then a gain and an offset by
/// channel.
NetNode *plainGroupNorm(Call &call, int64_t groups) {
  Builder &build = call.build;
  NetNode *x = call.tensor("input");
  Shape shape = {x->extent(0), groups, Builder::ratio(x->extent(1), groups)}, kept = {x->extent(0), groups, 1},
        dims = {2};
  for (int i = 2; i < x->rank(); ++i) {
    shape.push_back(x->extent(i));
    kept.push_back(1);
    dims.push_back(i + 1);
  }
  NetNode *grouped = build.view(x, shape);
  NetNode *mean = build.reduce(Op::Mean, grouped, dims, {x->type.type, kept});
  NetNode *centred = build.map(Op::Sub, {grouped, mean});
  NetNode *variance = build.reduce(Op::Mean, build.map(Op::Square, {centred}), dims, {x->type.type, kept});
  NetNode *eps = build.number(call.real("eps", 1e-5), ElementType::F64);
  NetNode *scaled = build.map(Op::Mul, {centred, build.map(Op::Rsqrt, {build.map(Op::Add, {variance, eps})})});
  NetNode *result = build.view(scaled, x->shape());
  Shape wide(x->rank() - 1, 1);
  wide[0] = x->extent(1);
  if (NetNode *weight = call.tensorIf("weight"))
    result = build.map(Op::Mul, {result, build.view(weight, wide)});
  if (NetNode *bias = call.tensorIf("bias"))
    result = build.map(Op::Add, {result, build.view(bias, wide)});
  return result;
}

/// Each channel is a group.
NetNode *instanceNorm(Call &call) {
  if (!call.truth("use_input_stats", true))
    throw CannotImport("an instance norm by kept statistics");
  if (call.has("running_mean"))
    throw CannotImport("an instance norm that keeps statistics");
  return plainGroupNorm(call, call.tensor("input")->extent(1));
}

/// v g / |v|, where the norm is over all axes but one.
NetNode *weightNorm(Call &call) {
  Builder &build = call.build;
  NetNode *v = call.tensor("v"), *g = call.tensor("g");
  Shape dims, kept = v->shape();
  for (int i = 0; i < v->rank(); ++i)
    if (i != call.dim("dim", v->rank())) {
      dims.push_back(i);
      kept[i] = 1;
    }
  NetNode *norm = build.reduce(Op::Norm, v, dims, {v->type.type, kept});
  return build.map(Op::Mul, {v, build.map(Op::Div, {g, norm})});
}

NetNode *groupNorm(Call &call) {
  if (call.tensor("input")->rank() != 4 || !call.has("weight") || !call.has("bias"))
    return plainGroupNorm(call, call.integer(call.has("num_groups") ? "num_groups" : "group"));
  return call.build.make(
      Op::GroupNorm, {call.tensor("input"), call.tensor("weight"), call.tensorIf("bias")}, call.type(),
      {.ints = {call.integer(call.has("num_groups") ? "num_groups" : "group")}, .number = call.real("eps", 1e-5)});
}

/// Of the smallest it is that of the largest of all turned numbers.
NetNode *positionOf(Call &call, bool isLargest, const TensorType &type) {
  NetNode *x = call.tensor("self");
  bool isOfAll = !call.has("dim");
  if (isOfAll)
    x = call.build.view(x, {Builder::count(x)});
  int dim = isOfAll ? 0 : call.dim("dim", x->rank());
  return call.build.make(Op::ArgMax, {isLargest ? x : call.build.map(Op::Negate, {x})}, type, {.dim = dim});
}

/// The largest, with its position.
NetNode *extreme(Call &call, Op ofTwo, Op ofAxes) {
  if (call.has("other"))
    return call.build.make(ofTwo, {call.tensor("self"), call.tensor("other")}, call.type());
  if (call.isUsed(1))
    call.results[1] = positionOf(call, ofAxes == Op::MaxOf, call.type(1));
  if (call.isUsed(0))
    call.results[0] = call.build.reduce(ofAxes, call.tensor("self"), call.integers("dim"), call.type());
  return nullptr;
}

/// A reduction of all elements up to a position, which begins at `first`.
NetNode *running(Call &call, Op op, double first) {
  NetNode *x = call.tensor("self");
  if (call.isUsed(1))
    throw CannotImport("the positions of a running extreme");
  NetNode *result = call.build.make(Op::Running, {x}, call.type(),
                                    {.ints = {int64_t(op)}, .dim = call.dim("dim", x->rank()), .number = first});
  if (auto known = call.build.counted.find(x); known != call.build.counted.end())
    call.build.counted[result] = known->second;
  return result;
}

/// The mean of (x - mean)^2 with a correction of the count, or its root; and perhaps the mean.
NetNode *variance(Call &call, bool isRoot) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  Shape dims = call.dims("dim", x), kept = x->shape();
  if (dims.empty())
    for (int i = 0; i < x->rank(); ++i)
      dims.push_back(i);
  double correction = call.real("correction", call.truth("unbiased", true));
  for (int64_t dim : dims)
    kept[dim] = 1;
  NetNode *mean = build.reduce(Op::Mean, x, dims, {x->type.type, kept});
  NetNode *square = build.map(Op::Square, {build.map(Op::Sub, {x, mean})});
  NetNode *result = build.reduce(Op::Mean, square, dims, call.type());
  if (correction != 0)
    result = build.map(Op::Mul, {result, build.correction(x, dims, correction)});
  if (isRoot)
    result = build.map(Op::Sqrt, {result});
  call.results[0] = result;
  if (call.isUsed(1))
    call.results[1] = build.view(mean, call.type(1).shape);
  return nullptr;
}

/// The axes that '...' stands for as capital letters that the text does not have.
std::string withoutDots(std::string text, const Nodes &tensors, size_t &arrow) {
  size_t most = 0, begin = 0;
  std::vector<size_t> more;
  for (const NetNode *x : tensors) {
    size_t end = std::min(text.find(',', begin), arrow), length = end - begin;
    bool hasDots = text.substr(begin, length).find("...") != std::string::npos;
    more.push_back(hasDots ? size_t(x->rank()) + 3 - length : 0);
    most = std::max(most, more.back());
    begin = end + 1;
  }
  std::string letters;
  for (char letter = 'A'; letters.size() < most && letter <= 'Z'; ++letter)
    if (text.find(letter) == std::string::npos)
      letters += letter;
  more.push_back(most);
  for (size_t i = 0, at = text.find("..."); at != std::string::npos; at = text.find("...")) {
    while (i + 1 < more.size() && more[i] == 0)
      ++i;
    size_t count = text.find("->") < at ? most : more[std::min(i++, more.size() - 1)];
    text.replace(at, 3, letters.substr(letters.size() - count));
  }
  arrow = text.find("->");
  return text;
}

/// An einsum of two operands or more: each is brought to the axes of all letters, and the others' letters are summed.
NetNode *einsum(Call &call) {
  Builder &build = call.build;
  std::string text = call.text("equation");
  std::erase(text, ' ');
  size_t arrow = text.find("->");
  Nodes tensors = call.tensors("operands").empty() ? call.tensors("tensors") : call.tensors("operands");
  text = withoutDots(std::move(text), tensors, arrow);
  if (arrow == std::string::npos)
    throw CannotImport("an einsum without '->'");
  std::string letters = text.substr(arrow + 2);
  size_t kept = letters.size();
  for (char letter : text.substr(0, arrow))
    if (letter != ',' && letters.find(letter) == std::string::npos)
      letters += letter;
  NetNode *product = nullptr;
  size_t begin = 0;
  for (NetNode *x : tensors) {
    std::string of = text.substr(begin, std::min(text.find(',', begin), arrow) - begin);
    begin += of.size() + 1;
    for (size_t i = 0; i < of.size(); ++i)
      if (of.find(of[i]) != i)
        throw CannotImport("an einsum that takes a diagonal");
    Shape dims, shape;
    for (char letter : letters) {
      size_t at = of.find(letter);
      if (at != std::string::npos)
        dims.push_back(int64_t(at));
      shape.push_back(at == std::string::npos ? 1 : x->extent(int(at)));
    }
    x = build.view(build.permute(x, dims), shape);
    product = product ? build.map(Op::Mul, {product, x}) : x;
  }
  Shape summed;
  for (size_t i = kept; i < letters.size(); ++i)
    summed.push_back(int64_t(i));
  return summed.empty() ? product : build.reduce(Op::Sum, product, summed, call.type());
}

NetNode *dot(Call &call) {
  NetNode *product =
      call.build.map(Op::Mul, {call.tensor("self"), call.tensor(call.has("tensor") ? "tensor" : "other")});
  return call.build.reduce(Op::Sum, product, {0}, call.type());
}

/// The sum over some axes of a product of three tensors, each with new axes of one element at these positions.
NetNode *trilinear(Call &call, Nodes tensors, const std::vector<Shape> &added, const Shape &summed) {
  Builder &build = call.build;
  for (size_t k = 0; k < tensors.size(); ++k)
    for (int64_t dim : added[k])
      tensors[k] = build.unsqueeze(tensors[k], int(dim));
  NetNode *product = build.map(Op::Mul, {build.map(Op::Mul, {tensors[0], tensors[1]}), tensors[2]});
  return build.reduce(Op::Sum, product, summed, call.type());
}

/// x1[b, i] w[o, i, j] x2[b, j] + c[o].
NetNode *bilinear(Call &call) {
  NetNode *x = call.tensor("input1"), *y = call.tensor("input2"), *bias = call.tensorIf("bias");
  int64_t last = x->rank() - 1;
  NetNode *result = trilinear(call, {x, call.tensor("weight"), y}, {{last, last + 2}, {}, {last, last}}, {-2, -1});
  return bias ? call.build.map(Op::Add, {result, bias}) : result;
}

/// Euclidean distances of rows: of each pair, or of those at equal positions.
NetNode *distances(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("x1"), *y = call.tensor("x2");
  if (call.real("p", 2) != 2)
    throw CannotImport("a distance other than the Euclidean one");
  bool isOfPairs = !call.isNamed("pairwise_distance");
  NetNode *apart = isOfPairs
                       ? build.map(Op::Sub, {build.unsqueeze(x, x->rank() - 1), build.unsqueeze(y, y->rank() - 2)})
                       : build.map(Op::Sub, {x, y});
  if (!isOfPairs)
    apart = build.map(Op::Add, {apart, build.number(call.real("eps", 1e-6), ElementType::F64)});
  return build.reduce(Op::Norm, apart, {-1}, call.type());
}

const std::unordered_map<std::string_view, Handler> layerOps = {
    {"linear", linear},
    {"matmul", matmul},
    {"mm", matmul},
    {"bmm", matmul},
    {"mv", matmul},
    {"addmm", [](Call &c) { return addmm(c, "mat1", "mat2"); }},
    {"baddbmm", [](Call &c) { return addmm(c, "batch1", "batch2"); }},
    {"scaled_dot_product_attention", attention},
    {"sum", [](Call &c) { return reduce(c, Op::Sum); }},
    {"mean", [](Call &c) { return reduce(c, Op::Mean); }},
    {"prod", [](Call &c) { return reduce(c, Op::Prod); }},
    {"amax", [](Call &c) { return reduce(c, Op::MaxOf); }},
    {"amin", [](Call &c) { return reduce(c, Op::MinOf); }},
    {"any", [](Call &c) { return reduce(c, Op::Any); }},
    {"all", [](Call &c) { return reduce(c, Op::All); }},
    {"linalg_vector_norm", [](Call &c) { return reduce(c, Op::Norm); }},
    {"norm", [](Call &c) { return c.real("p", 2) == 2 ? reduce(c, Op::Norm) : norm(c, c.real("p", 2)); }},
    {"max", [](Call &c) { return extreme(c, Op::Maximum, Op::MaxOf); }},
    {"min", [](Call &c) { return extreme(c, Op::Minimum, Op::MinOf); }},
    {"var", [](Call &c) { return variance(c, false); }},
    {"var_mean", [](Call &c) { return variance(c, false); }},
    {"std", [](Call &c) { return variance(c, true); }},
    {"std_mean", [](Call &c) { return variance(c, true); }},
    {"softmax", [](Call &c) { return softmax(c, Op::Softmax); }},
    {"_softmax", [](Call &c) { return softmax(c, Op::Softmax); }},
    {"log_softmax", [](Call &c) { return softmax(c, Op::LogSoftmax); }},
    {"_log_softmax", [](Call &c) { return softmax(c, Op::LogSoftmax); }},
    {"layer_norm", layerNorm},
    {"native_layer_norm", layerNorm},
    {"rms_norm", rmsNorm},
    {"batch_norm", batchNorm},
    {"_native_batch_norm_legit_no_training", batchNorm},
    {"_native_batch_norm_legit_functional", batchNorm},
    {"_native_batch_norm_legit", batchNorm},
    {"group_norm", groupNorm},
    {"native_group_norm", groupNorm},
    {"argmax", [](Call &c) { return positionOf(c, true, c.type()); }},
    {"argmin", [](Call &c) { return positionOf(c, false, c.type()); }},
    {"cumsum", [](Call &c) { return running(c, Op::Sum, 0); }},
    {"cumprod", [](Call &c) { return running(c, Op::Prod, 1); }},
    {"cummax", [](Call &c) { return running(c, Op::MaxOf, -infinity); }},
    {"cummin", [](Call &c) { return running(c, Op::MinOf, infinity); }},
    {"logcumsumexp", [](Call &c) { return running(c, Op::LogSumExp, -infinity); }},
    {"_weight_norm", weightNorm},
    {"dot", dot},
    {"vdot", dot},
    {"bilinear", bilinear},
    {"_trilinear",
     [](Call &c) {
       return trilinear(c, {c.tensor("i1"), c.tensor("i2"), c.tensor("i3")},
                        {c.integers("expand1"), c.integers("expand2"), c.integers("expand3")}, c.integers("sumdim"));
     }},
    {"cdist", distances},
    {"_cdist_forward", distances},
    {"pairwise_distance", distances},
    {"instance_norm", instanceNorm},
    {"einsum", einsum}};
} // namespace

Handler plc::import::findLayerHandler(const std::string &name) {
  auto found = layerOps.find(name);
  return found == layerOps.end() ? Handler() : found->second;
}
