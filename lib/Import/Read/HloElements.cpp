// Converts StableHLO that computes element by element, moves elements, or makes them.
#include "Read/HloGraph.h"

#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace plc::import {

/// The operator of ATen with the same meaning: of one operand, of two, or of none.
static const char *unaryOf(StringRef name) {
  return llvm::StringSwitch<const char *>(name)
      .Cases({"abs", "ceil", "floor", "log", "rsqrt", "sign", "sqrt", "tan", "tanh", "erf"}, name.data())
      .Case("cosine", "cos")
      .Case("exponential", "exp")
      .Case("exponential_minus_one", "expm1")
      .Case("is_finite", "isfinite")
      .Case("log_plus_one", "log1p")
      .Case("logistic", "sigmoid")
      .Case("negate", "neg")
      .Case("not", "bitwise_not")
      .Case("round_nearest_even", "round")
      .Case("sine", "sin")
      .Default(nullptr);
}

static const char *binaryOf(StringRef name, bool isTruth) {
  return llvm::StringSwitch<const char *>(name)
      .Case("add", isTruth ? "bitwise_or" : "add")
      .Case("multiply", isTruth ? "bitwise_and" : "mul")
      .Case("subtract", "sub")
      .Case("maximum", isTruth ? "bitwise_or" : "maximum")
      .Case("minimum", isTruth ? "bitwise_and" : "minimum")
      .Case("and", "bitwise_and")
      .Case("or", "bitwise_or")
      .Case("xor", "bitwise_xor")
      .Case("remainder", "fmod")
      .Default(nullptr);
}

static Argument named(const Hlo &x) { return ValueName{x.name}; }

/// Whether `value` chooses rows of `gather` or `scatter`, perhaps in another shape or type. There plc refuses an index
/// below 0.
static bool choosesRows(mlir::Value value, unsigned depth = 0) {
  return depth < 8 && llvm::any_of(
                          value.getUses(),
                          [&](mlir::OpOperand &use) {
                            mlir::Operation *user = use.getOwner();
                            StringRef name = user->getName().stripDialect();
                            bool isMoved = llvm::StringSwitch<bool>(name)
                                               .Cases({"broadcast_in_dim", "reshape", "convert", "concatenate"},
                                                      user->getNumResults() == 1)
                                               .Default(false);
                            return isMoved ? choosesRows(user->getResult(0), depth + 1)
                                           : (name == StringRef("gather") || name == StringRef("scatter")) &&
                                                 use.getOperandNumber() == 1;
                          });
}

/// An operator of two numbers, if it has no rounding of its own.
static std::optional<double> ofNumbers(StringRef name, double a, double b) {
  return llvm::StringSwitch<std::optional<double>>(name)
      .Case("add", a + b)
      .Case("subtract", a - b)
      .Case("multiply", a * b)
      .Case("maximum", std::max(a, b))
      .Case("minimum", std::min(a, b))
      .Default(std::nullopt);
}

/// Whether this is `x < 0 ? x + n : x`, for an index that may be negative.
static bool wrapsIndex(mlir::Operation *select) {
  mlir::Operation *less = select->getOperand(0).getDefiningOp(), *sum = select->getOperand(1).getDefiningOp();
  mlir::Value index = select->getOperand(2);
  return less && sum && less->getNumOperands() == 2 && less->getOperand(0) == index &&
         less->getName().stripDialect() == StringRef("compare") && sum->getName().stripDialect() == StringRef("add") &&
         llvm::is_contained(sum->getOperands(), index) && choosesRows(select->getResult(0));
}

HloOp::Result HloOp::compare() {
  requireFit(operands.size() == 2 && operands[0].shape == operands[1].shape);
  std::string direction = text("comparison_direction");
  const char *name = llvm::StringSwitch<const char *>(StringRef(direction).rtrim('>').rsplit(' ').second)
                         .Case("EQ", "eq")
                         .Case("NE", "ne")
                         .Case("GE", "ge")
                         .Case("GT", "gt")
                         .Case("LE", "le")
                         .Case("LT", "lt")
                         .Default(nullptr);
  requireFit(name);
  std::optional<double> a = to.splat(operands[0]), b = to.splat(operands[1]);
  if (a && b)
    return to.full(llvm::StringSwitch<bool>(name)
                       .Case("eq", *a == *b)
                       .Case("ne", *a != *b)
                       .Case("ge", *a >= *b)
                       .Case("gt", *a > *b)
                       .Case("le", *a <= *b)
                       .Case("lt", *a < *b),
                   ElementType::Bool, operands[0].shape);
  return to.add(name, "Tensor", {{"self", named(operands[0])}, {"other", named(operands[1])}}, ElementType::Bool,
                operands[0].shape);
}

