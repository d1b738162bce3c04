//===- MemoryFile.h - bytes as a file that has a name -----------*- C++ -*-===//
#ifndef PLC_TEST_FUZZ_MEMORYFILE_H
#define PLC_TEST_FUZZ_MEMORYFILE_H

#include "Fuzz.h"
#include <string>
#include <sys/mman.h>
#include <unistd.h>

/// One file in memory, which each input overwrites.
class MemoryFile {
public:
  explicit MemoryFile(const char *name) : descriptor(::memfd_create(name, MFD_CLOEXEC)) {
    require(descriptor >= 0, "no file in memory");
  }

  std::string hold(const uint8_t *data, size_t size) const {
    require(::ftruncate(descriptor, static_cast<off_t>(size)) == 0 &&
                ::pwrite(descriptor, data, size, 0) == static_cast<ssize_t>(size),
            "the file in memory cannot be written");
    return "/proc/self/fd/" + std::to_string(descriptor);
  }

private:
  int descriptor;
};

#endif
