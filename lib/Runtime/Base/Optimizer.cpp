// Updates of parameters by blocks: gradients are summed and measured, then the rules of the optimizer run.
#include "plc/Runtime/Base/Optimizer.h"

#include "plc/Runtime/Base/CpuFeatures.h"
#include "plc/Runtime/Base/Error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

namespace plc::runtime {

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

namespace {

/// The product of as many `value` as there were steps, by repeated multiplication: not pow, whose last bit differs
/// between libraries. A later step goes on from the product of the last one.
double powerOfStep(double value, int64_t step) {
  struct Product {
    int64_t step = 0;
    double value = 1;
  };
  static std::mutex mutex;
  static std::map<double, Product> products;
  std::lock_guard lock(mutex);
  Product &product = products[value];
  if (product.step > step)
    product = {};
  for (; product.step < step; ++product.step)
    product.value *= value;
  return product.value;
}

/// The numbers of a step by name.
class StepNumbers {
public:
  StepNumbers(const OptimizerSettings &settings, int64_t step) : settings(settings), step(step) {}

  double of(const std::string &name) const {
    if (auto found = computed.find(name); found != computed.end())
      return found->second;
    if (name == module::rateName)
      return settings.rate(step);
    if (name == module::stepName)
      return static_cast<double>(step);
    for (const module::OptimizerSetting &setting : settings.settings) {
      if (name == setting.name)
        return setting.value;
      if (name == module::powerName(setting.name))
        return powerOfStep(setting.value, step);
    }
    throw Error(Internal, "", "the rules of optimizer '" + settings.kind + "' read an unknown number '" + name + "'");
  }

  std::map<std::string, double> computed; // by the rules

private:
  const OptimizerSettings &settings;
  int64_t step;
};

} // namespace

UpdateStep::UpdateStep(const OptimizerSettings &settings, const OptimizerForm &form, const UpdateRules &rules,
                       const UpdateProgram &program, const UpdateRunner &runner, int64_t step)
    : clipValue(settings.clipValue), ofRules(form), ofTensors(program), runs(runner) {
  StepNumbers numbers(settings, step);
  const UpdateProgram &scalars = rules.scalars;
  std::vector<double> values;
  for (const std::string &name : scalars.inputs)
    values.push_back(numbers.of(name));
  values.resize(scalars.inputs.size() + scalars.results.size());
  std::vector<void *> ports;
  for (double &value : values)
    ports.push_back(&value);
  UpdateWorkspace workspace;
  runner.run(scalars, ports.data(), module::updateBlock, workspace);
  for (size_t i = 0; i < scalars.results.size(); ++i)
    numbers.computed[scalars.results[i]] = values[scalars.inputs.size() + i];
  auto tensorOf = [&](const std::string &name) {
    size_t index = 0;
    if (name != form.parameter)
      while (form.states[index++].name != name)
        ;
    return index;
  };
  for (const std::string &name : program.inputs)
    if (name == form.gradient)
      inputPorts.push_back({Port::Kind::Gradient});
    else if (name == form.parameter ||
             std::any_of(form.states.begin(), form.states.end(), [&](const auto &state) { return state.name == name; }))
      inputPorts.push_back({Port::Kind::Tensor, tensorOf(name)});
    else
      inputPorts.push_back({Port::Kind::Scalar, 0, numbers.of(name)});
  for (const std::string &name : program.results)
    resultTensors.push_back(tensorOf(name));
}

namespace {

constexpr int64_t lanes = 16; // SIMD lanes of the sum of squares: a vector of f32 by AVX-512
constexpr int64_t block = module::updateBlock;
static_assert(block % lanes == 0 && updatedPart % block == 0);

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

/// What happens to a gradient before the rules see it.
struct Preparation {
  double scale = 1, clipValue = 0; // as in UpdateStep
  bool measures = true;