/// What is computed element by element.
HloOp::Result HloOp::simple(StringRef name) {
  const Hlo &x = operands.front();
  if (const char *unary = unaryOf(name); unary && operands.size() == 1)
    return to.add(unary, "default", {{"self", named(x)}}, x.type, x.shape);
  if (operands.size() == 3 && name == StringRef("select")) {
    if (isInteger(operands[1].type) && wrapsIndex(op))
      return operands[2];
    // Rows outside of the operand are not a number; plc refuses such an index.
    mlir::Operation *rows = op->getOperand(1).getDefiningOp();
    if (std::optional<double> filled = to.splat(operands[2]);
        filled && std::isnan(*filled) && rows && rows->getName().stripDialect() == StringRef("gather"))
      return operands[1];
    if (std::optional<double> truth = to.splat(x))
      return operands[*truth != 0 ? 1 : 2];
    Hlo condition = x.rank() == 0 ? to.expand(to.view(x, Shape(operands[1].shape.size(), 1)), operands[1].shape) : x;
    requireFit(condition.shape == operands[1].shape && operands[1].shape == operands[2].shape);
    return to.add("where", "self",
                  {{"condition", named(condition)}, {"self", named(operands[1])}, {"other", named(operands[2])}},
                  operands[1].type, operands[1].shape);
  }
  if (operands.size() == 3 && name == StringRef("clamp")) {
    Shape ones(operands[1].shape.size(), 1);
    auto bound = [&](const Hlo &b) { return b.rank() == 0 ? to.expand(to.view(b, ones), operands[1].shape) : b; };
    Hlo low = to.add("maximum", "default", {{"self", named(operands[1])}, {"other", named(bound(x))}}, operands[1].type,
                     operands[1].shape);
    return to.add("minimum", "default", {{"self", named(low)}, {"other", named(bound(operands[2]))}}, low.type,
                  low.shape);
  }
  if (operands.size() == 1 && name == StringRef("square"))
    return to.add("mul", "Tensor", {{"self", named(x)}, {"other", named(x)}}, x.type, x.shape);
  if (operands.size() == 1 && name == StringRef("erfc")) {
    Hlo erf = to.add("erf", "default", {{"self", named(x)}}, x.type, x.shape);
    return to.add("rsub", "Scalar", {{"self", named(erf)}, {"other", int64_t(1)}}, x.type, x.shape);
  }
  if (operands.size() != 2 || x.shape != operands[1].shape)
    return std::nullopt;
  std::optional<double> a = to.splat(x), b = to.splat(operands[1]);
  if (std::optional<double> both = a && b ? ofNumbers(name, *a, *b) : std::nullopt;
      both && (x.type == ElementType::F64 || (*both == static_cast<float>(*both) && !isNarrow(x.type))))
    return to.full(*both, x.type, x.shape);
  std::vector<std::pair<std::string, Argument>> pair{{"self", named(x)}, {"other", named(operands[1])}};
  // JAX guards maxima of nothing.
  if (name == StringRef("maximum"))
    for (size_t i : {0, 1})
      if (to.splat(operands[i]) == -HUGE_VAL)
        return operands[1 - i];
  if (const char *binary = binaryOf(name, x.type == ElementType::Bool))
    return to.add(binary, "Tensor", std::move(pair), x.type, x.shape);
  if (name == StringRef("divide") && isReal(x.type))
    return to.add("div", "Tensor", std::move(pair), x.type, x.shape);
  if (name == StringRef("divide")) {
    pair.emplace_back("rounding_mode", "trunc");
    return to.add("div", "Tensor_mode", std::move(pair), x.type, x.shape);
  }
  if (name != StringRef("power"))
    return std::nullopt;
  std::optional<double> exponent = to.splat(operands[1]);
  return to.add("pow", exponent ? "Tensor_Scalar" : "Tensor_Tensor",
                {{"self", named(x)}, {"exponent", exponent ? Argument(*exponent) : named(operands[1])}}, x.type,
                x.shape);
}

/// The operand's axes go to axes `broadcast_dimensions` of the result; all others are new.
HloOp::Result HloOp::broadcast() {
  Shape dims = integers("broadcast_dimensions"), target = shape(), ones(target.size(), 1), order(dims.size());
  requireFit(operands.size() == 1 && dims.size() == operands[0].shape.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    requireFit(dims[i] >= 0 && dims[i] < static_cast<int64_t>(target.size()) && llvm::count(dims, dims[i]) == 1);
    ones[static_cast<size_t>(dims[i])] = operands[0].shape[i];
    order[static_cast<size_t>(llvm::count_if(dims, [&](int64_t dim) { return dim < dims[i]; }))] =
        static_cast<int64_t>(i);
  }
  return to.expand(to.view(to.permute(operands[0], order), ones), target);
}

