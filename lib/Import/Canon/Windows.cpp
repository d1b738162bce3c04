//===- Windows.cpp - convolutions, pools and sizes of images, by name -----===//
#include "Canon/Canon.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

using namespace plc;
using namespace plc::import;

namespace {
using List = Shape;

/// The windows of the last axes as new axes behind all others. What is outside is `value`.
NetNode *windowsOf(Builder &build, NetNode *x, const Windows &windows, const List &shape, double value) {
  size_t count = windows.kernel.size(), first = x->rank() - count;
  List pads(2 * count);
  for (size_t i = 0; i < count; ++i) {
    int64_t reach = windows.dilation[i] * (windows.kernel[i] - 1) + 1;
    int64_t needed = (shape[first + i] - 1) * windows.stride[i] + reach - windows.pad[i];
    pads[2 * (count - 1 - i)] = windows.pad[i];
    pads[2 * (count - 1 - i) + 1] = std::max<int64_t>(needed - x->extent(int(first + i)), 0);
  }
  x = build.pad(x, pads, value);
  for (size_t i = 0; i < count; ++i)
    x = build.unfold(x, int(first + i), shape[first + i], windows.kernel[i], windows.stride[i], windows.dilation[i]);
  return x;
}

List lastAxes(const NetNode *x, size_t count) {
  List dims;
  for (size_t i = 0; i < count; ++i)
    dims.push_back(x->rank() - int64_t(count - i));
  return dims;
}

/// How many elements of each window are inside, along one axis.
NetNode *countInside(Call &call, const Windows &windows, size_t i, int64_t extent, int64_t outputs) {
  Builder &build = call.build;
  int64_t outside = call.truth("count_include_pad", true) ? windows.pad[i] : 0;
  NetNode *start = build.arange(outputs, -windows.pad[i], windows.stride[i]);
  NetNode *end = build.arange(outputs, windows.kernel[i] - windows.pad[i], windows.stride[i]);
  end = build.map(Op::Minimum, {end, build.number(double(extent + outside), ElementType::I64)});
  start = build.map(Op::Maximum, {start, build.number(double(-outside), ElementType::I64)});
  return build.convert(build.map(Op::Sub, {end, start}), ElementType::F32);
}

/// The library has pools of square windows of images.
bool isPoolOfLibrary(Call &call, Op op, const Windows &windows) {
  bool isSquare = call.shape().size() == 4 && windows.kernel.size() == 2 && windows.kernel[0] == windows.kernel[1] &&
                  windows.stride[0] == windows.stride[1] && windows.pad[0] == windows.pad[1];
  bool countsAll = op == Op::MaxPool || windows.pad == List{0, 0} || call.truth("count_include_pad", true);
  return isSquare && windows.dilation == List{1, 1} && countsAll && !call.truth("ceil_mode") &&
         !call.has("divisor_override");
}

NetNode *poolOf(Call &call, Op op, const Windows &windows) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  if (isPoolOfLibrary(call, op, windows))
    return build.make(op, {x}, call.type(), {.windows = windows});
  size_t count = windows.kernel.size();
  NetNode *each = windowsOf(build, x, windows, call.shape(), op == Op::MaxPool ? -infinity : 0);
  List dims = lastAxes(each, count);
  if (op == Op::MaxPool)
    return build.reduce(Op::MaxOf, each, dims, call.type());
  bool isWhole = !call.truth("ceil_mode") && (windows.pad == List(count) || call.truth("count_include_pad", true));
  if (call.has("divisor_override"))
    return build.map(Op::Div, {build.reduce(Op::Sum, each, dims, call.type()),
                               build.number(call.real("divisor_override"), ElementType::F64)});
  if (isWhole)
    return build.reduce(Op::Mean, each, dims, call.type());
  NetNode *result = build.reduce(Op::Sum, each, dims, call.type());
  for (size_t i = 0; i < count; ++i) {
    int dim = x->rank() - int(count - i);
    List column(count - i, 1);
    column[0] = call.shape()[dim];
    result = build.map(Op::Div, {result, build.view(countInside(call, windows, i, x->extent(dim), column[0]), column)});
  }
  return result;
}

