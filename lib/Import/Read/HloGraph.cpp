// Builds a graph of ATen's operators for a StableHLO program.
#include "Read/HloGraph.h"

#include "plc/Support/IRElementType.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>

using llvm::StringRef;

namespace plc::import {

int64_t countOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    requireFit(size >= 0 && !__builtin_mul_overflow(count, std::max<int64_t>(size, 1), &count) &&
               count < int64_t(1) << 45);
  return llvm::is_contained(shape, 0) ? 0 : count;
}

std::string HloGraph::unique(StringRef wanted) {
  unsigned count = names[wanted]++;
  return count == 0 ? wanted.str() : unique((wanted + "_" + llvm::Twine(count)).str());
}

void HloGraph::define(const std::string &name, mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  std::optional<ElementType> element = tensor ? findElementType(tensor) : std::nullopt;
  if (element) {
    requireFit(tensor.hasStaticShape() && countOf(tensor.getShape().vec()) >= 0);
    graph.types[name] = {*element, tensor.getShape().vec()};
    return;
  }
  llvm::raw_string_ostream(graph.otherTypes[name]) << type;
}

Hlo HloGraph::value(const std::string &name) const {
  const TensorType &type = graph.types.at(name);
  return {name, type.type, type.shape};
}

Hlo HloGraph::add(const char *op, const char *overload, std::vector<std::pair<std::string, Argument>> arguments,
                  ElementType type, Shape shape) {
  countOf(shape);
  Hlo result{unique(op), type, shape};
  graph.types[result.name] = {type, std::move(shape)};
  graph.nodes.push_back({op, overload, "aten", std::move(arguments), {result.name}, modules, source, {}});
  return result;
}

Hlo HloGraph::view(const Hlo &x, Shape shape) {
  requireFit(countOf(shape) == countOf(x.shape));
  if (auto source = views.find(x.name); source != views.end() && shape != x.shape)
    return view(source->second, std::move(shape));
  if (shape == x.shape)
    return x;
  if (std::optional<double> value = splat(x))
    return full(*value, x.type, shape);
  Hlo result = add("view", "default", {{"self", ValueName{x.name}}, {"size", shape}}, x.type, shape);
  views[result.name] = x;
  return result;
}

Hlo HloGraph::permute(const Hlo &x, const Shape &dims) {
  Shape order(x.shape.size()), shape;
  std::iota(order.begin(), order.end(), 0);
  requireFit(dims.size() == order.size() && std::is_permutation(dims.begin(), dims.end(), order.begin()));
  for (int64_t dim : dims)
    shape.push_back(x.shape[static_cast<size_t>(dim)]);
  return dims == order ? x : add("permute", "default", {{"self", ValueName{x.name}}, {"dims", dims}}, x.type, shape);
}

Hlo HloGraph::expand(const Hlo &x, const Shape &shape) {
  requireFit(shape.size() == x.shape.size());
  for (auto [from, to] : llvm::zip(x.shape, shape))
    requireFit(from == to || from == 1);
  if (shape == x.shape)
    return x;
  if (std::optional<double> value = splat(x))
    return full(*value, x.type, shape);
  return add("expand", "default", {{"self", ValueName{x.name}}, {"size", shape}}, x.type, shape);
}

Hlo HloGraph::slice(const Hlo &x, int64_t dim, int64_t start, int64_t end, int64_t step) {
  requireFit(dim >= 0 && dim < x.rank());
  Shape shape = x.shape;
  int64_t &size = shape[static_cast<size_t>(dim)];
  requireFit(start >= 0 && start <= end && end <= size && step > 0);
  if (start == 0 && end == size && step == 1)
    return x;
  size = (end - start) / step + ((end - start) % step != 0);
  return add("slice", "Tensor",
             {{"self", ValueName{x.name}}, {"dim", dim}, {"start", start}, {"end", end}, {"step", step}}, x.type,
             shape);
}

