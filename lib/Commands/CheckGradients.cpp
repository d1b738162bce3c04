// `check-gradients`: compares gradients with differences of the loss.
#include "GivenInputs.h"
#include "Runs.h"
#include "plc/Runtime/Tensors/InitialValues.h"
#include "plc/Runtime/Tensors/RandomKeys.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace plc::runtime {
namespace {

// Central differences in f64. With a step of 1e-5 their truncation error (step^2) and rounding error (1e-16 / step) are
// at most about 1e-10, far below the tolerance.
constexpr double step = 1e-5, tolerance = 1e-6;
/// Random points that are drawn before the check gives up: a loss may be infinite at some.
constexpr uint64_t tries = 8;

/// The values of parameters or inputs at a point: random, all one value, or each -1, 0 or 1, so that many are equal. At
/// points that are not random, gradients may be those of kinks. There one element of each parameter is tried, and each
/// whose gradient differs from those close by.
enum class Fill : uint8_t { Random, Zero, One, Small };

struct Point {
  const char *where;
  Fill parameters, inputs;
};
constexpr Point points[] = {
    {"parameters of 0", Fill::Zero, Fill::Random},
    {"inputs of 0", Fill::Random, Fill::Zero},
    {"parameters and inputs of 1", Fill::One, Fill::One},
    {"parameters and inputs of -1, 0 and 1", Fill::Small, Fill::Small},
};

/// Random numbers of one stream.
class Draws {
public:
  Draws(uint64_t seed, const std::string &name) : seed(seed), stream(hashBytes(name)) {}
  double normal() { return normalDraw(seed, stream, counter++); }
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(uniformFromBits(randomBits(seed, stream, counter++)) * static_cast<double>(bound));
  }
  /// A value by a fill that is not Random.
  double filled(Fill fill) {
    return fill == Fill::Zero ? 0 : fill == Fill::One ? 1 : static_cast<double>(below(3) - 1);
  }

private:
  uint64_t seed, stream, counter = 0;
};

/// The slopes of the loss below and above an element.
struct Slopes {
  double below, above;
  bool finite() const { return std::isfinite(below) && std::isfinite(above); }
  double low() const { return std::min(below, above); }
  double high() const { return std::max(below, above); }
  double steepest() const { return std::max(std::fabs(below), std::fabs(above)); }
};

/// One check of all parameters of a model. Prints a line for each.
class GradientCheck {
public:
  GradientCheck(const Options &options, Engine &engine)
      : options(options), engine(engine), seed(options.seed.value_or(0)) {}
  /// Whether all gradients are right.
  bool run();

private:
  using Values = std::vector<std::vector<double>>; // of each parameter; none of those that are not trained

  void openEntries();
  void readInputs();
  void fillInputs(Fill fill, uint64_t draw);
  Values valuesAt(Fill fill) const;
  void write(const Values &values);
  double lossAt(const Values &values);
  double lossBeside(const Values &values, size_t parameter, int64_t element, double move);
  Values gradients(const Values &values);
  bool checkRandomPoint();
  bool checkParameter(size_t index, const Values &values, const std::vector<double> &found);
  bool checkPoint(const Point &point);
  bool isRight(size_t index, const Values &values, int64_t element, double here, double found, double around,
               double scale, Slopes &slopes);
  std::array<Values, 2> gradientsAround(const Values &values);

  const Options &options;
  Engine &engine;
  uint64_t seed;
  const EntryInfo *gradient = nullptr;
  const EntryInfo *forward = nullptr; // the entry whose loss is differentiated
  size_t loss = 0;
  std::vector<std::optional<Bytes>> given;
  std::vector<Bytes> inputs;
  std::vector<std::optional<size_t>> outputOf; // by parameter: the output with its gradient
};

