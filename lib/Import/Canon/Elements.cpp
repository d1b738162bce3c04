//===- Elements.cpp - operators of elements and constants, by name --------===//
#include "Canon/Canon.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

using namespace plc;
using namespace plc::import;

namespace {
/// Operators of PyTorch that have one of the net: their operands are `self` and, of two, `other`.
const std::unordered_map<std::string_view, Op> simple = {{"mul", Op::Mul},
                                                         {"lt", Op::Less},
                                                         {"le", Op::LessEqual},
                                                         {"gt", Op::Greater},
                                                         {"ge", Op::GreaterEqual},
                                                         {"eq", Op::Equal},
                                                         {"ne", Op::NotEqual},
                                                         {"logical_and", Op::And},
                                                         {"logical_or", Op::Or},
                                                         {"cos", Op::Cos},
                                                         {"sin", Op::Sin},
                                                         {"tan", Op::Tan},
                                                         {"tanh", Op::Tanh},
                                                         {"exp", Op::Exp},
                                                         {"expm1", Op::Expm1},
                                                         {"log", Op::Log},
                                                         {"log1p", Op::Log1p},
                                                         {"sigmoid", Op::Sigmoid},
                                                         {"rsqrt", Op::Rsqrt},
                                                         {"sqrt", Op::Sqrt},
                                                         {"relu", Op::Relu},
                                                         {"erf", Op::Erf},
                                                         {"abs", Op::Abs},
                                                         {"sign", Op::Sign},
                                                         {"floor", Op::Floor},
                                                         {"ceil", Op::Ceil},
                                                         {"round", Op::Round},
                                                         {"silu", Op::Silu},
                                                         {"mish", Op::Mish},
                                                         {"log_sigmoid", Op::LogSigmoid},
                                                         {"maximum", Op::Maximum},
                                                         {"minimum", Op::Minimum},
                                                         {"neg", Op::Negate},
                                                         {"logical_not", Op::Not},
                                                         {"square", Op::Square},
                                                         {"floor_divide", Op::FloorDiv},
                                                         {"remainder", Op::Remainder},
                                                         {"__lshift__", Op::ShiftLeft},
                                                         {"__rshift__", Op::ShiftRight},
                                                         {"bitwise_left_shift", Op::ShiftLeft},
                                                         {"bitwise_right_shift", Op::ShiftRight}};

/// An element of the result's type; operands that are integers beside reals are converted where they are printed.
NetNode *element(Call &call, Op op, std::vector<NetNode *> operands) {
  return call.build.make(op, std::move(operands), call.type());
}

NetNode *sum(Call &call, bool isSubtracted, NetNode *a, NetNode *b) {
  if (double alpha = call.real("alpha", 1); alpha != 1)
    b = call.build.map(Op::Mul, {b, call.build.number(alpha, ElementType::F64)});
  return element(call, isSubtracted ? Op::Sub : Op::Add, {a, b});
}

NetNode *bits(Call &call, Op ofTruths, Op ofIntegers) {
  bool isTruth = kindOf(call.type().type) == ElementKind::Truth;
  return element(call, isTruth ? ofTruths : ofIntegers, {call.tensor("self"), call.tensor("other")});
}

NetNode *divide(Call &call) {
  NetNode *a = call.tensor("self"), *b = call.tensor("other");
  std::string rounding = call.text("rounding_mode");
  if (rounding.empty())
    return element(call, Op::Div, {a, b});
  if (a->isReal() || b->isReal())
    throw CannotImport("a division of reals that rounds");
  return element(call, Op::FloorDiv, {a, b}); // of what is not negative, both roundings are one
}

/// Between two bounds, each of which may be absent.
NetNode *clamp(Call &call, const char *low, const char *high) {
  NetNode *x = call.tensor("self");
  if (NetNode *bound = call.tensor(low))
    x = element(call, Op::Maximum, {x, bound});
  if (NetNode *bound = call.tensor(high))
    x = element(call, Op::Minimum, {x, bound});
  return x;
}

NetNode *power(Call &call) {
  NetNode *x = call.tensor("self"), *y = call.tensor("exponent");
  std::optional<double> exponent = numberOf(y);
  if (exponent == 2.0)
    return element(call, Op::Square, {x});
  if (exponent == 1.0)
    return x;
  if (exponent == 0.5)
    return element(call, Op::Sqrt, {x});
  if (exponent == -0.5)
    return element(call, Op::Rsqrt, {x});
  return element(call, Op::Pow, {x, y});
}

NetNode *full(Call &call, double value) { return call.build.make(Op::Full, {}, call.type(), {.number = value}); }

NetNode *arange(Call &call) {
  double step = call.real("step", 1), start = call.real("start", 0);
  return call.build.arange(call.shape()[0], int64_t(start), int64_t(step), call.type().type);
}

NetNode *convert(Call &call) { return call.build.convert(call.tensor("self"), call.type().type); }

NetNode *same(Call &call) { return call.tensor("self"); }

NetNode *dropout(Call &call) {
  if (call.truth("train"))
    throw CannotImport("dropout of training; export the model in eval mode");
  return call.tensor("input");
}

/// The lower or upper triangle: a condition on two positions.
NetNode *triangle(Call &call, bool isUpper) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  int64_t rows = x->extent(x->rank() - 2), columns = x->extent(x->rank() - 1), diagonal = call.integer("diagonal");
  NetNode *row = build.unsqueeze(build.arange(rows, diagonal), 1), *column = build.arange(columns);
  NetNode *inside = build.compare(isUpper ? Op::GreaterEqual : Op::LessEqual, column, row);
  return element(call, Op::Where, {inside, x, build.number(0, x->type.type)});
}

