// Updates of parameters by blocks, at each vector width with the same bits.
#include "plc/Runtime/Base/Optimizer.h"

#include "plc/Runtime/Base/CpuFeatures.h"
#include "plc/Support/WholeChoice.h"

#include <algorithm>
#include <cmath>

namespace plc::runtime {

using Kind = OptimizerSettings::Kind;
static_assert(hasAllRows<Kind>(), "the table of this choice has not one row for each value of its enum");

LossScale::LossScale(const OptimizerSettings &settings) {
  // See Optimizer.h: the numbers of PyTorch's GradScaler.
  constexpr double first = 65536;
  if (settings.scalesLoss)
    value = settings.lossScale ? settings.lossScale : first;
}

void LossScale::update(const OptimizerSettings &settings, bool finite) {
  constexpr int64_t growsAfter = 2000;
  constexpr double most = 0x1p100; // far below what f32 holds
  if (!settings.scalesLoss || settings.lossScale)
    return;
  finiteSteps = finite ? finiteSteps + 1 : 0;
  if (!finite)
    value = std::max(1.0, value / 2);
  else if (finiteSteps == growsAfter) {
    value = std::min(most, 2 * value);
    finiteSteps = 0;
  }
}

StepFactors::StepFactors(const OptimizerSettings &settings, int64_t step)
    : kind(settings.kind), rate(settings.rate(step)), momentum(settings.momentum), beta1(settings.beta1),
      beta2(settings.beta2), eps(settings.eps), decay(rowOf(kind).decaysWeight ? 1 - rate * settings.weightDecay : 1) {
  clipValue = settings.clipValue;
  // Running products, not pow, whose last bit differs between libraries.
  double power1 = 1, power2 = 1;
  for (int64_t i = 0; i < step; ++i) {
    power1 *= beta1;
    power2 *= beta2;
  }
  stepSize = rate / (1 - power1);
  rootCorrection = std::sqrt(1 - power2);
}

namespace {

constexpr int64_t lanes = 16; // SIMD lanes of the sum of squares: a vector of f32 by AVX-512
/// Elements whose gradient is summed before the update, a multiple of lanes. Not tuned: small enough for the first
/// cache and the stack, large enough to amortize a call.
constexpr int64_t block = 1024;

/// The factors of a step, rounded to the type in which it computes.
template <class T>
struct Factors {
  explicit Factors(const StepFactors &f)
      : rate(static_cast<T>(f.rate)), momentum(static_cast<T>(f.momentum)), beta1(static_cast<T>(f.beta1)),
        rest1(static_cast<T>(1 - f.beta1)), beta2(static_cast<T>(f.beta2)), rest2(static_cast<T>(1 - f.beta2)),
        eps(static_cast<T>(f.eps)), decay(static_cast<T>(f.decay)), stepSize(static_cast<T>(f.stepSize)),
        rootCorrection(static_cast<T>(f.rootCorrection)), gradientScale(static_cast<T>(f.gradientScale)),
        clipValue(static_cast<T>(f.clipValue)), scales(f.gradientScale != 1), clips(f.clipValue > 0),
        measures(f.measures) {}
  T rate, momentum, beta1, rest1, beta2, rest2, eps, decay, stepSize, rootCorrection, gradientScale, clipValue;
  bool scales, clips, measures;
};

/// A slice of a parameter: at most `block` elements.
template <class T>
struct Part {
  int64_t count;
  T *gradient, *value, *moment1, *moment2;
};

// The rules of Optimizer.h, as loops that the compiler vectorizes. It contracts nothing to fma, so bits are the same at
// each width.
struct SgdRule {
  template <class T>
  [[gnu::always_inline]] static void apply(const Factors<T> &f, int64_t count, const T *__restrict g, T *__restrict w,
                                           T *, T *) {
    for (int64_t i = 0; i < count; ++i)
      w[i] = w[i] - f.rate * g[i];
  }
};
struct MomentumRule {
  template <class T>
  [[gnu::always_inline]] static void apply(const Factors<T> &f, int64_t count, const T *__restrict g, T *__restrict w,
                                           T *__restrict m, T *) {
    for (int64_t i = 0; i < count; ++i) {
      m[i] = f.momentum * m[i] + g[i];
      w[i] = w[i] - f.rate * m[i];
    }
  }
};
struct AdamRule {
  template <class T>
  [[gnu::always_inline]] static void apply(const Factors<T> &f, int64_t count, const T *__restrict g, T *__restrict w,
                                           T *__restrict m, T *__restrict v) {
    for (int64_t i = 0; i < count; ++i) {
      T first = f.beta1 * m[i] + f.rest1 * g[i];
      T second = f.beta2 * v[i] + (f.rest2 * g[i]) * g[i];
      T root = std::sqrt(second) / f.rootCorrection + f.eps;
      m[i] = first;
      v[i] = second;
      w[i] = w[i] * f.decay - f.stepSize * (first / root);
    }
  }
};
/// For a step that only measures.
struct NoRule {
  template <class T>
  [[gnu::always_inline]] static void apply(const Factors<T> &, int64_t, const T *, T *, T *, T *) {}
};

template <class T>
[[gnu::always_inline]] inline void addSquares(int64_t count, const T *g, double *sums) {
  // Each lane is a chain of its own: vectorizable, in an order that does not depend on the width.
  int64_t whole = count / lanes * lanes;
  for (int64_t i = 0; i < whole; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      sums[lane] += static_cast<double>(g[i + lane]) * static_cast<double>(g[i + lane]);
  for (int64_t i = whole; i < count; ++i)
    sums[i - whole] += static_cast<double>(g[i]) * static_cast<double>(g[i]);
}

/// Comparisons with NaN are false, so NaN stays.
template <class T>
[[gnu::always_inline]] inline void clipValues(int64_t count, T *g, T most) {
  for (int64_t i = 0; i < count; ++i)
    g[i] = g[i] > most ? most : g[i] < -most ? -most : g[i];
}

template <class T>
using BlockFunction = void (*)(const Factors<T> &, const Part<T> &, double *);

/// Inlined into a function for each vector width, with the same operations.
template <class Rule, class T>
[[gnu::always_inline]] inline void blockBody(const Factors<T> &f, const Part<T> &part, double *sums) {
  if (f.measures)
    addSquares(part.count, part.gradient, sums);
  if (f.scales)
    for (int64_t i = 0; i < part.count; ++i)
      part.gradient[i] = part.gradient[i] * f.gradientScale;
  if (f.clips)
    clipValues(part.count, part.gradient, f.clipValue);
  Rule::apply(f, part.count, part.gradient, part.value, part.moment1, part.moment2);
}
template <class Rule, class T>
[[gnu::target("avx512f,avx512vl,avx512dq")]] void block512(const Factors<T> &f, const Part<T> &part, double *sums) {
  blockBody<Rule>(f, part, sums);
}
template <class Rule, class T>
[[gnu::target("avx2")]] void block256(const Factors<T> &f, const Part<T> &part, double *sums) {
  blockBody<Rule>(f, part, sums);
}
template <class Rule, class T>
void blockPlain(const Factors<T> &f, const Part<T> &part, double *sums) {
  blockBody<Rule>(f, part, sums);
}

template <class Rule, class T>
BlockFunction<T> chooseWidth() {
  if (cpuHasFeature("avx512f") && cpuHasFeature("avx512vl") && cpuHasFeature("avx512dq"))
    return block512<Rule, T>;
  return cpuHasFeature("avx2") ? block256<Rule, T> : blockPlain<Rule, T>;
}

template <class T>
BlockFunction<T> functionOf(Kind kind) {
  static const BlockFunction<T> sgd = chooseWidth<SgdRule, T>(), momentum = chooseWidth<MomentumRule, T>(),
                                adam = chooseWidth<AdamRule, T>();
  switch (kind) {
  case Kind::SGD: return sgd;
  case Kind::Momentum: return momentum;
  case Kind::Adam:
  case Kind::AdamW: return adam;
  }
  __builtin_unreachable();
}

/// Adds the lanes pairwise, in a fixed order.
double addLanes(double *sums) {
  for (int64_t half = lanes / 2; half >= 1; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane)
      sums[lane] += sums[lane + half];
  return sums[0];
}

/// Calls the function on each block of a slice of a parameter, with its gradient. Returns the sum of squares.
template <class T>
double overBlocks(BlockFunction<T> function, const Factors<T> &f, int64_t first, int64_t count,
                  std::span<const void *const> sites, void *value, std::span<void *const> moments) {
  const int64_t end = std::min(count, first + updatedPart);
  double sums[lanes] = {};
  T gradient[block];
  auto at = [](void *base, int64_t begin) { return base ? static_cast<T *>(base) + begin : nullptr; };
  for (int64_t begin = first; begin < end; begin += block) {
    int64_t size = std::min(block, end - begin);
    // Sites are added in order, before anything reads the gradient.
    std::copy_n(static_cast<const T *>(sites[0]) + begin, size, gradient);
    for (const void *site : sites.subspan(1))
      for (int64_t i = 0; i < size; ++i)
        gradient[i] += static_cast<const T *>(site)[begin + i];
    function(f,
             {size, gradient, at(value, begin), at(moments.size() > 0 ? moments[0] : nullptr, begin),
              at(moments.size() > 1 ? moments[1] : nullptr, begin)},
             sums);
  }
  return addLanes(sums);
}

double overParts(int64_t count, auto ofPart) {
  double sum = 0;
  for (int64_t begin = 0; begin < count; begin += updatedPart)
    sum += ofPart(begin);
  return sum;
}

} // namespace

double sumOfSquaresOfPart(ElementType type, int64_t begin, int64_t count, std::span<const void *const> sites) {
  return visitReal(type, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    static const BlockFunction<T> function = chooseWidth<NoRule, T>();
    StepFactors none(OptimizerSettings(), 1);
    return overBlocks(function, Factors<T>(none), begin, count, sites, nullptr, {});
  });
}

double updatePart(const StepFactors &factors, ElementType type, int64_t begin, int64_t count,
                  std::span<const void *const> sites, void *value, std::span<void *const> moments) {
  return visitReal(type, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    return overBlocks(functionOf<T>(factors.kind), Factors<T>(factors), begin, count, sites, value, moments);
  });
}

double sumOfSquares(ElementType type, int64_t count, std::span<const void *const> sites) {
  return overParts(count, [&](int64_t begin) { return sumOfSquaresOfPart(type, begin, count, sites); });
}

double updateParameter(const StepFactors &factors, ElementType type, int64_t count, std::span<const void *const> sites,
                       void *value, std::span<void *const> moments) {
  return overParts(count,
                   [&](int64_t begin) { return updatePart(factors, type, begin, count, sites, value, moments); });
}

double scaleOfNorm(const OptimizerSettings &settings, double norm, double lossScale) {
  double clip = settings.clipNorm > 0 && norm > settings.clipNorm ? settings.clipNorm / norm : 1;
  return clip / lossScale;
}

bool isFiniteStep(ElementType real, double norm, double loss) {
  return std::isfinite(norm) && visitReal(real, [&](auto traits) {
           return std::isfinite(static_cast<typename decltype(traits)::Value>(loss));
         });
}

double GradientNorm::norm() const {
  double sum = 0;
  for (const auto &[path, square] : sums)
    sum += square;
  return std::sqrt(sum);
}

} // namespace plc::runtime