NetNode *pool(Call &call, Op op, size_t count) {
  List kernel = call.perAxis("kernel_size", count, 1);
  List stride = call.integers("stride").empty() ? kernel : call.perAxis("stride", count, 1);
  return poolOf(call, op, {kernel, stride, call.perAxis("padding", count, 0), call.perAxis("dilation", count, 1)});
}

/// x along an axis times a matrix w[o, i] that depends on sizes alone.
NetNode *resample(Builder &build, NetNode *x, int dim, NetNode *weights) {
  int last = x->rank() - 1;
  x = build.transpose(x, dim, last);
  List shape = x->shape();
  shape.back() = weights->extent(0);
  return build.transpose(build.matmul(x, build.transpose(weights, 0, 1), shape), dim, last);
}

/// Which of `from` elements are in each of `to` parts, which overlap where the sizes do not divide.
NetNode *partsOf(Builder &build, int64_t from, int64_t to, NetNode *&start, NetNode *&end) {
  NetNode *outputs = build.number(double(to), ElementType::I64), *inner = build.arange(from);
  start = build.map(Op::FloorDiv, {build.unsqueeze(build.arange(to, 0, from), 1), outputs});
  end = build.map(Op::FloorDiv, {build.unsqueeze(build.arange(to, from + to - 1, from), 1), outputs});
  return build.map(Op::And, {build.compare(Op::GreaterEqual, inner, start), build.compare(Op::Less, inner, end)},
                   Builder::boolType);
}

NetNode *adaptivePool(Call &call, Op op, size_t count) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  const List &shape = call.shape();
  if (List last = shape.part(shape.size() - count, shape.size()); last == List(count, 1))
    return build.reduce(op == Op::MaxPool ? Op::MaxOf : Op::Mean, x, lastAxes(x, count), call.type());
  if (x->shape() == shape)
    return x;
  List sides;
  for (int64_t dim : lastAxes(x, count))
    if (int64_t side = Builder::ratio(x->extent(int(dim)), shape[dim]); side * shape[dim] == x->extent(int(dim)))
      sides.push_back(side);
  if (sides.size() == count)
    return poolOf(call, op, {sides, sides, List(count), List(count, 1)});
  for (int64_t dim : lastAxes(x, count)) {
    NetNode *start = nullptr, *end = nullptr;
    NetNode *isInside = partsOf(build, x->extent(int(dim)), shape[dim], start, end);
    if (op == Op::MeanPool) {
      NetNode *length = build.convert(build.map(Op::Sub, {end, start}), ElementType::F32);
      NetNode *share = build.map(Op::Div, {build.number(1, ElementType::F64), length}, ElementType::F32);
      x = resample(build, x, int(dim),
                   build.map(Op::Where, {isInside, share, build.number(0, ElementType::F32)}, ElementType::F32));
      continue;
    }
    List column = isInside->shape(), result = x->shape();
    column.resize(column.size() + x->rank() - 1 - dim, 1);
    result[dim] = shape[dim];
    NetNode *below = build.number(-std::numeric_limits<double>::infinity(), ElementType::F64);
    NetNode *each =
        build.map(Op::Where, {build.view(isInside, column), build.unsqueeze(x, int(dim)), below}, x->type.type);
    x = build.reduce(Op::MaxOf, each, {dim + 1}, {x->type.type, result});
  }
  return x;
}

