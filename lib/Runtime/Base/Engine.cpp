// Defaults of engines, and sums in a defined order.
#include "plc/Runtime/Base/Engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace plc::runtime {

const EntryInfo *Engine::findEntry(std::string_view name) const {
  for (const EntryInfo &entry : entries())
    if (entry.name == name)
      return &entry;
  return nullptr;
}

void Engine::setRun(const RunSettings &settings) {
  settings.check();
  const OptimizerSettings now = settings.settings();
  if (now.lossScale != optimizer().lossScale)
    scaleOfLoss.reset();
  changeOptimizer(now);
  settingsOfRun = settings;
}

void Engine::updateLossScale(StepResult &result) {
  LossScale scale = lossScale();
  result.lossScale = scale.value;
  // A loss that is not finite itself is no overflow of the scaled gradient: a smaller scale would not help.
  result.overflowed = !result.finite && std::isfinite(result.loss) && scale.mayOverflow(optimizer());
  if (result.finite || result.overflowed)
    scale.update(optimizer(), result.finite);
  setLossScale(scale);
}

int64_t parameterBytes(const std::vector<ParameterInfo> &parameters, const OptimizerSettings *trained) {
  size_t bytes = 0;
  for (const ParameterInfo &parameter : parameters)
    bytes += parameter.tensor().numBytes() * (trained && trained->keepsAverages() && !parameter.frozen ? 2 : 1);
  if (!trained)
    return static_cast<int64_t>(bytes);
  const module::StatesOfParameters states = module::statesOf(*trained, parameters);
  for (size_t i = 0; i < parameters.size(); ++i)
    for (const module::OptimizerState &state : states[i])
      bytes += module::momentOf(parameters[i], state).numBytes();
  return static_cast<int64_t>(bytes);
}

void addInOrder(ElementType type, int64_t count, void *sum, const void *term) {
  visit(type, [&](auto traits) {
    using T = typename decltype(traits)::Value;
    using Sum = typename ElementTraits<traits.sum>::Value;
    auto *to = static_cast<T *>(sum);
    auto *from = static_cast<const T *>(term);
    for (int64_t i = 0; i < count; ++i)
      if constexpr (traits.kind == ElementKind::Real)
        to[i] = static_cast<T>(static_cast<Sum>(to[i]) + static_cast<Sum>(from[i]));
      else if constexpr (traits.kind == ElementKind::Integer) // wraps
        to[i] =
            static_cast<T>(static_cast<std::make_unsigned_t<T>>(to[i]) + static_cast<std::make_unsigned_t<T>>(from[i]));
    // A bool is never a sum over the batch.
  });
}

Bytes ownInput(InputSource source, const TrainingStep &step) {
  auto bytesOf = [](auto value) {
    Bytes bytes(sizeof(value));
    std::memcpy(bytes.data(), &value, sizeof(value));
    return bytes;
  };
  return source == InputSource::Step ? bytesOf(static_cast<int32_t>(step.number))
                                     : bytesOf(static_cast<float>(step.lossScale));
}

Bytes sumOfRows(const TensorInfo &info, const std::vector<const void *> &rows) {
  const auto *first = static_cast<const std::byte *>(rows.front()); // not from 0: 0 + -0 would lose the sign
  Bytes result(first, first + info.numBytes());
  visit(info.type, [&](auto traits) {
    if constexpr (traits.kind == ElementKind::Real) {
      using T = typename decltype(traits)::Value;
      auto *to = reinterpret_cast<T *>(result.data());
      for (int64_t i = 0; i < info.numElements(); ++i) {
        auto sum = static_cast<double>(to[i]);
        for (size_t row = 1; row < rows.size(); ++row)
          sum += static_cast<double>(static_cast<const T *>(rows[row])[i]);
        to[i] = static_cast<T>(sum);
      }
    } else {
      for (size_t row = 1; row < rows.size(); ++row)
        addInOrder(info.type, info.numElements(), result.data(), rows[row]);
    }
  });
  return result;
}

std::vector<double> scalarsOf(const EntryInfo &entry, const std::function<Bytes(size_t index)> &outputAt) {
  std::vector<double> scalars(entry.outputs.size());
  for (size_t i = 0; i < scalars.size(); ++i)
    if (entry.outputs[i].shape.empty())
      scalars[i] = elementAsDouble(entry.outputs[i].type, outputAt(i).data(), 0);
  return scalars;
}

void setLosses(StepResult &result, ElementType real, const std::vector<std::vector<double>> &rows) {
  auto rounded = [&](double sum) {
    return visitReal(
        real, [&](auto traits) { return static_cast<double>(static_cast<typename decltype(traits)::Value>(sum)); });
  };
  double all = 0;
  for (const std::vector<double> &ofMicroBatch : rows) {
    double sum = 0;
    for (double row : ofMicroBatch) {
      sum += row;
      all += row;
    }
    result.microBatchLosses.push_back(rounded(sum));
  }
  result.loss = rounded(all);
}

const EntryInfo &needEntry(const Engine &engine, const std::string &name) {
  if (const EntryInfo *entry = engine.findEntry(name))
    return *entry;
  std::string names;
  for (const EntryInfo &entry : engine.entries())
    names += (names.empty() ? "'" : ", '") + entry.name + "'";
  // A model with a loss has gradients, unless the strategy wants none.
  bool lacksGradients = name == nameOfChoice(ProgramKind::train) && engine.findEntry(nameOfChoice(ProgramKind::eval));
  bool isTrained = std::any_of(engine.parameters().begin(), engine.parameters().end(),
                               [](const ParameterInfo &parameter) { return !parameter.frozen; });
  const char *remedy = lacksGradients && !isTrained ? "; it has no parameter to train"
                       : lacksGradients
                           ? "; it was compiled with 'gradient.kind = \"none\"', by itself or by its preset, "
                             "and trains with \"full\""
                           : "";
  throw Error(BadInput, "", "model '" + engine.modelName() + "' has no entry '" + name + "', only " + names + remedy);
}

} // namespace plc::runtime
