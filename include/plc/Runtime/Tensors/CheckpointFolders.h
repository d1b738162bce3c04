// Where checkpoints lie: DIR/step-N, and DIR/latest, a link to the newest.
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
                            *stateFile = "state.safetensors";

/// DIR, as long as a run saves there.
class SaveFolder {
public:
  /// What is done with the checkpoints that DIR holds.
  enum class Former : uint8_t { Refuse, GoOn, Replace };

  /// Makes DIR if there is none. Throws Error if it cannot be written, if another run saves there or has saved there, or if something
  /// that is no checkpoint stands where one is to be: behind a step for which `saves` holds. Called before a run, which would
  /// otherwise fail at its end.
  SaveFolder(const std::string &directory, Former former, const std::function<bool(int64_t step)> &saves);
  SaveFolder(const SaveFolder &) = delete;
  ~SaveFolder();

  /// The first checkpoint of a run that replaces another is there: removes the former ones.
  void removeReplaced(const std::string &made);

private:
  std::vector<std::string> replaced;
  int descriptor = -1; // has the lock
};

/// Whether a checkpoint that is named so, DIR, DIR/latest or DIR/step-N, is one of this folder.
bool isFolderOf(const std::string &folder, const std::string &checkpoint);

/// DIR/step-N if DIR holds that, else DIR, which then is it.
std::string folderOfStep(const std::string &directory, int64_t step);

/// Throws where that cannot be found out: for a folder that may not be read, say, or links in a circle.
bool isThere(const std::filesystem::path &path);

/// DIR/latest or the folder itself, for one of its own files. Throws fileError.
std::filesystem::path findStep(const std::string &directory, const char *file);

/// The number behind a prefix, if the name is nothing else.
std::optional<int64_t> numberIn(const std::filesystem::path &path, std::string_view prefix);

/// DIR's folders of steps, by their numbers.
std::vector<std::pair<int64_t, std::filesystem::path>> savedSteps(const std::filesystem::path &directory);

void syncDirectory(const std::filesystem::path &directory);

/// Moves a folder to a place where an earlier run may have left one. There is a whole one at any time: the two change
/// places, and the old one is removed.
void replaceFolder(const std::filesystem::path &made, const std::filesystem::path &place);

} // namespace plc::runtime

#endif
