// Converts StableHLO that sums, or chooses rows: products, reductions, windows, convolutions, gathers.
#include "Read/HloGraph.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <numeric>

using llvm::StringRef;

namespace plc::import {

static Argument reads(const Hlo &x) { return ValueName{x.name}; }

static Shape pick(const Shape &shape, const Shape &dims) {
  Shape sizes;
  for (int64_t dim : dims) {
    requireFit(dim >= 0 && dim < static_cast<int64_t>(shape.size()));
    sizes.push_back(shape[static_cast<size_t>(dim)]);
  }
  return sizes;
}

static Shape joined(std::initializer_list<Shape> lists) {
  Shape all;
  for (const Shape &list : lists)
    llvm::append_range(all, list);
  return all;
}

/// The axes of a tensor that are in neither list.
static Shape others(int64_t rank, const Shape &some, const Shape &more) {
  Shape rest;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(some, dim) && !llvm::is_contained(more, dim))
      rest.push_back(dim);
  return rest;
}

/// A product as `matmul` of [batch.., M, K] and [batch.., K, N]. Several axes of one kind are merged, except that those
/// of M may stay where there is no batch.
HloOp::Result HloOp::dot() {
  requireFit(operands.size() == 2);
  std::string numbers = text("dot_dimension_numbers");
  Hlo left = to.convert(operands[0], type()), right = to.convert(operands[1], type());
  Shape leftBatch = listIn(numbers, "lhs_batching_dimensions"), rightBatch = listIn(numbers, "rhs_batching_dimensions");
  Shape leftK = listIn(numbers, "lhs_contracting_dimensions"), rightK = listIn(numbers, "rhs_contracting_dimensions");
  Shape leftM = others(left.rank(), leftBatch, leftK), rightN = others(right.rank(), rightBatch, rightK);
  Shape batch = pick(left.shape, leftBatch), m = pick(left.shape, leftM), k = pick(left.shape, leftK),
        n = pick(right.shape, rightN);
  requireFit(pick(right.shape, rightBatch) == batch && pick(right.shape, rightK) == k);
  left = to.permute(left, joined({leftBatch, leftM, leftK}));
  right = to.permute(right, joined({rightBatch, rightK, rightN}));
  bool keepsM = batch.empty() && !m.empty();
  Shape rows = keepsM ? m : Shape{countOf(m)};
  left = to.view(left, joined({batch, rows, {countOf(k)}}));
  right = to.view(right, joined({batch, {countOf(k)}, {countOf(n)}}));
  Hlo product = to.add("matmul", "default", {{"self", reads(left)}, {"other", reads(right)}}, type(),
                       joined({batch, rows, {countOf(n)}}));
  return to.view(product, joined({batch, m, n}));
}

namespace {
/// A reduction: its operator on axes, the one on two values, and the number that changes nothing.
struct Reduction {
  const char *overAxes, *overload, *ofTwo;
  double neutral;
};
} // namespace

static std::optional<Reduction> reductionOf(StringRef name, ElementType type) {
  double most = isReal(type) ? HUGE_VAL : type == ElementType::I64 ? 0x1p63 - 1 : 0x1p31 - 1;
  double least = isReal(type) ? -HUGE_VAL : type == ElementType::I64 ? -0x1p63 : -0x1p31;
  bool isTruth = type == ElementType::Bool;
  return llvm::StringSwitch<std::optional<Reduction>>(isTruth && name == StringRef("maximum")   ? "or"
                                                      : isTruth && name == StringRef("minimum") ? "and"
                                                                                                : name)
      .Case("add", Reduction{"sum", "dim_IntList", "add", 0})
      .Case("multiply", Reduction{"prod", "dim_int", "mul", 1})
      .Case("maximum", Reduction{"amax", "default", "maximum", least})
      .Case("minimum", Reduction{"amin", "default", "minimum", most})
      .Case("or", isTruth ? std::optional(Reduction{"any", "dims", "bitwise_or", 0}) : std::nullopt)
      .Case("and", isTruth ? std::optional(Reduction{"all", "dims", "bitwise_and", 1}) : std::nullopt)
      .Default(std::nullopt);
}

