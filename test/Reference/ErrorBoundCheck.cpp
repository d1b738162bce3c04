//===- ErrorBoundCheck.cpp - f32 beside f64 within derived bounds ----------===//
//
// error-bound-check FILE: runs every body of an f32 program on the same numbers in f32 and, with f64 in the place of
// f32, in f64, and checks that both lie in the interval that rounding alone allows (Interval.h).
//
//===----------------------------------------------------------------------===//
#include "Interval.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Ein/Views.h"
#include "plc/Reference/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>
#include <random>

using namespace mlir;
using namespace plc;
using ein::Function;
using reference::Tensor;

namespace {

using Values = std::vector<Interval>;

// Walks a domain; offsets of an access at the current point.
class Walk {
public:
  explicit Walk(ArrayRef<int64_t> extents) : extents(extents), at(extents.size(), 0) {}

  bool next() {
    for (unsigned dim = extents.size(); dim-- > 0;) {
      if (++at[dim] < extents[dim])
        return true;
      at[dim] = 0;
    }
    return false;
  }

  int64_t offset(AffineMap map, Type tensor, ArrayRef<int64_t> symbols = {}) const {
    int64_t offset = 0;
    for (auto [axis, extent] : llvm::enumerate(cast<RankedTensorType>(tensor).getShape())) {
      int dim = ein::dimOf(map, axis);
      int64_t index = dim >= 0 ? at[dim] : symbols[cast<AffineSymbolExpr>(map.getResult(axis)).getPosition()];
      offset = offset * extent + index;
    }
    return offset;
  }

