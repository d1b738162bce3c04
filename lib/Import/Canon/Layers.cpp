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
  return call.build.matmul(call.tensor("input"), weight, call.shape(), call.tensor("bias"));
}

/// A vector is a matrix of one row or column.
NetNode *matmul(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self"), *y = call.tensor(call.has("mat2") ? "mat2" : call.has("vec") ? "vec" : "other");
  std::vector<int64_t> shape = call.shape();
  bool isRow = x->rank() == 1, isColumn = y->rank() == 1;
  if (isColumn) {
    y = build.unsqueeze(y, 1);
    shape.push_back(1);
  }
  if (isRow) {
    x = build.unsqueeze(x, 0);
    shape.insert(shape.end() - 1, 1);
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
  std::vector<int64_t> shape = x->shape(), wide = shape;
  int64_t times = heads / shape[dim];
  shape.insert(shape.begin() + dim + 1, times);
  wide[dim] *= times;
  return build.view(build.expand(build.unsqueeze(x, dim + 1), shape), wide);
}

NetNode *attention(Call &call) {
  Builder &build = call.build;
  NetNode *q = call.tensor("query"), *k = call.tensor("key"), *v = call.tensor("value"),
          *mask = call.tensor("attn_mask");
  int rank = q->rank();
  int64_t rows = q->extent(rank - 2), columns = k->extent(rank - 2);
  if (call.real("dropout_p") != 0)
    throw CannotImport("dropout of training; export the model in eval mode");
  if (rank > 2 && k->extent(rank - 3) != q->extent(rank - 3)) {
    k = repeatHeads(build, k, q->extent(rank - 3));
    v = repeatHeads(build, v, q->extent(rank - 3));
  }
  std::vector<int64_t> shape = q->shape();
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
  return build.matmul(weights, v, call.shape());
}

NetNode *reduce(Call &call, Op op) {
  NetNode *x = call.tensor("self");
  if (op == Op::Norm && call.real("ord", 2) != 2)
    throw CannotImport("a norm other than the Euclidean one");
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
      Op::LayerNorm, {x, call.tensor("weight"), call.tensor("bias")}, x->type,
      {.ints = {int64_t(call.integers("normalized_shape").size())}, .number = call.real("eps", 1e-5)});
}

NetNode *rmsNorm(Call &call) {
  return call.build.make(Op::RmsNorm, {call.tensor("input"), call.tensor("weight")}, call.type(),
                         {.number = call.real("eps", 1.1920929e-07)});
}

NetNode *batchNorm(Call &call) {
  if (call.truth("training"))
    throw CannotImport("batch norm of training; export the model in eval mode");
  return call.build.make(Op::BatchNorm,
                         {call.tensor("input"), call.tensor("running_mean"), call.tensor("running_var"),
                          call.tensor("weight"), call.tensor("bias")},
                         call.type(), {.number = call.real("eps", 1e-5)});
}

/// Of other than images it is made of its parts: each group to mean 0 and variance 1, then a gain and an offset by
/// channel.
NetNode *plainGroupNorm(Call &call, int64_t groups) {
  Builder &build = call.build;
  NetNode *x = call.tensor("input");
  std::vector<int64_t> shape = {x->extent(0), groups, x->extent(1) / groups}, kept = {x->extent(0), groups, 1},
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
  std::vector<int64_t> wide(x->rank() - 1, 1);
  wide[0] = x->extent(1);
  if (NetNode *weight = call.tensor("weight"))
    result = build.map(Op::Mul, {result, build.view(weight, wide)});
  if (NetNode *bias = call.tensor("bias"))
    result = build.map(Op::Add, {result, build.view(bias, wide)});
  return result;
}

/// v g / |v|, where the norm is over all axes but one.
NetNode *weightNorm(Call &call) {
  Builder &build = call.build;
  NetNode *v = call.tensor("v"), *g = call.tensor("g");
  std::vector<int64_t> dims, kept = v->shape();
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
      Op::GroupNorm, {call.tensor("input"), call.tensor("weight"), call.tensor("bias")}, call.type(),
      {.ints = {call.integer(call.has("num_groups") ? "num_groups" : "group")}, .number = call.real("eps", 1e-5)});
}

