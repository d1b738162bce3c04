//===- RecipeOfFunction.h - every scalar function that needs a recipe --*- C++ -*-===//
//
// exp expm1 log log1p pow erf ndtr tanh sigmoid sin cos tan sqrt rsqrt abs relu sign maximum minimum over a value type
// (see Value.h). The bits of each are part of the numerics: the interpreter and compiled code instantiate the same
// templates.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_NUMERICS_RECIPEOFFUNCTION_H
#define PLC_NUMERICS_RECIPEOFFUNCTION_H

#include "plc/Numerics/ErrorFunction.h"
#include "plc/Numerics/Exponential.h"
#include "plc/Numerics/HyperbolicTangent.h"
#include "plc/Numerics/Logarithm.h"
#include "plc/Numerics/Power.h"
#include "plc/Numerics/Trigonometric.h"
#include "plc/Numerics/Value.h"

namespace plc::numerics {

/// 1 / sqrt(x), <= 1.5 ulp: both operations correctly rounded. rsqrt(-0) = -inf.
template <typename V>
inline V rsqrt(V x) {
  return like(x, 1) / sqrt(x);
}

/// x < 0 ? 0 : x.
template <typename V>
inline V relu(V x) {
  V zero = like(x, 0);
  return select(x < zero, zero, x);
}

/// 1, -1, or 0 for zeros and NaN.
template <typename V>
inline V sign(V x) {
  V zero = like(x, 0);
  return select(x > zero, like(x, 1), select(x < zero, like(x, -1), zero));
}

} // namespace plc::numerics

#endif
