#include "plc/Runtime/Optimizer.h"

#include "plc/Runtime/CpuFeatures.h"

#include <algorithm>
#include <cmath>

namespace plc::runtime {

AdamWFactors::AdamWFactors(const AdamW &settings, int64_t step)
    : beta1(settings.beta1), beta2(settings.beta2), eps(settings.eps),
      decay(1 - settings.lr * settings.weightDecay) {
  // Running products, not pow: the same bits everywhere.
  double power1 = 1, power2 = 1;
  for (int64_t i = 0; i < step; ++i) {
    power1 *= beta1;
    power2 *= beta2;
  }
  stepSize = settings.lr / (1 - power1);
  rootCorrection = std::sqrt(1 - power2);
}

namespace {

constexpr int64_t lanes = 16;
constexpr int64_t block = 1024; // elements whose gradient is summed before the update; a multiple of lanes

template <class T> struct Factors {
  explicit Factors(const AdamWFactors &f)
      : beta1(static_cast<T>(f.beta1)), rest1(static_cast<T>(1 - f.beta1)), beta2(static_cast<T>(f.beta2)),
        rest2(static_cast<T>(1 - f.beta2)), eps(static_cast<T>(f.eps)), decay(static_cast<T>(f.decay)),
        stepSize(static_cast<T>(f.stepSize)), rootCorrection(static_cast<T>(f.rootCorrection)) {}
  T beta1, rest1, beta2, rest2, eps, decay, stepSize, rootCorrection;
};

template <class T>
[[gnu::always_inline]] inline void updateBlock(const Factors<T> &f, int64_t count, const T *__restrict g,
                                               T *__restrict w, T *__restrict m, T *__restrict v) {
  for (int64_t i = 0; i < count; ++i) {
    T first = f.beta1 * m[i] + f.rest1 * g[i];
    T second = f.beta2 * v[i] + (f.rest2 * g[i]) * g[i];
    T root = std::sqrt(second) / f.rootCorrection + f.eps;
    m[i] = first;
    v[i] = second;
    w[i] = w[i] * f.decay - f.stepSize * (first / root);
  }
}

template <class T> [[gnu::always_inline]] inline void addSquares(int64_t count, const T *g, double *sums) {
  int64_t whole = count / lanes * lanes;
  for (int64_t i = 0; i < whole; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane)
      sums[lane] += static_cast<double>(g[i + lane]) * static_cast<double>(g[i + lane]);
  for (int64_t i = whole; i < count; ++i)
    sums[i - whole] += static_cast<double>(g[i]) * static_cast<double>(g[i]);
}

template <class T>
using BlockFunction = void (*)(const Factors<T> &, int64_t, const T *, T *, T *, T *, double *);

/// The same operations at each vector width.
template <class T>
[[gnu::always_inline]] inline void blockBody(const Factors<T> &f, int64_t count, const T *g, T *w, T *m, T *v,
                                             double *sums) {
  addSquares(count, g, sums);
  updateBlock(f, count, g, w, m, v);
}
template <class T>
[[gnu::target("avx512f,avx512vl,avx512dq")]] void
block512(const Factors<T> &f, int64_t count, const T *g, T *w, T *m, T *v, double *sums) {
  blockBody(f, count, g, w, m, v, sums);
}
template <class T>
[[gnu::target("avx2")]] void block256(const Factors<T> &f, int64_t count, const T *g, T *w, T *m, T *v, double *sums) {
  blockBody(f, count, g, w, m, v, sums);
}
template <class T>
void blockPlain(const Factors<T> &f, int64_t count, const T *g, T *w, T *m, T *v, double *sums) {
  blockBody(f, count, g, w, m, v, sums);
}

template <class T> BlockFunction<T> chooseBlock() {
  if (cpuHasFeature("avx512f") && cpuHasFeature("avx512vl") && cpuHasFeature("avx512dq"))
    return block512<T>;
  return cpuHasFeature("avx2") ? block256<T> : blockPlain<T>;
}

double addLanes(double *sums) {
  for (int64_t half = lanes / 2; half >= 1; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane)
      sums[lane] += sums[lane + half];
  return sums[0];
}

template <class T>
double update(const AdamWFactors &factors, int64_t count, std::span<const void *const> sites, void *value,
              void *moment1, void *moment2) {
  static const BlockFunction<T> updateBlockOfWidth = chooseBlock<T>();
  Factors<T> f(factors);
  double sums[lanes] = {};
  T gradient[block];
  for (int64_t begin = 0; begin < count; begin += block) {
    int64_t size = std::min(block, count - begin);
    std::copy_n(static_cast<const T *>(sites[0]) + begin, size, gradient);
    for (const void *site : sites.subspan(1))
      for (int64_t i = 0; i < size; ++i)
        gradient[i] += static_cast<const T *>(site)[begin + i];
    updateBlockOfWidth(f, size, gradient, static_cast<T *>(value) + begin, static_cast<T *>(moment1) + begin,
                       static_cast<T *>(moment2) + begin, sums);
  }
  return addLanes(sums);
}

} // namespace

double updateParameter(const AdamWFactors &factors, ElementType type, int64_t count,
                       std::span<const void *const> sites, void *value, void *moment1, void *moment2) {
  if (type == ElementType::F64)
    return update<double>(factors, count, sites, value, moment1, moment2);
  return update<float>(factors, count, sites, value, moment1, moment2);
}

double GradientNorm::norm() const {
  double sum = 0;
  for (const auto &[path, square] : sums)
    sum += square;
  return std::sqrt(sum);
}

} // namespace plc::runtime