/// x relu6(x + 3) / 6, or without the x.
NetNode *hardSigmoid(Call &call, bool isTimesX) {
  Builder &build = call.build;
  NetNode *x = call.tensor("self");
  auto constant = [&](double value) { return build.number(value, ElementType::F64); };
  NetNode *gate = element(call, Op::Add, {x, constant(3)});
  gate = element(call, Op::Minimum, {element(call, Op::Relu, {gate}), constant(6)});
  if (isTimesX)
    gate = element(call, Op::Mul, {x, gate});
  return element(call, Op::Div, {gate, constant(6)});
}

NetNode *glu(Call &call) {
  NetNode *x = call.tensor("self");
  int dim = call.dim("dim", x->rank(), -1);
  int64_t half = x->extent(dim) / 2;
  NetNode *gate = call.build.map(Op::Sigmoid, {call.build.slice(x, dim, half, half)});
  return element(call, Op::Mul, {call.build.slice(x, dim, 0, half), gate});
}

NetNode *withSlope(Call &call, Op op, const char *name, double otherwise) {
  return call.build.make(op, {call.tensor("self")}, call.type(), {.number = call.real(name, otherwise)});
}

constexpr double infinity = std::numeric_limits<double>::infinity();

const std::unordered_map<std::string_view, Handler> handlers = {
    {"add", [](Call &c) { return sum(c, false, c.tensor("self"), c.tensor("other")); }},
    {"sub", [](Call &c) { return sum(c, true, c.tensor("self"), c.tensor("other")); }},
    {"rsub", [](Call &c) { return sum(c, true, c.tensor("other"), c.tensor("self")); }},
    {"div", divide},
    {"true_divide", divide},
    {"reciprocal",
     [](Call &c) { return element(c, Op::Div, {c.build.number(1, ElementType::F64), c.tensor("self")}); }},
    {"bitwise_and", [](Call &c) { return bits(c, Op::And, Op::BitAnd); }},
    {"bitwise_or", [](Call &c) { return bits(c, Op::Or, Op::BitOr); }},
    {"bitwise_xor", [](Call &c) { return bits(c, Op::NotEqual, Op::BitXor); }},
    {"__and__", [](Call &c) { return bits(c, Op::And, Op::BitAnd); }},
    {"__or__", [](Call &c) { return bits(c, Op::Or, Op::BitOr); }},
    {"bitwise_not", [](Call &c) { return element(c, Op::Not, {c.tensor("self")}); }},
    {"pow", power},
    {"clamp", [](Call &c) { return clamp(c, "min", "max"); }},
    {"clamp_min", [](Call &c) { return clamp(c, "min", "max"); }},
    {"hardtanh",
     [](Call &c) {
       Builder &build = c.build;
       NetNode *low = build.number(c.real("min_val", -1), ElementType::F64);
       NetNode *x = element(c, Op::Maximum, {c.tensor("self"), low});
       return element(c, Op::Minimum, {x, build.number(c.real("max_val", 1), ElementType::F64)});
     }},
    {"relu6",
     [](Call &c) {
       NetNode *x = element(c, Op::Relu, {c.tensor("self")});
       return element(c, Op::Minimum, {x, c.build.number(6, ElementType::F64)});
     }},
    {"hardswish", [](Call &c) { return hardSigmoid(c, true); }},
    {"hardsigmoid", [](Call &c) { return hardSigmoid(c, false); }},
    {"gelu",
     [](Call &c) { return element(c, c.text("approximate") == "tanh" ? Op::GeluTanh : Op::Gelu, {c.tensor("self")}); }},
    {"softplus", [](Call &c) { return element(c, Op::Softplus, {c.tensor("self")}); }},
    {"leaky_relu", [](Call &c) { return withSlope(c, Op::LeakyRelu, "negative_slope", 0.01); }},
    {"elu", [](Call &c) { return withSlope(c, Op::Elu, "alpha", 1); }},
    {"glu", glu},
    {"where",
     [](Call &c) { return element(c, Op::Where, {c.tensor("condition"), c.tensor("self"), c.tensor("other")}); }},
    {"masked_fill",
     [](Call &c) { return element(c, Op::Where, {c.tensor("mask"), c.tensor("value"), c.tensor("self")}); }},
    {"isinf",
     [](Call &c) {
       NetNode *size = c.build.map(Op::Abs, {c.tensor("self")});
       return element(c, Op::Equal, {size, c.build.number(infinity, ElementType::F64)});
     }},
    {"tril", [](Call &c) { return triangle(c, false); }},
    {"triu", [](Call &c) { return triangle(c, true); }},
    {"full", [](Call &c) { return full(c, c.real("fill_value")); }},
    {"full_like", [](Call &c) { return full(c, c.real("fill_value")); }},
    {"new_full", [](Call &c) { return full(c, c.real("fill_value")); }},
    {"fill", [](Call &c) { return full(c, c.real("value")); }},
    {"scalar_tensor", [](Call &c) { return full(c, c.real("s")); }},
    {"arange", arange},
    {"copy", [](Call &c) { return c.build.expand(c.build.convert(c.tensor("src"), c.type().type), c.shape()); }},
    {"dropout", dropout},
    {"feature_dropout", dropout},
    {"alpha_dropout", dropout}};