/// The matrix of linear interpolation: each output lies between two inputs.
NetNode *betweenTwo(Builder &build, int64_t from, int64_t to, double scale, bool alignsCorners) {
  constexpr ElementType type = ElementType::F32;
  auto constant = [&](double value) { return build.number(value, ElementType::F64); };
  NetNode *at = build.convert(build.unsqueeze(build.arange(to), 1), type);
  if (alignsCorners) {
    at = build.map(Op::Mul, {at, constant(to > 1 ? double(from - 1) / double(to - 1) : 0)});
  } else {
    at = build.map(Op::Add, {build.map(Op::Mul, {at, constant(scale)}), constant(0.5 * scale - 0.5)});
    at = build.map(Op::Minimum, {build.map(Op::Maximum, {at, constant(0)}), constant(double(from - 1))});
  }
  NetNode *distance = build.map(Op::Abs, {build.map(Op::Sub, {at, build.convert(build.arange(from), type)})});
  return build.map(Op::Maximum, {build.map(Op::Sub, {constant(1), distance}, type), constant(0)});
}

/// Each of the last axes in another size: by rows that are repeated, chosen or mixed.
NetNode *upsample(Call &call, Op op, bool isExact = false) {
  Builder &build = call.build;
  NetNode *x = call.tensor(call.has("self") ? "self" : "input");
  const List &shape = call.shape();
  size_t count = x->shape().part(2, x->shape().size()).size();
  int64_t factor = Builder::ratio(shape[2], x->extent(2));
  bool isWhole = !call.truth("align_corners") && !isExact, isSquare = count == 2;
  for (int64_t dim : lastAxes(x, count))
    isSquare &= shape[dim] == factor * x->extent(int(dim));
  if (isSquare && isWhole)
    return build.make(op, {x}, call.type(), {.ints = {factor}});
  std::vector<double> factors = call.reals("scale_factors");
  for (int64_t each : lastAxes(x, count)) {
    int dim = int(each);
    int64_t from = x->extent(dim), to = shape[dim];
    double scale = double(from) / double(to);
    if (factors.size() == count)
      scale = 1 / factors[dim - 2];
    if (from == to)
      continue;
    if (op == Op::UpsampleLinear) {
      x = resample(build, x, dim, betweenTwo(build, from, to, scale, call.truth("align_corners")));
    } else {
      int64_t half = isExact ? from : 0, twice = isExact ? 2 : 1; // the middle of each output
      NetNode *position = build.map(
          Op::FloorDiv, {build.arange(to, half, twice * from), build.number(double(twice * to), ElementType::I64)});
      x = build.indexAlong(x, dim, position);
    }
  }
  return x;
}

/// Each input stands `stride` apart, among zeros; then it is a convolution with turned windows.
NetNode *transposed(Call &call, NetNode *x, NetNode *weight, Windows windows, const List &extra) {
  Builder &build = call.build;
  size_t count = windows.kernel.size();
  int64_t groups = windows.groups, inputs = Builder::ratio(weight->extent(0), groups), outputs = weight->extent(1);
  List pads(2 * count);
  for (size_t i = 0; i < count; ++i) {
    int dim = int(i) + 2;
    int64_t step = windows.stride[i], reach = windows.dilation[i] * (windows.kernel[i] - 1);
    if (step > 1) {
      List column(x->rank() - dim, 1), shape = x->shape();
      column[0] = step;
      NetNode *isFirst = build.compare(Op::Equal, build.arange(step), build.number(0, ElementType::I64));
      NetNode *apart = build.map(
          Op::Where, {build.view(isFirst, column), build.unsqueeze(x, dim + 1), build.number(0, x->type.type)},
          x->type.type);
      shape[dim] *= step;
      x = build.slice(build.view(apart, shape), dim, 0, shape[dim] - step + 1);
    }
    pads[2 * (count - 1 - i)] = reach - windows.pad[i];
    pads[2 * (count - 1 - i) + 1] = reach - windows.pad[i] + extra[i];
    weight = build.flip(weight, dim);
  }
  List grouped = {groups, inputs, outputs}, order = {0, 2, 1}, flat = {groups * outputs, inputs};
  for (size_t i = 0; i < count; ++i) {
    grouped.push_back(windows.kernel[i]);
    order.push_back(int64_t(i) + 3);
    flat.push_back(windows.kernel[i]);
  }
  weight = build.view(build.permute(build.view(weight, grouped), order), flat);
  windows.stride = List(count, 1);
  windows.pad = List(count, 0);
  return build.make(Op::Convolution, {build.pad(x, pads, 0), weight, call.tensorIf("bias")}, call.type(),
                    {.windows = windows});
}