  int64_t offset(ArrayRef<ein::AxisPositions> positions, ArrayRef<int64_t> shape) const {
    int64_t offset = 0;
    for (auto [axis, extent] : llvm::zip(positions, shape)) {
      offset = offset * extent + axis.offset;
      for (auto [dim, stride] : llvm::zip(axis.dims, axis.strides))
        offset += at[dim] * stride;
    }
    return offset;
  }

private:
  ArrayRef<int64_t> extents;
  SmallVector<int64_t> at;
};

// Whether a < b may fail to hold, and may hold; `orEqual`: a <= b.
Interval isLess(Interval a, Interval b, bool orEqual) {
  return orEqual ? Interval::truth(a.high > b.low, a.low <= b.high)
                 : Interval::truth(!(a.high < b.low), a.low < b.high);
}
Interval isEqual(Interval a, Interval b) {
  bool same = a.low == a.high && b.low == b.high && a.low == b.low, meet = a.low <= b.high && b.low <= a.high;
  return Interval::truth(!same, meet);
}
Interval isNot(Interval x) { return {1 - x.high, 1 - x.low}; }

// Of integers; those that choose a position are points.
Interval floorDivide(Interval a, Interval b) {
  if (a.low != a.high || b.low != b.high)
    return Interval::all();
  double quotient = b.low == 0 ? 0 : std::floor(a.low / b.low);
  return {quotient, quotient};
}

// Bits of integers of a width that are points.
Interval bits(Function function, Interval a, Interval b, unsigned width) {
  if (a.low != a.high || b.low != b.high || std::abs(a.low) > 0x1p31)
    return Interval::all();
  auto x = int64_t(a.low), y = int64_t(b.low);
  auto point = [](int64_t value) { return Interval{double(value), double(value)}; };
  switch (function) {
  case Function::bit_and: return point(x & y);
  case Function::bit_or: return point(x | y);
  case Function::bit_xor: return point(x ^ y);
  case Function::shift_right: return point(x >> (y >= 0 && y < 63 ? y : 63));
  default: break;
  }
  // A shift to the left wraps as two's complement does. One by all bits gives 0, also where y is negative.
  if (y < 0 || y >= width)
    return point(0);
  int64_t shifted = width == 32 ? int64_t(int32_t(uint32_t(x) << y)) : int64_t(uint64_t(x) << y);
  return std::abs(double(shifted)) <= 0x1p53 ? point(shifted) : Interval::all();
}

// Integers, of `width` bits, are exact.
Interval apply(Function function, ArrayRef<Interval> in, bool real, unsigned width) {
  Interval x = in[0], a = in[0], b = in.size() > 1 ? in[1] : Interval();
  switch (function) {
  case Function::id: return x;
  case Function::neg: return negate(x);
  case Function::abs: return absolute(x);
  case Function::exp: return increasing(x, [](double t) { return std::exp(t); });
  case Function::expm1: return increasing(x, [](double t) { return std::expm1(t); }, 2.5);
  case Function::log: return increasing(x, [](double t) { return std::log(t); });
  case Function::log1p: return increasing(x, [](double t) { return std::log1p(t); });
  case Function::sqrt: return increasing(x, [](double t) { return std::sqrt(t); });
  case Function::rsqrt: return x.low > 0 ? functionOf({1 / std::sqrt(x.high), 1 / std::sqrt(x.low)}) : Interval::all();
  case Function::erf: return increasing(x, [](double t) { return std::erf(t); });
  case Function::ndtr: return increasing(x, [](double t) { return std::erfc(-t / std::sqrt(2.0)) / 2; }, 4);
  case Function::tanh: return increasing(x, [](double t) { return std::tanh(t); });
  case Function::sigmoid: return increasing(x, [](double t) { return 1 / (1 + std::exp(-t)); });
  case Function::sin: return waving(x, [](double t) { return std::sin(t); });
  case Function::cos: return waving(x, [](double t) { return std::cos(t); });
  case Function::tan: return tangent(x);
  case Function::relu: return {std::max(0.0, x.low), std::max(0.0, x.high)};
  case Function::sign: return {double((x.low > 0) - (x.low < 0)), double((x.high > 0) - (x.high < 0))};
  case Function::floor: return {std::floor(x.low), std::floor(x.high)};
  case Function::ceil: return {std::ceil(x.low), std::ceil(x.high)};
  case Function::round: return {std::nearbyint(x.low), std::nearbyint(x.high)};
  case Function::add: return real ? add(a, b) : Interval{a.low + b.low, a.high + b.high};
  case Function::sub: return real ? add(a, negate(b)) : Interval{a.low - b.high, a.high - b.low};
  case Function::mul: return real ? multiply(a, b) : product(a, b);
  case Function::div: return divide(a, b);
  case Function::pow: return power(a, b);
  case Function::floor_div: return floorDivide(a, b);
  case Function::floor_mod: {
    Interval quotient = floorDivide(a, b);
    return quotient.isBounded() ? Interval{a.low - b.low * quotient.low, a.low - b.low * quotient.low} : quotient;
  }
  case Function::bit_and:
  case Function::bit_or:
  case Function::bit_xor:
  case Function::shift_left:
  case Function::shift_right: return bits(function, a, b, width);
  case Function::max:
  case Function::logical_or: return {std::max(a.low, b.low), std::max(a.high, b.high)};
  case Function::min:
  case Function::logical_and: return {std::min(a.low, b.low), std::min(a.high, b.high)};
  case Function::logical_not: return isNot(x);
  case Function::random: return {0, 0x1p24 - 1};
  case Function::eq: return isEqual(a, b);
  case Function::ne: return isNot(isEqual(a, b));
  case Function::lt: return isLess(a, b, false);
  case Function::le: return isLess(a, b, true);
  case Function::gt: return isLess(b, a, false);
  case Function::ge: return isLess(b, a, true);
  case Function::select: return in[0].low == 1 ? in[1] : in[0].high == 0 ? in[2] : unite(in[1], in[2]);
  }
  llvm_unreachable("no row of the table");
}

class Bounds {
public:
  void set(Value value, const Values &of) { values[value] = of; }
  const Values &get(Value value) const { return values.find(value)->second; }

