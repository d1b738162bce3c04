#include "Checkpoint.h"
#include "LoadParameters.h"
#include "Runs.h"
#include "TextTable.h"
#include "plc/Support/Nearest.h"

#include <cstdio>

namespace plc::runtime {

namespace {

std::string counted(size_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// What a file has for a parameter, in a column.
std::string foundText(const ParameterMatch &match) {
  return match.tensor ? "there" : match.isMissing() ? "missing" : "is " + match.found;
}

void tellUnused(const ParameterMatches &matches, const std::vector<ParameterInfo> &parameters) {
  if (matches.unused.empty())
    return;
  std::printf("of no parameter, in %s: %s\n", matches.file.c_str(), counted(matches.unused.size(), "tensor").c_str());
  TextTable table("lll");
  for (const TensorInfo &tensor : matches.unused) {
    Nearest nearest(tensor.name);
    for (size_t i = 0; i < parameters.size(); ++i)
      if (matches.parameters[i].isMissing())
        nearest.offer(parameters[i].path);
    std::string meant(nearest.found());
    table.add({tensor.name, tensor.typeText(), meant.empty() ? "" : "near '" + meant + "'"});
  }
  table.print();
}

} // namespace

void runParams(const Options &options, Engine &engine) {
  const std::vector<ParameterInfo> &parameters = engine.parameters();
  std::optional<ParameterMatches> matches;
  if (!options.params.empty())
    matches = matchParameters(parameterFile(options.params), parameters);
  TextTable table("llrll");
  struct Count {
    size_t parameters = 0;
    int64_t elements = 0;
  } trained, frozen;
  for (size_t i = 0; i < parameters.size(); ++i) {
    TensorInfo tensor = parameters[i].tensor();
    Count &count = parameters[i].frozen ? frozen : trained;
    ++count.parameters;
    count.elements += tensor.numElements();
    table.add({tensor.name, tensor.typeText(), std::to_string(tensor.numElements()),
               parameters[i].frozen ? "frozen" : "trained", matches ? foundText(matches->parameters[i]) : ""});
  }
  std::printf("parameters of model '%s': %zu, together %lld elements, %lld bytes\n", engine.modelName().c_str(),
              parameters.size(), static_cast<long long>(trained.elements + frozen.elements),
              static_cast<long long>(parameterBytes(parameters, 0)));
  table.print();
  std::printf("trained: %zu, %lld elements; frozen: %zu, %lld elements\n", trained.parameters,
              static_cast<long long>(trained.elements), frozen.parameters, static_cast<long long>(frozen.elements));
  if (!matches)
    return;
  tellUnused(*matches, parameters);
  checkMatches(*matches, /*mayLack=*/false);
}

} // namespace plc::runtime
