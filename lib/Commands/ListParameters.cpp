// `plc-run params`: a model's parameters beside those of a file.
#include "Runs.h"
#include "plc/Runtime/Base/TextTable.h"
#include "plc/Runtime/Tensors/Checkpoint.h"
#include "plc/Runtime/Tensors/ExportParameters.h"
#include "plc/Runtime/Tensors/LoadParameters.h"
#include "plc/Support/Counted.h"
#include "plc/Support/Nearest.h"

#include <cstdio>

namespace plc::runtime {

namespace {

/// What a file has for a parameter, in a column.
std::string foundText(const ParameterInfo &parameter, const ParameterMatch &match) {
  std::string of = match.source == parameter.path ? "" : " '" + match.source + "'";
  if (!match.stacked.empty())
    of += " and " + std::to_string(match.stacked.size()) + " behind it";
  switch (match.state) {
  case ParameterMatch::State::Found: return of.empty() ? "there" : "from" + of;
  case ParameterMatch::State::Initial: return "initial values";
  case ParameterMatch::State::Missing: return "missing";
  case ParameterMatch::State::Unfit: return "is " + match.found + (of.empty() ? "" : " from" + of);
  }
  return "";
}

void printUnused(const ParameterMatches &matches, const std::vector<ParameterInfo> &parameters) {
  if (matches.unused.empty())
    return;
  std::printf("of no parameter, in %s: %s\n", matches.file.c_str(),
              counted(static_cast<int64_t>(matches.unused.size()), "tensor").c_str());
  TextTable table("lll");
  for (const StoredTensor &tensor : matches.unused) {
    Nearest nearest(tensor.name);
    for (size_t i = 0; i < parameters.size(); ++i)
      if (matches.parameters[i].state == ParameterMatch::State::Missing)
        nearest.offer(parameters[i].path);
    std::string meant(nearest.found());
    table.add({tensor.name, tensor.typeText(), meant.empty() ? "" : "near '" + meant + "'"});
  }
  table.print();
}

void exportTo(const Options &options, Engine &engine) {
  prepareParameters(options, engine);
  const ParameterMap *map = options.exportMap ? &*options.exportMap : nullptr;
  Exported exported = exportParameters(options.exportFile, engine, map);
  warnOfIdle(exported.idle, map, engine);
  std::printf("wrote %s to %s\n", counted(static_cast<int64_t>(exported.tensors), "tensor").c_str(),
              options.exportFile.c_str());
  if (exported.tied)
    std::printf("tied: %zu are left out, since their values are in another tensor of their rule\n", exported.tied);
}

} // namespace

void runParams(const Options &options, Engine &engine) {
  const std::vector<ParameterInfo> &parameters = engine.parameters();
  std::optional<ParameterMatches> matches;
  if (!options.params.empty())
    readParameterFile(
        options.params,
        [&](const std::string &file) {
          matches = matchParameters(file, parameters, options.map ? &*options.map : nullptr);
        },
        options.averages);
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
               parameters[i].frozen ? "frozen" : "trained",
               matches ? foundText(parameters[i], matches->parameters[i]) : ""});
  }
  std::printf("parameters of model '%s': %zu, together %lld elements, %lld bytes\n", engine.modelName().c_str(),
              parameters.size(), static_cast<long long>(trained.elements + frozen.elements),
              static_cast<long long>(parameterBytes(parameters, 0)));
  table.print();
  std::printf("trained: %zu, %lld elements; frozen: %zu, %lld elements\n", trained.parameters,
              static_cast<long long>(trained.elements), frozen.parameters, static_cast<long long>(frozen.elements));
  if (!matches)
    return;
  if (matches->numTied)
    std::printf("tied: %zu have the tensor of one before\n", matches->numTied);
  printUnused(*matches, parameters);
  checkMatches(*matches, /*mayLack=*/false);
  if (!options.exportFile.empty())
    exportTo(options, engine);
}

} // namespace plc::runtime