NetNode *convolution(Call &call) {
  NetNode *x = call.tensor("input"), *weight = call.tensor("weight"), *bias = call.tensor("bias");
  size_t count = x->rank() - 2;
  if (call.text("padding") == "same")
    throw CannotImport("padding by 'same'; give its number");
  Windows windows{{weight->shape().begin() + 2, weight->shape().end()},
                  call.perAxis("stride", count, 1),
                  call.perAxis("padding", count, 0),
                  call.perAxis("dilation", count, 1),
                  call.integer("groups", 1)};
  for (int64_t extra : call.perAxis("output_padding", count, 0))
    if (extra)
      throw CannotImport("a transposed convolution with output_padding");
  // Windows that tile the image are a product.
  bool isPatches = windows.stride == windows.kernel && windows.groups == 1;
  for (size_t i = 0; i < count; ++i)
    isPatches &= windows.pad[i] == 0 && windows.dilation[i] == 1 && x->extent(int(i) + 2) % windows.kernel[i] == 0;
  bool isTransposed = call.truth("transposed") || call.isNamed("conv_transpose");
  if (isTransposed && bias) { // the library's function has none
    NetNode *product = call.build.make(Op::ConvTranspose, {x, weight}, call.type(), {.windows = std::move(windows)});
    std::vector<int64_t> wide(count + 1, 1);
    wide[0] = bias->extent(0);
    return call.build.make(Op::Add, {product, call.build.view(bias, wide)}, call.type());
  }
  Op op = isTransposed ? Op::ConvTranspose : isPatches ? Op::PatchConv : Op::Convolution;
  return call.build.make(op, {x, weight, bias}, call.type(), {.windows = std::move(windows)});
}

NetNode *pool(Call &call, Op op) {
  std::vector<int64_t> kernel = call.perAxis("kernel_size", 2, 1);
  std::vector<int64_t> stride = call.integers("stride").empty() ? kernel : call.perAxis("stride", 2, 1);
  if (call.truth("ceil_mode") || (call.has("divisor_override")))
    throw CannotImport("a pool with ceil_mode or divisor_override");
  std::vector<int64_t> pad = call.perAxis("padding", 2, 0), dilation = call.perAxis("dilation", 2, 1);
  if (kernel[0] != kernel[1] || stride[0] != stride[1] || pad[0] != pad[1] || dilation[0] != 1)
    throw CannotImport("a pool whose windows are not square");
  if (op == Op::MeanPool && pad[0] && !call.truth("count_include_pad", true))
    throw CannotImport("a mean pool that does not count what is outside");
  return call.build.make(op, {call.tensor("self")}, call.type(), {.windows = {kernel, stride, pad, dilation}});
}

/// To one element it is a mean; to a number that divides, a pool.
NetNode *adaptivePool(Call &call) {
  NetNode *x = call.tensor("self");
  int64_t to = call.shape().back(), from = x->shape().back();
  if (std::all_of(call.shape().end() - 2, call.shape().end(), [](int64_t extent) { return extent == 1; }))
    return call.build.reduce(Op::Mean, x, {-2, -1}, call.type());
  if (from == to && x->shape() == call.shape())
    return x;
  if (from % to || x->extent(x->rank() - 2) * to != from * call.shape()[x->rank() - 2])
    throw CannotImport("an adaptive pool whose sizes do not divide");
  int64_t side = from / to;
  return call.build.make(Op::MeanPool, {x}, call.type(), {.windows = {{side, side}, {side, side}, {0, 0}, {1, 1}}});
}

