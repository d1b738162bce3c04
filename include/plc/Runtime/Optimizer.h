// AdamW and the norm of the gradient, once for every engine. IEEE operations in a fixed order: the bits do not depend
// on CPU, threads or engine.
#ifndef PLC_RUNTIME_OPTIMIZER_H
#define PLC_RUNTIME_OPTIMIZER_H

#include "plc/Runtime/Tensor.h"

#include <map>
#include <span>
#include <string>

namespace plc::runtime {

/// Loshchilov and Hutter, "Decoupled weight decay regularization" (2019), algorithm 2.
struct AdamW {
  double lr = 3e-4, weightDecay = 0.01, beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
};

/// The step's constants, in double: decay = 1 - lr * weightDecay, stepSize = lr / (1 - beta1^step),
/// rootCorrection = sqrt(1 - beta2^step), the powers as running products.
struct AdamWFactors {
  AdamWFactors(const AdamW &settings, int64_t step);
  double beta1, beta2, eps, decay, stepSize, rootCorrection;
};

/// One update of a parameter of `count` elements of a real type. The gradient g is the sum of the sites in order.
/// Element by element, every operation rounded to the type:
///   m = beta1 * m + (1 - beta1) * g        v = beta2 * v + ((1 - beta2) * g) * g
///   w = w * decay - stepSize * (m / (sqrt(v) / rootCorrection + eps))
/// Returns the sum of g * g in double: element i in lane i mod 16, each lane ascending, then lanes l += l + 8, 4, 2, 1.
double updateParameter(const AdamWFactors &factors, ElementType type, int64_t count,
                       std::span<const void *const> sites, void *value, void *moment1, void *moment2);

/// The norm of the whole gradient: sums of squares added in byte order of the parameters' paths, then the root.
class GradientNorm {
public:
  void add(const std::string &path, double sumOfSquares) { sums[path] = sumOfSquares; }
  double norm() const;

private:
  std::map<std::string, double> sums;
};

} // namespace plc::runtime

#endif
