// A folder of this process alone, for files that nobody else looks for.
#ifndef PLC_RUNTIME_BASE_SCRATCHFOLDER_H
#define PLC_RUNTIME_BASE_SCRATCHFOLDER_H

#include "plc/Runtime/Base/Error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace plc::runtime {

/// Made when it is first asked for, below `$TMPDIR` or `/tmp`; removed with all that is in it.
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
