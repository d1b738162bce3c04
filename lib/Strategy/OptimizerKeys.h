//===- OptimizerKeys.h - the keys that an optimizer's rules add -*- C++ -*-===//
#ifndef PLC_LIB_STRATEGY_OPTIMIZERKEYS_H
#define PLC_LIB_STRATEGY_OPTIMIZERKEYS_H

#include "KeyReader.h"
#include "plc/Language/Files/Optimizers.h"

namespace plc::strategy {

/// What `optimizer.kind` asks for.
struct OptimizerChoice {
  std::string kind, file, name; // as given; `use FILE:NAME` in parts, the file empty for one of the library
  std::unique_ptr<language::OptimizerRules> rules;
  std::string error; // why there are no rules; empty if errors in their file were printed

  /// Reads the rules that a strategy chooses. Errors in their file go to `errors`.
  OptimizerChoice(llvm::StringRef strategyFile, llvm::ArrayRef<std::string> sets, llvm::raw_ostream &errors);
  /// All keys: those of every strategy, the settings of the rules, and for messages those of the library's other ones.
  std::vector<Key> keys() const;
};

} // namespace plc::strategy

#endif
