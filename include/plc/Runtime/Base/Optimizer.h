// The optimizers and the norm of the gradient, once for every engine. IEEE operations in a fixed order: the bits do not
// depend on CPU, threads, ranks or engine.
#ifndef PLC_RUNTIME_BASE_OPTIMIZER_H
#define PLC_RUNTIME_BASE_OPTIMIZER_H

#include "plc/Module/OptimizerSettings.h"
#include "plc/Runtime/Base/Tensor.h"

#include <map>
#include <optional>
#include <span>
#include <string>

namespace plc::runtime {

using module::cosineOfPi;
using module::OptimizerSettings;

/// What the loss of the next step is multiplied by, and how many finite steps have had it. The numbers are those of PyTorch's
/// GradScaler: begin at 2^16, double it after 2000 finite steps, halve it after one that is not.
struct LossScale {
  double value = 1;
  int64_t finiteSteps = 0;

  LossScale() = default;
  explicit LossScale(const OptimizerSettings &settings);
  /// Behind a step whose loss was finite, and whose gradient was or was not.
  void update(const OptimizerSettings &settings, bool finite);
  /// Whether a step that was not finite may be so only because of the scale.
  bool mayOverflow(const OptimizerSettings &settings) const {
    return settings.scalesLoss && (settings.lossScale || value > 1);
  }
};

/// The optimizer's step that a run makes (0: none), and what its loss is multiplied by.
struct TrainingStep {
  int64_t number = 0;
  double lossScale = 1;
};

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
  bool measures = true;            // whether updateParameter returns the sum of squares, or 0 where that is known
};

/// What gradients are multiplied by, once for all parameters: clipNorm / norm if norm > clipNorm > 0, else 1; and divided by what
/// the loss was multiplied by, as the norm is already.
double scaleOfNorm(const OptimizerSettings &settings, double norm, double lossScale);

/// Whether a step may be taken: the norm of its gradient is finite, and so are the losses of its micro-batches, whose sum this
/// is, rounded to the model's type.
bool isFiniteStep(ElementType real, double norm, double loss);

/// Elements that threads update together. Their squares are summed apart: in a part element i is in lane i mod 16, each lane
/// ascends, then lanes l += l + 8, 4, 2, 1; the parts of a parameter are added in order.
/// A part of 65,536 f32 with AdamW takes about 90 us, as a claim should (lib/Runtime/Execute/Workers.cpp).
inline constexpr int64_t updatedPart = 65536;

/// The sum of g * g over a parameter of `count` elements of a real type, in double; g is the sum of the sites in order.
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

/// The same of elements from `begin`, a multiple of `updatedPart`, to the end of that part.
double sumOfSquaresOfPart(ElementType type, int64_t begin, int64_t count, std::span<const void *const> sites);
double updatePart(const StepFactors &factors, ElementType type, int64_t begin, int64_t count,
                  std::span<const void *const> sites, void *value, std::span<void *const> moments);

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