NetNode *convolution(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("input"), *weight = call.tensor("weight"), *bias = call.tensorIf("bias");
  size_t count = weight->shape().part(2, weight->shape().size()).size();
  if (size_t(x->rank()) != count + 2)
    throw CannotImport("a convolution of one sample without an axis for it");
  Windows windows{weight->shape().part(2, count + 2), call.perAxis("stride", count, 1), List(count),
                  call.perAxis("dilation", count, 1), call.integer("groups", 1)};
  if (call.text("padding") == "same") { // one more behind, if it is odd
    List pads(2 * count);
    for (size_t i = 0; i < count; ++i) {
      int64_t all = windows.dilation[i] * (windows.kernel[i] - 1);
      windows.pad[i] = all / 2;
      pads[2 * (count - 1 - i) + 1] = all % 2;
    }
    x = build.pad(x, pads, 0);
  } else if (call.text("padding") != "valid") {
    windows.pad = call.perAxis("padding", count, 0);
  }
  // Windows that tile the image are a product.
  bool isPatches = windows.stride == windows.kernel && windows.groups == 1;
  for (size_t i = 0; i < count; ++i)
    isPatches &= windows.pad[i] == 0 && windows.dilation[i] == 1 &&
                 Builder::ratio(x->extent(int(i) + 2), windows.kernel[i]) * windows.kernel[i] == x->extent(int(i) + 2);
  if (!call.truth("transposed") && !call.isNamed("conv_transpose"))
    return build.make(isPatches ? Op::PatchConv : Op::Convolution, {x, weight, bias}, call.type(),
                      {.windows = std::move(windows)});
  List extra = call.perAxis("output_padding", count, 0);
  bool isSquare = count == 2 && windows.kernel[0] == windows.kernel[1] && windows.stride[0] == windows.stride[1] &&
                  windows.pad[0] == windows.pad[1] && windows.dilation == List{1, 1} && windows.groups == 1;
  if (!isSquare || extra != List(count))
    return transposed(call, x, weight, std::move(windows), extra);
  NetNode *product = build.make(Op::ConvTranspose, {x, weight}, call.type(), {.windows = std::move(windows)});
  return bias ? build.make(Op::Add, {product, build.view(bias, {bias->extent(0), 1, 1})}, call.type()) : product;
}

/// The windows of an image as columns.
NetNode *columns(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  Windows windows{call.perAxis("kernel_size", 2, 1), call.perAxis("stride", 2, 1), call.perAxis("padding", 2, 0),
                  call.perAxis("dilation", 2, 1)};
  List shape = x->shape();
  for (int i : {0, 1})
    shape[2 + i] = Builder::ratio(shape[2 + i] + 2 * windows.pad[i] - windows.dilation[i] * (windows.kernel[i] - 1) - 1,
                                  windows.stride[i]) +
                   1;
  NetNode *each = windowsOf(build, x, windows, shape, 0);
  return build.view(build.permute(each, {0, 1, 4, 5, 2, 3}), call.shape());
}

/// Channels become rows and columns, or these become channels.
NetNode *shuffle(Call &call, bool isBack) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  int64_t side = call.integer(isBack ? "downscale_factor" : "upscale_factor"), first = x->rank() - 3;
  List front = x->shape().part(0, size_t(first)), order;
  for (int64_t i = 0; i < first; ++i)
    order.push_back(i);
  List shape = front, to = isBack ? List{0, 2, 4, 1, 3} : List{0, 3, 1, 4, 2};
  int64_t channels = x->extent(int(first)), rows = x->extent(int(first) + 1), all = x->extent(int(first) + 2);
  auto in = [](int64_t all, int64_t part) { return Builder::ratio(all, part); };
  List parts = isBack ? List{channels, in(rows, side), side, in(all, side), side}
                      : List{in(channels, side * side), side, side, rows, all};
  shape.insert(shape.end(), parts.begin(), parts.end());
  for (int64_t dim : to)
    order.push_back(first + dim);
  return build.view(build.permute(build.view(x, shape), order), call.shape());
}

