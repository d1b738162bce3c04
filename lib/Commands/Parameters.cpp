// Loads or draws the parameters of a command, with warnings.
#include "Runs.h"
#include "plc/Runtime/Tensors/Checkpoint.h"
#include "plc/Runtime/Tensors/LoadParameters.h"

#include <algorithm>

namespace plc::runtime {

void warnOfIdle(const std::vector<const ParameterRule *> &rules, const ParameterMap *map, const Engine &engine) {
  for (const ParameterRule *rule : rules)
    warnUser(map->location(rule->line, rule->column) + ": warning: '" + rule->parameter.text() +
             "' names no parameter of model '" + engine.modelName() + "'\n");
}

/// Warns of tensors that no parameter uses: they may belong to a larger model under another `--entry`, or to another
/// model. Warns of parameters that the file lacks: they may be an adapter's, or misspelt, so each is named.
static void tell(const std::string &location, const ParameterMatches &matches, const ParameterMap *map,
                 const Engine &engine) {
  std::vector<std::string> unused;
  for (const StoredTensor &tensor : matches.unused)
    unused.push_back(tensor.name);
  if (!unused.empty())
    warnUser(location + ": warning: " + std::to_string(unused.size()) + " tensors are of no parameter of model '" +
             engine.modelName() + "' and are not used: " + listNames(unused, 5) + "\n");
  warnOfIdle(matches.idle, map, engine);
  std::vector<const ParameterMatch *> missing;
  for (const ParameterMatch &match : matches.parameters)
    if (match.state == ParameterMatch::State::Missing)
      missing.push_back(&match);
  if (!missing.empty())
    warnUser(location + ": warning: " + std::to_string(missing.size()) + " of " +
             std::to_string(matches.parameters.size()) + " parameters are missing and start at their initial values\n");
  for (const std::string &note : matches.notes(missing))
    warnUser("note: " + note + "\n");
}

static bool draws(const ParameterInfo &parameter) { return parameter.init.kind != Initializer::Kind::Constant; }

void warnOfRandomParameters(const Options &options, const Engine &engine) {
  if (options.params.empty() && !options.drawsParameters && std::ranges::any_of(engine.parameters(), draws))
    warnUser(
        "warning: parameters have random initial values: '--params P' gives trained ones, '--random-parameters' takes "
        "these without a warning\n");
}

void prepareParameters(const Options &options, Engine &engine, bool mayLack) {
  const ParameterMap *map = options.map ? &*options.map : nullptr;
  if (options.params.empty() || mayLack || (map && !map->initial.empty()))
    initializeParameters(options.seed.value_or(0), engine);
  if (options.params.empty())
    return;
  if (engine.leads()) // only its machine may have the file
    readParameterFile(
        options.params,
        [&](const std::string &file) { tell(options.params, loadParameters(file, engine, mayLack, map), map, engine); },
        options.averages);
  engine.shareParameters();
}

} // namespace plc::runtime