HloOp::Result HloOp::reduce() {
  std::optional<Reduction> found = reductionOf(reducer(), type());
  if (!found || operands.size() != 2)
    return std::nullopt;
  const Hlo &x = operands[0];
  Shape dims = integers("dimensions"), rest = pick(x.shape, others(x.rank(), dims, {}));
  pick(x.shape, dims); // within the shape
  bool isProduct = StringRef(found->overAxes) == StringRef("prod");
  if (isProduct && dims.size() != 1)
    return std::nullopt;
  Hlo result = x;
  if (!dims.empty())
    result =
        to.add(found->overAxes, found->overload,
               {{"self", reads(x)}, {"dim", isProduct ? Argument(dims[0]) : dims}, {"keepdim", false}}, x.type, rest);
  if (std::optional<double> init = to.splat(operands[1]); init && *init == found->neutral)
    return result;
  Hlo init = to.expand(to.view(operands[1], Shape(rest.size(), 1)), rest);
  return to.add(found->ofTwo, "Tensor", {{"self", reads(result)}, {"other", reads(init)}}, x.type, rest);
}

/// Windows over one or two axes, as pools of [other axes.., H, W]; a window over all that came before, as `cumsum`.
HloOp::Result HloOp::window(StringRef reducer, const Hlo &x) {
  std::optional<Reduction> found = reductionOf(reducer, type());
  Shape sizes = integers("window_dimensions"), strides = integers("window_strides"), pads = integers("padding");
  for (const char *dilation : {"base_dilations", "window_dilations"})
    if (llvm::any_of(integers(dilation), [](int64_t each) { return each != 1; }))
      return std::nullopt;
  if (!found || operands.size() != 2 || to.splat(operands[1]) != found->neutral)
    return std::nullopt;
  strides.resize(strides.empty() ? sizes.size() : strides.size(), 1);
  pads.resize(pads.empty() ? 2 * sizes.size() : pads.size(), 0);
  requireFit(sizes.size() == x.shape.size() && strides.size() == sizes.size() && pads.size() == 2 * sizes.size());
  Shape low, high, over, kernel, step;
  for (size_t i = 0; i < sizes.size(); ++i) {
    requireFit(sizes[i] > 0 && strides[i] > 0);
    low.push_back(pads[2 * i]);
    high.push_back(pads[2 * i + 1]);
    if (sizes[i] == 1 && strides[i] == 1 && low.back() == 0 && high.back() == 0)
      continue;
    over.push_back(static_cast<int64_t>(i));
    kernel.push_back(sizes[i]);
    step.push_back(strides[i]);
  }
  bool isSum = reducer == StringRef("add"), isMax = reducer == StringRef("maximum");
  if (over.size() == 1 && isSum) {
    auto axis = static_cast<size_t>(over[0]);
    if (kernel[0] == x.shape[axis] && step[0] == 1 && low[axis] == kernel[0] - 1 && high[axis] == 0)
      return to.add("cumsum", "default", {{"self", reads(x)}, {"dim", over[0]}}, x.type, x.shape);
  }
  if (over.empty() || over.size() > 2 || !(isSum || isMax) || !isReal(x.type))
    return std::nullopt;
  Shape order = joined({others(x.rank(), over, {}), over}), back(order.size()), pooled;
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  Hlo image = to.permute(*pad(x, found->neutral, low, high), order);
  Shape rest(image.shape.begin(), image.shape.end() - static_cast<long>(over.size()));
  for (size_t i = 0; i < over.size(); ++i) {
    int64_t size = image.shape[rest.size() + i];
    requireFit(size >= kernel[i]);
    pooled.push_back((size - kernel[i]) / step[i] + 1);
  }
  // A pool of ATen has one axis of channels, and one of samples.
  image = to.view(image, joined({{1, countOf(rest)},
                                 Shape(image.shape.end() - static_cast<long>(over.size()), image.shape.end())}));
  std::vector<std::pair<std::string, Argument>> arguments{
      {"self", reads(image)}, {"kernel_size", kernel}, {"stride", step}};
  // An average counts what is padded, so it is the sum over a constant. ATen's pool of one axis lacks that choice.
  if (isSum && over.size() == 1)
    return std::nullopt;
  const char *name = isSum ? "avg_pool2d" : over.size() == 1 ? "max_pool1d" : "max_pool2d";
  Hlo result = to.add(name, "default", std::move(arguments), x.type, joined({{1, countOf(rest)}, pooled}));
  if (isSum)
    result = to.add("mul", "Scalar", {{"self", reads(result)}, {"other", static_cast<double>(countOf(kernel))}}, x.type,
                    result.shape);
  return to.permute(to.view(result, joined({rest, pooled})), back);
}