  void run(Operation &op) {
    if (auto turns = dyn_cast<ein::LoopOp>(op))
      return loop(turns);
    if (isa<ein::ContractOp, ein::ReduceOp, ein::ScatterAddOp>(op))
      return sum(op);
    if (isa<ein::WindowOp, ein::InsertSliceOp>(op))
      return move(op);
    if (ein::isView(&op)) {
      values[op.getResult(0)] = Values(get(op.getOperand(0)));
      return;
    }
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    Values &result = values[op.getResult(0)];
    result.assign(type.getNumElements(), Interval());
    if (auto constant = dyn_cast<ein::ConstantOp>(op)) {
      double value = constant.getValue().convertToDouble();
      bool exact = double(float(value)) == value || !isa<FloatType>(type.getElementType());
      result.assign(result.size(), exact ? Interval{value, value} : rounded({value, value}));
    } else if (isa<ein::IotaOp>(op)) {
      for (auto [index, element] : llvm::enumerate(result))
        element = {double(index), double(index)};
    } else {
      elementwise(op, result);
    }
  }

private:
  static int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

  void loop(ein::LoopOp loop) {
    for (auto [carry, init] : llvm::zip(loop.getCarries(), loop.getInit()))
      set(carry, Values(get(init)));
    for (auto [shared, value] : llvm::zip(loop.getShared(), loop.getInvariants()))
      set(shared, Values(get(value)));
    for (Value result : loop.getStacked())
      set(result, Values(elementsOf(result)));
    for (int64_t count = 0, turns = loop.getIterations(); count < turns; ++count) {
      int64_t turn = loop.getReverse() ? turns - 1 - count : count;
      for (auto [part, slice] : llvm::zip(loop.getParts(), loop.getSlices())) {
        auto first = get(slice).begin() + turn * elementsOf(part);
        set(part, Values(first, first + elementsOf(part)));
      }
      for (Operation &op : loop.getIteration().without_terminator())
        run(op);
      for (auto [element, result] : llvm::zip(loop.getElements(), loop.getStacked())) {
        Values of = get(element);
        std::copy(of.begin(), of.end(), values[result].begin() + turn * int64_t(of.size()));
      }
      SmallVector<Values> next;
      for (Value value : loop.getNextCarries())
        next.push_back(get(value));
      for (auto [carry, value] : llvm::zip(loop.getCarries(), next))
        set(carry, value);
    }
    for (auto [last, carry] : llvm::zip(loop.getLastCarries(), loop.getCarries()))
      set(last, Values(get(carry)));
  }

  void elementwise(Operation &op, Values &result) {
    ein::Iteration it = ein::iterationOf(&op);
    Type element = cast<RankedTensorType>(op.getResult(0).getType()).getElementType();
    bool real = isa<FloatType>(element);
    Walk walk(it.extents);
    do {
      std::optional<SmallVector<int64_t>> symbols = symbolsOf(op, it, walk);
      Interval &y = result[walk.offset(it.result, op.getResult(0).getType())];
      if (!symbols) {
        y = Interval::all();
        continue;
      }
      SmallVector<Interval> in;
      for (auto [operand, map] : llvm::zip(op.getOperands(), it.inputs))
        in.push_back(get(operand)[walk.offset(map, operand.getType(), *symbols)]);
      if (auto map = dyn_cast<ein::MapOp>(op))
        y = apply(map.getFunction(), in, real, element.getIntOrFloatBitWidth());
      else
        y = isa<ein::CastOp>(op) && !real ? Interval{std::trunc(in[0].low), std::trunc(in[0].high)} : in[0];
    } while (walk.next());
  }

  // Between the elements of the smaller tensor and those at their positions in the larger one.
  void move(Operation &op) {
    auto window = dyn_cast<ein::WindowOp>(op);
    auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
    Value large = window ? op.getOperand(0) : op.getResult(0), small = window ? op.getResult(0) : op.getOperand(0);
    auto positions = window ? window.getPositions() : cast<ein::InsertSliceOp>(op).getPositions();
    Values result(cast<RankedTensorType>(op.getResult(0).getType()).getNumElements());
    int64_t index = 0;
    Walk walk(shapeOf(small));
    do {
      int64_t shown = walk.offset(positions, shapeOf(large));
      if (window)
        result[index++] = get(large)[shown];
      else
        result[shown] = get(small)[index++];
    } while (walk.next());
    values[op.getResult(0)] = std::move(result);
  }

