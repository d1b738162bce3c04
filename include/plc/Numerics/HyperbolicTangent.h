//===- HyperbolicTangent.h - tanh -------------------------------*- C++ -*-===//
#ifndef PLC_NUMERICS_HYPERBOLICTANGENT_H
#define PLC_NUMERICS_HYPERBOLICTANGENT_H

#include "plc/Numerics/Exponential.h"

namespace plc::numerics {

/// tanh x, <= 1.6 ulp: an odd polynomial below 0.6, else expm1(2t) / (expm1(2t) + 2).
template <typename V>
inline V tanh(V x) {
  V t = minimum(abs(x), like(x, isSingle<V> ? 10 : 20)); // tanh is 1 there
  V z = t * t;
  V p = [&] {
    if constexpr (isSingle<V>)
      return polynomial(z, {-0x1.55553ep-2, 0x1.1109bep-3, -0x1.b89abap-5, 0x1.54c3c2p-6, -0x1.828774p-8});
    else
      return polynomial(z, {-0x1.555555555553p-2, 0x1.111111110e1d4p-3, -0x1.ba1ba1b78206cp-5, 0x1.664f47f04ea13p-6,
                            -0x1.226e2298262eap-7, 0x1.d6d0c6c9a4eb3p-9, -0x1.7d79dffbd3bf8p-10, 0x1.33db411eb87cap-11,
                            -0x1.e32ea23d64baep-13, 0x1.4cada2f3abb62p-14, -0x1.203bd8a18af56p-16});
  }();
  V small = fma(t * z, p, t);
  V em = expMinusOne(t + t);
  V large = em / (em + like(x, 2));
  return withSignOf(select(t < like(x, 0.6f), small, large), x);
}

} // namespace plc::numerics

#endif
