//===- Rates.cpp - the cost model of a kernel -------------------------------===//
#include "Rates.h"

#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/MatmulNest.h"

#include <algorithm>

using namespace mlir;
using namespace plc;
using ein::Function;
using plan::Implementation;

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

double widthOf(Operation *op) { return timesOfF32(elementTypeOf(op->getResult(0).getType())); }

double nsPerFlop(Implementation by, const kernels::Rates &rates) {
  switch (by) {
#define CONTRACTION(NAME, RATE, LEAST_EXTENT, LEAST_PRODUCTS, WRITER)                                                  \
  case Implementation::NAME: return rates.RATE;
#define IMPLEMENTATION(NAME, KIND, WRITER) case Implementation::NAME:
#include "plc/Dialect/Plan/Implementations.def"
    break;
  }
  llvm_unreachable("no implementation of contractions");
}

// Chains compute 16 neighbours of the result at once, however many of them exist.
double emptyLanes(ein::ContractOp op) {
  constexpr int64_t lanes = 16;
  ein::Contraction contraction = ein::analyse(op);
  int64_t neighbours = 1;
  for (auto *loops : {&contraction.batch, &contraction.m, &contraction.n})
    for (const ein::LoopDim &loop : *loops)
      if (loop.c == 1)
        neighbours = std::min(loop.extent, lanes);
  return double(lanes) / double(neighbours);
}

} // namespace

double kernels::contractionNs(ein::ContractOp op, Implementation by, const Rates &rates) {
  double ns = 2 * pointsOf(op) * nsPerFlop(by, rates) * widthOf(op);
  return by == Implementation::chains ? ns * emptyLanes(op) : ns;
}

kernels::Cost kernels::costOf(Operation *op, Implementation by, const Rates &rates) {
  int64_t points = pointsOf(op);
  double width = widthOf(op);
  if (auto contract = dyn_cast<ein::ContractOp>(op))
    return {2 * points, contractionNs(contract, by, rates)};
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
