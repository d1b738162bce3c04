//===- Settings.h - the interpreter's settings ------------------*- C++ -*-===//
#ifndef PLC_TOOLS_INTERPRET_SETTINGS_H
#define PLC_TOOLS_INTERPRET_SETTINGS_H

#include "plc/Commands/Commands.h"
#include "plc/Runtime/Base/Optimizer.h"
#include "plc/Strategy/Strategy.h"
#include "plc/Support/KeyLocations.h"
#include "plc/Support/Precisions.h"

#include <optional>

namespace plc::interpret {

/// The keys of a strategy that change numbers. All other keys belong to the plan, which the interpreter lacks.
struct Settings {
  Precision compute = Precision::F32;
  std::optional<int64_t> microBatches;
  int64_t accumulationSteps = 1, groups = 1;
  std::vector<std::string> shards; // NAME=SHARDS
  runtime::OptimizerSettings optimizer;
  std::vector<strategy::NamedOptimizer> optimizers; // that `optimizer` names, with their files
  KeyLocations locations;
};

/// The keys that `--set` takes, as a list for messages.
std::string knownKeys();

/// Reads `--set`. Throws a usage error for `--strategy`, for options that need a plan, and for every other key, by
/// name.
Settings readSettings(const runtime::ModelRequest &request);

} // namespace plc::interpret

#endif
