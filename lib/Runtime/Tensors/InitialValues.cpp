// Counter-based random bits, and distributions from them.
#include "plc/Runtime/Tensors/InitialValues.h"

#include "plc/Module/ModuleSeal.h"

#include <bit>
#include <cmath>

namespace plc::runtime {

uint64_t hashBytes(std::string_view bytes) { return module::fnv1a(bytes); }

namespace {
/// A bijection of 64-bit words whose output bits each depend on all input bits: xor-shift and odd multiply, twice, and
/// a last xor-shift. The constant is that of the mixer degski64. It defines initial values, so it never changes.
uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}
} // namespace

uint64_t randomBits(uint64_t seed, uint64_t stream, uint64_t counter) {
  // 0x9e37.. is 2^64 / golden ratio: consecutive seeds and counters become distant words.
  uint64_t key = scramble(seed + 0x9e3779b97f4a7c15u);
  key = scramble(key ^ stream) + 0x9e3779b97f4a7c15u;
  return scramble(scramble(key ^ (counter * 0x9e3779b97f4a7c15u)) + counter);
}

int64_t randomBelow(int64_t end, uint64_t seed, uint64_t stream, uint64_t counter) {
  // The high half of a 128-bit product: bits / 2^64 of the range, without division or modulo bias of note.
  auto scaled = static_cast<unsigned __int128>(randomBits(seed, stream, counter)) * static_cast<uint64_t>(end);
  return static_cast<int64_t>(scaled >> 64);
}

double uniformFromBits(uint64_t bits) {
  // The middle of one of 2^52 equal intervals of (0, 1): 53 bits, so exact.
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

double plainLog(double x) {
  int exponent = 0;
  if (x < 0x1p-1022) { // subnormal
    x *= 0x1p54;
    exponent = -54;
  }
  // x = m 2^exponent.
  uint64_t bits = std::bit_cast<uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  if (m > 1.4142135623730951) { // m in (sqrt(1/2), sqrt(2)], so that |s| < 0.172
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 artanh(s) = 2 (s + s^3 / 3 + s^5 / 5 + ...); the first term left out is below 2^-60 of the sum.
  double s = (m - 1) / (m + 1), square = s * s, sum = 0;
  for (int odd = 23; odd >= 3; odd -= 2)
    sum = (sum + 1.0 / odd) * square;
  return exponent * 0.6931471805599453 + 2 * (s + s * sum);
}

double plainExp(double x) {
  if (!(x > -700))
    return 0;
  // x = k log 2 + r with |r| <= log(2) / 2, and exp r by its series, whose first term left out is below 2^-56.
  double k = std::floor(x * 1.4426950408889634 + 0.5);
  double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10, sum = 1;
  for (int i = 14; i >= 1; --i)
    sum = 1 + sum * r / i;
  return sum * std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(k) + 1023) << 52);
}

double normalDraw(uint64_t seed, uint64_t stream, uint64_t counter) {
  // A try is rejected with probability 1 - pi / 4 = 0.21, so 64 of them fail once in 10^42 draws.
  for (uint64_t attempt = 0; attempt < 64; ++attempt) {
    // Each draw has 128 counters of its own, so draws are independent of each other.
    uint64_t location = counter * 128 + attempt * 2;
    double x = 2 * uniformFromBits(randomBits(seed, stream, location)) - 1;
    double y = 2 * uniformFromBits(randomBits(seed, stream, location + 1)) - 1;
    double s = x * x + y * y;
    if (s > 0 && s < 1)
      return x * std::sqrt(-2 * plainLog(s) / s);
  }
  return 0;
}

namespace {

double drawValue(const Initializer &init, uint64_t seed, uint64_t stream, uint64_t element) {
  switch (init.kind) {
  case Initializer::Kind::Constant: return init.value;
  case Initializer::Kind::Normal: return init.scale * normalDraw(seed, stream, element);
  case Initializer::Kind::Uniform:
    return init.low + (init.high - init.low) * uniformFromBits(randomBits(seed, stream, element));
  }
  return 0;
}

template <class T>
void fill(const ParameterInfo &parameter, uint64_t seed, T *out) {
  uint64_t stream = hashBytes(parameter.path);
  int64_t count = parameter.tensor().numElements();
  for (int64_t i = 0; i < count; ++i)
    out[i] = static_cast<T>(drawValue(parameter.init, seed, stream, static_cast<uint64_t>(i)));
}

} // namespace

void fillInitialValues(const ParameterInfo &parameter, uint64_t seed, void *out) {
  visit(parameter.type,
        [&](auto traits) { fill(parameter, seed, static_cast<typename decltype(traits)::Value *>(out)); });
}

} // namespace plc::runtime