NetNode *shuffleChannels(Call &call) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  List shape = x->shape();
  int64_t groups = call.integer("groups");
  shape[1] = Builder::ratio(shape[1], groups);
  shape.put(1, groups);
  return build.view(build.transpose(build.view(x, shape), 1, 2), call.shape());
}

NetNode *unfold(Call &call) {
  NetNode *x = call.tensor("self");
  int dim = call.dim("dimension", x->rank());
  return call.build.unfold(x, dim, call.shape()[dim], call.integer("size"), call.integer("step"), 1);
}

const std::unordered_map<std::string_view, Handler> windowOps = {
    {"unfold", unfold},
    {"im2col", columns},
    {"pixel_shuffle", [](Call &c) { return shuffle(c, false); }},
    {"pixel_unshuffle", [](Call &c) { return shuffle(c, true); }},
    {"channel_shuffle", shuffleChannels},
    {"native_channel_shuffle", shuffleChannels}};

/// "max_pool" of "max_pool2d", with the number of axes.
struct Family {
  std::string_view prefix, suffix;
  Handler (*handler)(size_t count);
};
const Family families[] = {
    {"conv_transpose", "d", [](size_t) { return Handler(convolution); }},
    {"conv", "d", [](size_t) { return Handler(convolution); }},
    {"max_pool", "d", [](size_t n) { return Handler([n](Call &c) { return pool(c, Op::MaxPool, n); }); }},
    {"max_pool", "d_with_indices", [](size_t n) { return Handler([n](Call &c) { return pool(c, Op::MaxPool, n); }); }},
    {"avg_pool", "d", [](size_t n) { return Handler([n](Call &c) { return pool(c, Op::MeanPool, n); }); }},
    {"adaptive_avg_pool", "d",
     [](size_t n) { return Handler([n](Call &c) { return adaptivePool(c, Op::MeanPool, n); }); }},
    {"_adaptive_avg_pool", "d",
     [](size_t n) { return Handler([n](Call &c) { return adaptivePool(c, Op::MeanPool, n); }); }},
    {"adaptive_max_pool", "d",
     [](size_t n) { return Handler([n](Call &c) { return adaptivePool(c, Op::MaxPool, n); }); }},
    {"upsample_nearest", "d", [](size_t) { return Handler([](Call &c) { return upsample(c, Op::UpsampleNearest); }); }},
    {"_upsample_nearest_exact", "d",
     [](size_t) { return Handler([](Call &c) { return upsample(c, Op::UpsampleNearest, true); }); }},
    {"upsample_bilinear", "d", [](size_t) { return Handler([](Call &c) { return upsample(c, Op::UpsampleLinear); }); }},
    {"upsample_trilinear", "d",
     [](size_t) { return Handler([](Call &c) { return upsample(c, Op::UpsampleLinear); }); }},
    {"upsample_linear", "d", [](size_t) { return Handler([](Call &c) { return upsample(c, Op::UpsampleLinear); }); }}};
} // namespace

Handler plc::import::findWindowHandler(const std::string &name) {
  if (name == "convolution")
    return convolution;
  for (const Family &family : families)
    if (std::string_view rest = name; rest.starts_with(family.prefix) && rest.ends_with(family.suffix)) {
      rest = rest.substr(family.prefix.size(), rest.size() - family.prefix.size() - family.suffix.size());
      if (rest.size() == 1 && rest[0] >= '1' && rest[0] <= '3')
        return family.handler(size_t(rest[0] - '0'));
    }
  auto found = windowOps.find(name);
  return found == windowOps.end() ? Handler() : found->second;
}
