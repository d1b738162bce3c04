//===- ScalarFunctions.cpp - emits ein's scalar functions -----------------===//
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

// Wraps an operand in the value type of Recipes.h for elements of its kind.
template <typename Traits>
auto valueOf(ImplicitLocOpBuilder &builder, Value operand) {
  if constexpr (Traits::kind == ElementKind::Truth)
    return IRMask{&builder, operand};
  else if constexpr (Traits::kind == ElementKind::Integer)
    return IRInteger{&builder, operand};
  else
    return IRValue<typename Traits::Value>{&builder, operand};
}

// Emits the same recipe that the interpreter executes: so both have the same bits.
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

// Dispatches on the element type; only types of the function's domain are instantiated.
template <Function function>
Value emitFunction(ImplicitLocOpBuilder &builder, ValueRange operands) {
  return visit(elementTypeOf(operands.back().getType()), [&](auto traits) -> Value {
    if constexpr (ein::accepts(ein::infoOf(function).domain, traits.kind) && !traits.isNarrow)
      return applyRecipe<function, decltype(traits)>(builder, operands);
    else
      llvm_unreachable("the verifier knows which element types a function has");
  });
}

// The type that registers have for an element.
Type storedOf(Type element) {
  return element.isUnsignedInteger() ? IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth())
                                     : element;
}

Value integerConstant(ImplicitLocOpBuilder &builder, Type type, int64_t value) {
  return constantLike(builder, type, builder.getIntegerAttr(getElementTypeOrSelf(type), value));
}

// Rounds toward 0. Values that do not fit give the smallest integer: `arith.fptosi` leaves them undefined.
Value roundToInteger(ImplicitLocOpBuilder &builder, Value x, Type to) {
  Type element = getElementTypeOrSelf(x.getType());
  unsigned width = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  double bound = std::ldexp(1.0, width - 1);
  // Whether the real type has numbers between the bound and the next integer.
  bool between = cast<FloatType>(element).getFPMantissaWidth() > width;
  auto real = [&](double value) { return constantLike(builder, x.getType(), builder.getFloatAttr(element, value)); };
  Value above = between ? arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, x, real(-bound - 1))
                        : arith::CmpFOp::create(builder, arith::CmpFPredicate::OGE, x, real(-bound));
  Value below = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, x, real(bound));
  Value fits = arith::AndIOp::create(builder, above, below);
  // The conversion sees 0 where the value does not fit, so it is defined in all lanes.
  Value found = arith::FPToSIOp::create(builder, to, arith::SelectOp::create(builder, fits, x, real(0)));
  APInt least = APInt::getSignedMinValue(width);
  return arith::SelectOp::create(builder, fits, found, integerConstant(builder, to, least.getSExtValue()));
}

// Widens bf16 or f16 to f32, exactly. A bf16 is the upper half of an f32, subnormals included. f16 takes `vcvtph2ps`.
Value widenReal(ImplicitLocOpBuilder &builder, Value bits, Type from) {
  auto of = [&](Type element) { return shapedLike(bits.getType(), element); };
  if (from.isF16()) {
    Value half = arith::BitcastOp::create(builder, of(from), bits);
    return arith::ExtFOp::create(builder, of(builder.getF32Type()), half);
  }
  Value word = arith::ExtUIOp::create(builder, of(builder.getI32Type()), bits);
  word = arith::ShLIOp::create(builder, word, integerConstant(builder, word.getType(), 16));
  return arith::BitcastOp::create(builder, of(builder.getF32Type()), word);
}

// Rounds an f64 to odd: to an f32 whose last bit is set if the result is inexact. Then a second rounding to 16 bits
// equals a single one (Boldo and Melquiond, "When double rounding is odd", 2005).
Value roundToOdd(ImplicitLocOpBuilder &builder, Value x) {
  auto of = [&](Type element) { return shapedLike(x.getType(), element); };
  Value near = arith::TruncFOp::create(builder, of(builder.getF32Type()), x);
  Value back = arith::ExtFOp::create(builder, x.getType(), near);
  Value bits = arith::BitcastOp::create(builder, of(builder.getI32Type()), near);
  auto word = [&](int64_t value) { return integerConstant(builder, bits.getType(), value); };
  Value size = math::AbsFOp::create(builder, x), sizeBack = math::AbsFOp::create(builder, back);
  Value below = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, sizeBack, size);
  Value inexact = arith::CmpFOp::create(builder, arith::CmpFPredicate::ONE, sizeBack, size);
  Value last = arith::AndIOp::create(builder, bits, word(1));
  Value isEven = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, last, word(0));
  // An inexact result with last bit 0 moves to its other neighbour, toward x: that one is odd.
  Value step = arith::SelectOp::create(builder, below, word(1), word(-1));
  Value moved = arith::AddIOp::create(builder, bits, step);
  Value moves = arith::AndIOp::create(builder, inexact, isEven);
  return arith::BitcastOp::create(builder, near.getType(), arith::SelectOp::create(builder, moves, moved, bits));
}

