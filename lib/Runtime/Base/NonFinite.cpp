// Finds values that are not finite, and writes the error about them.
#include "plc/Runtime/Base/NonFinite.h"

#include "plc/Runtime/Base/ShortestDigits.h"
#include "plc/Support/ResultName.h"

#include <cmath>
#include <cstring>

namespace plc::runtime {

std::string nameOfNonFinite(double value) { return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"; }

int64_t firstNonFinite(const TensorInfo &info, const Bytes &data) {
  if (kindOf(info.type) != ElementKind::Real)
    return -1;
  return visit(info.type, [&](auto traits) -> int64_t {
    using T = typename decltype(traits)::Value;
    for (size_t i = 0; i < data.size() / sizeof(T); ++i) {
      T value;
      std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
      if (!std::isfinite(static_cast<double>(value)))
        return static_cast<int64_t>(i);
    }
    return -1;
  });
}

namespace {

/// "nan at [2, 0]"; empty if all elements are finite.
std::string describeNonFinite(const TensorInfo &info, const Bytes &data) {
  int64_t at = firstNonFinite(info, data);
  if (at < 0)
    return "";
  return nameOfNonFinite(elementAsDouble(info.type, data.data(), at)) + " at " + positionText(info, at);
}

/// The sample of a batched tensor that has an element.
int64_t sampleOf(const TensorInfo &info, int64_t element) {
  for (size_t axis = info.shape.size() - 1; axis > static_cast<size_t>(info.batchAxis); --axis)
    element /= info.shape[axis];
  return element % info.shape[static_cast<size_t>(info.batchAxis)];
}

std::string describeStep(const Engine &engine, const StepResult &result) {
  auto text = [](ElementType type, double value) {
    return std::isfinite(value) ? shortestDigits(type, value) : nameOfNonFinite(value);
  };
  return "loss " + text(engine.realType(), result.loss) + ", gradient norm " + text(ElementType::F64, result.gradNorm);
}

/// For a step where no kernel is at fault: the gradient that is not finite, because a sum over samples, uses or
/// elements is not.
std::string describeSum(Engine &engine, const std::vector<Bytes> &inputs) {
  const EntryInfo &gradient = *engine.findEntry(module::gradientEntry);
  std::vector<Bytes> outputs = engine.run(gradient, inputs);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (std::string found = describeNonFinite(gradient.outputs[i], outputs[i]); !found.empty())
      return "'" + gradient.outputs[i].name + "' has " + found +
             ", which no kernel gave that speaks of none: " + "a rule says 'inf', or a sum is too large for its type";
  return "the sum of the squares of all gradients is too large, though each is finite";
}

void noteInputs(const EntryInfo &train, const std::vector<Bytes> &inputs, const DescribeSample &describeSample,
                Error &error) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorInfo &info = train.inputs[i];
    std::string found = describeNonFinite(info, inputs[i]);
    if (found.empty())
      continue;
    std::string where;
    if (info.batched()) {
      int64_t sample = sampleOf(info, firstNonFinite(info, inputs[i]));
      where = ", in sample " + std::to_string(sample) + " of the batch";
      if (std::string read = describeSample ? describeSample(i, sample) : ""; !read.empty())
        where += ": " + read;
    }
    error.note("input '" + info.name + "' has " + found + where);
  }
}

void noteParameters(Engine &engine, Error &error) {
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    TensorInfo info = engine.parameters()[i].tensor();
    Bytes values(info.numBytes());
    engine.readParameter(i, values.data());
    if (std::string found = describeNonFinite(info, values); !found.empty()) {
      error.note("parameter '" + info.name + "' has " + found + " before the step");
      return;
    }
  }
}

} // namespace

bool holdsFinite(Engine &engine) {
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    const ParameterInfo &parameter = engine.parameters()[i];
    Bytes values(parameter.tensor().numBytes());
    engine.readParameter(i, values.data());
    if (firstNonFinite(parameter.tensor(), values) >= 0)
      return false;
    if (!parameter.frozen && engine.optimizer().keepsAverages()) {
      engine.readAverage(i, values.data());
      if (firstNonFinite(parameter.tensor(), values) >= 0)
        return false;
    }
    int which = 0;
    for (const module::OptimizerState &state : engine.statesOf(i)) {
      const TensorInfo info = module::momentOf(parameter, state);
      values.resize(info.numBytes());
      engine.readMoment(i, ++which, values.data());
      if (firstNonFinite(info, values) >= 0)
        return false;
    }
  }
  return true;
}

Error explainNonFinite(Engine &engine, int64_t step, const std::vector<Bytes> &inputs, const StepResult &result,
                       const DescribeSample &describeSample) {
  const EntryInfo &train = *engine.findEntry("train");
  // A kernel at fault is the best explanation; else some sum overflowed.
  std::optional<Error> first = engine.findNonFinite(inputs);
  Error error(ResultDiffers, first ? first->location : "",
              "step " + std::to_string(step) +
                  " is not finite: " + (first ? first->what() : describeSum(engine, inputs)));
  if (first)
    error.notes = first->notes;
  error.note(describeStep(engine, result));
  noteInputs(train, inputs, describeSample, error);
  noteParameters(engine, error);
  error.note("the step is not taken; 'training.nonfinite = \"skip\"' leaves such steps out, \"ignore\" takes them");
  return error;
}

} // namespace plc::runtime
