//===- MemoryFile.h - bytes as a file that has a name -----------*- C++ -*-===//
#ifndef PLC_TEST_FUZZ_MEMORYFILE_H
#define PLC_TEST_FUZZ_MEMORYFILE_H

#include "Fuzz.h"
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

/// A folder of its own, in memory where there is such a place: files on a disk take most of a run's time.
class MemoryFolder {
public:
  MemoryFolder() {
    namespace fs = std::filesystem;
    path = (fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) / "plc-fuzz-XXXXXX";
    require(::mkdtemp(path.data()), "no folder in memory");
  }
  MemoryFolder(const MemoryFolder &) = delete;
  ~MemoryFolder() { std::filesystem::remove_all(path); }

  std::string path;
};

/// A file whose bytes each input overwrites. It stays open, because opening takes longer than writing.
class MemoryFile {
public:
  explicit MemoryFile(std::string path)
      : path(std::move(path)), descriptor(::open(this->path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    require(descriptor >= 0, "no file in memory");
  }
  MemoryFile(MemoryFile &&other) noexcept
      : path(std::move(other.path)), descriptor(std::exchange(other.descriptor, -1)) {}
  ~MemoryFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }

  const std::string &hold(std::string_view bytes) const {
    resize(bytes.size());
    write(0, bytes);
    return path;
  }
  void resize(size_t size) const {
    require(::ftruncate(descriptor, static_cast<off_t>(size)) == 0, "the file in memory gets no size");
  }
  void write(size_t at, std::string_view bytes) const {
    require(::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at)) ==
                static_cast<ssize_t>(bytes.size()),
            "the file in memory cannot be written");
  }

  std::string path;

private:
  int descriptor;
};

#endif