void GradientCheck::openEntries() {
  gradient = engine.findEntry(module::gradientEntry);
  const EntryInfo *eval = engine.findEntry("eval");
  if (!gradient || !eval)
    throw Error(BadInput, options.model.file, "has no scalar output 'loss' to differentiate");
  if (gradient->batch != eval->batch)
    throw usageError("key 'gradient.accumulation_steps' has no meaning for 'check-gradients'");
  // The loss of `eval`, which is cheaper, unless evaluation computes something else than training.
  bool same = std::equal(gradient->inputs.begin(), gradient->inputs.end(), eval->inputs.begin(), eval->inputs.end(),
                         [](const TensorInfo &a, const TensorInfo &b) { return a.name == b.name; });
  forward = same && !engine.asksForTraining() ? eval : gradient;
  loss = forward->findOutput(lossName);
  for (const TensorInfo &info : gradient->inputs)
    if (isReal(info.type) && !isNarrow(info.type) && info.type != ElementType::F64)
      throw Error(BadInput, "",
                  "input '" + info.name + "' is " + info.typeText() + ", but gradients are checked in f64");
  for (const ParameterInfo &info : engine.parameters()) {
    size_t index = gradient->findGradient(info.path);
    outputOf.push_back(index < gradient->outputs.size() ? std::optional(index) : std::nullopt);
  }
}

/// Reads the inputs that the user gives; the others are drawn.
void GradientCheck::readInputs() {
  given = givenInputs(options, *gradient, engine);
  EntryInfo some = *gradient;
  some.inputs.clear();
  std::vector<size_t> points;
  for (const DataOption &option : options.data) {
    size_t index = 0;
    while (index < gradient->inputs.size() && gradient->inputs[index].name != option.input)
      ++index;
    if (index == gradient->inputs.size() || gradient->inputs[index].isRandom())
      throw usageError("the model has no input '" + option.input + "'");
    if (given[index])
      throw usageError("input '" + option.input + "' is given twice");
    some.inputs.push_back(gradient->inputs[index]);
    points.push_back(index);
  }
  if (points.empty())
    return;
  std::vector<Bytes> batch = openData(some, options.data, 0)->trainBatch(seed, 1);
  for (size_t i = 0; i < points.size(); ++i)
    given[points[i]] = std::move(batch[i]);
}

void GradientCheck::fillInputs(Fill fill, uint64_t draw) {
  inputs.clear();
  for (size_t i = 0; i < gradient->inputs.size(); ++i) {
    const TensorInfo &info = gradient->inputs[i];
    if (given[i]) {
      inputs.push_back(*given[i]);
      continue;
    }
    Draws draws(seed + draw, "input " + info.name);
    Bytes data(info.numBytes());
    visit(info.type, [&](auto traits) {
      using T = typename decltype(traits)::Value;
      auto *values = reinterpret_cast<T *>(data.data());
      for (int64_t i = 0; i < info.numElements(); ++i) {
        if constexpr (traits.kind == ElementKind::Real)
          values[i] = static_cast<T>(fill == Fill::Random ? draws.normal() : draws.filled(fill));
        else
          values[i] = static_cast<T>(draws.below(traits.kind == ElementKind::Truth ? 2 : engine.indexBound()));
      }
    });
    inputs.push_back(std::move(data));
  }
}

/// The parameters at a point. Random: initial values plus noise, because initial zeros and ones are special points.
GradientCheck::Values GradientCheck::valuesAt(Fill fill) const {
  Values all;
  for (const ParameterInfo &info : engine.parameters()) {
    std::vector<double> &values = all.emplace_back();
    if (!isComputeType(info.type)) // it is not trained
      continue;
    values.resize(static_cast<size_t>(info.tensor().numElements()));
    Draws draws(seed, "parameter " + info.path);
    if (fill == Fill::Random)
      fillInitialValues(info, seed, values.data());
    for (double &value : values)
      value = fill == Fill::Random ? value + 0.3 * draws.normal() : draws.filled(fill);
  }
  return all;
}

