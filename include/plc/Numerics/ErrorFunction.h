//===- ErrorFunction.h - erf ------------------------------------*- C++ -*-===//
#ifndef PLC_NUMERICS_ERRORFUNCTION_H
#define PLC_NUMERICS_ERRORFUNCTION_H

#include "plc/Numerics/Exponential.h"

namespace plc::numerics {

/// erfc(t) for 0.93 <= t <= 4: exp(-t P6(t)).
template <typename V>
  requires isSingle<V>
inline V complementaryError(V t) {
  V p = polynomial(
      t, {0x1.20ef7cp+0, 0x1.452f8p-1, 0x1.b34dbep-4, -0x1.85dbe2p-6, 0x1.df77b6p-9, -0x1.567efap-12, 0x1.85a894p-17});
  return exp(-(t * p));
}

/// erfc(t) for 0.93 <= t <= 6: exp(-t^2) P12(w), w = 1 / (1 + t/2); the rounding error of t^2 is put back.
template <typename V>
  requires(!isSingle<V>)
inline V complementaryError(V t) {
  V w = like(t, 1) / fma(t, like(t, 0.5), like(t, 1));
  V p = polynomial(w, {-0x1.a767b50cbc766p-20, 0x1.20ecdc5e4baebp-2, 0x1.1fed9454eadfbp-2, 0x1.0529c8ebe95e5p-2,
                       0x1.066885fe994ep-3, 0x1.1f52cc97dc23cp-2, -0x1.297398d85710ap-1, 0x1.297b0c1fda527p+0,
                       -0x1.e208858a4b89dp+0, 0x1.d9dba9718dbdap+0, -0x1.134ea1dfe6135p+0, 0x1.64c83c0df6befp-2,
                       -0x1.935207c60e798p-5});
  V square = t * t;
  V rest = fma(t, t, -square);
  V e = exp(-square);
  return fma(-rest, e, e) * p;
}

/// erf x, <= 1.5 ulp: an odd polynomial below 0.9375, else 1 - erfc.
template <typename V>
inline V erf(V x) {
  V t = minimum(abs(x), like(x, isSingle<V> ? 4 : 6)); // erf is 1 there
  V z = t * t;
  V p = [&] {
    if constexpr (isSingle<V>)
      return polynomial(z,
                        {0x1.06eba6p-3, -0x1.8126dcp-2, 0x1.ce1856p-4, -0x1.b6698ep-6, 0x1.466a12p-8, -0x1.36a5aep-11});
    else
      return polynomial(z, {0x1.06eba8214db69p-3, -0x1.812746b037a2dp-2, 0x1.ce2f21a046608p-4, -0x1.b82ce313b7dc1p-6,
                            0x1.565bcd4196ddbp-8, -0x1.c02dbe36b3e34p-11, 0x1.f9a472295e131p-14, -0x1.f4edffed1b48cp-17,
                            0x1.bb70d57d32cc6p-20, -0x1.6df1303ab7346p-23, 0x1.54b3e7af82ab7p-26,
                            -0x1.ce76510da032ep-29, 0x1.07a50e91779cbp-31});
  }();
  V small = fma(t, p, t);
  V large = like(x, 1) - complementaryError(t);
  return withSignOf(select(t < like(x, 0.9375), small, large), x);
}

} // namespace plc::numerics

#endif