  bool changes() const { return scale != 1 || clipValue > 0; }
};

/// Measures the gradient of a block and writes what the rules see of it to `seen`, unless that
/// is the same. `seen` may be the gradient itself.
template <class T>
using BlockFunction = void (*)(const Preparation &, int64_t count, const T *gradient, T *seen, double *sums);

/// Inlined into a function for each vector width, with the same operations. The compiler contracts nothing to fma.
template <class T>
[[gnu::always_inline]] inline void blockBody(const Preparation &preparation, int64_t count, const T *gradient, T *seen,
                                             double *sums) {
  if (preparation.measures)
    addSquares(count, gradient, sums);
  if (!preparation.changes())
    return;
  T factor = static_cast<T>(preparation.scale);
  for (int64_t i = 0; i < count; ++i)
    seen[i] = preparation.scale == 1 ? gradient[i] : gradient[i] * factor;
  if (preparation.clipValue > 0)
    clipValues(count, seen, static_cast<T>(preparation.clipValue));
}
template <class T>
[[gnu::target("avx512f,avx512vl,avx512dq")]] void block512(const Preparation &preparation, int64_t count,
                                                           const T *gradient, T *seen, double *sums) {
  blockBody(preparation, count, gradient, seen, sums);
}
template <class T>
[[gnu::target("avx2")]] void block256(const Preparation &preparation, int64_t count, const T *gradient, T *seen,
                                      double *sums) {
  blockBody(preparation, count, gradient, seen, sums);
}
template <class T>
void blockPlain(const Preparation &preparation, int64_t count, const T *gradient, T *seen, double *sums) {
  blockBody(preparation, count, gradient, seen, sums);
}

template <class T>
BlockFunction<T> chooseWidth() {
  if (cpuHasFeature("avx512f") && cpuHasFeature("avx512vl") && cpuHasFeature("avx512dq"))
    return block512<T>;
  return cpuHasFeature("avx2") ? block256<T> : blockPlain<T>;
}

/// Adds the lanes pairwise, in a fixed order.
double addLanes(double *sums) {
  for (int64_t half = lanes / 2; half >= 1; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane)
      sums[lane] += sums[lane + half];
  return sums[0];
}

/// Applies the rules of an optimizer to the blocks of a parameter, one after another.
template <class T>
class BlockUpdater {
public:
  BlockUpdater(const UpdateStep &step, void *value, std::span<void *const> moments, plc_kernel_context *context)
      : step(step), tensors{static_cast<T *>(value)} {
    for (void *moment : moments)
      tensors.push_back(static_cast<T *>(moment));
    workspace.context = context;
    scalars.reserve(step.inputs().size());
    for (const UpdateStep::Port &port : step.inputs())
      scalars.push_back(static_cast<T>(port.value));
    ports.resize(step.inputs().size() + step.results().size());
  }

  /// Updates `count` elements from `begin` on. The rules run on whole blocks: at the end of a parameter in memory
  /// beside it, and so do the results of rules that do not run in place. `gradient` has a whole block.
  void update(int64_t begin, int64_t count, const T *gradient) {
    bool isWhole = count == block, inPlace = step.program().inPlace;
    if (!isWhole || !inPlace) // zeros behind the end of a parameter: only its last block is not whole
      beside.resize((inPlace ? 1 : 2) * tensors.size() * block);
    auto besideOf = [&](size_t tensor) { return beside.data() + static_cast<int64_t>(tensor) * block; };
    if (!isWhole)
      for (size_t i = 0; i < tensors.size(); ++i)
        std::copy_n(tensors[i] + begin, count, besideOf(i));
    auto inputOf = [&](size_t tensor) { return isWhole ? tensors[tensor] + begin : besideOf(tensor); };
    auto resultOf = [&](size_t tensor) { return inPlace ? inputOf(tensor) : besideOf(tensors.size() + tensor); };
    size_t port = 0;
    for (const UpdateStep::Port &input : step.inputs()) {
      using enum UpdateStep::Port::Kind;
      ports[port] = input.kind == Gradient ? const_cast<T *>(gradient) // which a kernel reads alone
                    : input.kind == Tensor ? inputOf(input.index)
                                           : &scalars[port];
      ++port;
    }
    for (size_t tensor : step.results())
      ports[port++] = resultOf(tensor);
    step.runner().run(step.program(), ports.data(), count, workspace);
    if (!isWhole || !inPlace)
      for (size_t tensor : step.results())
        std::copy_n(resultOf(tensor), count, tensors[tensor] + begin);
  }

private:
  const UpdateStep &step;
  std::vector<T *> tensors; // the parameter, then its states
  std::vector<T> scalars, beside;
  std::vector<void *> ports;
  UpdateWorkspace workspace;
};

/// Sums the gradient of each block of a slice, prepares it, and calls `update` on it. Returns the sum of
/// squares.
template <class T>
double overBlocks(int64_t first, int64_t count, std::span<const void *const> sites, const Preparation &preparation,
                  auto update) {
  static const BlockFunction<T> prepare = chooseWidth<T>();
  const int64_t end = std::min(count, first + updatedPart);
  double sums[lanes] = {};
  T sum[block];
  for (int64_t begin = first; begin < end; begin += block) {
    int64_t size = std::min(block, end - begin);
    const T *gradient = static_cast<const T *>(sites[0]) + begin;
    // A gradient of one site is read where it is, unless the block ends in what is no part of it.
    if (sites.size() > 1 || size < block) {
      std::fill(std::copy_n(gradient, size, sum), sum + block, T(0));
      gradient = sum;
    }
    // Sites are added in order, before anything reads the gradient.
    for (const void *site : sites.subspan(1))
      for (int64_t i = 0; i < size; ++i)
        sum[i] += static_cast<const T *>(site)[begin + i];
    prepare(preparation, size, gradient, sum, sums);
    update(begin, size, preparation.changes() ? sum : gradient);
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
    return overBlocks<T>(begin, count, sites, {}, [](int64_t, int64_t, const T *) {});
  });
}

double updatePart(const UpdateStep &step, ElementType type, int64_t begin, int64_t count,
                  std::span<const void *const> sites, void *value, std::span<void *const> moments,
                  plc_kernel_context *context) {
  return visitReal(type, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    BlockUpdater<T> updater(step, value, moments, context);
    return overBlocks<T>(begin, count, sites, {step.gradientScale, step.clipValue, step.measures},
                         [&](int64_t at, int64_t size, const T *gradient) { updater.update(at, size, gradient); });
  });
}

