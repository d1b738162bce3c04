//===- Evaluate.cpp - values that depend on sizes alone -------------------===//
// Each operator says from which element of which operand an element of its result comes. Arithmetic is that of
// doubles, rounded as the result's type stores them.
#include "Net/Net.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace plc;
using namespace plc::import;

namespace {
using Index = std::vector<int64_t>;

/// Row-major; axes of extent 1 are broadcast, and leading axes may be absent.
double elementAt(const Dense &dense, const Index &index) {
  int64_t offset = 0;
  size_t more = index.size() - dense.shape.size();
  for (size_t i = 0; i < dense.shape.size(); ++i)
    offset = offset * dense.shape[i] + (dense.shape[i] == 1 ? 0 : index[i + more]);
  return dense.elements[offset];
}

/// Calls `element` for each index of the node's result.
template <typename F>
std::vector<double> fill(const NetNode &node, F element) {
  std::vector<double> elements;
  int64_t count = elementsOf(node.shape());
  elements.reserve(count);
  Index index(node.shape().size());
  for (int64_t k = 0; k < count; ++k) {
    elements.push_back(element(std::as_const(index)));
    for (size_t i = index.size(); i > 0 && ++index[i - 1] == node.shape()[i - 1]; --i)
      index[i - 1] = 0;
  }
  return elements;
}

double infix(Op op, double a, double b) {
  switch (op) {
  case Op::Add: return a + b;
  case Op::Sub: return a - b;
  case Op::Mul: return a * b;
  case Op::Div: return a / b;
  case Op::FloorDiv: return std::floor(a / b);
  case Op::Remainder: return a - std::floor(a / b) * b;
  case Op::Less: return a < b;
  case Op::LessEqual: return a <= b;
  case Op::Greater: return a > b;
  case Op::GreaterEqual: return a >= b;
  case Op::Equal: return a == b;
  case Op::NotEqual: return a != b;
  case Op::And: return a != 0 && b != 0;
  case Op::Or: return a != 0 || b != 0;
  case Op::BitAnd: return double(int64_t(a) & int64_t(b));
  case Op::BitOr: return double(int64_t(a) | int64_t(b));
  case Op::BitXor: return double(int64_t(a) ^ int64_t(b));
  case Op::ShiftLeft: return double(int64_t(a) << int64_t(b));
  case Op::ShiftRight: return double(int64_t(a) >> int64_t(b));
  case Op::Maximum: return std::max(a, b);
  case Op::Minimum: return std::min(a, b);
  case Op::Pow: return std::pow(a, b);
  default: return std::numeric_limits<double>::quiet_NaN();
  }
}

/// A function of one element; nullopt if it is not evaluated.
std::optional<double> function(Op op, double x) {
  switch (op) {
  case Op::Cos: return std::cos(x);
  case Op::Sin: return std::sin(x);
  case Op::Tan: return std::tan(x);
  case Op::Tanh: return std::tanh(x);
  case Op::Exp: return std::exp(x);
  case Op::Expm1: return std::expm1(x);
  case Op::Log: return std::log(x);
  case Op::Log1p: return std::log1p(x);
  case Op::Sqrt: return std::sqrt(x);
  case Op::Rsqrt: return 1 / std::sqrt(x);
  case Op::Sigmoid: return 1 / (1 + std::exp(-x));
  case Op::Relu: return std::max(x, 0.0);
  case Op::Abs: return std::fabs(x);
  case Op::Sign: return double((x > 0) - (x < 0));
  case Op::Floor: return std::floor(x);
  case Op::Ceil: return std::ceil(x);
  case Op::Round: return std::nearbyint(x);
  case Op::Negate: return -x;
  case Op::Not: return x == 0;
  case Op::Square: return x * x;
  case Op::Stop:
  case Op::Itself:
  case Op::Copy:
  case Op::Convert: return x;
  default: return std::nullopt;
  }
}

/// Evaluates one node; its operands' values are there.
class Evaluation {
public:
  explicit Evaluation(const NetNode &node) : node(node) {}
  std::optional<std::vector<double>> run();

private:
  const Dense &operand(size_t i) const { return *node.operands[i]->value; }
  std::optional<std::vector<double>> elements();
  std::optional<std::vector<double>> move();
  std::vector<double> gather();
  std::vector<double> join();
  std::vector<double> pad();
  std::vector<double> multiply();
  std::vector<double> reduce();
  std::vector<double> sumUp();
  const NetNode &node;
};
} // namespace

