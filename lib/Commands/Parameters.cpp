// Loads or draws the parameters of a command, with warnings.
#include "Runs.h"
#include "plc/Runtime/Tensors/Checkpoint.h"
#include "plc/Runtime/Tensors/LoadParameters.h"

#include <algorithm>
#include <functional>

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

/// Leaves out what the other model uses of the file and of the map.
static void keepUnusedByBoth(ParameterMatches &first, ParameterMatches &second) {
  auto isIn = [](const auto &list, auto by) {
    return [&list, by](const auto &each) {
      return std::ranges::any_of(list, [&](const auto &other) { return by(other) == by(each); });
    };
  };
  auto name = [](const StoredTensor &tensor) { return tensor.name; };
  auto same = [](const ParameterRule *rule) { return rule; };
  std::erase_if(first.unused, std::not_fn(isIn(second.unused, name)));
  std::erase_if(first.idle, std::not_fn(isIn(second.idle, same)));
  second.unused.clear();
  second.idle.clear();
}

void prepareParameters(const Options &options, Engine &engine, bool mayLack, Engine *second) {
  const ParameterMap *map = options.map ? &*options.map : nullptr;
  std::vector<Engine *> engines{&engine};
  if (second)
    engines.push_back(second);
  std::vector<ParameterMatches> found;
  for (Engine *each : engines) {
    if (options.params.empty() || mayLack || (map && !map->initial.empty()))
      initializeParameters(options.seed.value_or(0), *each);
    if (options.params.empty())
      continue;
    if (each->leads()) // only its machine may have the file
      readParameterFile(
          options.params, [&](const std::string &file) { found.push_back(loadParameters(file, *each, mayLack, map)); },
          options.averages);
    each->shareParameters();
  }
  if (found.size() == 2)
    keepUnusedByBoth(found[0], found[1]);
  for (size_t i = 0; i < found.size(); ++i)
    tell(options.params, found[i], map, *engines[i]);
}

} // namespace plc::runtime
