//===- Rates.cpp - the cost model of a kernel -------------------------------===//
#include "Rates.h"

#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/Ein.h"

using namespace mlir;
using namespace plc;
using ein::Function;

namespace {

double nsPerElement(Function function, const kernels::Rates &rates) {
  switch (ein::infoOf(function).cost) {
  case ein::CostClass::Copy:
  case ein::CostClass::Element: return rates.element;
  case ein::CostClass::Divide: return rates.divide;
  case ein::CostClass::IntegerDivide: return 10 * rates.divide; // one lane at a time, unless by a constant
  case ein::CostClass::Exp: return rates.exp;
  case ein::CostClass::Log: return rates.log;
  case ein::CostClass::Tanh: return rates.tanh;
  case ein::CostClass::Power: return 3 * rates.tanh;
  }
  llvm_unreachable("no class of the table");
}

// Rates are those of f32. A vector register holds half as many f64; integers and truth values are computed at f32's
// rate whatever their width.
double timesOfF32(ElementType type) { return isReal(type) ? byteWidth(sumTypeOf(type)) / 4.0 : 1; }

int64_t pointsOf(Operation *op) {
  int64_t points = 1;
  for (int64_t extent : ein::iterationOf(op).extents)
    points *= extent;
  return points;
}

} // namespace

kernels::Cost kernels::costOf(Operation *op, const Rates &rates) {
  int64_t points = pointsOf(op);
  double width = timesOfF32(elementTypeOf(op->getResult(0).getType()));
  if (isa<ein::ContractOp>(op))
    return {2 * points, 2 * points * rates.contractFlop * width};
  if (isa<ein::ReduceOp>(op))
    return {points, points * rates.reducedElement * width};
  if (isa<ein::ScatterAddOp>(op))
    return {points, points * rates.scatteredElement * width};
  if (auto map = dyn_cast<ein::MapOp>(op))
    return {ein::infoOf(map.getFunction()).cost == ein::CostClass::Copy ? 0 : points,
            points * nsPerElement(map.getFunction(), rates) * width};
  return {0, points * nsPerElement(Function::id, rates) * width};
}

int64_t kernels::callNs(double arithmeticNs, int64_t bytes, const Rates &rates) {
  return int64_t(std::max(arithmeticNs, bytes * rates.byte) + rates.call);
}
