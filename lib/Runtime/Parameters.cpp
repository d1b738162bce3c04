#include "Checkpoint.h"
#include "Runs.h"

#include <cstdio>

namespace plc::runtime {

/// Tensors that no parameter uses may belong to a larger model under another `--entry`, or be a sign that this model is
/// not the one that was trained; parameters that the file lacks may be an adapter's, or misspelt.
static void tell(const std::string &place, const LoadedParameters &loaded, const Engine &engine) {
  if (!loaded.unused.empty())
    std::fprintf(stderr, "%s: warning: %zu tensors are of no parameter of model '%s' and are not used: %s\n",
                 place.c_str(), loaded.unused.size(), engine.modelName().c_str(), listNames(loaded.unused).c_str());
  if (!loaded.missing.empty())
    std::fprintf(stderr, "%s: warning: %zu of %zu parameters are missing and start at their initial values: %s\n",
                 place.c_str(), loaded.missing.size(), engine.parameters().size(), listNames(loaded.missing).c_str());
}

void prepareParameters(const Options &options, Engine &engine, bool mayLack) {
  if (options.params.empty() || mayLack)
    initializeParameters(options.seed.value_or(0), engine);
  if (!options.params.empty())
    tell(options.params, loadParameters(options.params, engine, mayLack), engine);
}

} // namespace plc::runtime
