//===- Settings.cpp - the interpreter's settings --------------------------===//
#include "Settings.h"

#include "plc/Strategy/ReadOptimizer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace plc::interpret {
namespace {

using runtime::usageError;

constexpr const char *numericKeys[] = {keys::precisionCompute.path,          keys::parallelismMicroBatches.path,
                                       keys::gradientAccumulationSteps.path, keys::gradientLanes.path,
                                       keys::parallelismShard.path,          keys::trainingNonfinite.path};

/// Whether a key changes numbers, and not only how they are computed.
bool isNumeric(llvm::StringRef key) {
  return llvm::is_contained(numericKeys, key) || (key + ".").str().starts_with("optimizer.");
}

} // namespace

std::string knownKeys() { return llvm::join(llvm::ArrayRef(numericKeys), ", ") + " and the keys of [optimizer]"; }

Settings readSettings(const runtime::ModelRequest &request) {
  if (!request.strategy.empty())
    throw usageError("option '--strategy' has no meaning here: the interpreter has no plan; give single keys by --set");
  for (auto [flag, given] : {std::pair("--check-arena", request.checkArena), {"--check-live", request.checkLive}})
    if (given)
      throw usageError("option '" + std::string(flag) + "' has no meaning here: the interpreter has no arena");
  if (request.checkFinite)
    throw usageError("option '--check-finite' has no meaning here: the interpreter has no kernels");
  if (request.hangTimeout)
    throw usageError("option '--hang-timeout' has no meaning here: the interpreter has no ranks");
  for (auto [flag, given] : {std::pair("--ranks", request.ranks > 0),
                             {"--mpi", !request.mpi.empty()},
                             {"--hostfile", !request.hostfile.empty()}})
    if (given)
      throw usageError("option '" + std::string(flag) + "' has no meaning here: the interpreter has no ranks");
  if (!request.trace.empty())
    throw usageError("option '--trace' has no meaning here: the interpreter has no plan");
  for (const std::string &text : request.sets) {
    llvm::StringRef key = llvm::StringRef(text).split('=').first.trim();
    if (!isNumeric(key))
      throw usageError("key '" + key.str() + "' has no meaning here: the interpreter has no plan; it knows " +
                       knownKeys());
  }
  auto strategy = strategy::Strategy::load("plc-interpret", "", request.sets, llvm::errs());
  if (!strategy) // the errors are printed already
    throw runtime::Error(runtime::BadUsage, "", "");
  Settings settings;
  settings.compute = strategy->get(keys::precisionCompute);
  if (strategy->isGiven(keys::parallelismMicroBatches))
    settings.microBatches = strategy->get(keys::parallelismMicroBatches);
  settings.accumulationSteps = strategy->get(keys::gradientAccumulationSteps);
  settings.groups = strategy->get(keys::gradientLanes);
  settings.shards = strategy->shards();
  settings.optimizer = strategy::optimizerOf(*strategy);
  settings.optimizers = strategy->optimizers();
  settings.locations = strategy->locations();
  return settings;
}

} // namespace plc::interpret
