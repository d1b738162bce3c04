// Saves and resumes training: folders DIR/step-N, and DIR/latest.
#ifndef PLC_RUNTIME_TENSORS_CHECKPOINT_H
#define PLC_RUNTIME_TENSORS_CHECKPOINT_H

#include "plc/Runtime/Tensors/Data.h"

#include "plc/Runtime/Base/Engine.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace plc::runtime {

/// The last step of a run; 0 is before the first.
constexpr int64_t mostSteps = INT32_MAX;

/// The beginning of a text, as bytes that processes can share.
struct ShortText {
  std::array<char, 256> bytes{};

  ShortText() = default;
  explicit ShortText(const std::string &text) { text.copy(bytes.data(), bytes.size() - 1); }
  const char *text() const { return bytes.data(); }
  bool operator==(const ShortText &) const = default;
};

/// What resuming does with averages: `Same` restores those of the checkpoint, or there are none on either side.
/// `Begin`: the checkpoint has none, so they begin with its parameters. `Dropped`: the model keeps none.
enum class ResumedAverages : uint8_t { Same, Begin, Dropped };

/// What a checkpoint keeps beside parameters and moments.
struct TrainingState {
  int64_t step = 0; // the last one done
  uint64_t seed = 0;
  // How data is drawn, and which fraction is held out; nullopt if the caller has the data, or an older version saved.
  std::optional<WindowOrder> windows{};
  std::optional<double> holdout{};
  std::optional<int64_t> samples{}; // drawn in all steps so far
  std::optional<DataLengths> lengths{};
  std::optional<ShortText> weights{};               // Data::weights
  ResumedAverages averages = ResumedAverages::Same; // of resumeCheckpoint
};

/// How a checkpoint's program differs from the model's: the same parameters, but other roundings.
struct KeyChange {
  std::string keyBefore, text; // its numerics key; the difference, for people
};

/// A checkpoint that was just written.
struct SavedCheckpoint {
  std::string folder;
  bool finite = true; // parameters, moments and averages are
};

/// Writes DIR/step-N whole or not at all, then moves the link DIR/latest. Collective; the first process writes. Throws
/// fileError.
SavedCheckpoint saveCheckpoint(const std::string &directory, const TrainingState &state, Engine &engine);

/// Removes old checkpoints. Of the steps up to `step`, which was just saved, it keeps the last `count` and the last one
/// whose values are finite. Later steps of an earlier run stay, and so do folders that are no checkpoints.
void keepCheckpoints(const std::string &directory, int64_t count, int64_t step, bool finite);

/// Loads parameters, moments and averages from DIR or DIR/step-N. Throws fileError if the numerics key differs. But
/// with `change`, if the parameters are the model's, it loads them and describes the difference there.
TrainingState resumeCheckpoint(const std::string &directory, Engine &engine,
                               std::optional<KeyChange> *change = nullptr);

/// Calls `read` with the file of parameters that `--params` names: DIR's, DIR/step-N's, that of a folder of Hugging
/// Face's, or the file itself; with `averages` (`--ema`), the file of averages of DIR or DIR/step-N. An error about a
/// damaged checkpoint gets a note with the newest whole one beside it.
void readParameterFile(const std::string &path, const std::function<void(const std::string &file)> &read,
                       bool averages = false);

/// Writes the initial values of every parameter, and clears moments.
void initializeParameters(uint64_t seed, Engine &engine);

} // namespace plc::runtime

#endif