  // Indices are points as a rule; nullopt if one is not known.
  std::optional<SmallVector<int64_t>> symbolsOf(Operation &op, const ein::Iteration &it, const Walk &walk) {
    SmallVector<int64_t> symbols;
    auto scatter = dyn_cast<ein::ScatterAddOp>(op);
    if (isa<ein::GatherOp>(op) || scatter) {
      for (unsigned i = 1, end = it.inputs.size() - (scatter && scatter.getFactor()); i < end; ++i)
        if (Interval at = get(op.getOperand(i))[walk.offset(it.inputs[i], op.getOperand(i).getType())];
            at.low == at.high)
          symbols.push_back(int64_t(at.low));
        else
          return std::nullopt;
    }
    return symbols;
  }

  // The function that a reduction folds its elements by, in any order; none of a sum.
  static std::optional<Function> functionOf(ein::Reduction reduction) {
    switch (reduction) {
    case ein::Reduction::sum: return std::nullopt;
    case ein::Reduction::max: return Function::max;
    case ein::Reduction::min: return Function::min;
    case ein::Reduction::prod: return Function::mul;
    case ein::Reduction::any: return Function::logical_or;
    case ein::Reduction::all: return Function::logical_and;
    }
    llvm_unreachable("no reduction");
  }

  // Sums of products, of elements, of updates; and other reductions. An accumulator is one more term.
  void sum(Operation &op) {
    ein::Iteration it = ein::iterationOf(&op);
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    std::optional<Function> folded = functionOf(ein::reductionOf(&op));
    Values terms(type.getNumElements());
    std::vector<double> sizes(terms.size()), counts(terms.size());
    if (op.getNumOperands() > it.inputs.size())
      for (auto [index, old] : llvm::enumerate(get(op.getOperands().back())))
        terms[index] = old, sizes[index] = old.size(), counts[index] = 1;
    Walk walk(it.extents);
    do {
      std::optional<SmallVector<int64_t>> symbols = symbolsOf(op, it, walk);
      if (!symbols) { // it may be any element
        values[op.getResult(0)] = Values(terms.size(), Interval::all());
        return;
      }
      Interval x = get(op.getOperand(0))[walk.offset(it.inputs[0], op.getOperand(0).getType())];
      Value factor;
      if (auto contract = dyn_cast<ein::ContractOp>(op))
        factor = contract.getInputs()[1];
      else if (auto scatter = dyn_cast<ein::ScatterAddOp>(op))
        factor = scatter.getFactor();
      if (factor) // the last input
        x = product(x, get(factor)[walk.offset(it.inputs.back(), factor.getType())]);
      int64_t at = walk.offset(it.result, type, *symbols);
      Interval &y = terms[at];
      if (!folded)
        y = {y.low + x.low, y.high + x.high};
      else if (!counts[at])
        y = x;
      else
        y = apply(*folded, {y, x}, true, /*width=*/0);
      sizes[at] += x.size();
      ++counts[at];
    } while (walk.next());
    for (auto [index, y] : llvm::enumerate(terms))
      if (folded && !counts[index]) // no position of a scatter
        y = *folded == Function::mul   ? Interval{1, 1}
            : *folded == Function::max ? Interval{-INFINITY, -INFINITY}
                                       : Interval{INFINITY, INFINITY};
      else if (!folded) // a term is rounded once, added to a chain, and the chains are added
        y = sumOf(y, sizes[index], counts[index] + counts[index] / 256 + 2);
    values[op.getResult(0)] = std::move(terms);
  }

  llvm::DenseMap<Value, Values> values;
};

struct Tally {
  int64_t bodies = 0, bounded = 0, unbounded = 0, wrong = 0;
  double nearest = 0; // largest |f32 - f64| in widths of intervals
  std::vector<double> relative;
};

double at(const Tensor &tensor, int64_t i) {
  return tensor.element == ElementType::F32 ? tensor.as<float>()[i] : tensor.as<double>()[i];
}

// A number of f32 for a real, a row of any table for an index.
void fillBoth(Tensor &narrow, Tensor &wide, Values &points, std::mt19937 &draws) {
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < narrow.numElements(); ++i) {
    double value = narrow.element == ElementType::F32 ? normal(draws) : double(draws() % 2);
    if (narrow.element == ElementType::F32)
      narrow.as<float>()[i] = float(value), wide.as<double>()[i] = value;
    for (Tensor *tensor : {&narrow, &wide}) {
      if (tensor->element == ElementType::I32)
        tensor->as<int32_t>()[i] = int32_t(value);
      if (tensor->element == ElementType::I64)
        tensor->as<int64_t>()[i] = int64_t(value);
      if (tensor->element == ElementType::Bool)
        tensor->as<uint8_t>()[i] = uint8_t(value);
    }
    points.push_back({value, value});
  }
}

