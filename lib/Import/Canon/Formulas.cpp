//===- Formulas.cpp - operators that are formulas of their arguments ------===//
// One line for each operator: names are its arguments, `name:1` is 1 where the argument is absent. `max(a, b)` and
// other functions are those of the net; `sum(e)` and `log_sum_exp(e)` go over the axes that `dim` names, which stay
// with extent 1. `channels(w)` is w along axis 1. `x = e;` names a value that is used twice.
#include "Canon/Canon.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <unordered_map>

using namespace plc;
using namespace plc::import;

namespace {
const std::unordered_map<std::string_view, std::string_view> formulas = {
    {"reciprocal", "1 / self"},
    {"addcmul", "self + value:1 * tensor1 * tensor2"},
    {"addcdiv", "self + value:1 * tensor1 / tensor2"},
    {"lerp", "self + weight * (end - self)"},
    {"hypot", "sqrt(self * self + other * other)"},
    {"sinh", "0.5 * (exp(self) - exp(-self))"},
    {"cosh", "0.5 * (exp(self) + exp(-self))"},
    {"exp2", "exp(0.6931471805599453 * self)"},
    {"log2", "1.4426950408889634 * log(self)"},
    {"log10", "0.4342944819032518 * log(self)"},
    {"logit", "log(self / (1 - self))"},
    {"xlogy", "if self == 0 then 0 else self * log(other)"},
    {"logaddexp", "max(self, other) + log1p(exp(-abs(self - other)))"},
    {"trunc", "sign(self) * floor(abs(self))"},
    {"frac", "self - sign(self) * floor(abs(self))"},
    {"fmod", "self - other * sign(self / other) * floor(abs(self / other))"},
    {"remainder_of_reals", "self - other * floor(self / other)"},
    {"erfc", "1 - erf(self)"},
    {"isnan", "self != self"},
    {"isinf", "abs(self) == inf"},
    {"isfinite", "abs(self) < inf"},
    {"nan_to_num", "if self != self then nan:0 else -min(-min(self, posinf:3.4028234663852886e38), "
                   "-neginf:-3.4028234663852886e38)"},
    {"relu6", "min(relu(self), 6)"},
    {"hardtanh", "min(max(self, min_val:-1), max_val:1)"},
    {"hardsigmoid", "min(relu(self + 3), 6) / 6"},
    {"hardswish", "self * min(relu(self + 3), 6) / 6"},
    {"hardshrink", "if abs(self) > lambd:0.5 then self else 0"},
    {"softshrink", "sign(self) * max(abs(self) - lambd:0.5, 0)"},
    {"threshold", "if self > threshold then self else value"},
    {"selu", "1.0507009873554805 * (if self > 0 then self else 1.6732632423543772 * expm1(self))"},
    {"celu", "if self > 0 then self else alpha:1 * expm1(self / alpha:1)"},
    {"rrelu", "if self >= 0 then self else 0.5 * (lower:0.125 + upper:0.3333333333333333) * self"},
    {"_prelu_kernel", "if self > 0 then self else weight * self"},
    {"scaled_elu", "scale:1 * (if self > 0 then self else alpha:1 * expm1(input_scale:1 * self))"},
    {"rrelu_with_noise_functional",
     "if self >= 0 then self else 0.5 * (lower:0.125 + upper:0.3333333333333333) * self"},
    {"prelu", "if self > 0 then self else channels(weight) * self"},
    {"softplus", "if beta:1 == 1 then softplus(self) else softplus(beta:1 * self) / beta:1"},
    {"cosine_similarity", "sum(x1 * x2) / (max(sqrt(sum(x1 * x1)), eps:1e-8) * max(sqrt(sum(x2 * x2)), eps:1e-8))"},
    {"logsumexp", "log_sum_exp(self)"}};

/// Those that `reduction` makes a sum or a mean of; it is a mean where that is absent.
const std::unordered_map<std::string_view, std::string_view> losses = {
    {"mse_loss", "square(self - target)"},
    {"l1_loss", "abs(self - target)"},
    {"smooth_l1_loss", "d = abs(self - target); if d < beta:1 then 0.5 * d * d / beta:1 else d - 0.5 * beta:1"},
    {"huber_loss", "d = abs(self - target); if d < delta:1 then 0.5 * d * d else delta:1 * (d - 0.5 * delta:1)"},
    {"binary_cross_entropy", "-weight:1 * (target * max(log(self), -100) + (1 - target) * max(log(1 - self), -100))"},
    {"binary_cross_entropy_with_logits", "weight:1 * ((1 - target) * self + (1 + (pos_weight:1 - 1) * target) * "
                                         "softplus(-self))"},
    {"kl_div", "if log_target:0 == 1 then exp(target) * (target - self) else if target > 0 then target * (log(target) "
               "- self) else 0"},
    {"poisson_nll_loss", "if log_input:1 == 1 then exp(input) - target * input else input - target * log(input + "
                         "eps:1e-8)"},
    {"soft_margin_loss", "softplus(-target * self)"},
    {"margin_ranking_loss", "max(margin:0 - target * (input1 - input2), 0)"}};

/// Reads a formula, and makes its operators.
class Reader {
public:
  Reader(Call &call, std::string_view text) : call(call), build(call.build), text(text) {}
  NetNode *run();

private:
  NetNode *choice();
  NetNode *comparison();
  NetNode *chain(NetNode *(Reader::*operand)(), std::initializer_list<std::pair<std::string_view, Op>> signs);
  NetNode *sum();
  NetNode *product();
  NetNode *sign();
  NetNode *leaf();
  NetNode *apply(std::string_view name, Nodes operands);
  NetNode *overAxes(Op op, NetNode *x);
  NetNode *number(double value) { return build.number(value, ElementType::F64); }
  NetNode *map(Op op, Nodes operands);
  bool take(std::string_view word);
  std::string_view word();