void GradientCheck::write(const Values &values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const ParameterInfo &info = engine.parameters()[i];
    if (!values[i].empty() || isComputeType(info.type)) {
      engine.writeParameter(i, values[i].data());
      continue;
    }
    Bytes narrow(info.tensor().numBytes());
    fillInitialValues(info, seed, narrow.data());
    engine.writeParameter(i, narrow.data());
  }
}

double GradientCheck::lossAt(const Values &values) {
  write(values);
  return elementAsDouble(ElementType::F64, engine.run(*forward, inputs)[loss].data(), 0);
}

/// The loss with one element moved; the engine has the other parameters already, and gets this one back.
double GradientCheck::lossBeside(const Values &values, size_t parameter, int64_t element, double move) {
  std::vector<double> moved = values[parameter];
  moved[static_cast<size_t>(element)] += move;
  engine.writeParameter(parameter, moved.data());
  double result = elementAsDouble(ElementType::F64, engine.run(*forward, inputs)[loss].data(), 0);
  engine.writeParameter(parameter, values[parameter].data());
  return result;
}

GradientCheck::Values GradientCheck::gradients(const Values &values) {
  write(values);
  std::vector<Bytes> outputs = engine.run(*gradient, inputs);
  Values all(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!outputOf[i])
      continue;
    const Bytes &bytes = outputs[*outputOf[i]];
    all[i].resize(bytes.size() / sizeof(double));
    std::memcpy(all[i].data(), bytes.data(), bytes.size());
  }
  return all;
}

/// A number as text; NaN without its sign, which is not defined.
std::string textOf(double value) { return std::isnan(value) ? "nan" : std::to_string(value); }

double largestOf(const std::vector<double> &values) {
  double largest = 0;
  for (double value : values)
    largest = std::max(largest, std::fabs(value));
  return largest;
}

/// Central differences at a random point, for some elements of one parameter.
bool GradientCheck::checkParameter(size_t index, const Values &values, const std::vector<double> &found) {
  const ParameterInfo &info = engine.parameters()[index];
  auto count = static_cast<int64_t>(found.size());
  Draws draws(seed, "samples " + info.path);
  int64_t samples = std::min(count, options.samples);
  double largest = largestOf(found), worst = 0;
  int64_t at = 0;
  for (int64_t sample = 0; sample < samples; ++sample) {
    int64_t element = samples == count ? sample : draws.below(count);
    double above = lossBeside(values, index, element, step), below = lossBeside(values, index, element, -step);
    if (!std::isfinite(above - below)) // beyond the domain of the loss
      continue;
    double error = std::fabs(found[static_cast<size_t>(element)] - (above - below) / (2 * step));
    if (!(error <= worst) && !std::isnan(worst)) {
      worst = error;
      at = element;
    }
  }
  bool good = worst <= tolerance * std::max(1.0, largest);
  std::printf("%s %s: error %.1e, gradient up to %.3g%s\n", info.path.c_str(), info.tensor().typeText().c_str(), worst,
              largest, good ? "" : (" (WRONG at element " + std::to_string(at) + ")").c_str());
  return good;
}

bool GradientCheck::checkRandomPoint() {
  Values values = valuesAt(Fill::Random);
  double value = 0;
  for (uint64_t draw = 0; draw < tries; ++draw) {
    fillInputs(Fill::Random, draw);
    value = lossAt(values);
    if (std::isfinite(value))
      break;
  }
  if (!std::isfinite(value))
    throw Error(BadInput, options.model.file,
                "the loss is " + textOf(value) + " at each of " + std::to_string(tries) +
                    " random points: give inputs at which it is finite, by --input NAME=@FILE or --data NAME=FILE");
  Values found = gradients(values);
  bool good = true;
  for (size_t i = 0; i < found.size(); ++i)
    if (outputOf[i])
      good = checkParameter(i, values, found[i]) && good;
  return good;
}

