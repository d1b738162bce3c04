// The optimizers' updates and the norm of the gradient, for every engine.
#ifndef PLC_RUNTIME_BASE_OPTIMIZER_H
#define PLC_RUNTIME_BASE_OPTIMIZER_H

#include "plc/Module/OptimizerSettings.h"
#include "plc/Module/UpdateRules.h"
#include "plc/Runtime/Base/Tensor.h"
#include "plc/Runtime/KernelABI.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plc::runtime {

using module::cosineOfPi;
using module::OptimizerForm;
using module::OptimizerSettings;
using module::UpdateProgram;
using module::UpdateRules;

/// The factor of the next step's loss, and the number of finite steps that had it. The numbers are those of PyTorch's
/// GradScaler: it begins at 2^16, doubles after 2000 finite steps, and halves after one that is not finite.
struct LossScale {
  double value = 1;
  int64_t finiteSteps = 0;

  LossScale() = default;
  explicit LossScale(const OptimizerSettings &settings);
  /// After a step whose loss was finite: adapts the scale to whether its gradient was.
  void update(const OptimizerSettings &settings, bool finite);
  /// Whether the scale alone may have made a step not finite.
  bool mayOverflow(const OptimizerSettings &settings) const {
    return settings.scalesLoss && (settings.lossScale || value > 1);
  }
};

/// The step that a run makes (0: none), and the factor of its loss.
struct TrainingStep {
  int64_t number = 0;
  double lossScale = 1;
};

/// What the programs of an optimizer's rules need beside their ports, for the calls of one thread.
struct UpdateWorkspace {
  std::vector<std::byte> scratch;
  std::vector<void *> operands;
  plc_kernel_context *context = nullptr;
};

/// Runs the programs of an optimizer's rules: by kernels of a module, or by the interpreter. All operations are IEEE
/// operations in the order of the rules, so bits do not depend on CPU, threads, ranks or engine.
class UpdateRunner {
public:
  virtual ~UpdateRunner() = default;
  /// `ports`: the addresses of the program's inputs, then of its results. Of a program on a block the first `count`
  /// elements are asked for; more may be computed.
  virtual void run(const UpdateProgram &program, void *const *ports, int64_t count,
                   UpdateWorkspace &workspace) const = 0;
};

/// One step of an optimizer with the settings of some parameters: its scalars, and where the ports of a program of its
/// rules find their values.
class UpdateStep {
public:
  /// Computes the scalars of step `step`, in double. `program` is one of those of `rules` on tensors.
  UpdateStep(const OptimizerSettings &settings, const OptimizerForm &form, const UpdateRules &rules,
             const UpdateProgram &program, const UpdateRunner &runner, int64_t step);

  double gradientScale = 1; // of clipping: scaleOfNorm
  double clipValue;         // largest magnitude of a scaled element; 0: any
  bool measures = true;     // whether an update also returns the sum of squares

  /// The value of a port: the gradient, a tensor (0: the parameter, k: state k), or a scalar.
  struct Port {
    enum class Kind : uint8_t { Gradient, Tensor, Scalar } kind;
    size_t index = 0;
    double value = 0;
  };
  const UpdateProgram &program() const { return ofTensors; }
  const UpdateRunner &runner() const { return runs; }
  const OptimizerForm &form() const { return ofRules; }
  const std::vector<Port> &inputs() const { return inputPorts; }
  /// For each result, the tensor that it replaces.
  const std::vector<size_t> &results() const { return resultTensors; }

private:
  const OptimizerForm &ofRules;
  const UpdateProgram &ofTensors;
  const UpdateRunner &runs;
  std::vector<Port> inputPorts;
  std::vector<size_t> resultTensors;
};

/// The factor of gradients: clipNorm / norm if norm > clipNorm > 0, else 1; divided by the loss scale, by which the
/// norm is divided already.
double scaleOfNorm(double clipNorm, double norm, double lossScale);

/// Whether a step may be taken: the norm of its gradient is finite, and so is the sum of its micro-batches' losses,
/// rounded to the model's type.
bool isFiniteStep(ElementType real, double norm, double loss);

/// Elements that one thread updates together. The squares of such a slice are summed apart: element i in SIMD lane i
/// mod 16, ascending, then lanes l += l + 8, 4, 2, 1. The slices of a parameter are added in order. A slice of 65,536
/// f32 takes about 90 us with AdamW, as a claim should (lib/Runtime/Execute/Workers.cpp).
inline constexpr int64_t updatedPart = 65536;

/// The sum of g * g over a parameter of `count` elements of a real type, in double. g is the sum of the sites, added in
/// order.
double sumOfSquares(ElementType type, int64_t count, std::span<const void *const> sites);

/// One update of such a parameter. First g = g * gradientScale, unless that is 1; then g is clipped to
/// [-clipValue, clipValue], where NaN stays NaN; then the optimizer's rules run on each element. moments: one for each
/// state of the optimizer. Returns sumOfSquares of the unscaled gradient.
double updateParameter(const UpdateStep &step, ElementType type, int64_t count, std::span<const void *const> sites,
                       void *value, std::span<void *const> moments);

/// The ports of such rules: a number of the parameter's type for each scalar, and addresses.
class WholePorts {
public:
  /// `gradient`, `value` and `moments` are what the rules read; each result has its own place in `results`.
  WholePorts(const UpdateStep &step, ElementType type, void *gradient, void *value, std::span<void *const> moments,
             std::span<void *const> results);
  void *const *addresses() const { return ports.data(); }

private:
  std::vector<double> scalars; // room for one of any type
  std::vector<void *> ports;
};
/// Writes the gradient of a part as the rules see it behind `begin` of `out`. Returns sumOfSquares of the unscaled one.
double prepareGradient(const UpdateStep &step, ElementType type, int64_t begin, int64_t count,
                       std::span<const void *const> sites, void *out);

/// The same for the slice that begins at element `begin`, a multiple of `updatedPart`.
double sumOfSquaresOfPart(ElementType type, int64_t begin, int64_t count, std::span<const void *const> sites);
double updatePart(const UpdateStep &step, ElementType type, int64_t begin, int64_t count,
                  std::span<const void *const> sites, void *value, std::span<void *const> moments,
                  plc_kernel_context *context = nullptr);

/// The norm of the whole gradient: sums of squares added in byte order of the parameters' paths, then the root. So bits
/// do not depend on the order of add().
class GradientNorm {
public:
  void add(const std::string &path, double sumOfSquares) { sums[path] = sumOfSquares; }
  double norm() const;
  /// That of some paths alone.
  double normOf(const std::function<bool(const std::string &path)> &isOf) const;

private:
  std::map<std::string, double> sums;
};

} // namespace plc::runtime

#endif
