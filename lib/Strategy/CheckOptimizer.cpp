//===- CheckOptimizer.cpp - checks of [optimizer] -------------------------===//
#include "OptimizerKeys.h"

#include "plc/Module/ParameterGroups.h"
#include "plc/Strategy/ReadOptimizer.h"

using namespace plc::strategy;
using llvm::StringRef;
using llvm::Twine;
namespace keys = plc::keys;
namespace module = plc::module;

/// Checks what a group says by itself; only the model shows whom it has.
static void checkGroup(KeyReader &reader, size_t group) {
  const std::string match = module::groupKey(group, module::matchName),
                    frozen = module::groupKey(group, module::frozenName);
  std::string first; // of the keys that are given
  for (const Key &key : reader.allKeys()) {
    if (!StringRef(key.path).starts_with(module::groupKey(group, "")) || !reader.isGiven(key.path))
      continue;
    first = first.empty() ? key.path : first;
    if (reader.get<bool>(frozen) && key.path != match && key.path != frozen)
      reader.errorAt(key.path, "'" + Twine(key.path) + "' would be ignored: the group is frozen");
  }
  if (reader.get<std::string>(match).empty())
    reader.errorAt(first, "group " + Twine(group) +
                              " of 'optimizer.group' has no 'match': write patterns of parameters' paths, such as "
                              "match = \"*.bias\"");
}

void plc::strategy::checkOptimizer(KeyReader &reader) {
  for (size_t group = 0; findKey(reader.allKeys(), module::groupKey(group, module::matchName)); ++group)
    checkGroup(reader, group);
  const Key *decay = findKey(reader.allKeys(), std::string("optimizer.") + module::weightDecayName);
  if (reader.get(keys::optimizerDecayMatricesOnly) && (!decay || !isApplicable(reader.settings, *decay)))
    reader.errorAt(keys::optimizerDecayMatricesOnly.path,
                   "'optimizer.decay_matrices_only' would be ignored: optimizer '" + reader.get(keys::optimizerKind) +
                       "' has no setting 'weight_decay'");
  for (const Key &key : reader.allKeys())
    if (key.type == Key::Type::Number && !(reader.get<double>(key.path) < key.below))
      reader.errorAt(key.path, "'" + Twine(key.path) + "' is " + print(reader.get<double>(key.path)) +
                                   " but must be less than " + print(key.below));
  if (auto conflict = module::findConflict(numbersOf(reader.settings)))
    reader.errorAt(conflict->path, conflict->text);
}
