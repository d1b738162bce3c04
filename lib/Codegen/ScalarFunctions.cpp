//===- ScalarFunctions.cpp - ein's scalar functions as IR -------------------===//
#include "ScalarFunctions.h"

#include "IRValue.h"
#include "plc/Numerics/Functions.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;
using ein::Function;
using ein::Reduction;

namespace {

template <typename T> Value applyUnary(ImplicitLocOpBuilder &builder, Function function, Value operand) {
  IRValue<T> x{&builder, operand};
  switch (function) {
  case Function::neg:
    return (-x).value;
  case Function::abs:
    return numerics::abs(x).value;
  case Function::exp:
    return numerics::exp(x).value;
  case Function::log:
    return numerics::log(x).value;
  case Function::log1p:
    return numerics::log1p(x).value;
  case Function::sin:
    return numerics::sin(x).value;
  case Function::cos:
    return numerics::cos(x).value;
  case Function::tan:
    return numerics::tan(x).value;
  case Function::floor:
    return floor(x).value;
  case Function::ceil:
    return ceil(x).value;
  case Function::round:
    return roundToEven(x).value;
  case Function::sqrt:
    return sqrt(x).value;
  case Function::rsqrt:
    return numerics::rsqrt(x).value;
  case Function::erf:
    return numerics::erf(x).value;
  case Function::tanh:
    return numerics::tanh(x).value;
  case Function::sigmoid:
    return numerics::sigmoid(x).value;
  case Function::relu:
    return numerics::relu(x).value;
  case Function::sign:
    return numerics::sign(x).value;
  default:
    return operand;
  }
}

template <typename T> Value applyBinary(ImplicitLocOpBuilder &builder, Function function, Value first, Value second) {
  IRValue<T> a{&builder, first}, b{&builder, second};
  switch (function) {
  case Function::add:
    return (a + b).value;
  case Function::sub:
    return (a - b).value;
  case Function::mul:
    return (a * b).value;
  case Function::div:
    return (a / b).value;
  case Function::pow:
    return numerics::pow(a, b).value;
  case Function::max:
    return numerics::maximum(a, b).value;
  default:
    return numerics::minimum(a, b).value;
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

Value applyInteger(ImplicitLocOpBuilder &builder, Function function, ValueRange operands) {
  using P = arith::CmpIPredicate;
  Value a = operands[0], b = operands.size() > 1 ? operands[1] : Value(), zero = integerConstant(builder, a.getType(), 0);
  switch (function) {
  case Function::neg:
    return arith::SubIOp::create(builder, zero, a);
  case Function::abs:
    return pickInteger(builder, P::slt, a, zero, arith::SubIOp::create(builder, zero, a), a);
  case Function::relu:
    return pickInteger(builder, P::slt, a, zero, zero, a);
  case Function::sign: {
    Value down = pickInteger(builder, P::slt, a, zero, integerConstant(builder, a.getType(), -1), zero);
    return pickInteger(builder, P::sgt, a, zero, integerConstant(builder, a.getType(), 1), down);
  }
  case Function::add:
    return arith::AddIOp::create(builder, a, b);
  case Function::sub:
    return arith::SubIOp::create(builder, a, b);
  case Function::mul:
    return arith::MulIOp::create(builder, a, b);
  case Function::div:
    return arith::DivSIOp::create(builder, a, b);
  case Function::max:
    return pickInteger(builder, P::sgt, b, a, b, a);
  case Function::min:
    return pickInteger(builder, P::slt, b, a, b, a);
  default:
    return a;
  }
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
  if (reduction == Reduction::sum)
    return arith::AddFOp::create(builder, m, x);
  auto predicate = reduction == Reduction::max ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value takes = arith::CmpFOp::create(builder, predicate, x, m);
  return arith::SelectOp::create(builder, takes, x, m);
}

Value codegen::identityOf(ImplicitLocOpBuilder &builder, Reduction reduction, Type type) {
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
    return arith::FPToSIOp::create(builder, to, value);
  if (wanted < width)
    return arith::TruncIOp::create(builder, to, value);
  return width == 1 ? Value(arith::ExtUIOp::create(builder, to, value))
                    : Value(arith::ExtSIOp::create(builder, to, value));
}
