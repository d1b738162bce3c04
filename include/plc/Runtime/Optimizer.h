// The optimizers and the norm of the gradient, once for every engine. IEEE operations in a fixed order: the bits do not
// depend on CPU, threads, ranks or engine.
#ifndef PLC_RUNTIME_OPTIMIZER_H
#define PLC_RUNTIME_OPTIMIZER_H

#include "plc/Runtime/Tensor.h"

#include <map>
#include <optional>
#include <span>
#include <string>

namespace plc::runtime {

struct OptimizerSettings {
  enum class Kind : uint8_t { SGD, Momentum, Adam, AdamW };
  enum class Schedule : uint8_t { Constant, Linear, Cosine };

  Kind kind = Kind::AdamW;
  double lr = 3e-4;
  double weightDecay = 0.01;                     // AdamW
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8; // Adam, AdamW
  double momentum = 0.9;                         // Momentum
  Schedule schedule = Schedule::Constant;
  int64_t warmup = 0, total = 0; // in steps; total belongs to Linear and Cosine and is more than warmup
  double clipNorm = 0;           // 0: gradients are not clipped

  /// sgd, momentum, adam, adamw
  static std::optional<Kind> parseKind(const std::string &name);
  static const char *nameOf(Kind kind);
  /// constant, linear, cosine
  static std::optional<Schedule> parseSchedule(const std::string &name);

  /// Tensors that the optimizer keeps beside each trained parameter.
  int numMoments() const { return kind == Kind::SGD ? 0 : kind == Kind::Momentum ? 1 : 2; }

  /// The learning rate of a step (1 is the first), in double. Up to `warmup`: lr * step / warmup. Then, with
  /// p = (step - 1 - warmup) / (total - warmup), at most 1: lr, lr * (1 - p) or lr * ((1 + cos(pi p)) / 2).
  double rate(int64_t step) const;
};

/// cos(pi p) for p in [0, 1], from additions and multiplications alone; error below 1e-15. Exact at 0, 1/2 and 1.
double cosineOfPi(double p);

/// The constants of one step, in double.
struct StepFactors {
  StepFactors(const OptimizerSettings &settings, int64_t step);

  OptimizerSettings::Kind kind;
  double rate;
  double momentum;                 // Momentum
  double beta1, beta2, eps;        // Adam, AdamW
  double decay;                    // 1 - rate * weightDecay (AdamW), else 1
  double stepSize, rootCorrection; // rate / (1 - beta1^step), sqrt(1 - beta2^step), the powers as running products
  double gradientScale = 1;        // of clipping: scaleOfNorm
};

/// What gradients are multiplied by, once for all parameters: clipNorm / norm if norm > clipNorm > 0, else 1.
double scaleOfNorm(const OptimizerSettings &settings, double norm);

/// The sum of g * g over a parameter of `count` elements of a real type, in double; g is the sum of the sites in order.
/// Element i in lane i mod 16, each lane ascending, then lanes l += l + 8, 4, 2, 1.
double sumOfSquares(ElementType type, int64_t count, std::span<const void *const> sites);

/// One update of such a parameter. First g = g * gradientScale, unless that is 1. Then, element by element, every
/// operation rounded to the type:
///   SGD        w = w - rate * g
///   Momentum   m = momentum * m + g
///              w = w - rate * m
///   Adam(W)    m = beta1 * m + (1 - beta1) * g        v = beta2 * v + ((1 - beta2) * g) * g
///              w = w * decay - stepSize * (m / (sqrt(v) / rootCorrection + eps))
/// Adam: Kingma and Ba (2015), algorithm 1; AdamW: Loshchilov and Hutter, "Decoupled weight decay regularization"
/// (2019), algorithm 2. moments: m, then v, as many as numMoments(). Returns sumOfSquares of the unscaled gradient.
double updateParameter(const StepFactors &factors, ElementType type, int64_t count, std::span<const void *const> sites,
                       void *value, std::span<void *const> moments);

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
