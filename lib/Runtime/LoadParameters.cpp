#include "LoadParameters.h"

#include "ConvertTensor.h"
#include "Safetensors.h"
#include "plc/Support/Nearest.h"

#include <algorithm>

namespace plc::runtime {

namespace {

/// The tensor of a file that was probably meant by a name that it lacks: one with nearly that name, else the only one
/// of that shape.
std::string meantTensor(const TensorInfo &wanted, const std::vector<TensorInfo> &unused) {
  Nearest nearest(wanted.name);
  const TensorInfo *sameShape = nullptr;
  bool several = false;
  for (const TensorInfo &each : unused) {
    nearest.offer(each.name);
    if (each.shape == wanted.shape)
      several |= sameShape != nullptr, sameShape = &each;
  }
  if (!nearest.found().empty() || !sameShape || several)
    return nearest.text();
  return "; only '" + sameShape->name + "' has its shape";
}

ParameterMatch fit(const std::string &file, const TensorInfo &wanted, Tensor tensor) {
  ParameterMatch match;
  convertTensor(file, "tensor '" + wanted.name + "'", wanted.type, tensor);
  if (tensor.info.type == wanted.type && tensor.info.shape == wanted.shape) {
    match.tensor = std::move(tensor);
  } else {
    match.found = tensor.info.typeText();
    match.problem = "tensor '" + wanted.name + "' is " + match.found + ", expected " + wanted.typeText();
  }
  return match;
}

} // namespace

size_t ParameterMatches::numMissing() const {
  return static_cast<size_t>(
      std::count_if(parameters.begin(), parameters.end(), [](const auto &each) { return each.isMissing(); }));
}

size_t ParameterMatches::numProblems() const {
  return static_cast<size_t>(
      std::count_if(parameters.begin(), parameters.end(), [](const auto &each) { return !each.tensor; }));
}

ParameterMatches matchParameters(const std::string &file, const std::vector<ParameterInfo> &parameters) {
  Safetensors contents = Safetensors::read(file);
  ParameterMatches matches{file, std::vector<ParameterMatch>(parameters.size()), {}};
  for (size_t i = 0; i < parameters.size(); ++i)
    if (auto found = contents.tensors.find(parameters[i].path); found != contents.tensors.end())
      matches.parameters[i] = fit(file, parameters[i].tensor(), std::move(contents.tensors.extract(found).mapped()));
  for (const auto &[name, tensor] : contents.tensors)
    matches.unused.push_back(tensor.info);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (ParameterMatch &match = matches.parameters[i]; match.isMissing())
      match.problem =
          "tensor '" + parameters[i].path + "' is missing" + meantTensor(parameters[i].tensor(), matches.unused);
  return matches;
}

void checkMatches(const ParameterMatches &matches, bool mayLack) {
  bool lacksAll = matches.numMissing() == matches.parameters.size();
  std::vector<std::string> problems;
  for (const ParameterMatch &match : matches.parameters)
    if (!match.tensor && !(mayLack && match.isMissing() && !lacksAll))
      problems.push_back(match.problem);
  if (problems.empty())
    return;
  if (problems.size() == 1)
    throw fileError(matches.file, problems.front());
  Error error = fileError(matches.file, std::to_string(problems.size()) + " of " +
                                            std::to_string(matches.parameters.size()) + " parameters cannot be loaded");
  for (std::string &problem : problems)
    error.note(std::move(problem));
  throw error;
}

ParameterMatches loadParameters(const std::string &file, Engine &engine, bool mayLack) {
  ParameterMatches matches = matchParameters(file, engine.parameters());
  checkMatches(matches, mayLack);
  for (size_t i = 0; i < matches.parameters.size(); ++i)
    if (const auto &tensor = matches.parameters[i].tensor)
      engine.writeParameter(i, tensor->data.data());
  return matches;
}

} // namespace plc::runtime
