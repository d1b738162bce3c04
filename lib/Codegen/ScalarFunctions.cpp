//===- ScalarFunctions.cpp - ein's scalar functions as IR -------------------===//
#include "ScalarFunctions.h"

#include "IRValue.h"
#include "plc/Numerics/Functions.h"

#include <cmath>

using namespace mlir;
using namespace plc;
using namespace plc::codegen;
using ein::Function;
using ein::Reduction;

namespace {

template <typename T>
Value applyUnary(ImplicitLocOpBuilder &builder, Function function, Value operand) {
  IRValue<T> x{&builder, operand};
  switch (function) {
  case Function::neg: return (-x).value;
  case Function::abs: return numerics::abs(x).value;
  case Function::exp: return numerics::exp(x).value;
  case Function::log: return numerics::log(x).value;
  case Function::log1p: return numerics::log1p(x).value;
  case Function::sin: return numerics::sin(x).value;
  case Function::cos: return numerics::cos(x).value;
  case Function::tan: return numerics::tan(x).value;
  case Function::floor: return floor(x).value;
  case Function::ceil: return ceil(x).value;
  case Function::round: return roundToEven(x).value;
  case Function::sqrt: return sqrt(x).value;
  case Function::rsqrt: return numerics::rsqrt(x).value;
  case Function::erf: return numerics::erf(x).value;
  case Function::tanh: return numerics::tanh(x).value;
  case Function::sigmoid: return numerics::sigmoid(x).value;
  case Function::relu: return numerics::relu(x).value;
  case Function::sign: return numerics::sign(x).value;
  default: return operand;
  }
}

template <typename T>
Value applyBinary(ImplicitLocOpBuilder &builder, Function function, Value first, Value second) {
  IRValue<T> a{&builder, first}, b{&builder, second};
  switch (function) {
  case Function::add: return (a + b).value;
  case Function::sub: return (a - b).value;
  case Function::mul: return (a * b).value;
  case Function::div: return (a / b).value;
  case Function::pow: return numerics::pow(a, b).value;
  case Function::max: return numerics::maximum(a, b).value;
  default: return numerics::minimum(a, b).value;
  }
}

Value integerConstant(ImplicitLocOpBuilder &builder, Type type, int64_t value) {
  return constantLike(builder, type, builder.getIntegerAttr(getElementTypeOrSelf(type), value));
}

Value pickInteger(ImplicitLocOpBuilder &builder, arith::CmpIPredicate predicate, Value a, Value b, Value then,
                  Value otherwise) {
  Value holds = arith::CmpIOp::create(builder, predicate, a, b);
  return arith::SelectOp::create(builder, holds, then, otherwise);
}

// Rounded down; 0 if b is 0. The machine's division faults on 0, and on the smallest integer by -1.
Value floorDivide(ImplicitLocOpBuilder &builder, Value a, Value b) {
  using P = arith::CmpIPredicate;
  Value zero = integerConstant(builder, a.getType(), 0), one = integerConstant(builder, a.getType(), 1);
  Value isZero = arith::CmpIOp::create(builder, P::eq, b, zero);
  Value isMinusOne = arith::CmpIOp::create(builder, P::eq, b, integerConstant(builder, a.getType(), -1));
  Value odd = arith::OrIOp::create(builder, isZero, isMinusOne);
  Value divisor = arith::SelectOp::create(builder, odd, one, b);
  Value quotient = arith::DivSIOp::create(builder, a, divisor);
  Value rest = arith::SubIOp::create(builder, a, arith::MulIOp::create(builder, quotient, divisor));
  Value signs = arith::CmpIOp::create(builder, P::slt, arith::XOrIOp::create(builder, rest, divisor), zero);
  Value rounds = arith::AndIOp::create(builder, arith::CmpIOp::create(builder, P::ne, rest, zero), signs);
  Value floor = arith::SelectOp::create(builder, rounds, arith::SubIOp::create(builder, quotient, one), quotient);
  Value negative = arith::SubIOp::create(builder, zero, a);
  return arith::SelectOp::create(builder, isZero, zero, arith::SelectOp::create(builder, isMinusOne, negative, floor));
}

Value applyInteger(ImplicitLocOpBuilder &builder, Function function, ValueRange operands) {
  using P = arith::CmpIPredicate;
  Value a = operands[0], b = operands.size() > 1 ? operands[1] : Value(),
        zero = integerConstant(builder, a.getType(), 0);
  switch (function) {
  case Function::neg: return arith::SubIOp::create(builder, zero, a);
  case Function::abs: return pickInteger(builder, P::slt, a, zero, arith::SubIOp::create(builder, zero, a), a);
  case Function::relu: return pickInteger(builder, P::slt, a, zero, zero, a);
  case Function::sign: {
    Value down = pickInteger(builder, P::slt, a, zero, integerConstant(builder, a.getType(), -1), zero);
    return pickInteger(builder, P::sgt, a, zero, integerConstant(builder, a.getType(), 1), down);
  }
  case Function::add: return arith::AddIOp::create(builder, a, b);
  case Function::sub: return arith::SubIOp::create(builder, a, b);
  case Function::mul: return arith::MulIOp::create(builder, a, b);
  case Function::floor_div: return floorDivide(builder, a, b);
  case Function::floor_mod:
    return arith::SubIOp::create(builder, a, arith::MulIOp::create(builder, b, floorDivide(builder, a, b)));
  case Function::max: return pickInteger(builder, P::sgt, b, a, b, a);
  case Function::min: return pickInteger(builder, P::slt, b, a, b, a);
  default: return a;
  }
}

// Toward 0; the smallest integer where that does not fit, for which the conversion itself has no defined result.
Value roundToInteger(ImplicitLocOpBuilder &builder, Value x, Type to) {
  Type element = getElementTypeOrSelf(x.getType());
  unsigned width = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  double bound = std::ldexp(1.0, width - 1);
  bool between = element.isF64() && width == 32; // there are numbers between the bound and the next integer
  auto real = [&](double value) { return constantLike(builder, x.getType(), builder.getFloatAttr(element, value)); };
  Value above = between ? arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, x, real(-bound - 1))
                        : arith::CmpFOp::create(builder, arith::CmpFPredicate::OGE, x, real(-bound));
  Value below = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, x, real(bound));
  Value fits = arith::AndIOp::create(builder, above, below);
  Value found = arith::FPToSIOp::create(builder, to, arith::SelectOp::create(builder, fits, x, real(0)));
  return arith::SelectOp::create(builder, fits, found,
                                 integerConstant(builder, to, width == 32 ? INT32_MIN : INT64_MIN));
}