NetNode *upsample(Call &call, Op op) {
  NetNode *x = call.tensor(call.has("self") ? "self" : "input");
  int64_t factor = call.shape()[2] / x->extent(2);
  if (call.shape()[2] != factor * x->extent(2) || call.shape()[3] != factor * x->extent(3) ||
      call.truth("align_corners"))
    throw CannotImport("an upsampling by other than one whole number");
  return call.build.make(op, {x}, call.type(), {.ints = {factor}});
}

/// Layers from zero states: weights of input w[g, d, e] and of state u[g, k, e] by gate, and the sum of both biases.
NetNode *lstm(Call &call) {
  Builder &build = call.build;
  std::vector<NetNode *> weights = call.tensors("params"), states = call.tensors("hx");
  bool hasBiases = call.truth("has_biases"), isBatchFirst = call.truth("batch_first");
  bool isFromZero =
      std::all_of(states.begin(), states.end(), [](const NetNode *state) { return numberOf(state) == 0.0; });
  size_t perLayer = hasBiases ? 4 : 2, layers = size_t(call.integer("num_layers", 1));
  if (call.truth("bidirectional") || call.truth("train") || !isFromZero || weights.size() != layers * perLayer)
    throw CannotImport("an LSTM of two directions, with projections, from given states or in training");
  NetNode *x = call.tensor("input");
  x = isBatchFirst ? x : build.transpose(x, 0, 1);
  for (size_t layer = 0; layer < layers; ++layer) {
    NetNode **of = &weights[layer * perLayer];
    int64_t hidden = of[1]->extent(1);
    auto byGate = [&](NetNode *weight) {
      return build.transpose(build.view(weight, {4, hidden, weight->extent(1)}), 1, 2);
    };
    NetNode *bias = hasBiases ? build.view(build.map(Op::Add, {of[2], of[3]}), {4, hidden})
                              : build.make(Op::Full, {}, {x->type.type, {4, hidden}});
    x = build.make(Op::Lstm, {x, byGate(of[0]), byGate(of[1]), bias},
                   {x->type.type, {x->extent(0), x->extent(1), hidden}});
  }
  call.results[0] = isBatchFirst ? x : build.transpose(x, 0, 1);
  return nullptr;
}

/// The gates of a cell before their functions, each [batch, hidden]: x times its weight, and the state times its own.
std::vector<NetNode *> gates(Call &call, const char *of, const char *weights, const char *biases, int64_t count) {
  Builder &build = call.build;
  std::vector<NetNode *> states = call.tensors(of); // an LSTM has two
  NetNode *x = states.empty() ? call.tensor(of) : states[0];
  NetNode *weight = call.tensor(weights);
  int64_t hidden = weight->extent(0) / count;
  NetNode *all = build.matmul(x, build.transpose(weight, 0, 1), {x->extent(0), weight->extent(0)}, call.tensor(biases));
  std::vector<NetNode *> parts;
  for (int64_t gate = 0; gate < count; ++gate)
    parts.push_back(build.slice(all, 1, gate * hidden, hidden));
  return parts;
}

/// Input, forget, cell and output gates; gives the output and the cell's state.
NetNode *lstmCell(Call &call) {
  Builder &build = call.build;
  std::vector<NetNode *> x = gates(call, "input", "w_ih", "b_ih", 4), h = gates(call, "hx", "w_hh", "b_hh", 4);
  auto gate = [&](size_t i, Op op) { return build.map(op, {build.map(Op::Add, {x[i], h[i]})}); };
  NetNode *kept = build.map(Op::Mul, {gate(1, Op::Sigmoid), call.tensors("hx")[1]});
  NetNode *state = build.map(Op::Add, {kept, build.map(Op::Mul, {gate(0, Op::Sigmoid), gate(2, Op::Tanh)})});
  call.results = {build.map(Op::Mul, {gate(3, Op::Sigmoid), build.map(Op::Tanh, {state})}), state};
  return nullptr;
}

