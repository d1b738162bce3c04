//===- Rates.cpp - the cost model of a kernel -------------------------------===//
#include "Rates.h"

#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/Ein.h"

using namespace mlir;
using namespace plc;
using ein::Function;

namespace {

double nsPerElement(Function function, const kernels::Rates &rates) {
  switch (function) {
  case Function::exp:
  case Function::sigmoid: return rates.exp;
  case Function::log: return rates.log;
  case Function::floor_div: // of integers: one lane at a time, unless by a constant
  case Function::floor_mod: return 10 * rates.divide;
  case Function::log1p:
  case Function::sin:
  case Function::cos:
  case Function::tan:
  case Function::tanh:
  case Function::erf: return rates.tanh;
  case Function::pow: return 3 * rates.tanh;
  case Function::sqrt:
  case Function::rsqrt:
  case Function::div: return rates.divide;
  default: return rates.element;
  }
}

int64_t pointsOf(Operation *op) {
  int64_t points = 1;
  for (int64_t extent : ein::iterationOf(op).extents)
    points *= extent;
  return points;
}

} // namespace

kernels::Cost kernels::costOf(Operation *op, const Rates &rates) {
  int64_t points = pointsOf(op);
  double width = cast<RankedTensorType>(op->getResult(0).getType()).getElementType().isF64() ? 2 : 1;
  if (isa<ein::ContractOp>(op))
    return {2 * points, 2 * points * rates.contractFlop * width};
  if (isa<ein::ReduceOp>(op))
    return {points, points * rates.reducedElement * width};
  if (isa<ein::ScatterAddOp>(op))
    return {points, points * rates.scatteredElement * width};
  if (auto map = dyn_cast<ein::MapOp>(op))
    return {map.getFunction() == Function::id ? 0 : points, points * nsPerElement(map.getFunction(), rates) * width};
  return {0, points * nsPerElement(Function::id, rates) * width};
}

int64_t kernels::bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * std::max(1u, tensor.getElementTypeBitWidth() / 8);
}

int64_t kernels::callNs(double arithmeticNs, int64_t bytes, const Rates &rates) {
  return int64_t(std::max(arithmeticNs, bytes * rates.byte) + rates.call);
}