struct Names {
  Handler handler;
  std::vector<std::string_view> names;
};
const std::vector<Names> groups = {
    {convert, {"to", "_to_copy", "type_as", "float", "double", "long", "int", "bool", "contiguous", "clone"}},
    {same, {"alias", "detach", "lift", "lift_fresh", "lift_fresh_copy", "positive", "view_as_real_copy"}},
    {[](Call &c) { return full(c, 0); },
     {"zeros", "zeros_like", "new_zeros", "zero", "empty", "empty_like", "new_empty", "empty_permuted"}},
    {[](Call &c) { return full(c, 1); }, {"ones", "ones_like", "new_ones"}}};
} // namespace

Handler plc::import::findHandler(const std::string &name) {
  if (auto found = simple.find(name); found != simple.end())
    return [op = found->second](Call &call) {
      std::vector<NetNode *> operands = {call.tensor("self")};
      if (NetNode *other = call.tensor("other"))
        operands.push_back(other);
      return element(call, op, std::move(operands));
    };
  if (auto found = handlers.find(name); found != handlers.end())
    return found->second;
  for (const Names &group : groups)
    for (std::string_view each : group.names)
      if (each == name)
        return group.handler;
  if (Handler shape = findShapeHandler(name))
    return shape;
  return findLayerHandler(name);
}
