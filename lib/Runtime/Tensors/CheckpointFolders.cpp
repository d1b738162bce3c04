// Finds, locks and replaces folders of checkpoints.
#include "plc/Runtime/Tensors/CheckpointFolders.h"

#include "Base/ProcessState.h"
#include "plc/Runtime/Base/Error.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace fs = std::filesystem;

namespace plc::runtime {

bool isThere(const fs::path &path) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none)
    throw fileError(path, "cannot be read: " + error.message());
  return fs::exists(status);
}

fs::path findStep(const std::string &directory, const char *file) {
  fs::path path(directory);
  if (isThere(path / file))
    return path;
  if (isThere(path / latestLink / file))
    return path / latestLink;
  if (!isThere(path))
    throw fileError(directory, std::string("cannot be read: ") + std::strerror(ENOENT));
  throw fileError(directory, std::string("holds neither '") + file + "' nor 'latest/" + file + "'");
}

void syncDirectory(const fs::path &directory) {
  int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  ::fsync(fd);
  ::close(fd);
}

void replaceFolder(const fs::path &made, const fs::path &location) {
  // Exchange: a crash leaves either the old or the new folder at `place`.
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, location.c_str(), RENAME_EXCHANGE) == 0) {
    syncDirectory(location.parent_path());
    std::error_code ignored;
    fs::remove_all(made, ignored);
    return;
  }
  if (errno != ENOENT) // a file system without RENAME_EXCHANGE; ENOENT: there is no old folder
    fs::remove_all(location);
  fs::rename(made, location);
}

std::optional<int64_t> numberIn(const fs::path &path, std::string_view prefix) {
  std::string name = path.filename();
  int64_t number = 0;
  if (!name.starts_with(prefix))
    return std::nullopt;
  const char *end = name.data() + name.size();
  auto parsed = std::from_chars(name.data() + prefix.size(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

std::vector<std::pair<int64_t, fs::path>> savedSteps(const fs::path &directory) {
  std::vector<std::pair<int64_t, fs::path>> saved;
  std::error_code ignored;
  for (const fs::directory_entry &entry : fs::directory_iterator(directory, ignored))
    if (auto step = numberIn(entry.path(), stepPrefix))
      saved.emplace_back(*step, entry.path());
  std::sort(saved.begin(), saved.end());
  return saved;
}

/// Removes unfinished checkpoints of processes that have ended.
static void removePartial(const fs::path &directory) {
  std::error_code ignored;
  for (const fs::directory_entry &entry : fs::directory_iterator(directory, ignored)) {
    auto process = numberIn(entry.path(), partialPrefix);
    if (process && !isAlive(*process))
      fs::remove_all(entry.path(), ignored);
  }
}

/// Locks DIR; the lock ends with the process. Without a lock (some network file systems) several runs may save.
static int lockFolder(const std::string &directory) {
  int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(fd);
    throw fileError(directory, "another run saves here: name another folder with '--save', or wait for it");
  }
  return fd;
}

SaveFolder::SaveFolder(const std::string &directory, Former former, const std::function<bool(int64_t step)> &saves) {
  fs::path root(directory), link = root / latestLink;
  std::error_code error;
  fs::create_directories(root, error);
  if (!error && ::access(directory.c_str(), W_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error)
    throw fileError(directory, "checkpoint cannot be written: " + error.message());
  // DIR itself is a checkpoint: the user probably means its parent.
  if (isThere(root / stateFile))
    throw usageError("found '--save " + directory +
                     "', which is a checkpoint: name the folder that holds it, or another one");
  if (fs::is_directory(fs::symlink_status(link, error)))
    throw fileError(link, "is a folder of its own, where the link to the newest checkpoint is to be");
  // Former checkpoints, and other folders in the way.
  for (const auto &[step, path] : savedSteps(root)) {
    if (fs::exists(path / stateFile, error))
      replaced.push_back(path);
    else if (saves(step))
      throw fileError(path, "is no checkpoint, and would be replaced by that of step " + std::to_string(step) +
                                ": move it, or name another folder with '--save'");
  }
  descriptor = lockFolder(directory);
  if (former == Former::Refuse && !replaced.empty()) {
    ::close(descriptor);
    throw usageError("found '--save " + directory + "', which holds another run, up to '" + replaced.back() +
                     "': '--resume " + directory + "' goes on with it, '--overwrite' replaces it");
  }
  if (former == Former::GoOn)
    replaced.clear();
  removePartial(directory);
}

void SaveFolder::removeReplaced(const std::string &made) {
  for (const std::string &path : std::exchange(replaced, {})) {
    std::error_code error;
    if (path != made)
      fs::remove_all(path, error);
    if (error)
      throw fileError(path, "cannot be removed: " + error.message());
  }
}

SaveFolder::~SaveFolder() {
  if (descriptor >= 0)
    ::close(descriptor);
}

bool isFolderOf(const std::string &folder, const std::string &checkpoint) {
  std::error_code ignored;
  fs::path given(checkpoint);
  if (!given.has_filename())
    given = given.parent_path();
  // Compare by inode, because paths may differ by links.
  bool isStep = given.filename() == latestLink || numberIn(given, stepPrefix);
  fs::path parent = given.has_parent_path() ? given.parent_path() : fs::path(".");
  return fs::equivalent(folder, given, ignored) || (isStep && fs::equivalent(folder, parent, ignored));
}

std::string folderOfStep(const std::string &directory, int64_t step) {
  fs::path inside = fs::path(directory) / (std::string(stepPrefix) + std::to_string(step));
  std::error_code ignored;
  return fs::exists(inside, ignored) ? inside.string() : directory;
}

} // namespace plc::runtime
