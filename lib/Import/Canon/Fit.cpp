//===- Fit.cpp - formulas of values ---------------------------------------===//
// A value that depends on sizes alone is a function of its indices. The first form that gives all elements is taken.
#include "Net/Net.h"

#include <algorithm>
#include <cmath>

using namespace plc;
using namespace plc::import;

namespace {
constexpr double big = 1e30; // beyond it, a number below 0 stands for minus infinity

/// The elements of a value along the axes on which it depends.
class Fit {
public:
  Fit(const Dense &value, ElementType type, bool isSized) : value(value), type(type), isSized(isSized) {}
  std::optional<Formula> run();

private:
  void findAxes();
  double at(const Shape &index) const;
  template <typename F>
  bool all(F holds) const;
  std::optional<Formula> band(double inside) const;
  std::optional<Formula> affine() const;
  std::optional<Formula> geometric() const;

  const Dense &value;
  ElementType type;
  bool isSized;
  Shape strides;
  std::vector<int> axes; // on which the value depends
};
} // namespace

void Fit::findAxes() {
  size_t rank = value.shape.size();
  strides.assign(rank, 1);
  for (size_t i = rank; i-- > 1;)
    strides[i - 1] = strides[i] * value.shape[i];
  for (size_t i = 0; i < rank; ++i) {
    bool depends = false;
    for (size_t k = 0; k < value.elements.size() && !depends; ++k) {
      size_t position = k / strides[i] % value.shape[i];
      depends = value.elements[k] != value.elements[k - position * strides[i]];
    }
    if (depends)
      axes.push_back(int(i));
  }
}

double Fit::at(const Shape &index) const {
  size_t offset = 0;
  for (size_t i = 0; i < axes.size(); ++i)
    offset += index[i] * strides[axes[i]];
  return value.elements[offset];
}

/// Whether something holds for each index along the axes, and its element.
template <typename F>
bool Fit::all(F holds) const {
  Shape index(axes.size());
  while (true) {
    if (!holds(index, at(index)))
      return false;
    size_t i = axes.size();
    while (i > 0 && ++index[i - 1] == value.shape[axes[i - 1]])
      index[--i] = 0;
    if (i == 0)
      return true;
  }
}

std::optional<Formula> Fit::band(double inside) const {
  if (axes.size() != 2)
    return std::nullopt;
  int64_t low = INT64_MAX, high = INT64_MIN;
  all([&](const auto &index, double element) {
    if (element == inside) {
      low = std::min(low, index[1] - index[0]);
      high = std::max(high, index[1] - index[0]);
    }
    return true;
  });
  bool fits = all([&](const auto &index, double element) {
    int64_t distance = index[1] - index[0];
    return (element == inside) == (low <= distance && distance <= high);
  });
  if (!fits)
    return std::nullopt;
  Formula formula{Formula::Band};
  formula.row = axes[0];
  formula.column = axes[1];
  if (low > 1 - value.shape[axes[0]])
    formula.low = low;
  if (high < value.shape[axes[1]] - 1)
    formula.high = high;
  return formula;
}

std::optional<Formula> Fit::affine() const {
  Shape origin(axes.size());
  Formula formula{Formula::Affine, at(origin)};
  for (size_t i = 0; i < axes.size(); ++i) {
    Shape next = origin;
    next[i] = 1;
    double factor = at(next) - formula.value;
    if (factor != std::floor(factor) || std::fabs(factor) > 1e9)
      return std::nullopt;
    formula.factors.push_back({axes[i], int64_t(factor)});
  }
  if (formula.value != std::floor(formula.value) || std::fabs(formula.value) > 1e9)
    return std::nullopt;
  bool fits = all([&](const auto &index, double element) {
    double sum = formula.value;
    for (size_t i = 0; i < index.size(); ++i)
      sum += double(formula.factors[i].second * index[i]);
    return sum == element;
  });
  return fits ? std::optional(formula) : std::nullopt;
}

/// 1, 1/q, 1/q^2, ..: frequencies of positions are such a row.
std::optional<Formula> Fit::geometric() const {
  if (axes.size() != 1 || value.shape[axes[0]] < 2)
    return std::nullopt;
  int64_t extent = value.shape[axes[0]];
  double first = at({0}), last = at({extent - 1});
  if (std::fabs(first - 1) > 1e-6 || last <= 0)
    return std::nullopt;
  double base = std::pow(last, -double(extent) / double(extent - 1)), whole = std::round(base);
  if (std::fabs(base - whole) < 1e-2 * base)
    base = whole;
  bool fits = all([&](const auto &index, double element) {
    double expected = std::pow(base, -double(index[0]) / double(extent));
    return std::fabs(element - expected) < 1e-5 * expected;
  });
  if (!fits)
    return std::nullopt;
  Formula formula{Formula::Geometric, base};
  formula.row = axes[0];
  return formula;
}

std::optional<Formula> Fit::run() {
  if (value.elements.empty())
    return std::nullopt;
  findAxes();
  if (axes.empty())
    return Formula{Formula::Number, value.elements[0]};
  if (kindOf(type) == ElementKind::Truth)
    return band(1);
  bool isMask = isReal(type) && all([](const auto &, double element) { return element == 0 || element < -big; });
  if (isMask) {
    std::optional<Formula> formula = band(0);
    if (formula)
      formula->kind = Formula::Mask;
    return formula;
  }
  if (axes.size() <= 3)
    if (std::optional<Formula> formula = affine())
      return formula;
  if (isReal(type))
    if (std::optional<Formula> formula = geometric())
      return formula;
  // A table along an axis that the user's sizes make holds at the exported size alone.
  if (axes.size() == 1 && value.shape[axes[0]] <= 16 && !isSized) {
    Formula formula{Formula::Table};
    formula.row = axes[0];
    for (int64_t i = 0; i < value.shape[axes[0]]; ++i)
      formula.table.push_back(at({i}));
    return formula;
  }
  return std::nullopt;
}

std::optional<Formula> plc::import::fitFormula(const Dense &value, ElementType type, bool isSized) {
  return Fit(value, type, isSized).run();
}