  Call &call;
  Builder &build;
  std::string_view text; // what is not read yet
  std::unordered_map<std::string_view, NetNode *> named;
};
} // namespace

/// Takes a word or sign, if it is next.
bool Reader::take(std::string_view next) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  bool isNext = text.starts_with(next);
  if (isNext)
    text.remove_prefix(next.size());
  return isNext;
}

std::string_view Reader::word() {
  take(" ");
  size_t length = 0;
  while (length < text.size() && (std::isalnum(static_cast<unsigned char>(text[length])) || text[length] == '_'))
    ++length;
  std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  return name;
}

/// The type of elements is that of the first operand that is no number.
NetNode *Reader::map(Op op, Nodes operands) {
  auto typed = std::find_if(operands.begin(), operands.end(), [](NetNode *each) { return each->op != Op::Number; });
  return build.map(op, operands, (typed == operands.end() ? operands.front() : *typed)->type.type);
}

NetNode *Reader::overAxes(Op op, NetNode *x) {
  Shape dims = call.has("dim") ? call.dims("dim", x) : Shape{1}, kept = x->shape();
  for (int64_t dim : dims)
    kept[size_t(dim)] = 1;
  return build.reduce(op, x, dims, {x->type.type, kept});
}

NetNode *Reader::apply(std::string_view name, Nodes operands) {
  NetNode *x = operands[0];
  if (name == "channels") { // of axis 1
    Shape shape(std::max<int>(call.tensor("self")->rank() - 1, 1), 1);
    shape[0] = x->extent(0);
    return build.view(x, shape);
  }
  if (name == "sum")
    return overAxes(Op::Sum, x);
  if (name == "log_sum_exp")
    return overAxes(Op::LogSumExp, x);
  if (name == "square")
    return map(Op::Square, operands);
  size_t op = 0;
  while (classOf(Op(op)) != OpClass::Function || name != textOf(Op(op)))
    ++op;
  return map(Op(op), operands);
}

NetNode *Reader::leaf() {
  if (take("(")) {
    NetNode *inner = choice();
    take(")");
    return inner;
  }
  take(" ");
  if (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front()))) {
    double value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(size_t(end - text.data()));
    return number(value);
  }
  std::string_view name = word();
  if (name == "inf")
    return number(std::numeric_limits<double>::infinity());
  if (take("(")) {
    Nodes operands;
    do
      operands.push_back(choice());
    while (take(","));
    take(")");
    return apply(name, operands);
  }
  NetNode *otherwise = nullptr;
  if (take(":")) {
    bool isNegative = take("-");
    otherwise = leaf();
    otherwise = isNegative ? number(-otherwise->number) : otherwise;
  }
  if (auto known = named.find(name); known != named.end())
    return known->second;
  std::string argument(name);
  return otherwise && !call.has(argument.c_str()) ? otherwise : call.tensor(argument.c_str());
}

NetNode *Reader::sign() { return take("-") ? map(Op::Negate, {sign()}) : leaf(); }

/// Operands between signs of one rank, from the left.
NetNode *Reader::chain(NetNode *(Reader::*operand)(), std::initializer_list<std::pair<std::string_view, Op>> signs) {
  NetNode *x = (this->*operand)();
  while (true) {
    auto sign = std::find_if(signs.begin(), signs.end(), [&](const auto &each) { return take(each.first); });
    if (sign == signs.end())
      return x;
    x = map(sign->second, {x, (this->*operand)()});
  }
}

NetNode *Reader::product() { return chain(&Reader::sign, {{"*", Op::Mul}, {"/", Op::Div}}); }

NetNode *Reader::sum() { return chain(&Reader::product, {{"+", Op::Add}, {"-", Op::Sub}}); }

NetNode *Reader::comparison() {
  NetNode *x = sum();
  static constexpr std::pair<std::string_view, Op> signs[] = {
      {"==", Op::Equal}, {"!=", Op::NotEqual}, {">=", Op::GreaterEqual}, {"<", Op::Less}, {">", Op::Greater}};
  for (auto [sign, op] : signs)
    if (take(sign))
      return build.compare(op, x, sum());
  return x;
}

NetNode *Reader::choice() {
  if (!take("if "))
    return comparison();
  NetNode *condition = comparison();
  take("then ");
  NetNode *yes = choice();
  take("else ");
  NetNode *no = choice();
  if (std::optional<double> known = numberOf(condition))
    return *known != 0 ? yes : no;
  return build.map(Op::Where, {condition, yes, no}, call.type().type);
}

NetNode *Reader::run() {
  for (size_t end = text.find(';'); end != std::string_view::npos; end = text.find(';')) {
    std::string_view name = word();
    take("=");
    named[name] = choice();
    take(";");
  }
  return choice();
}

Handler plc::import::findFormula(const std::string &name) {
  for (const auto *table : {&formulas, &losses})
    if (auto found = table->find(name); found != table->end())
      return [formula = found->second, isLoss = table == &losses](Call &call) {
        NetNode *result = Reader(call, formula).run();
        result = isLoss ? reduced(call, result) : result;
        return result->shape() == call.shape() ? result : call.build.view(result, call.shape());
      };
  return Handler();
}