std::optional<std::vector<double>> Evaluation::elements() {
  if (node.op == Op::Where)
    return fill(node, [&](const Index &index) {
      return elementAt(operand(0), index) != 0 ? elementAt(operand(1), index) : elementAt(operand(2), index);
    });
  if (node.operands.size() == 2)
    return fill(node, [&](const Index &index) {
      return infix(node.op, elementAt(operand(0), index), elementAt(operand(1), index));
    });
  if (!function(node.op, 1))
    return std::nullopt;
  return fill(node, [&](const Index &index) { return *function(node.op, elementAt(operand(0), index)); });
}

std::optional<std::vector<double>> Evaluation::move() {
  switch (node.op) {
  case Op::View: return operand(0).elements;
  case Op::Expand: return fill(node, [&](const Index &index) { return elementAt(operand(0), index); });
  case Op::Permute:
    return fill(node, [&](const Index &index) {
      Index from(index.size());
      for (size_t i = 0; i < index.size(); ++i)
        from[node.ints[i]] = index[i];
      return elementAt(operand(0), from);
    });
  case Op::Slice:
    return fill(node, [&](Index index) {
      index[node.dim] = node.ints[0] + node.ints[1] * index[node.dim];
      return elementAt(operand(0), index);
    });
  case Op::Unfold:
    return fill(node, [&](Index index) {
      index[node.dim] = index[node.dim] * node.ints[0] + index.back() * node.ints[1];
      index.pop_back();
      return elementAt(operand(0), index);
    });
  case Op::Select:
    return fill(node, [&](Index index) {
      index.insert(index.begin() + node.dim, node.ints[0]);
      return elementAt(operand(0), index);
    });
  case Op::Repeat:
    return fill(node, [&](Index index) {
      const Shape &shape = operand(0).shape;
      for (size_t i = 0; i < shape.size(); ++i)
        index[index.size() - shape.size() + i] %= shape[i];
      return elementAt(operand(0), index);
    });
  default: return std::nullopt;
  }
}

std::vector<double> Evaluation::gather() {
  if (node.op == Op::Gather)
    return fill(node, [&](Index index) {
      index[node.dim] = int64_t(elementAt(operand(1), index));
      return elementAt(operand(0), index);
    });
  // The indices' axes stand where the first of them stands.
  size_t first = 0, last = node.operands.size() - 1, rank = 0;
  while (!node.operands[first + 1])
    ++first;
  for (size_t i = first; i < last; ++i)
    rank = std::max(rank, node.operands[i + 1] ? operand(i + 1).shape.size() : 0);
  return fill(node, [&](const Index &index) {
    Index at(index.begin() + first, index.begin() + first + rank), from(index.begin(), index.begin() + first);
    for (size_t i = first; i < last; ++i) {
      int64_t position = int64_t(elementAt(operand(i + 1), at));
      from.push_back(position < 0 ? position + operand(0).shape[i] : position);
    }
    from.insert(from.end(), index.begin() + first + rank, index.end());
    return elementAt(operand(0), from);
  });
}

std::vector<double> Evaluation::join() {
  return fill(node, [&](Index index) {
    size_t part = 0;
    while (index[node.dim] >= operand(part).shape[node.dim])
      index[node.dim] -= operand(part++).shape[node.dim];
    return elementAt(operand(part), index);
  });
}

std::vector<double> Evaluation::pad() {
  return fill(node, [&](Index index) {
    for (size_t i = 0; i < node.ints.size() / 2; ++i) {
      size_t dim = index.size() - 1 - i;
      index[dim] -= node.ints[2 * i];
      if (index[dim] < 0 || index[dim] >= operand(0).shape[dim])
        return node.number;
    }
    return elementAt(operand(0), index);
  });
}

std::vector<double> Evaluation::multiply() {
  return fill(node, [&](const Index &index) {
    double sum = 0;
    Index x = index, y = index;
    for (int64_t k = 0; k < operand(0).shape.back(); ++k) {
      x.back() = k;
      y[y.size() - 2] = k;
      sum += elementAt(operand(0), x) * elementAt(operand(1), y);
    }
    return sum;
  });
}