/// Reset and update gates, and a candidate.
NetNode *gruCell(Call &call) {
  Builder &build = call.build;
  std::vector<NetNode *> x = gates(call, "input", "w_ih", "b_ih", 3), h = gates(call, "hx", "w_hh", "b_hh", 3);
  auto gate = [&](size_t i) { return build.map(Op::Sigmoid, {build.map(Op::Add, {x[i], h[i]})}); };
  NetNode *candidate = build.map(Op::Tanh, {build.map(Op::Add, {x[2], build.map(Op::Mul, {gate(0), h[2]})})});
  NetNode *update = gate(1), *one = build.number(1, ElementType::F64);
  NetNode *rest = build.map(Op::Mul, {build.map(Op::Sub, {one, update}, candidate->type.type), candidate});
  return build.map(Op::Add, {rest, build.map(Op::Mul, {update, call.tensor("hx")})});
}

NetNode *rnnCell(Call &call, Op op) {
  Builder &build = call.build;
  NetNode *x = gates(call, "input", "w_ih", "b_ih", 1)[0], *h = gates(call, "hx", "w_hh", "b_hh", 1)[0];
  return build.map(op, {build.map(Op::Add, {x, h})});
}

/// Positions, and the values at them.
NetNode *topk(Call &call) {
  NetNode *x = call.tensor("self");
  int dim = call.dim("dim", x->rank(), -1);
  if (!call.truth("largest", true))
    throw CannotImport("topk of the smallest");
  std::vector<int64_t> shape = x->shape();
  shape[dim] = call.integer("k");
  NetNode *positions =
      call.build.make(shape[dim] == 1 ? Op::ArgMax : Op::TopK, {x}, {ElementType::I64, shape}, {.dim = dim});
  call.results[0] = call.build.make(Op::PickedBest, {x, positions}, {x->type.type, shape}, {.dim = dim});
  if (call.results.size() > 1)
    call.results[1] = positions;
  return nullptr;
}

NetNode *argmax(Call &call) {
  NetNode *x = call.tensor("self");
  if (!call.has("dim"))
    throw CannotImport("argmax of all axes");
  return call.build.make(Op::ArgMax, {x}, call.type(), {.dim = call.dim("dim", x->rank())});
}

/// Of the largest with its position, only the value.
NetNode *extreme(Call &call, Op ofTwo, Op ofAxes) {
  if (call.has("other"))
    return call.build.make(ofTwo, {call.tensor("self"), call.tensor("other")}, call.type());
  return call.build.reduce(ofAxes, call.tensor("self"), call.integers("dim"), call.type());
}

NetNode *cumsum(Call &call) {
  NetNode *x = call.tensor("self");
  return call.build.make(Op::CumSum, {x}, call.type(), {.dim = call.dim("dim", x->rank())});
}

/// Mean of (x - mean)^2, with a correction of the count.
NetNode *variance(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  std::vector<int64_t> dims = call.integers("dim");
  double count = 1, correction = call.real("correction", call.truth("unbiased", true));
  std::vector<int64_t> kept = x->shape();
  for (int64_t dim : dims) {
    count *= double(x->extent(int(dim < 0 ? dim + x->rank() : dim)));
    kept[dim < 0 ? dim + x->rank() : dim] = 1;
  }
  NetNode *mean = build.reduce(Op::Mean, x, dims, {x->type.type, kept});
  NetNode *square = build.map(Op::Square, {build.map(Op::Sub, {x, mean})});
  NetNode *result = build.reduce(Op::Mean, square, dims, call.type());
  return correction == 0 ? result
                         : build.map(Op::Mul, {result, build.number(count / (count - correction), ElementType::F64)});
}

