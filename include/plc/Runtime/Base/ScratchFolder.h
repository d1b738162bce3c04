// A temporary folder of this process.
#ifndef PLC_RUNTIME_BASE_SCRATCHFOLDER_H
#define PLC_RUNTIME_BASE_SCRATCHFOLDER_H

#include "plc/Runtime/Base/Error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace plc::runtime {

/// Made on first use, below `$TMPDIR` or `/tmp`. Removed, with its files, by the destructor.
class ScratchFolder {
public:
  ScratchFolder() = default;
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!folder.empty())
      std::filesystem::remove_all(folder, ignored);
  }

  /// Throws fileError if it cannot be made.
  const std::filesystem::path &path() {
    if (!folder.empty())
      return folder;
    const char *parent = std::getenv("TMPDIR");
    parent = parent && *parent ? parent : "/tmp";
    std::string name = std::string(parent) + "/plc-run-XXXXXX";
    if (!::mkdtemp(name.data()))
      throw fileError(parent, std::string("no folder can be made in it: ") + std::strerror(errno));
    return folder = name;
  }

private:
  std::filesystem::path folder;
};

} // namespace plc::runtime

#endif