Value applyComparison(ImplicitLocOpBuilder &builder, Function function, Value a, Value b) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static constexpr std::pair<F, I> predicates[] = {{F::OEQ, I::eq},  {F::UNE, I::ne},  {F::OLT, I::slt},
                                                   {F::OLE, I::sle}, {F::OGT, I::sgt}, {F::OGE, I::sge}};
  auto [real, integer] = predicates[unsigned(function) - unsigned(Function::eq)];
  if (isa<FloatType>(getElementTypeOrSelf(a.getType())))
    return arith::CmpFOp::create(builder, real, a, b);
  return arith::CmpIOp::create(builder, integer, a, b);
}

} // namespace

Value codegen::applyFunction(ImplicitLocOpBuilder &builder, Function function, ValueRange operands) {
  Value first = operands.front();
  if (function == Function::id)
    return first;
  if (function == Function::select)
    return arith::SelectOp::create(builder, operands[0], operands[1], operands[2]);
  if (function == Function::logical_and)
    return arith::AndIOp::create(builder, first, operands[1]);
  if (function == Function::logical_or)
    return arith::OrIOp::create(builder, first, operands[1]);
  if (function == Function::logical_not)
    return arith::XOrIOp::create(builder, first, integerConstant(builder, first.getType(), 1));
  if (function >= Function::eq && function <= Function::ge)
    return applyComparison(builder, function, first, operands[1]);
  Type element = getElementTypeOrSelf(first.getType());
  if (!isa<FloatType>(element))
    return applyInteger(builder, function, operands);
  if (operands.size() == 1)
    return element.isF32() ? applyUnary<float>(builder, function, first) : applyUnary<double>(builder, function, first);
  return element.isF32() ? applyBinary<float>(builder, function, first, operands[1])
                         : applyBinary<double>(builder, function, first, operands[1]);
}

Value codegen::combine(ImplicitLocOpBuilder &builder, Reduction reduction, Value m, Value x) {
  if (!isa<FloatType>(getElementTypeOrSelf(m.getType()))) {
    Function functions[] = {Function::add, Function::max, Function::min};
    return applyInteger(builder, functions[unsigned(reduction)], {m, x});
  }
  if (reduction == Reduction::sum)
    return arith::AddFOp::create(builder, m, x);
  auto predicate = reduction == Reduction::max ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value takes = arith::CmpFOp::create(builder, predicate, x, m);
  return arith::SelectOp::create(builder, takes, x, m);
}

Value codegen::identityOf(ImplicitLocOpBuilder &builder, Reduction reduction, Type type) {
  if (Type element = getElementTypeOrSelf(type); !isa<FloatType>(element)) {
    unsigned width = element.getIntOrFloatBitWidth();
    APInt start = reduction == Reduction::sum   ? APInt::getZero(width)
                  : reduction == Reduction::max ? APInt::getSignedMinValue(width)
                                                : APInt::getSignedMaxValue(width);
    return constantLike(builder, type, builder.getIntegerAttr(element, start));
  }
  double start = reduction == Reduction::sum ? 0 : std::numeric_limits<double>::infinity();
  if (reduction == Reduction::max)
    start = -start;
  return constantLike(builder, type, builder.getFloatAttr(getElementTypeOrSelf(type), start));
}

Value codegen::castElement(ImplicitLocOpBuilder &builder, Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType()), to = shapedLike(value.getType(), element);
  if (from == element)
    return value;
  unsigned width = from.getIntOrFloatBitWidth(), wanted = element.getIntOrFloatBitWidth();
  if (isa<FloatType>(from) && isa<FloatType>(element))
    return wanted > width ? Value(arith::ExtFOp::create(builder, to, value))
                          : Value(arith::TruncFOp::create(builder, to, value));
  if (isa<FloatType>(element))
    return width == 1 ? Value(arith::UIToFPOp::create(builder, to, value))
                      : Value(arith::SIToFPOp::create(builder, to, value));
  if (isa<FloatType>(from))
    return roundToInteger(builder, value, to);
  if (wanted < width)
    return arith::TruncIOp::create(builder, to, value);
  return width == 1 ? Value(arith::ExtUIOp::create(builder, to, value))
                    : Value(arith::ExtSIOp::create(builder, to, value));
}