/// An einsum of two operands or more: each is brought to the axes of all letters, and the others' letters are summed.
NetNode *einsum(Call &call) {
  Builder &build = call.build;
  std::string text = call.text("equation");
  std::erase(text, ' ');
  size_t arrow = text.find("->");
  if (arrow == std::string::npos || text.find('.') != std::string::npos)
    throw CannotImport("an einsum without '->' or with '...'");
  std::string letters = text.substr(arrow + 2);
  size_t kept = letters.size();
  for (char letter : text.substr(0, arrow))
    if (letter != ',' && letters.find(letter) == std::string::npos)
      letters += letter;
  std::vector<NetNode *> tensors =
      call.tensors("operands").empty() ? call.tensors("tensors") : call.tensors("operands");
  NetNode *product = nullptr;
  size_t begin = 0;
  for (NetNode *x : tensors) {
    std::string of = text.substr(begin, std::min(text.find(',', begin), arrow) - begin);
    begin += of.size() + 1;
    std::vector<int64_t> dims, shape;
    for (char letter : letters) {
      size_t at = of.find(letter);
      if (at != std::string::npos)
        dims.push_back(int64_t(at));
      shape.push_back(at == std::string::npos ? 1 : x->extent(int(at)));
    }
    x = build.view(build.permute(x, dims), shape);
    product = product ? build.map(Op::Mul, {product, x}) : x;
  }
  std::vector<int64_t> summed;
  for (size_t i = kept; i < letters.size(); ++i)
    summed.push_back(int64_t(i));
  return summed.empty() ? product : build.reduce(Op::Sum, product, summed, call.type());
}

const std::unordered_map<std::string_view, Handler> handlers = {
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
    {"max", [](Call &c) { return extreme(c, Op::Maximum, Op::MaxOf); }},
    {"min", [](Call &c) { return extreme(c, Op::Minimum, Op::MinOf); }},
    {"var", variance},
    {"softmax", [](Call &c) { return softmax(c, Op::Softmax); }},
    {"_softmax", [](Call &c) { return softmax(c, Op::Softmax); }},
    {"log_softmax", [](Call &c) { return softmax(c, Op::LogSoftmax); }},
    {"_log_softmax", [](Call &c) { return softmax(c, Op::LogSoftmax); }},
    {"layer_norm", layerNorm},
    {"native_layer_norm", layerNorm},
    {"rms_norm", rmsNorm},
    {"batch_norm", batchNorm},
    {"_native_batch_norm_legit_no_training", batchNorm},
    {"group_norm", groupNorm},
    {"native_group_norm", groupNorm},
    {"convolution", convolution},
    {"conv1d", convolution},
    {"conv2d", convolution},
    {"conv3d", convolution},
    {"conv_transpose1d", convolution},
    {"conv_transpose2d", convolution},
    {"max_pool2d", [](Call &c) { return pool(c, Op::MaxPool); }},
    {"max_pool2d_with_indices", [](Call &c) { return pool(c, Op::MaxPool); }},
    {"avg_pool2d", [](Call &c) { return pool(c, Op::MeanPool); }},
    {"adaptive_avg_pool2d", adaptivePool},
    {"_adaptive_avg_pool2d", adaptivePool},
    {"upsample_nearest2d", [](Call &c) { return upsample(c, Op::UpsampleNearest); }},
    {"upsample_bilinear2d", [](Call &c) { return upsample(c, Op::UpsampleLinear); }},
    {"lstm", lstm},
    {"lstm_cell", lstmCell},
    {"gru_cell", gruCell},
    {"rnn_tanh_cell", [](Call &c) { return rnnCell(c, Op::Tanh); }},
    {"rnn_relu_cell", [](Call &c) { return rnnCell(c, Op::Relu); }},
    {"topk", topk},
    {"argmax", argmax},
    {"cumsum", cumsum},
    {"_weight_norm", weightNorm},
    {"adaptive_avg_pool1d",
     [](Call &c) -> NetNode * {
       if (c.shape().back() != 1)
         throw CannotImport("an adaptive pool of one axis to more than one element");
       return c.build.reduce(Op::Mean, c.tensor("self"), {-1}, c.type());
     }},
    {"einsum", einsum}};
} // namespace

Handler plc::import::findLayerHandler(const std::string &name) {
  auto found = handlers.find(name);
  return found == handlers.end() ? Handler() : found->second;
}
