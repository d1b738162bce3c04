//===- Rates.cpp - the shipped cost model of a kernel -----------------------===//
#include "Rates.h"

#include "plc/Dialect/Ein/Alignment.h"
#include "plc/Dialect/Ein/Ein.h"

using namespace mlir;
using namespace plc;
using ein::Function;

namespace {

// Rounded from measurements on one thread of two AVX-512 machines; f64 takes twice as long.
constexpr double nsPerContractFlop = 0.011;  // 90 GF: BLIS with strides
constexpr double nsPerReducedElement = 0.08; // one add per lane, latency bound
constexpr double nsPerScatteredElement = 0.15;
constexpr double nsPerByte = 0.04; // 25 GB/s, partly from cache
constexpr double nsPerCall = 300;  // claimed, its operands' addresses gathered

double nsPerElement(Function function) {
  switch (function) {
  case Function::exp:
  case Function::sigmoid:
    return 0.15;
  case Function::log:
    return 0.25;
  case Function::floor_div: // of integers: one lane at a time, unless by a constant
  case Function::floor_mod:
    return 1.5;
  case Function::log1p:
  case Function::sin:
  case Function::cos:
  case Function::tan:
  case Function::tanh:
  case Function::erf:
    return 0.35;
  case Function::pow:
    return 1;
  case Function::sqrt:
  case Function::rsqrt:
  case Function::div:
    return 0.15;
  default:
    return 0.03;
  }
}

int64_t pointsOf(Operation *op) {
  int64_t points = 1;
  for (int64_t extent : ein::iterationOf(op).extents)
    points *= extent;
  return points;
}

} // namespace

kernels::Cost kernels::costOf(Operation *op) {
  int64_t points = pointsOf(op);
  double width = cast<RankedTensorType>(op->getResult(0).getType()).getElementType().isF64() ? 2 : 1;
  if (isa<ein::ContractOp>(op))
    return {2 * points, 2 * points * nsPerContractFlop * width};
  if (isa<ein::ReduceOp>(op))
    return {points, points * nsPerReducedElement * width};
  if (isa<ein::ScatterAddOp>(op))
    return {points, points * nsPerScatteredElement * width};
  if (auto map = dyn_cast<ein::MapOp>(op))
    return {map.getFunction() == Function::id ? 0 : points, points * nsPerElement(map.getFunction()) * width};
  return {0, points * nsPerElement(Function::id) * width};
}

int64_t kernels::bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * std::max(1u, tensor.getElementTypeBitWidth() / 8);
}

int64_t kernels::callNs(double arithmeticNs, int64_t bytes) {
  return int64_t(std::max(arithmeticNs, bytes * nsPerByte) + nsPerCall);
}