Hlo HloGraph::update(const Hlo &x, const Hlo &part, size_t axis, int64_t first) {
  Filled next{{}, axis, 0};
  if (auto before = begun.find(x.name); before != begun.end() && before->second.axis == axis)
    next = before->second;
  bool isNext = next.end == first;
  next.parts.push_back({part.name});
  next.end += part.shape[axis];
  auto dim = static_cast<int64_t>(axis);
  if (isNext && next.end == x.shape[axis])
    return add("cat", "default", {{"tensors", std::move(next.parts)}, {"dim", dim}}, x.type, x.shape);
  Hlo result = add("slice_scatter", "default",
                   {{"self", ValueName{x.name}},
                    {"src", ValueName{part.name}},
                    {"dim", dim},
                    {"start", first},
                    {"end", first + part.shape[axis]}},
                   x.type, x.shape);
  if (isNext)
    begun[result.name] = std::move(next);
  return result;
}

Hlo HloGraph::convert(const Hlo &x, ElementType type) {
  if (type == x.type)
    return x;
  if (std::optional<double> value = splat(x); value && isReal(type))
    return full(*value, type, x.shape);
  if (type == ElementType::Bool)
    return add("ne", "Scalar", {{"self", ValueName{x.name}}, {"other", int64_t(0)}}, type, x.shape);
  return add("_to_copy", "default", {{"self", ValueName{x.name}}, {"dtype", type}}, type, x.shape);
}

Hlo HloGraph::full(double value, ElementType type, const Shape &shape) {
  Argument number = value;
  if (!isReal(type) && std::abs(value) < 0x1p53)
    number = static_cast<int64_t>(value);
  Hlo result =
      add("full", "default", {{"size", shape}, {"fill_value", std::move(number)}, {"dtype", type}}, type, shape);
  splats[result.name] = value;
  return result;
}

std::optional<double> HloGraph::splat(const Hlo &x) const {
  auto found = splats.find(x.name);
  return found == splats.end() ? std::nullopt : std::optional(found->second);
}

/// Calls `visit` with each element as the number and the bytes that it is in memory.
template <class Visit>
static void forEachElement(mlir::DenseElementsAttr elements, ElementType type, Visit visit) {
  size_t width = byteWidth(type);
  bool isSigned = type != ElementType::Bool && type != ElementType::U8;
  auto give = [&](const llvm::APInt &bits, double number) {
    uint64_t memory = bits.getZExtValue();
    visit(number, llvm::ArrayRef(reinterpret_cast<const std::byte *>(&memory), width));
  };
  if (isReal(type))
    for (llvm::APFloat real : elements.getValues<llvm::APFloat>()) {
      llvm::APInt bits = real.bitcastToAPInt();
      bool losesInfo;
      real.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      give(bits, real.convertToDouble());
    }
  else
    for (const llvm::APInt &bits : elements.getValues<llvm::APInt>())
      give(bits, isSigned ? double(bits.getSExtValue()) : double(bits.getZExtValue()));
}

/// The shortest decimal number that rounds to an f32, as a person has written it.
static double shortest(float value) {
  char text[32];
  double result = value;
  auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  if (std::isfinite(value))
    std::from_chars(text, end, result);
  return result;
}

Hlo HloGraph::constant(mlir::DenseElementsAttr elements) {
  ElementType type = plc::elementTypeOf(elements.getType());
  Shape shape = elements.getType().getShape().vec();
  if (elements.isSplat()) {
    double number = 0;
    forEachElement(elements.resizeSplat(mlir::RankedTensorType::get({}, elements.getElementType())), type,
                   [&](double value, llvm::ArrayRef<std::byte>) { number = value; });
    if (type == ElementType::F32)
      number = shortest(static_cast<float>(number));
    if (isReal(type) || std::abs(number) < 0x1p53)
      return full(number, type, shape);
  }
  Hlo result{unique("constant"), type, shape};
  std::vector<std::byte> &bytes = constants[result.name];
  forEachElement(elements, type,
                 [&](double, llvm::ArrayRef<std::byte> element) { llvm::append_range(bytes, element); });
  graph.types[result.name] = {type, shape};
  graph.inputs.push_back({Input::Kind::Constant, result.name, result.name});
  return result;
}

} // namespace plc::import