/// The axes in a list as "[b, 0, 1, f]": those of the two letters, then the others by their numbers.
static Shape axesIn(StringRef list, char first, char second) {
  llvm::SmallVector<StringRef> items;
  list.split(items, ',');
  Shape axes(items.size(), -1);
  for (size_t i = 0; i < items.size(); ++i) {
    StringRef item = items[i].trim();
    size_t number, target = item == StringRef(&first, 1) ? 0 : item == StringRef(&second, 1) ? 1 : axes.size();
    if (target == axes.size() && !item.getAsInteger(10, number) && number < axes.size())
      target = number + 2;
    requireFit(target < axes.size());
    axes[target] = static_cast<int64_t>(i);
  }
  return axes;
}

HloOp::Result HloOp::convolution() {
  std::string numbers = text("dimension_numbers"); // "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>"
  auto [inputList, rest] = StringRef(numbers).split('[').second.split("]x[");
  auto [kernelList, outputList] = rest.split("]->[");
  requireFit(operands.size() == 2 && operands[0].rank() == operands[1].rank() && operands[0].rank() > 2);
  Shape inputAxes = axesIn(inputList, 'b', 'f'), kernelAxes = axesIn(kernelList, 'o', 'i'),
        outputAxes = axesIn(outputList.split(']').first, 'b', 'f');
  auto spatial = static_cast<size_t>(operands[0].rank() - 2);
  auto orOnes = [&](Shape list) { return list.empty() ? Shape(spatial, 1) : list; };
  Shape strides = orOnes(integers("window_strides")), dilation = orOnes(integers("rhs_dilation")),
        pads = integers("padding");
  pads.resize(pads.empty() ? 2 * spatial : pads.size(), 0);
  requireFit(pads.size() == 2 * spatial && strides.size() == spatial && dilation.size() == spatial);
  int64_t groups = integer("feature_group_count", 1);
  bool isPlain = integer("batch_group_count", 1) == 1 && orOnes(integers("lhs_dilation")) == Shape(spatial, 1) &&
                 llvm::none_of(integers("window_reversal"), [](int64_t each) { return each != 0; });
  if (!isPlain)
    return std::nullopt;
  Hlo x = to.permute(operands[0], inputAxes), weight = to.permute(operands[1], kernelAxes);
  Shape low(2, 0), high(2, 0), padding, sizes{x.shape[0], weight.shape[0]};
  for (size_t i = 0; i < spatial; ++i) {
    low.push_back(pads[2 * i]);
    high.push_back(pads[2 * i + 1]);
    padding.push_back(pads[2 * i]);
  }
  if (low != high || llvm::any_of(padding, [](int64_t each) { return each < 0; })) {
    x = *pad(x, 0, low, high);
    padding.assign(spatial, 0);
  }
  for (size_t i = 0; i < spatial; ++i) {
    int64_t size = x.shape[i + 2], window = 0;
    requireFit(strides[i] > 0 && dilation[i] > 0 && padding[i] < INT32_MAX &&
               !__builtin_mul_overflow(dilation[i], weight.shape[i + 2] - 1, &window) && window < INT32_MAX);
    size += 2 * padding[i] - window - 1;
    requireFit(size >= 0);
    sizes.push_back(size / strides[i] + 1);
  }
  Hlo result = to.add("convolution", "default",
                      {{"input", reads(x)},
                       {"weight", reads(weight)},
                       {"bias", std::monostate()},
                       {"stride", strides},
                       {"padding", padding},
                       {"dilation", dilation},
                       {"transposed", false},
                       {"output_padding", Shape(spatial, 0)},
                       {"groups", groups}},
                      x.type, sizes);
  Shape back(outputAxes.size());
  for (size_t i = 0; i < outputAxes.size(); ++i) {
    requireFit(outputAxes[i] >= 0);
    back[static_cast<size_t>(outputAxes[i])] = static_cast<int64_t>(i);
  }
  return to.permute(result, back);
}

