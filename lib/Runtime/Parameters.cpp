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
static void tell(const std::string &place, const ParameterMatches &matches, const Engine &engine) {
  if (!matches.unused.empty())
    std::fprintf(stderr, "%s: warning: %zu tensors are of no parameter of model '%s' and are not used: %s\n",
                 place.c_str(), matches.unused.size(), engine.modelName().c_str(), listNames(matches.unused).c_str());
  if (size_t missing = matches.numMissing()) {
    std::fprintf(stderr, "%s: warning: %zu of %zu parameters are missing and start at their initial values\n",
                 place.c_str(), missing, matches.parameters.size());
    for (const ParameterMatch &match : matches.parameters)
      if (match.isMissing())
        std::fprintf(stderr, "note: %s\n", match.problem.c_str());
  }
}

void prepareParameters(const Options &options, Engine &engine, bool mayLack) {
  if (options.params.empty() || mayLack)
    initializeParameters(options.seed.value_or(0), engine);
  if (!options.params.empty())
    tell(options.params, loadParameters(parameterFile(options.params), engine, mayLack), engine);
}

} // namespace plc::runtime