HloOp::Result HloOp::pad(const Hlo &x, double value, const Shape &low, const Shape &high) {
  requireFit(low.size() == x.shape.size() && high.size() == low.size());
  Shape pads, padded = x.shape;
  for (size_t i = padded.size(); i-- > 0;) { // the last axis first
    requireFit(std::abs(low[i]) < INT32_MAX && std::abs(high[i]) < INT32_MAX);
    pads.insert(pads.end(), {low[i], high[i]});
    padded[i] += low[i] + high[i];
  }
  if (padded == x.shape && llvm::all_of(pads, [](int64_t each) { return each == 0; }))
    return x;
  return to.add("constant_pad_nd", "default", {{"self", named(x)}, {"pad", pads}, {"value", value}}, x.type, padded);
}

HloOp::Result HloOp::pad() {
  Shape inner = integers("interior_padding"), low = integers("edge_padding_low"), high = integers("edge_padding_high");
  requireFit(operands.size() == 2);
  std::optional<double> value = to.splat(operands[1]);
  bool isEdge = llvm::all_of(inner, [](int64_t each) { return each == 0; });
  return value && isEdge ? pad(operands[0], *value, low, high) : std::nullopt;
}

/// What moves elements or makes them.
HloOp::Result HloOp::structural(StringRef name) {
  auto is = [&](StringRef wanted) { return wanted == name; };
  if (is("iota")) {
    Shape target = shape(), ones(target.size(), 1);
    int64_t dim = integer("iota_dimension", -1);
    requireFit(dim >= 0 && dim < static_cast<int64_t>(target.size()));
    int64_t size = ones[static_cast<size_t>(dim)] = target[static_cast<size_t>(dim)];
    Hlo line = to.add("arange", "start_step",
                      {{"start", int64_t(0)}, {"end", size}, {"step", int64_t(1)}, {"dtype", type()}}, type(), {size});
    return to.expand(to.view(line, ones), target);
  }
  if (is("constant")) {
    auto elements = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(attribute("value"));
    requireFit(!elements || elements.getType() == op->getResult(0).getType());
    return elements ? Result(to.constant(elements)) : std::nullopt;
  }
  if (operands.empty())
    return std::nullopt;
  const Hlo &x = operands.front();
  if (is("concatenate")) {
    std::vector<ValueName> parts;
    for (const Hlo &each : operands)
      parts.push_back({each.name});
    return to.add("cat", "default", {{"tensors", std::move(parts)}, {"dim", integer("dimension", 0)}}, x.type, shape());
  }
  if (is("dynamic_slice"))
    return dynamicSlice();
  if (is("dynamic_update_slice"))
    return updateSlice();
  if (is("pad"))
    return pad();
  if (operands.size() != 1)
    return std::nullopt;
  if (is("convert"))
    return to.convert(x, type());
  if (is("reshape"))
    return to.view(x, shape());
  if (is("transpose"))
    return to.permute(x, integers("permutation"));
  if (is("reverse"))
    return to.add("flip", "default", {{"self", named(x)}, {"dims", integers("dimensions")}}, x.type, x.shape);
  if (is("broadcast_in_dim"))
    return broadcast();
  if (!is("slice"))
    return std::nullopt;
  Shape start = integers("start_indices"), limit = integers("limit_indices"), step = integers("strides");
  requireFit(start.size() == x.shape.size() && limit.size() == start.size() && step.size() == start.size());
  Hlo part = x;
  for (size_t i = 0; i < start.size(); ++i)
    part = to.slice(part, static_cast<int64_t>(i), start[i], limit[i], step[i]);
  return part;
}

std::optional<std::vector<Hlo>> HloOp::convert() {
  StringRef name = op->getName().stripDialect();
  auto is = [&](StringRef wanted) { return wanted == name; };
  if (is("optimization_barrier"))
    return operands;
  if (is("top_k"))
    return topk();
  if (is("sort"))
    return sort();
  if (op->getNumResults() != 1)
    return std::nullopt;
  Result result = structural(name);
  if (!result && !operands.empty())
    result = is("compare")         ? compare()
             : is("dot_general")   ? dot()
             : is("reduce")        ? reduce()
             : is("reduce_window") ? window(reducer(), operands.front())
             : is("gather")        ? gather()
             : is("scatter")       ? scatter()
             : is("convolution")   ? convolution()
                                   : simple(name);
  if (!result)
    return std::nullopt;
  requireFit(result->shape == shape() && result->type == type());
  return std::vector{*result};
}

} // namespace plc::import