/// Rows of an operand: `index` on its axes `start_index_map`, which are one run; `gather` for an index per element.
HloOp::Result HloOp::gather() {
  requireFit(operands.size() == 2);
  const Hlo &x = operands[0];
  Hlo index = operands[1];
  std::string numbers = text("dimension_numbers");
  Shape offset = listIn(numbers, "offset_dims"), collapsed = listIn(numbers, "collapsed_slice_dims"),
        map = listIn(numbers, "start_index_map"), batch = listIn(numbers, "operand_batching_dims"),
        indexBatch = listIn(numbers, "start_indices_batching_dims"), sizes = integers("slice_sizes");
  // Printed without brackets: one number.
  int64_t vector = 0;
  requireFit(
      !StringRef(numbers).split("index_vector_dim = ").second.take_while(llvm::isDigit).getAsInteger(10, vector));
  requireFit(sizes.size() == x.shape.size() && vector <= index.rank() && !map.empty());
  if (vector == index.rank())
    index = to.view(index, joined({index.shape, {1}}));
  Shape places = others(index.rank(), {vector}, {}), placeSizes = pick(index.shape, places);
  requireFit(pick(index.shape, {vector}) == Shape{static_cast<int64_t>(map.size())});
  Shape whole = others(x.rank(), collapsed, batch);
  if (pick(sizes, whole) != pick(x.shape, whole) || collapsed != map ||
      llvm::any_of(pick(sizes, collapsed), [](int64_t size) { return size != 1; }))
    return std::nullopt;
  if (!batch.empty()) { // an index of its own for each element of the batch axes, which come first
    auto count = static_cast<int64_t>(batch.size());
    Shape first(batch.size()), rest = pick(x.shape, whole), result = joined({placeSizes, rest}), trailing;
    std::iota(first.begin(), first.end(), 0);
    for (size_t i = placeSizes.size(); i < result.size(); ++i)
      trailing.push_back(static_cast<int64_t>(i));
    if (map != Shape{count} || batch != first || indexBatch != first || offset != trailing ||
        static_cast<int64_t>(placeSizes.size()) != count + 1)
      return std::nullopt;
    requireFit(pick(placeSizes, first) == pick(x.shape, batch));
    index = to.expand(to.view(index, joined({placeSizes, Shape(rest.size(), 1)})), result);
    return to.add("gather", "default", {{"self", reads(x)}, {"dim", count}, {"index", reads(index)}}, x.type, result);
  }
  std::vector<ValueName> indices(static_cast<size_t>(map.front()));
  for (size_t i = 0; i < map.size(); ++i) {
    if (map[i] != map.front() + static_cast<int64_t>(i))
      return std::nullopt;
    Hlo one = to.slice(index, vector, static_cast<int64_t>(i), static_cast<int64_t>(i) + 1, 1);
    indices.push_back({to.view(one, placeSizes).name});
  }
  Shape before, after;
  for (int64_t dim : whole)
    (dim < map.front() ? before : after).push_back(x.shape[static_cast<size_t>(dim)]);
  Shape result = joined({before, placeSizes, after});
  Hlo rows = map == Shape{0} && x.rank() == 2
                 ? to.add("embedding", "default", {{"weight", reads(x)}, {"indices", indices[0]}}, x.type, result)
                 : to.add("index", "Tensor", {{"self", reads(x)}, {"indices", indices}}, x.type, result);
  // Axes of `rows`: before, places, after; the result has those of the operand at `offset_dims`.
  Shape order(result.size(), -1);
  int64_t firstPlace = static_cast<int64_t>(before.size()), nextOffset = 0, nextPlace = firstPlace;
  requireFit(offset.size() == whole.size() && pick(order, offset).size() == whole.size());
  for (size_t i = 0; i < order.size(); ++i) {
    bool isOffset = llvm::is_contained(offset, static_cast<int64_t>(i));
    int64_t &next = isOffset ? nextOffset : nextPlace;
    if (isOffset && next == firstPlace)
      next += static_cast<int64_t>(placeSizes.size());
    order[i] = next++;
  }
  return to.permute(rows, order);
}

} // namespace plc::import
