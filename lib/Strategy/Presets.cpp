//===- Presets.cpp - several keys under one name --------------------------===//
#include "plc/Strategy/Strategy.h"

using namespace plc::strategy;
namespace keys = plc::keys;

namespace {

Value text(const char *value) { return std::string(value); }

Preset make(const char *name, const char *mode, const char *gradient, const char *compute, const char *memory,
            const char *parallelism, bool fusion, bool profiling) {
  return {name,
          {{"mode", text(mode)},
           {"fusion", fusion},
           {"profiling", profiling},
           {keys::gradientKind.path, text(gradient)},
           {keys::precisionCompute.path, text(compute)},
           {keys::memoryStrategy.path, text(memory)},
           {keys::parallelismKind.path, text(parallelism)}}};
}

// A preset with further values.
Preset with(Preset preset, std::vector<std::pair<const char *, Value>> values) {
  preset.values.insert(preset.values.end(), values.begin(), values.end());
  return preset;
}

} // namespace

llvm::ArrayRef<Preset> plc::strategy::allPresets() {
  static const std::vector<Preset> presets = {
      make("training", "lazy", "full", "f32", "auto", "automatic", true, true),
      make("inference", "lazy", "none", "f32", "cached", "automatic", true, false),
      with(make("memory-efficient", "hybrid", "full", "mixed", "minimal-peak", "none", false, false),
           {{keys::checkpointPolicy.path, text("uniform")},
            {keys::checkpointInterval.path, int64_t(10)},
            {keys::checkpointGrain.path, text("equation")}}),
      with(make("high-throughput", "lazy", "none", "f32", "auto", "data", true, false),
           {{keys::parallelismReplicas.path, int64_t(4)},
            {keys::gradientLanes.path, int64_t(4)},
            {keys::parallelismMicroBatches.path, int64_t(4)}}),
      make("debug", "eager", "full", "f64", "standard", "none", false, true),
  };
  return presets;
}
