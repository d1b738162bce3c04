// Folders DIR/step-N with params.safetensors and state.safetensors; DIR/latest is a link to the newest.
#ifndef PLC_RUNTIME_CHECKPOINT_H
#define PLC_RUNTIME_CHECKPOINT_H

#include "Data.h"

#include "plc/Runtime/Engine.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace plc::runtime {

/// Of a run; 0 is before the first.
constexpr int64_t mostSteps = INT32_MAX;

struct TrainingState {
  int64_t step = 0; // the last one done
  uint64_t seed = 0;
  // How data is drawn, and what part is held out; none where the caller holds the data, or an older version saved them.
  std::optional<WindowOrder> windows{};
  std::optional<double> holdout{};
};

/// DIR, as long as a run saves there.
class SaveFolder {
public:
  /// Makes DIR if there is none. Throws fileError if it cannot be written, if another run saves there, or if something that is no
  /// checkpoint stands where one is to be: behind a step for which `saves` holds. Called before a run, which would otherwise
  /// fail at its end.
  SaveFolder(const std::string &directory, const std::function<bool(int64_t step)> &saves);
  SaveFolder(const SaveFolder &) = delete;
  ~SaveFolder();

private:
  int descriptor = -1; // has the lock
};

/// Writes DIR/step-N whole or not at all, then moves DIR/latest. Returns the folder.
std::string saveCheckpoint(const std::string &directory, const TrainingState &state, Engine &engine);

/// Removes DIR/step-M of all but the `count` largest M up to the step. What an earlier run saved behind it stays, and so does
/// a folder that is no checkpoint.
void keepCheckpoints(const std::string &directory, int64_t count, int64_t step);

/// Loads parameters and moments from DIR or DIR/step-N; refuses another numerics key.
TrainingState resumeCheckpoint(const std::string &directory, Engine &engine);

/// Calls `read` with the file of parameters that `--params` names: DIR's, DIR/step-N's, that of a folder of
/// Hugging Face's, or the file itself. An error about a checkpoint that is not whole tells the newest whole one beside it.
void readParameterFile(const std::string &path, const std::function<void(const std::string &file)> &read);

/// Writes every parameter's initial values.
void initializeParameters(uint64_t seed, Engine &engine);

} // namespace plc::runtime

#endif