void check(ein::FuncOp narrow, ein::FuncOp wide, reference::Interpreter &f32, reference::Interpreter &f64,
           Tally &tally) {
  std::mt19937 draws(1);
  std::vector<Tensor> narrowArguments, wideArguments;
  Bounds bounds;
  for (auto [small, large] : llvm::zip(narrow.getBody().getArguments(), wide.getBody().getArguments())) {
    narrowArguments.push_back(f32.makeTensor(small.getType()));
    wideArguments.push_back(f64.makeTensor(large.getType()));
    Values points;
    fillBoth(narrowArguments.back(), wideArguments.back(), points, draws);
    bounds.set(large, points);
  }
  for (Operation &op : wide.getBody().front().without_terminator())
    bounds.run(op);
  std::vector<Tensor> a = f32.runFunction(narrow, narrowArguments), b = f64.runFunction(wide, wideArguments);
  ++tally.bodies;
  for (auto [index, value] : llvm::enumerate(wide.getBody().front().getTerminator()->getOperands())) {
    if (a[index].element != ElementType::F32)
      continue;
    for (auto [i, bound] : llvm::enumerate(bounds.get(value))) {
      if (!bound.isBounded()) {
        ++tally.unbounded;
        continue;
      }
      double x = at(a[index], i), y = at(b[index], i), width = bound.high - bound.low;
      ++tally.bounded;
      tally.relative.push_back(width / std::max(std::abs(y), 0x1p-100));
      if (width > 0)
        tally.nearest = std::max(tally.nearest, std::abs(x - y) / width);
      if (bound.contains(x) && bound.contains(y))
        continue;
      if (!tally.wrong++)
        llvm::outs() << narrow.getName() << ": result #" << index << " at " << i
                     << llvm::format(": f32 %a, f64 %a, bound [%a, %a]\n", x, y, bound.low, bound.high);
    }
  }
}

} // namespace

int main(int argc, char **argv) {
  auto file = llvm::MemoryBuffer::getFile(argc == 2 ? argv[1] : "");
  if (!file) {
    llvm::errs() << "usage: error-bound-check FILE.mlir\n";
    return 2;
  }
  std::string text = (*file)->getBuffer().str(), wideText = text;
  for (size_t at = wideText.find("f32"); at != std::string::npos; at = wideText.find("f32", at))
    wideText.replace(at, 3, "f64");
  MLIRContext context;
  context.loadDialect<ein::EinDialect>();
  auto narrow = parseSourceString<ModuleOp>(text, &context), wide = parseSourceString<ModuleOp>(wideText, &context);
  if (!narrow || !wide)
    return 1;
  reference::Interpreter f32(*narrow, ElementType::F32), f64(*wide, ElementType::F64);
  Tally tally;
  for (auto body : narrow->getOps<ein::FuncOp>())
    check(body, wide->lookupSymbol<ein::FuncOp>(body.getName()), f32, f64, tally);
  double median = 0;
  if (!tally.relative.empty()) {
    auto middle = tally.relative.begin() + tally.relative.size() / 2;
    std::nth_element(tally.relative.begin(), middle, tally.relative.end());
    median = *middle;
  }
  llvm::outs() << tally.bodies << " bodies, " << tally.bounded << " numbers bounded, " << tally.unbounded << " not; "
               << tally.wrong << " outside; median width " << llvm::format("%.1e", median)
               << " of the number; f32 and f64 up to " << llvm::format("%.3f", tally.nearest) << " widths apart\n";
  return tally.wrong || !tally.bounded ? 1 : 0;
}
