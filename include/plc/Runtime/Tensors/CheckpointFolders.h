// The folders of checkpoints: DIR/step-N, and DIR/latest, a link to the newest.
#ifndef PLC_RUNTIME_TENSORS_CHECKPOINTFOLDERS_H
#define PLC_RUNTIME_TENSORS_CHECKPOINTFOLDERS_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plc::runtime {

inline constexpr std::string_view stepPrefix = "step-", partialPrefix = ".partial-";
inline constexpr const char *latestLink = "latest", *paramsFile = "params.safetensors",
                            *averagesFile = "ema.safetensors", // only if averages are kept
                                *stateFile = "state.safetensors";

/// DIR, locked as long as a run saves there.
class SaveFolder {
public:
  /// What happens to checkpoints that DIR has already.
  enum class Former : uint8_t { Refuse, GoOn, Replace };

  /// Makes DIR if there is none. To be called before a run, so that it does not fail at its end. Throws Error
  /// - if DIR cannot be written;
  /// - if another run saves there;
  /// - if `former` is Refuse and a run has saved there;
  /// - if something that is no checkpoint has the name of a step for which `saves` holds.
  SaveFolder(const std::string &directory, Former former, const std::function<bool(int64_t step)> &saves);
  SaveFolder(const SaveFolder &) = delete;
  ~SaveFolder();

  /// Removes the former checkpoints, once the first one of the run that replaces them, `made`, is whole.
  void removeReplaced(const std::string &made);

private:
  std::vector<std::string> replaced;
  int descriptor = -1; // of the folder; has the lock
};

/// Whether `checkpoint` (DIR, DIR/latest or DIR/step-N) is one of `folder`.
bool isFolderOf(const std::string &folder, const std::string &checkpoint);

/// DIR/step-N if it exists, else DIR, which then is a checkpoint itself.
std::string folderOfStep(const std::string &directory, int64_t step);

/// Whether a path exists. Throws fileError if that cannot be determined: no permission, or links in a circle.
bool isThere(const std::filesystem::path &path);

/// The folder of a checkpoint that has `file`: the given one or its `latest`. Throws fileError.
std::filesystem::path findStep(const std::string &directory, const char *file);

/// The number after a prefix, if the last component of the path is exactly that.
std::optional<int64_t> numberIn(const std::filesystem::path &path, std::string_view prefix);

/// The folders of steps in DIR, ascending.
std::vector<std::pair<int64_t, std::filesystem::path>> savedSteps(const std::filesystem::path &directory);

/// Makes renames in a folder durable. No error where a file system cannot.
void syncDirectory(const std::filesystem::path &directory);

/// Moves `made` to `place`, where an earlier run may have left a folder. A whole one is there at any time: the two are
/// exchanged, and the old one is removed.
void replaceFolder(const std::filesystem::path &made, const std::filesystem::path &location);

} // namespace plc::runtime

#endif