// Rounds to nearest, ties to even, as Support/NarrowReals.h. `vcvtneps2bf16` would flush subnormals; `vcvtps2ph` does
// not.
Value roundToNarrow(ImplicitLocOpBuilder &builder, Value x, Type to) {
  // From f64 in two roundings, of which the first is to odd.
  if (getElementTypeOrSelf(x.getType()).isF64())
    x = roundToOdd(builder, x);
  auto of = [&](Type element) { return shapedLike(x.getType(), element); };
  Type bits = of(builder.getIntegerType(16));
  if (to.isF16()) {
    Value half = arith::TruncFOp::create(builder, of(to), x);
    return arith::BitcastOp::create(builder, bits, half);
  }
  Value word = arith::BitcastOp::create(builder, of(builder.getI32Type()), x);
  auto number = [&](int64_t value) { return integerConstant(builder, word.getType(), value); };
  // bf16: adding 0x7fff plus the last kept bit carries exactly where nearest-even rounds up. NaN becomes canonical.
  Value upper = arith::ShRUIOp::create(builder, word, number(16));
  Value half = arith::AddIOp::create(builder, arith::AndIOp::create(builder, upper, number(1)), number(0x7fff));
  Value rounded = arith::ShRUIOp::create(builder, arith::AddIOp::create(builder, word, half), number(16));
  Value isNaN = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, x, x);
  return arith::TruncIOp::create(builder, bits, arith::SelectOp::create(builder, isNaN, number(0x7fc0), rounded));
}

} // namespace

Value codegen::applyFunction(ImplicitLocOpBuilder &builder, Function function, ValueRange operands) {
  // Elements of any type are moved, narrow ones too.
  if (function == Function::id)
    return operands[0];
  if (function == Function::select)
    return arith::SelectOp::create(builder, operands[0], operands[1], operands[2]);
  switch (function) {
#define PLC_FUNCTION(ID, ...)                                                                                          \
  case Function::ID: return emitFunction<Function::ID>(builder, operands);
#include "plc/Dialect/Ein/Functions.def"
  }
  llvm_unreachable("no row of the table");
}

// Reductions are functions of two operands, so sums and maxima use the same recipes as maps.
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

// Integers first: they have no infinities.
Value codegen::identityOf(ImplicitLocOpBuilder &builder, Reduction reduction, Type type) {
  if (Type element = getElementTypeOrSelf(type); !isa<FloatType>(element)) {
    unsigned width = element.getIntOrFloatBitWidth();
    // Truth values are integers of one bit here: any starts from false, all from true.
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

// Narrow reals pass through f32, integers to narrow reals through f64, all others take one operation.
Value codegen::castElement(ImplicitLocOpBuilder &builder, Value value, Type element, Type from) {
  Type held = getElementTypeOrSelf(value.getType());
  from = from ? from : held;
  if (from == element)
    return value;
  if (isa<FloatType>(element) && ein::isNarrow(element) && from == held && held.isInteger(16))
    return value; // its bits already: no tensor has such integers
  // A narrow real is widened first, exactly; what follows casts an f32.
  if (isa<FloatType>(from) && ein::isNarrow(from))
    return castElement(builder, widenReal(builder, value, from), element);
  if (isa<FloatType>(element) && ein::isNarrow(element)) {
    // An integer is an f64 before it is rounded, as in the interpreter.
    bool isReal = isa<FloatType>(from);
    return roundToNarrow(builder, isReal ? value : castElement(builder, value, builder.getF64Type(), from), element);
  }
  // Code has no unsigned types: u8 is a byte, widened without a sign.
  if (element.isUnsignedInteger() && isa<FloatType>(from))
    return castElement(builder, castElement(builder, value, builder.getI32Type(), from), element);
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  Type to = shapedLike(value.getType(), storedOf(element));
  unsigned width = from.getIntOrFloatBitWidth(), wanted = element.getIntOrFloatBitWidth();
  if (isa<FloatType>(from) && isa<FloatType>(element))
    return wanted > width ? Value(arith::ExtFOp::create(builder, to, value))
                          : Value(arith::TruncFOp::create(builder, to, value));
  if (isa<FloatType>(element))
    // True is 1: widened without a sign it is not -1.
    return isUnsigned ? Value(arith::UIToFPOp::create(builder, to, value))
                      : Value(arith::SIToFPOp::create(builder, to, value));
  if (isa<FloatType>(from))
    return roundToInteger(builder, value, to);
  if (wanted == width)
    return value;
  // Narrower integers wrap, as the interpreter's do.
  if (wanted < width)
    return arith::TruncIOp::create(builder, to, value);
  return isUnsigned ? Value(arith::ExtUIOp::create(builder, to, value))
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
