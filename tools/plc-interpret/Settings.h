//===- Settings.h - what `--set` says to the interpreter --------*- C++ -*-===//
#ifndef PLC_TOOLS_INTERPRET_SETTINGS_H
#define PLC_TOOLS_INTERPRET_SETTINGS_H

#include "plc/Commands/Commands.h"
#include "plc/Runtime/Base/Optimizer.h"
#include "plc/Support/KeyPlaces.h"
#include "plc/Support/Precisions.h"

#include <optional>

namespace plc::interpret {

/// The keys of a strategy that change numbers; everything else of a strategy is the plan's.
struct Settings {
  Precision compute = Precision::F32;
  std::optional<int64_t> microBatches;
  int64_t accumulationSteps = 1, lanes = 1;
  std::vector<std::string> shards; // NAME=PARTS
  runtime::OptimizerSettings optimizer;
  KeyPlaces places;
};

/// The keys that `--set` takes, in words.
std::string knownKeys();

/// Reads `--set` and refuses `--strategy` and every other key by name.
Settings readSettings(const runtime::ModelRequest &request);

} // namespace plc::interpret

#endif
