//===- ScalarFunctions.cpp - ein's scalar functions as IR -------------------===//
#include "ScalarFunctions.h"

#include "IRValue.h"
#include "plc/Numerics/Recipes.h"

#include <cmath>

using namespace mlir;
using namespace plc;
using namespace plc::codegen;
using ein::Function;
using ein::Reduction;

namespace {

// The value type of Recipes.h for elements of a kind.
template <typename Traits>
auto valueOf(ImplicitLocOpBuilder &builder, Value operand) {
  if constexpr (Traits::kind == ElementKind::Truth)
    return IRMask{&builder, operand};
  else if constexpr (Traits::kind == ElementKind::Integer)
    return IRInteger{&builder, operand};
  else
    return IRValue<typename Traits::Value>{&builder, operand};
}

template <Function function, typename Traits>
Value applyRecipe(ImplicitLocOpBuilder &builder, ValueRange operands) {
  constexpr ein::FunctionInfo info = ein::infoOf(function);
  constexpr numerics::Recipe<function> recipe;
  auto value = [&](unsigned index) { return valueOf<Traits>(builder, operands[index]); };
  if constexpr (info.domain == ein::Domain::Choice)
    return recipe(IRMask{&builder, operands[0]}, value(1), value(2)).value;
  else if constexpr (info.arity == 1)
    return recipe(value(0)).value;
  else
    return recipe(value(0), value(1)).value;
}

template <Function function>
Value applyFunction(ImplicitLocOpBuilder &builder, ValueRange operands) {
  return visit(elementTypeOf(operands.back().getType()), [&](auto traits) -> Value {
    if constexpr (ein::accepts(ein::infoOf(function).domain, traits.kind))
      return applyRecipe<function, decltype(traits)>(builder, operands);
    else
      llvm_unreachable("the verifier knows which element types a function has");
  });
}

Value integerConstant(ImplicitLocOpBuilder &builder, Type type, int64_t value) {
  return constantLike(builder, type, builder.getIntegerAttr(getElementTypeOrSelf(type), value));
}

// Toward 0; the smallest integer where that does not fit, for which the conversion itself has no defined result.
Value roundToInteger(ImplicitLocOpBuilder &builder, Value x, Type to) {
  Type element = getElementTypeOrSelf(x.getType());
  unsigned width = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  double bound = std::ldexp(1.0, width - 1);
  // Whether there are numbers between the bound and the next integer.
  bool between = cast<FloatType>(element).getFPMantissaWidth() > width;
  auto real = [&](double value) { return constantLike(builder, x.getType(), builder.getFloatAttr(element, value)); };
  Value above = between ? arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, x, real(-bound - 1))
                        : arith::CmpFOp::create(builder, arith::CmpFPredicate::OGE, x, real(-bound));
  Value below = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, x, real(bound));
  Value fits = arith::AndIOp::create(builder, above, below);
  Value found = arith::FPToSIOp::create(builder, to, arith::SelectOp::create(builder, fits, x, real(0)));
  return arith::SelectOp::create(builder, fits, found,
                                 integerConstant(builder, to, width == 32 ? INT32_MIN : INT64_MIN));
}

} // namespace

Value codegen::applyFunction(ImplicitLocOpBuilder &builder, Function function, ValueRange operands) {
  switch (function) {
#define PLC_FUNCTION(ID, ...)                                                                                          \
  case Function::ID: return ::applyFunction<Function::ID>(builder, operands);
#include "plc/Dialect/Ein/Functions.def"
  }
  llvm_unreachable("no row of the table");
}

Value codegen::combine(ImplicitLocOpBuilder &builder, Reduction reduction, Value m, Value x) {
  switch (reduction) {
  case Reduction::sum: return applyFunction(builder, Function::add, {m, x});
  case Reduction::max: return applyFunction(builder, Function::max, {m, x});
  case Reduction::min: return applyFunction(builder, Function::min, {m, x});
  case Reduction::prod: return applyFunction(builder, Function::mul, {m, x});
  case Reduction::any: return applyFunction(builder, Function::logical_or, {m, x});
  case Reduction::all: return applyFunction(builder, Function::logical_and, {m, x});
  }
  llvm_unreachable("no reduction");
}

Value codegen::identityOf(ImplicitLocOpBuilder &builder, Reduction reduction, Type type) {
  if (Type element = getElementTypeOrSelf(type); !isa<FloatType>(element)) {
    unsigned width = element.getIntOrFloatBitWidth();
    auto start = [&]() -> APInt {
      switch (reduction) {
      case Reduction::sum:
      case Reduction::any: return APInt::getZero(width);
      case Reduction::max: return APInt::getSignedMinValue(width);
      case Reduction::min: return APInt::getSignedMaxValue(width);
      case Reduction::prod:
      case Reduction::all: return APInt(width, 1);
      }
      llvm_unreachable("no reduction");
    };
    return constantLike(builder, type, builder.getIntegerAttr(element, start()));
  }
  auto start = [&]() -> double {
    switch (reduction) {
    case Reduction::sum: return 0;
    case Reduction::max: return -std::numeric_limits<double>::infinity();
    case Reduction::min: return std::numeric_limits<double>::infinity();
    case Reduction::prod: return 1;
    case Reduction::any:
    case Reduction::all: break; // the verifier knows that these are of truth values
    }
    llvm_unreachable("no reduction of reals");
  };
  return constantLike(builder, type, builder.getFloatAttr(getElementTypeOrSelf(type), start()));
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
    // True is 1: widened without a sign it is not -1.
    return width == 1 ? Value(arith::UIToFPOp::create(builder, to, value))
                      : Value(arith::SIToFPOp::create(builder, to, value));
  if (isa<FloatType>(from))
    return roundToInteger(builder, value, to);
  if (wanted < width)
    return arith::TruncIOp::create(builder, to, value);
  return width == 1 ? Value(arith::ExtUIOp::create(builder, to, value))
                    : Value(arith::ExtSIOp::create(builder, to, value));
}

Value codegen::constantElement(ImplicitLocOpBuilder &b, ein::ConstantOp constant) {
  Type element = constant.getType().getElementType();
  APFloat value = constant.getValue();
  if (auto real = dyn_cast<FloatType>(element)) {
    bool inexact;
    value.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
    return arith::ConstantOp::create(b, b.getFloatAttr(element, value));
  }
  return arith::ConstantOp::create(b, b.getIntegerAttr(element, int64_t(value.convertToDouble())));
}
