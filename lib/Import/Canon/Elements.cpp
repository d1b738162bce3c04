//===- Elements.cpp - operators of elements and constants, by name --------===//
#include "Canon/Canon.h"

#include <algorithm>
#include <cmath>
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
                                                         {"__lshift__", Op::ShiftLeft},
                                                         {"__rshift__", Op::ShiftRight},
                                                         {"bitwise_left_shift", Op::ShiftLeft},
                                                         {"bitwise_right_shift", Op::ShiftRight}};

/// An element of the result's type; operands that are integers beside reals are converted where they are printed.
NetNode *element(Call &call, Op op, Nodes operands) { return call.build.make(op, std::move(operands), call.type()); }

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
  if (!a->isReal() && !b->isReal())
    return element(call, Op::FloorDiv, {a, b}); // of what is not negative, both roundings are one
  NetNode *quotient = element(call, Op::Div, {a, b});
  if (rounding == "floor")
    return element(call, Op::Floor, {quotient});
  NetNode *size = element(call, Op::Floor, {element(call, Op::Abs, {quotient})});
  return element(call, Op::Mul, {element(call, Op::Sign, {quotient}), size});
}

/// Between two bounds, each of which may be absent.
NetNode *clamp(Call &call, const char *low, const char *high) {
  NetNode *x = call.tensor("self");
  if (NetNode *bound = call.tensorIf(low))
    x = element(call, Op::Maximum, {x, bound});
  if (NetNode *bound = call.tensorIf(high))
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

NetNode *counted(Call &call, double start, double step) {
  Builder &build = call.build;
  NetNode *number = build.convert(build.arange(call.shape()[0]), call.type().type);
  auto constant = [&](double value) { return build.number(value, ElementType::F64); };
  return element(call, Op::Add, {element(call, Op::Mul, {number, constant(step)}), constant(start)});
}

NetNode *arange(Call &call) {
  double step = call.real("step", 1), start = call.real("start", 0);
  auto isWhole = [](double number) { return std::fabs(number) < 1e9 && number == std::floor(number); };
  return isWhole(step) && isWhole(start)
             ? call.build.arange(call.shape()[0], int64_t(start), int64_t(step), call.type().type)
             : counted(call, start, step);
}

NetNode *linspace(Call &call) {
  double start = call.real("start"), end = call.real("end");
  int64_t count = call.shape()[0];
  return counted(call, start, count > 1 ? (end - start) / double(count - 1) : 0);
}

NetNode *convert(Call &call) { return call.build.convert(call.tensor("self"), call.type().type); }

NetNode *same(Call &call) { return call.tensor("self"); }

/// Of training alone; others are left out.
NetNode *dropout(Call &call) {
  NetNode *x = call.tensor("input");
  if (call.has("train") && !call.truth("train"))
    return x;
  if (call.isUsed(1))
    throw CannotImport("the mask of a dropout is used");
  return call.build.dropout(x, call.real("p", 0.5));
}

/// Whole channels are 0 with a probability.
NetNode *channelDropout(Call &call) {
  NetNode *x = call.tensor("input");
  if (!call.truth("train") || x->rank() < 2)
    return x;
  Shape shape = x->shape();
  std::fill(shape.begin() + 2, shape.end(), 1);
  return element(call, Op::Mul, {x, call.build.kept({x->type.type, shape}, call.real("p", 0.5))});
}

NetNode *draw(Call &call, Op op) {
  NetNode *drawn = call.build.make(op, {}, call.type());
  NetNode *chance = call.tensorIf("p");
  if (!chance && call.isNamed("bernoulli"))
    chance = call.tensor("self");
  return chance ? call.build.convert(call.build.compare(Op::Less, drawn, chance), call.type().type) : drawn;
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

const std::unordered_map<std::string_view, Handler> elementOps = {
    {"add", [](Call &c) { return sum(c, false, c.tensor("self"), c.tensor("other")); }},
    {"sub", [](Call &c) { return sum(c, true, c.tensor("self"), c.tensor("other")); }},
    {"rsub", [](Call &c) { return sum(c, true, c.tensor("other"), c.tensor("self")); }},
    {"remainder",
     [](Call &c) {
       return isReal(c.type().type) ? findFormula("remainder_of_reals")(c)
                                    : element(c, Op::Remainder, {c.tensor("self"), c.tensor("other")});
     }},
    {"div", divide},
    {"true_divide", divide},
    {"bitwise_and", [](Call &c) { return bits(c, Op::And, Op::BitAnd); }},
    {"bitwise_or", [](Call &c) { return bits(c, Op::Or, Op::BitOr); }},
    {"bitwise_xor", [](Call &c) { return bits(c, Op::NotEqual, Op::BitXor); }},
    {"__and__", [](Call &c) { return bits(c, Op::And, Op::BitAnd); }},
    {"__or__", [](Call &c) { return bits(c, Op::Or, Op::BitOr); }},
    {"bitwise_not", [](Call &c) { return element(c, Op::Not, {c.tensor("self")}); }},
    {"pow", power},
    {"clamp", [](Call &c) { return clamp(c, "min", "max"); }},
    {"clamp_min", [](Call &c) { return clamp(c, "min", "max"); }},
    {"clamp_max", [](Call &c) { return clamp(c, "min", "max"); }},
    {"logical_xor", [](Call &c) { return element(c, Op::NotEqual, {c.tensor("self"), c.tensor("other")}); }},
    {"gelu",
     [](Call &c) { return element(c, c.text("approximate") == "tanh" ? Op::GeluTanh : Op::Gelu, {c.tensor("self")}); }},
    {"leaky_relu", [](Call &c) { return withSlope(c, Op::LeakyRelu, "negative_slope", 0.01); }},
    {"elu",
     [](Call &c) {
       bool isScaled = c.real("scale", 1) != 1 || c.real("input_scale", 1) != 1;
       return isScaled ? findFormula("scaled_elu")(c) : withSlope(c, Op::Elu, "alpha", 1);
     }},
    {"glu", glu},
    {"where",
     [](Call &c) { return element(c, Op::Where, {c.tensor("condition"), c.tensor("self"), c.tensor("other")}); }},
    {"masked_fill",
     [](Call &c) { return element(c, Op::Where, {c.tensor("mask"), c.tensor("value"), c.tensor("self")}); }},
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
    {"native_dropout", dropout},
    {"feature_dropout", channelDropout},
    {"rand", [](Call &c) { return draw(c, Op::Random); }},
    {"rand_like", [](Call &c) { return draw(c, Op::Random); }},
    {"randn", [](Call &c) { return draw(c, Op::Normal); }},
    {"randn_like", [](Call &c) { return draw(c, Op::Normal); }},
    {"bernoulli", [](Call &c) { return draw(c, Op::Random); }},
    {"detach",
     [](Call &c) {
       NetNode *x = c.tensor("self");
       return x->isReal() && !x->isConstant ? element(c, Op::Stop, {x}) : x;
     }},
    {"linspace", linspace}};

struct Names {
  Handler handler;
  std::vector<std::string_view> names;
};
const std::vector<Names> groups = {
    {convert, {"to", "_to_copy", "type_as", "float", "double", "long", "int", "bool", "contiguous", "clone"}},
    {same, {"alias", "lift", "lift_fresh", "lift_fresh_copy", "positive", "view_as_real_copy"}},
    {[](Call &c) { return full(c, 0); },
     {"zeros", "zeros_like", "new_zeros", "zero", "empty", "empty_like", "new_empty", "empty_permuted"}},
    {[](Call &c) { return full(c, 1); }, {"ones", "ones_like", "new_ones"}}};
} // namespace

Handler plc::import::findHandler(const std::string &name) {
  if (auto found = simple.find(name); found != simple.end())
    return [op = found->second](Call &call) {
      Nodes operands = {call.tensor("self")};
      if (classOf(op) == OpClass::Infix || call.has("other"))
        operands.push_back(call.tensor("other"));
      return element(call, op, std::move(operands));
    };
  if (auto found = elementOps.find(name); found != elementOps.end())
    return found->second;
  for (const Names &group : groups)
    for (std::string_view each : group.names)
      if (each == name)
        return group.handler;
  for (auto find : {findFormula, findShapeHandler, findLayerHandler, findLossHandler, findWindowHandler,
                    findRecurrentHandler, findScatterHandler, findSortHandler})
    if (Handler handler = find(name))
      return handler;
  return Handler();
}
