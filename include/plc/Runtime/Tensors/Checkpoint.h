// Folders DIR/step-N with params.safetensors and state.safetensors; DIR/latest is a link to the newest.
#ifndef PLC_RUNTIME_TENSORS_CHECKPOINT_H
#define PLC_RUNTIME_TENSORS_CHECKPOINT_H

#include "plc/Runtime/Tensors/Data.h"

#include "plc/Runtime/Base/Engine.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace plc::runtime {

/// Of a run; 0 is before the first.
constexpr int64_t mostSteps = INT32_MAX;

struct TrainingState {
  int64_t step = 0; // the last one done
  uint64_t seed = 0;
  // How data is drawn, and what part is held out; none where the caller holds the data, or an older version saved them.
  std::optional<WindowOrder> windows{};
  std::optional<double> holdout{};
  std::optional<int64_t> samples{}; // drawn in all steps so far
  std::optional<DataLengths> lengths{};
};

/// A checkpoint of another program than the model's: the same parameters, but other roundings.
struct KeyChange {
  std::string keyBefore, text; // the numerics key; what differs, for people
};

struct SavedCheckpoint {
  std::string folder;
  bool finite = true; // its parameters and moments
};

/// Writes DIR/step-N whole or not at all, then moves DIR/latest.
SavedCheckpoint saveCheckpoint(const std::string &directory, const TrainingState &state, Engine &engine);

/// Removes DIR/step-M of all but the `count` largest M up to the step, which was just saved, and the last one whose values are finite.
/// What an earlier run saved behind it stays, and so does a folder that is no checkpoint.
void keepCheckpoints(const std::string &directory, int64_t count, int64_t step, bool finite);

/// Loads parameters and moments from DIR or DIR/step-N. Of another numerics key it gives account in `change`, if the parameters are
/// those of the model, and there is such an account; else it refuses it.
TrainingState resumeCheckpoint(const std::string &directory, Engine &engine,
                               std::optional<KeyChange> *change = nullptr);

/// Calls `read` with the file of parameters that `--params` names: DIR's, DIR/step-N's, that of a folder of
/// Hugging Face's, or the file itself. An error about a checkpoint that is not whole tells the newest whole one beside it.
void readParameterFile(const std::string &path, const std::function<void(const std::string &file)> &read);

/// Writes every parameter's initial values.
void initializeParameters(uint64_t seed, Engine &engine);

} // namespace plc::runtime

#endif
