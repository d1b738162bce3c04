//===- Map.cpp - one scalar function, elementwise -------------------------===//
#include "Equations.h"

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Numerics/Functions.h"

#include <type_traits>

namespace plc::reference {
namespace {

using ein::Function;

template <typename R, typename A, typename F>
void mapOne(const Extents &extents, const Operand &a, const Operand &result, F function) {
  int64_t length = rowLength(extents), as = rowStride(a), rs = rowStride(result);
  forEachRow<2>(extents, {&a.strides, &result.strides}, [&](const std::array<int64_t, 2> &at) {
    const A *x = a.as<A>() + at[0];
    R *__restrict y = result.as<R>() + at[1];
    if (as == 1 && rs == 1)
      for (int64_t i = 0; i < length; ++i)
        y[i] = function(x[i]);
    else
      for (int64_t i = 0; i < length; ++i)
        y[i * rs] = function(x[i * as]);
  });
}

template <typename R, typename A, typename F>
void mapTwo(const Extents &extents, const Operand &a, const Operand &b, const Operand &result, F function) {
  int64_t length = rowLength(extents), as = rowStride(a), bs = rowStride(b), rs = rowStride(result);
  forEachRow<3>(extents, {&a.strides, &b.strides, &result.strides}, [&](const std::array<int64_t, 3> &at) {
    const A *x = a.as<A>() + at[0], *y = b.as<A>() + at[1];
    R *__restrict z = result.as<R>() + at[2];
    if (as == 1 && bs == 1 && rs == 1)
      for (int64_t i = 0; i < length; ++i)
        z[i] = function(x[i], y[i]);
    else
      for (int64_t i = 0; i < length; ++i)
        z[i * rs] = function(x[i * as], y[i * bs]);
  });
}

template <typename T>
void mapSelect(const Extents &extents, const std::vector<Operand> &inputs, const Operand &result) {
  int64_t length = rowLength(extents), cs = rowStride(inputs[0]), as = rowStride(inputs[1]), bs = rowStride(inputs[2]),
          rs = rowStride(result);
  forEachRow<4>(extents, {&inputs[0].strides, &inputs[1].strides, &inputs[2].strides, &result.strides},
                [&](const std::array<int64_t, 4> &at) {
                  const uint8_t *c = inputs[0].as<uint8_t>() + at[0];
                  const T *x = inputs[1].as<T>() + at[1], *y = inputs[2].as<T>() + at[2];
                  T *z = result.as<T>() + at[3];
                  for (int64_t i = 0; i < length; ++i)
                    z[i * rs] = c[i * cs] ? x[i * as] : y[i * bs];
                });
}

/// Functions that only reals have.
template <typename T>
bool mapReal(Function function, const Extents &extents, const std::vector<Operand> &in, const Operand &result) {
  auto one = [&](auto f) { return mapOne<T, T>(extents, in[0], result, f), true; };
  switch (function) {
  case Function::exp: return one([](T x) { return numerics::exp(x); });
  case Function::log: return one([](T x) { return numerics::log(x); });
  case Function::log1p: return one([](T x) { return numerics::log1p(x); });
  case Function::sin: return one([](T x) { return numerics::sin(x); });
  case Function::cos: return one([](T x) { return numerics::cos(x); });
  case Function::tan: return one([](T x) { return numerics::tan(x); });
  case Function::floor: return one([](T x) { return numerics::floor(x); });
  case Function::ceil: return one([](T x) { return numerics::ceil(x); });
  case Function::round: return one([](T x) { return numerics::roundToEven(x); });
  case Function::pow:
    return mapTwo<T, T>(extents, in[0], in[1], result, [](T a, T b) { return numerics::pow(a, b); }), true;
  case Function::sqrt: return one([](T x) { return numerics::sqrt(x); });
  case Function::rsqrt: return one([](T x) { return numerics::rsqrt(x); });
  case Function::erf: return one([](T x) { return numerics::erf(x); });
  case Function::tanh: return one([](T x) { return numerics::tanh(x); });
  case Function::sigmoid: return one([](T x) { return numerics::sigmoid(x); });
  case Function::neg: return one([](T x) { return -x; });
  case Function::abs: return one([](T x) { return numerics::abs(x); });
  case Function::div: return mapTwo<T, T>(extents, in[0], in[1], result, [](T a, T b) { return a / b; }), true;
  default: return false;
  }
}

/// Rounded down; 0 if b is 0.
template <typename T>
T floorDivide(T a, T b) {
  if (b == 0)
    return 0;
  if (b == -1) // the smallest integer has no negative
    return T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(a));
  return T(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}

/// Functions that only integers do otherwise: they wrap.
template <typename T>
bool mapInteger(Function function, const Extents &extents, const std::vector<Operand> &in, const Operand &result) {
  using U = std::make_unsigned_t<T>;
  auto one = [&](auto f) { return mapOne<T, T>(extents, in[0], result, f), true; };
  auto two = [&](auto f) { return mapTwo<T, T>(extents, in[0], in[1], result, f), true; };
  switch (function) {
  case Function::neg: return one([](T x) { return T(U(0) - U(x)); });
  case Function::abs: return one([](T x) { return x < 0 ? T(U(0) - U(x)) : x; });
  case Function::floor_div: return two([](T a, T b) { return floorDivide(a, b); });
  case Function::floor_mod: return two([](T a, T b) { return T(U(a) - U(b) * U(floorDivide(a, b))); });
  default: return false;
  }
}

/// Functions of every ordered number.
template <typename T>
bool mapNumber(Function function, const Extents &extents, const std::vector<Operand> &in, const Operand &result) {
  // Signed overflow is undefined in C++: integers are added as unsigned ones.
  using W = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  auto one = [&](auto f) { return mapOne<T, T>(extents, in[0], result, f), true; };
  auto two = [&](auto f) { return mapTwo<T, T>(extents, in[0], in[1], result, f), true; };
  auto compare = [&](auto f) { return mapTwo<uint8_t, T>(extents, in[0], in[1], result, f), true; };
  switch (function) {
  case Function::id: return one([](T x) { return x; });
  case Function::relu: return one([](T x) { return x < 0 ? T(0) : x; });
  case Function::sign: return one([](T x) { return T(x > 0 ? 1 : x < 0 ? -1 : 0); });
  case Function::add: return two([](T a, T b) { return T(W(a) + W(b)); });
  case Function::sub: return two([](T a, T b) { return T(W(a) - W(b)); });
  case Function::mul: return two([](T a, T b) { return T(W(a) * W(b)); });
  case Function::max: return two([](T a, T b) { return b > a ? b : a; });
  case Function::min: return two([](T a, T b) { return b < a ? b : a; });
  case Function::eq: return compare([](T a, T b) { return uint8_t(a == b); });
  case Function::ne: return compare([](T a, T b) { return uint8_t(a != b); });
  case Function::lt: return compare([](T a, T b) { return uint8_t(a < b); });
  case Function::le: return compare([](T a, T b) { return uint8_t(a <= b); });
  case Function::gt: return compare([](T a, T b) { return uint8_t(a > b); });
  case Function::ge: return compare([](T a, T b) { return uint8_t(a >= b); });
  default:
    if constexpr (std::is_integral_v<T>)
      return mapInteger<T>(function, extents, in, result);
    else
      return mapReal<T>(function, extents, in, result);
  }
}

bool mapTruth(Function function, const Extents &extents, const std::vector<Operand> &in, const Operand &result) {
  using B = uint8_t;
  auto two = [&](auto f) { return mapTwo<B, B>(extents, in[0], in[1], result, f), true; };
  switch (function) {
  case Function::id: return mapOne<B, B>(extents, in[0], result, [](B x) { return x; }), true;
  case Function::logical_not: return mapOne<B, B>(extents, in[0], result, [](B x) { return B(!x); }), true;
  case Function::logical_and: return two([](B a, B b) { return B(a & b); });
  case Function::logical_or: return two([](B a, B b) { return B(a | b); });
  case Function::eq: return two([](B a, B b) { return B(a == b); });
  case Function::ne: return two([](B a, B b) { return B(a != b); });
  default: return false;
  }
}

} // namespace

bool map(Function function, const Extents &extents, const std::vector<Operand> &inputs, const Operand &result) {
  if (function == Function::select) {
    switch (byteWidth(result.element)) {
    case 1: return mapSelect<uint8_t>(extents, inputs, result), true;
    case 4: return mapSelect<uint32_t>(extents, inputs, result), true;
    default: return mapSelect<uint64_t>(extents, inputs, result), true;
    }
  }
  switch (inputs[0].element) {
  case Element::F32: return mapNumber<float>(function, extents, inputs, result);
  case Element::F64: return mapNumber<double>(function, extents, inputs, result);
  case Element::I32: return mapNumber<int32_t>(function, extents, inputs, result);
  case Element::I64: return mapNumber<int64_t>(function, extents, inputs, result);
  case Element::I1: return mapTruth(function, extents, inputs, result);
  }
  return false;
}

} // namespace plc::reference