double prepareGradient(const UpdateStep &step, ElementType type, int64_t begin, int64_t count,
                       std::span<const void *const> sites, void *out) {
  return visitReal(type, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    return overBlocks<T>(
        begin, count, sites, {step.gradientScale, step.clipValue, step.measures},
        [&](int64_t at, int64_t size, const T *gradient) { std::copy_n(gradient, size, static_cast<T *>(out) + at); });
  });
}

WholePorts::WholePorts(const UpdateStep &step, ElementType type, void *gradient, void *value,
                       std::span<void *const> moments, std::span<void *const> results) {
  scalars.resize(step.inputs().size());
  for (const UpdateStep::Port &port : step.inputs()) {
    using enum UpdateStep::Port::Kind;
    double &scalar = scalars[ports.size()];
    visitReal(type, [&](auto traits) {
      auto rounded = static_cast<typename decltype(traits)::Value>(port.value);
      std::memcpy(&scalar, &rounded, sizeof(rounded));
    });
    ports.push_back(port.kind == Gradient ? gradient
                    : port.kind == Scalar ? &scalar
                    : port.index          ? moments[port.index - 1]
                                          : value);
  }
  ports.insert(ports.end(), results.begin(), results.end());
}

/// Rules on whole tensors, by one thread.
static double updateWhole(const UpdateStep &step, ElementType type, int64_t count, std::span<const void *const> sites,
                          void *value, std::span<void *const> moments) {
  const auto bytesOfElement = static_cast<int64_t>(byteWidth(type));
  const module::UpdateLayout layout = module::layoutOf(step.program(), step.form(), bytesOfElement, /*inShards=*/false);
  std::vector<std::byte> memory(static_cast<size_t>(layout.bytes));
  void *gradient = memory.data() + layout.gradient;
  double squares =
      overParts(count, [&](int64_t begin) { return prepareGradient(step, type, begin, count, sites, gradient); });
  std::vector<void *> results;
  for (int64_t offset : layout.results)
    results.push_back(memory.data() + offset);
  UpdateWorkspace workspace;
  step.runner().run(step.program(), WholePorts(step, type, gradient, value, moments, results).addresses(), count,
                    workspace);
  for (size_t i = 0; i < results.size(); ++i) {
    size_t tensor = step.results()[i];
    std::memcpy(tensor ? moments[tensor - 1] : value, results[i],
                static_cast<size_t>(module::elementsOf(step.program(), step.form(), i) * bytesOfElement));
  }
  return squares;
}

double sumOfSquares(ElementType type, int64_t count, std::span<const void *const> sites) {
  return overParts(count, [&](int64_t begin) { return sumOfSquaresOfPart(type, begin, count, sites); });
}

double updateParameter(const UpdateStep &step, ElementType type, int64_t count, std::span<const void *const> sites,
                       void *value, std::span<void *const> moments) {
  if (!step.form().isElementwise())
    return updateWhole(step, type, count, sites, value, moments);
  return overParts(count, [&](int64_t begin) { return updatePart(step, type, begin, count, sites, value, moments); });
}

double scaleOfNorm(double clipNorm, double norm, double lossScale) {
  return (clipNorm > 0 && norm > clipNorm ? clipNorm / norm : 1) / lossScale;
}

bool isFiniteStep(ElementType real, double norm, double loss) {
  return std::isfinite(norm) && visitReal(real, [&](auto traits) {
           return std::isfinite(static_cast<typename decltype(traits)::Value>(loss));
         });
}

double GradientNorm::norm() const {
  return normOf([](const std::string &) { return true; });
}

double GradientNorm::normOf(const std::function<bool(const std::string &)> &isOf) const {
  double sum = 0;
  for (const auto &[path, square] : sums)
    if (isOf(path))
      sum += square;
  return std::sqrt(sum);
}

} // namespace plc::runtime
