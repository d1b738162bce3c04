//===- MemoryFile.h - bytes as a file that has a name -----------*- C++ -*-===//
#ifndef PLC_TEST_FUZZ_MEMORYFILE_H
#define PLC_TEST_FUZZ_MEMORYFILE_H

#include "Fuzz.h"
#include <fcntl.h>
#include <string>
#include <unistd.h>

/// One file in memory, which each input overwrites. It is alone in a folder of its own, so that a path in an input that is relative
/// to the file leads to nothing.
class MemoryFile {
public:
  explicit MemoryFile(const std::string &name) {
    require(::mkdtemp(folder.data()), "no folder in memory");
    file = folder + "/" + name;
    descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    require(descriptor >= 0, "no file in memory");
  }
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile() {
    ::close(descriptor);
    ::unlink(file.c_str());
    ::rmdir(folder.c_str());
  }

  const std::string &hold(const uint8_t *data, size_t size) const {
    require(::ftruncate(descriptor, static_cast<off_t>(size)) == 0 &&
                ::pwrite(descriptor, data, size, 0) == static_cast<ssize_t>(size),
            "the file in memory cannot be written");
    return file;
  }

private:
  std::string folder = "/dev/shm/plc-fuzz-XXXXXX", file;
  int descriptor;
};

#endif
