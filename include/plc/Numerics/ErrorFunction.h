//===- ErrorFunction.h - erf and the normal distribution --------*- C++ -*-===//
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

/// The normal distribution function beyond a, for a >= 0.93, to the last digits of its smallest values: exp(-a^2 / 2) r
/// P(u), r = 1 / (a + k), u = (a - k) r. What rounding takes from a^2, r and r P is put back.
template <typename V>
inline V normalTail(V a) {
  V one = like(a, 1), k = like(a, isSingle<V> ? 3 : 4);
  V sum = a + k;
  V r = one / sum;
  V u = (a - k) * r;
  V p = [&] {
    if constexpr (isSingle<V>)
      return polynomial(u, {0x1.754a76p-1, -0x1.04c726p-1, 0x1.d71244p-3, -0x1.8330e8p-5, -0x1.55ba2ep-7, 0x1.c8be3ep-8,
                            0x1.c73c86p-11, -0x1.ff3f16p-11});
    else
      return polynomial(u,
                        {0x1.82b4bb8c94dcep-1,  -0x1.373e3a893c28cp-1,  0x1.8c6dbf2cfc26p-2,    -0x1.7dff2bff67ecep-3,
                         0x1.eec4cc3e57d9dp-5,  -0x1.ee2761063e56ep-8,  -0x1.c81719e58764cp-9,  0x1.ab8260559f666p-10,
                         0x1.17a4b9f8caff6p-13, -0x1.e4a45b0686286p-13, -0x1.002fd6d0d8db9p-19, 0x1.26d64635671dbp-15,
                         0x1.817106e53c484p-21, -0x1.8e0502ae46dfep-18, -0x1.51e24be726ebfp-21, 0x1.194a5ef0f8b6p-20,
                         0x1.1887def2b1b45p-22, -0x1.98ef593cdad8p-23,  -0x1.06f5b52acae96p-24, 0x1.272a545906cap-25});
  }();
  V half = a * like(a, 0.5);
  V exponent = half * a;
  V rest = fma(half, a, -exponent);
  V e = exponential(-exponent, -rest);
  V rLow = r * (fma(-sum, r, one) - r * sumError(a, k, sum));
  V ratio = p * r;
  V ratioLow = fma(p, r, -ratio) + p * rLow;
  return fma(e, ratio, e * ratioLow);
}

/// The normal distribution function (1 + erf(x / sqrt 2)) / 2, <= 4 ulp: an odd polynomial around 1/2, else a tail.
template <typename V>
inline V ndtr(V x) {
  V a = minimum(abs(x), like(x, isSingle<V> ? 15 : 40)); // its tail is 0 there
  V z = x * x;
  V p = [&] {
    if constexpr (isSingle<V>)
      return polynomial(
          z, {0x1.988454p-2, -0x1.1058dep-4, 0x1.46fe46p-7, -0x1.3bb3cp-10, 0x1.1e8b0ep-13, -0x1.2fd13ep-16});
    else
      return polynomial(z,
                        {0x1.9884533d43651p-2, -0x1.1058377e2d06dp-4, 0x1.46d0429785c07p-7, -0x1.37403f7881657p-10,
                         0x1.e42b133660bc2p-14, -0x1.3ce9c1332849bp-17, 0x1.65a9f22ac9d97p-21, -0x1.654aebd95aa6ap-25,
                         0x1.68f762a65298fp-29, -0x1.4a18550f27125p-32, 0x1.9d70ae84e10fdp-35});
  }();
  V around = fma(x, p, like(x, 0.5));
  V tail = normalTail(a);
  V beyond = select(x < like(x, 0), tail, like(x, 1) - tail);
  return select(a < like(x, 0.9375), around, beyond);
}

} // namespace plc::numerics

#endif
