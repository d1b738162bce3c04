//===- OptimizerKeys.h - the keys that an optimizer's rules add -*- C++ -*-===//
#ifndef PLC_LIB_STRATEGY_OPTIMIZERKEYS_H
#define PLC_LIB_STRATEGY_OPTIMIZERKEYS_H

#include "KeyReader.h"
#include "plc/Language/Files/Optimizers.h"

namespace plc::strategy {

/// What `optimizer.kind`, or the `kind` of a group, asks for.
struct ChosenOptimizer {
  std::string key, file, name; // `use FILE:NAME` in parts, the file empty for one of the library
  std::unique_ptr<language::OptimizerRules> rules;
  std::string error; // why there are no rules; empty if errors in their file were printed

  /// `isOfFile`: the text stands in the strategy file, so paths begin in its folder.
  ChosenOptimizer(std::string key, llvm::StringRef kind, llvm::StringRef strategyFile, bool isOfFile,
                  llvm::raw_ostream &errors);
};

/// The optimizers of a strategy, and the keys that they add.
struct OptimizerChoice {
  ChosenOptimizer common;                               // that of `[optimizer]`
  std::vector<std::optional<ChosenOptimizer>> ofGroups; // by table of `[[optimizer.group]]`

  /// Reads the rules that a strategy chooses. Errors in their file go to `errors`.
  OptimizerChoice(llvm::StringRef strategyFile, llvm::ArrayRef<std::string> sets, llvm::raw_ostream &errors);
  /// All keys: those of every strategy, the settings of the rules, and for messages those of the library's other ones;
  /// then those of each group.
  std::vector<Key> keys() const;

private:
  std::vector<Key> keysOfGroup(size_t group, llvm::ArrayRef<Key> ofOptimizer) const;
};

/// Prints errors about values of `[optimizer]` that contradict each other or would be ignored.
void checkOptimizer(KeyReader &reader);

} // namespace plc::strategy

#endif