/// Whether a gradient is a slope of the loss, or lies between the slopes below and above, where the loss has a kink.
/// Tries smaller and smaller steps, as a function may bend sharply. `here` is the loss at the point. `around` is how
/// much the gradient changes close by: a loss with several kinks in one point may have a gradient that is none of its
/// slopes.
bool GradientCheck::isRight(size_t index, const Values &values, int64_t element, double here, double found,
                            double around, double scale, Slopes &slopes) {
  double before = 0;
  for (double h : {1e-5, 1e-6, 1e-7, 1e-8}) {
    before = slopes.steepest();
    slopes = {(here - lossBeside(values, index, element, -h)) / h, (lossBeside(values, index, element, h) - here) / h};
    if (!slopes.finite()) // beyond the domain of the loss
      return true;
    // The tolerance, or the rounding error of the difference if that is larger.
    double allowed = std::max(tolerance * scale, 1e-14 * std::fabs(here) / h);
    if (found >= slopes.low() - allowed && found <= slopes.high() + allowed)
      return true;
  }
  bool isSteep = slopes.steepest() > 2 * before; // a jump, or an infinite slope
  double error = std::isnan(found) ? scale : std::max(slopes.low() - found, found - slopes.high());
  return isSteep || !(around <= 0.1 * error);
}

/// Gradients close to a point, on both sides of it along a random line, and so on both sides of each kink.
std::array<GradientCheck::Values, 2> GradientCheck::gradientsAround(const Values &values) {
  std::array<Values, 2> both;
  for (double side : {1e-7, -1e-7}) {
    Values moved = values;
    for (size_t i = 0; i < moved.size(); ++i) {
      Draws draws(seed, "move " + engine.parameters()[i].path);
      for (double &number : moved[i])
        number += side * draws.normal();
    }
    both[side < 0] = gradients(moved);
  }
  write(values);
  return both;
}

bool GradientCheck::checkPoint(const Point &point) {
  Values values = valuesAt(point.parameters);
  fillInputs(point.inputs, 0);
  double value = 0;
  try {
    value = lossAt(values);
  } catch (const Error &error) { // indices may depend on inputs
    if (error.exitCode != BadInput)
      throw;
    std::printf("with %s the model has no loss: %s: not tried\n", point.where, error.what());
    return true;
  }
  if (!std::isfinite(value)) {
    std::printf("with %s the loss is %s: not tried\n", point.where, textOf(value).c_str());
    return true;
  }
  Values found = gradients(values);
  auto [above, below] = gradientsAround(values);
  bool good = true;
  int64_t tried = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const ParameterInfo &info = engine.parameters()[i];
    double scale = std::max(1.0, largestOf(found[i]));
    int64_t chosen = 0;
    for (size_t at = 0; at < found[i].size() && chosen < options.samples; ++at) {
      // A gradient that is the mean of those around is no news: one of these per parameter is enough.
      bool isAsAround = std::fabs(found[i][at] - (above[i][at] + below[i][at]) / 2) <= 1e-4 * scale;
      if (isAsAround && chosen)
        continue;
      ++chosen, ++tried;
      auto element = static_cast<int64_t>(at);
      Slopes slopes = {0, 0};
      if (isRight(i, values, element, value, found[i][at], std::fabs(above[i][at] - below[i][at]), scale, slopes))
        continue;
      std::printf("%s %s: gradient %.6g at element %lld (WRONG with %s: slopes %.6g and %.6g)\n", info.path.c_str(),
                  info.tensor().typeText().c_str(), found[i][at], static_cast<long long>(element), point.where,
                  slopes.below, slopes.above);
      good = false;
      break;
    }
  }
  if (good)
    std::printf("with %s: right at %lld elements\n", point.where, static_cast<long long>(tried));
  return good;
}

bool GradientCheck::run() {
  openEntries();
  readInputs();
  bool good = checkRandomPoint();
  for (const Point &point : points)
    good = checkPoint(point) && good;
  return good;
}

} // namespace

void runCheckGradients(const Options &options, Engine &engine) {
  if (!GradientCheck(options, engine).run())
    throw Error(ResultDiffers, options.model.file, "gradients differ from central differences");
}

} // namespace plc::runtime