std::vector<double> Evaluation::reduce() {
  std::vector<bool> isSummed(operand(0).shape.size());
  for (int64_t dim : node.ints)
    isSummed[dim] = true;
  Shape inner;
  for (size_t i = 0; i < isSummed.size(); ++i)
    inner.push_back(isSummed[i] ? operand(0).shape[i] : 1);
  NetNode loop;
  loop.type = {ElementType::F64, inner};
  bool keeps = node.shape().size() == isSummed.size();
  return fill(node, [&](const Index &index) {
    std::optional<double> result;
    fill(loop, [&](Index from) {
      for (size_t i = 0, k = 0; i < from.size(); ++i) {
        if (!isSummed[i])
          from[i] = index[k];
        k += keeps || !isSummed[i];
      }
      double x = elementAt(operand(0), from);
      if (!result)
        result = x;
      else if (node.op == Op::MaxOf || node.op == Op::Any)
        result = std::max(*result, x);
      else if (node.op == Op::MinOf || node.op == Op::All)
        result = std::min(*result, x);
      else
        result = node.op == Op::Prod ? *result * x : *result + x;
      return 0.0;
    });
    return node.op == Op::Mean ? *result / double(elementsOf(inner)) : *result;
  });
}

std::vector<double> Evaluation::sumUp() {
  return fill(node, [&](Index index) {
    double sum = 0;
    for (int64_t i = index[node.dim]; i >= 0; --i) {
      index[node.dim] = i;
      sum += elementAt(operand(0), index);
    }
    return sum;
  });
}

std::optional<std::vector<double>> Evaluation::run() {
  switch (node.op) {
  case Op::Number:
  case Op::Full: return std::vector<double>(elementsOf(node.shape()), node.number);
  case Op::Arange:
    return fill(node, [&](const Index &index) { return double(node.ints[0] + node.ints[1] * index[0]); });
  case Op::Index:
  case Op::Embedding:
  case Op::Gather: return gather();
  case Op::Cat: return join();
  case Op::Pad: return pad();
  case Op::Matmul: return node.operand(2) ? std::optional<std::vector<double>>() : multiply();
  case Op::Running: return Op(node.ints[0]) == Op::Sum ? std::optional(sumUp()) : std::nullopt;
  default: break;
  }
  if (node.is(OpClass::Reduction) && node.op != Op::Norm && node.op != Op::LogSumExp)
    return reduce();
  if (node.isElementwise() || node.op == Op::Copy || node.op == Op::Convert)
    return elements();
  return move();
}

void plc::import::roundTo(ElementType type, std::vector<double> &elements) {
  for (double &element : elements)
    if (kindOf(type) == ElementKind::Truth)
      element = element != 0;
    else if (isInteger(type))
      element = std::trunc(element);
    else if (type != ElementType::F64)
      element = float(element);
}

std::optional<double> plc::import::evaluateAt(const NetNode *node, const NetNode *x, double at) {
  if (node == x)
    return at;
  if (std::optional<double> number = numberOf(node))
    return number;
  std::vector<double> operands;
  for (const NetNode *operand : node->operands) {
    std::optional<double> value = node->isLeaf() || !operand ? std::nullopt : evaluateAt(operand, x, at);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  if (operands.size() == 2 && node->isElementwise())
    return infix(node->op, operands[0], operands[1]);
  return operands.size() == 1 ? function(node->op, operands[0]) : std::nullopt;
}

std::shared_ptr<const Dense> plc::import::evaluate(const NetNode &node) {
  for (const NetNode *operand : node.operands)
    if (operand && !operand->value)
      return nullptr;
  if (node.op == Op::Index)
    for (size_t i = 1, given = 0; i < node.operands.size(); ++i) {
      if (!node.operands[i] && given)
        return nullptr; // indices with gaps
      given += node.operands[i] != nullptr;
    }
  std::optional<std::vector<double>> elements = Evaluation(node).run();
  if (!elements)
    return nullptr;
  roundTo(node.type.type, *elements);
  return std::make_shared<Dense>(Dense{node.shape(), std::move(*elements)});
}
