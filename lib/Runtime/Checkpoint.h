// Folders DIR/step-N with params.safetensors and state.safetensors; DIR/latest is a link to the newest.
#ifndef PLC_RUNTIME_CHECKPOINT_H
#define PLC_RUNTIME_CHECKPOINT_H

#include "plc/Runtime/Engine.h"

namespace plc::runtime {

struct TrainingState {
  int64_t step = 0; // the last one done
  uint64_t seed = 0;
};

/// Makes DIR if there is none and throws fileError if it cannot be written. Called before a run, which would otherwise
/// fail at its end.
void prepareCheckpoints(const std::string &directory);

/// Writes DIR/step-N whole or not at all, then moves DIR/latest. Returns the folder.
std::string saveCheckpoint(const std::string &directory, const TrainingState &state, Engine &engine);

/// Loads parameters and moments from DIR or DIR/step-N; refuses another numerics key.
TrainingState resumeCheckpoint(const std::string &directory, Engine &engine);

/// Names of tensors of a file that are of no parameter (a model under another `--entry` may have fewer than the one that
/// was trained), and of parameters that it lacks, which keep their values.
struct LoadedParameters {
  std::vector<std::string> unused, missing;
};

/// Loads parameters alone, from DIR, DIR/step-N or a .safetensors file, converted to the model's types. Throws fileError
/// if one is missing, or, where the file may lack some, if all are.
LoadedParameters loadParameters(const std::string &path, Engine &engine, bool mayLack);

/// The first five names, for a message: `'a', 'b' and 7 more`.
std::string listNames(const std::vector<std::string> &names);

/// Writes every parameter's initial values.
void initializeParameters(uint64_t seed, Engine &engine);

} // namespace plc::runtime

#endif
