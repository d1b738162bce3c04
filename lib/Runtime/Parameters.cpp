#include "Checkpoint.h"
#include "LoadParameters.h"
#include "Runs.h"

#include <cstdio>

namespace plc::runtime {

/// The first five names, for a message: `'a', 'b' and 7 more`.
static std::string listNames(const std::vector<TensorInfo> &tensors) {
  constexpr size_t shown = 5;
  std::string list;
  for (size_t i = 0; i < std::min(tensors.size(), shown); ++i)
    list += (i ? ", '" : "'") + tensors[i].name + "'";
  if (tensors.size() > shown)
    list += " and " + std::to_string(tensors.size() - shown) + " more";
  return list;
}

/// Tensors that no parameter uses may belong to a larger model under another `--entry`, or be a sign that this model is
/// not the one that was trained; parameters that the file lacks may be an adapter's, or misspelt, so each is told.
static void tell(const std::string &place, const ParameterMatches &matches, const ParameterMap *map,
                 const Engine &engine) {
  if (!matches.unused.empty())
    std::fprintf(stderr, "%s: warning: %zu tensors are of no parameter of model '%s' and are not used: %s\n",
                 place.c_str(), matches.unused.size(), engine.modelName().c_str(), listNames(matches.unused).c_str());
  for (const ParameterRule *rule : matches.idle)
    std::fprintf(stderr, "%s: warning: '%s' names no parameter of model '%s'\n",
                 map->place(rule->line, rule->column).c_str(), rule->parameter.text().c_str(),
                 engine.modelName().c_str());
  if (size_t missing = matches.count(ParameterMatch::State::Missing)) {
    std::fprintf(stderr, "%s: warning: %zu of %zu parameters are missing and start at their initial values\n",
                 place.c_str(), missing, matches.parameters.size());
    for (const ParameterMatch &match : matches.parameters)
      if (match.state == ParameterMatch::State::Missing)
        std::fprintf(stderr, "note: %s\n", match.note().c_str());
  }
}

void prepareParameters(const Options &options, Engine &engine, bool mayLack) {
  const ParameterMap *map = options.map ? &*options.map : nullptr;
  if (options.params.empty() || mayLack || (map && !map->initial.empty()))
    initializeParameters(options.seed.value_or(0), engine);
  if (!options.params.empty())
    tell(options.params, loadParameters(parameterFile(options.params), engine, mayLack, map), map, engine);
}

} // namespace plc::runtime
