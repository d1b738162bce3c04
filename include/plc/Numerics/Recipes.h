//===- Recipes.h - recipes of the scalar functions --------------*- C++ -*-===//
//
// One recipe per row of Functions.def, over value types: numbers (the interpreter) and handles that emit IR (code
// generation) instantiate the same text. A row without a recipe is a compile error in both. Value.h lists what a value
// type offers. An integer type has
//   -a, a + b, a - b, a * b    that wrap            a / b             toward 0; b is neither 0 nor -1
//   a & b, a | b, a ^ b        of the bits             shiftDown(a, n)   to the right without the sign
//   a << b, a >> b             to the right with the sign; b is from 0 to widthOf(a) - 1
//   a < b and the other comparisons, select, like   wordLike(a, n): the integer n        widthOf(a): bits
// and a mask is a value type of its own, with == and !=, and
//   both(m, n), either(m, n), opposite(m)
//
//===----------------------------------------------------------------------===//
#ifndef PLC_NUMERICS_RECIPES_H
#define PLC_NUMERICS_RECIPES_H

#include "plc/Dialect/Ein/Functions.h"
#include "plc/Numerics/RecipeOfFunction.h"

namespace plc::numerics {

/// Masks of plain numbers.
inline bool both(bool m, bool n) { return m && n; }
inline bool either(bool m, bool n) { return m || n; }
inline bool opposite(bool m) { return !m; }

/// x| of an integer; that of the smallest one is itself.
template <typename V>
V integerAbs(V x) {
  return select(x < like(x, 0), -x, x);
}

/// a / b rounded down; 0 if b is 0. The machine's division faults on 0, and on the smallest integer by -1, so both
/// divide by 1.
template <typename V>
V floorDivide(V a, V b) {
  V zero = like(a, 0), one = like(a, 1);
  auto isZero = b == zero, isMinusOne = b == like(a, -1);
  V divisor = select(either(isZero, isMinusOne), one, b);
  V quotient = a / divisor, rest = a - quotient * divisor;
  auto rounds = both(rest != zero, (rest ^ divisor) < zero);
  V floor = select(rounds, quotient - one, quotient);
  return select(isZero, zero, select(isMinusOne, zero - a, floor));
}

/// 24 random bits that depend on each bit of key and counter. The counter times an odd number is added to the key; a
/// bijection of xor-shifts and odd products scrambles the sum; its upper bits are the result.
template <typename V>
V drawnBits(V key, V counter) {
  bool wide = widthOf(key) == 64;
  auto odd = [&](uint64_t ofWide, uint64_t ofNarrow) { return wordLike(key, wide ? ofWide : ofNarrow); };
  auto fold = [&](V x, int ofWide, int ofNarrow) { return x ^ shiftDown(x, wide ? ofWide : ofNarrow); };
  V x = key + counter * odd(0x9e3779b97f4a7c15, 0x9e3779b9);
  x = fold(x, 32, 16) * odd(0xd6e8feb86659fd93, 0x85ebca6b);
  x = fold(x, 32, 13) * odd(0xd6e8feb86659fd93, 0xc2b2ae35);
  return shiftDown(fold(x, 32, 16), wide ? 40 : 8);
}

/// a 2^b modulo 2^width. A b outside of the width, which no machine shifts by, moves all bits out.
template <typename V>
V shiftLeft(V a, V b) {
  V zero = like(a, 0);
  auto inside = both(b >= zero, b < like(a, widthOf(a)));
  return select(inside, a << select(inside, b, zero), zero);
}

/// a / 2^b rounded down: where b is outside of the width, all bits become the sign.
template <typename V>
V shiftRight(V a, V b) {
  auto inside = both(b >= like(a, 0), b < like(a, widthOf(a)));
  return a >> select(inside, b, like(a, widthOf(a) - 1));
}

/// The recipe of a function: called with as many values as its row says.
template <ein::Function>
struct Recipe;

#define PLC_RECIPE(FUNCTION, PARAMETERS, RESULT)                                                                       \
  template <>                                                                                                          \
  struct Recipe<ein::Function::FUNCTION> {                                                                             \
    template <typename V>                                                                                              \
    auto operator() PARAMETERS const {                                                                                 \
      return RESULT;                                                                                                   \
    }                                                                                                                  \
  };
PLC_RECIPE(id, (V x), x)
PLC_RECIPE(neg, (V x), -x)
PLC_RECIPE(exp, (V x), numerics::exp(x))
PLC_RECIPE(expm1, (V x), numerics::expm1(x))
PLC_RECIPE(log, (V x), numerics::log(x))
PLC_RECIPE(log1p, (V x), numerics::log1p(x))
PLC_RECIPE(sin, (V x), numerics::sin(x))
PLC_RECIPE(cos, (V x), numerics::cos(x))
PLC_RECIPE(tan, (V x), numerics::tan(x))
PLC_RECIPE(sqrt, (V x), sqrt(x))
PLC_RECIPE(rsqrt, (V x), numerics::rsqrt(x))
PLC_RECIPE(erf, (V x), numerics::erf(x))
PLC_RECIPE(ndtr, (V x), numerics::ndtr(x))
PLC_RECIPE(tanh, (V x), numerics::tanh(x))
PLC_RECIPE(sigmoid, (V x), numerics::sigmoid(x))
PLC_RECIPE(floor, (V x), floor(x))
PLC_RECIPE(ceil, (V x), ceil(x))
PLC_RECIPE(round, (V x), roundToEven(x))
PLC_RECIPE(relu, (V x), numerics::relu(x))
PLC_RECIPE(sign, (V x), numerics::sign(x))
PLC_RECIPE(add, (V a, V b), a + b)
PLC_RECIPE(sub, (V a, V b), a - b)
PLC_RECIPE(mul, (V a, V b), (a * b))
PLC_RECIPE(div, (V a, V b), a / b)
PLC_RECIPE(max, (V a, V b), maximum(a, b))
PLC_RECIPE(min, (V a, V b), minimum(a, b))
PLC_RECIPE(pow, (V a, V b), numerics::pow(a, b))
PLC_RECIPE(floor_div, (V a, V b), floorDivide(a, b))
PLC_RECIPE(floor_mod, (V a, V b), a - b * floorDivide(a, b))
PLC_RECIPE(random, (V a, V b), drawnBits(a, b))
PLC_RECIPE(bit_and, (V a, V b), (a & b))
PLC_RECIPE(bit_or, (V a, V b), (a | b))
PLC_RECIPE(bit_xor, (V a, V b), (a ^ b))
PLC_RECIPE(shift_left, (V a, V b), shiftLeft(a, b))
PLC_RECIPE(shift_right, (V a, V b), shiftRight(a, b))
PLC_RECIPE(eq, (V a, V b), a == b)
PLC_RECIPE(ne, (V a, V b), a != b)
PLC_RECIPE(lt, (V a, V b), a < b)
PLC_RECIPE(le, (V a, V b), a <= b)
PLC_RECIPE(gt, (V a, V b), a > b)
PLC_RECIPE(ge, (V a, V b), a >= b)
PLC_RECIPE(logical_and, (V a, V b), both(a, b))
PLC_RECIPE(logical_or, (V a, V b), either(a, b))
PLC_RECIPE(logical_not, (V a), opposite(a))
#undef PLC_RECIPE

/// Reals clear the sign bit, of NaN and -0 too; integers have none.
template <>
struct Recipe<ein::Function::abs> {
  template <typename V>
  auto operator()(V x) const {
    if constexpr (requires { toBits(x); })
      return numerics::abs(x);
    else
      return integerAbs(x);
  }
};
template <>
struct Recipe<ein::Function::select> {
  template <typename M, typename V>
  auto operator()(M chosen, V a, V b) const {
    return select(chosen, a, b);
  }
};

} // namespace plc::numerics

#endif
