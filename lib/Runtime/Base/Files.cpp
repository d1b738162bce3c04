// Reading and writing of files by system calls.
#include "plc/Runtime/Base/Files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace plc::runtime {

namespace {

/// Closes the file on every path out of a function.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd > 2)
      ::close(fd);
  }
};

/// Whether a file is a pipe with a name. A shell's `<(COMMAND)` is a pipe too, but its link leads to no name, and it
/// may be read.
bool isNamedPipe(const std::string &file) {
  std::error_code error;
  return std::filesystem::is_fifo(file, error) && !std::filesystem::canonical(file, error).empty();
}

/// -1, and errno, if it cannot be opened.
int openToRead(const std::string &file) {
  if (isNamedPipe(file))
    throw fileError(file, "is a named pipe, not a file: write what comes from it to a file first");
  return ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
}

} // namespace

bool writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

Error unwrittenStdout(int reason) {
  return fileError("<stdout>", std::string("cannot be written: ") +
                                   (reason ? std::strerror(reason) : "a part of what was told is lost"));
}

void flushStdout() {
  if (std::fflush(stdout) != 0)
    throw unwrittenStdout(errno);
  if (std::ferror(stdout)) // the stream keeps no errno
    throw unwrittenStdout(0);
}

std::string readFile(const std::string &file) {
  Descriptor in{file == "-" ? 0 : openToRead(file)};
  struct stat status;
  if (in.fd < 0 || ::fstat(in.fd, &status) != 0)
    throw fileError(file, std::string("cannot be read: ") + std::strerror(errno));
  if (S_ISDIR(status.st_mode))
    throw fileError(file, "is a directory, not a file");
  std::string bytes;
  if (S_ISREG(status.st_mode))
    bytes.reserve(static_cast<size_t>(status.st_size));
  char buffer[1 << 16];
  for (;;) {
    ssize_t count = ::read(in.fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      throw fileError(file, std::string("cannot be read: ") + std::strerror(errno));
    if (count == 0)
      return bytes;
    // Checked at the first bytes, not before: /dev/null is a device too, and a valid empty file.
    if (S_ISCHR(status.st_mode) && !::isatty(in.fd)) // /dev/zero never ends
      throw fileError(file, "is a device, not a file");
    bytes.append(buffer, static_cast<size_t>(count));
  }
}

PartsOfFile::PartsOfFile(const std::string &file) : file(file) {
  descriptor = openToRead(file);
  struct stat status;
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0)
    throw fileError(file, std::string("cannot be read: ") + std::strerror(errno));
  length = static_cast<size_t>(status.st_size);
  if (S_ISREG(status.st_mode))
    return;
  ::close(descriptor);
  descriptor = -1;
  whole = readFile(file);
  length = whole.size();
}

PartsOfFile::~PartsOfFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

PartsOfFile::PartsOfFile(PartsOfFile &&other) noexcept
    : file(std::move(other.file)), whole(std::move(other.whole)), descriptor(std::exchange(other.descriptor, -1)),
      length(other.length) {}

void PartsOfFile::read(size_t offset, size_t count, char *out) const {
  if (descriptor < 0) {
    whole.copy(out, count, offset);
    return;
  }
  while (count) {
    ssize_t got = ::pread(descriptor, out, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      throw fileError(file, got < 0 ? std::string("cannot be read: ") + std::strerror(errno)
                                    : "has become shorter than " + std::to_string(length) + " bytes");
    out += got;
    offset += static_cast<size_t>(got);
    count -= static_cast<size_t>(got);
  }
}

FileWriter::FileWriter(std::string name) : file(std::move(name)) {
  if (file == "-") {
    descriptor = 1;
    return;
  }
  // A new file, renamed over the old one by finish(). Devices and pipes cannot be replaced, and are written in place. A
  // link keeps pointing at the file that is replaced.
  std::error_code error;
  target = file;
  if (std::filesystem::is_regular_file(target, error))
    target = std::filesystem::canonical(target, error);
  if (std::filesystem::exists(target, error) && !std::filesystem::is_regular_file(target, error)) {
    descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    partial = target + ".partial." + std::to_string(::getpid());
    descriptor = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (descriptor < 0)
    fail();
}

FileWriter::~FileWriter() {
  if (descriptor > 2)
    ::close(descriptor);
  if (descriptor >= 0 && !partial.empty())
    ::unlink(partial.c_str());
}

void FileWriter::fail() const {
  throw file == "-" ? unwrittenStdout(errno)
                    : fileError(file, std::string("cannot be written: ") + std::strerror(errno));
}

void FileWriter::write(std::string_view bytes) {
  if (!writeAll(descriptor, bytes))
    fail();
}

void FileWriter::finish() {
  if (partial.empty())
    return;
  if (::fsync(descriptor) != 0 || std::rename(partial.c_str(), target.c_str()) != 0)
    fail();
  partial.clear();
}

void writeFile(const std::string &file, std::string_view bytes) {
  FileWriter writer(file);
  writer.write(bytes);
  writer.finish();
}

void dropCutLine(const std::string &file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    return;
  PartsOfFile parts(file);
  size_t end = parts.size();
  char byte = 0;
  // Backward from the end: only the cut line is read.
  for (; end > 0; --end) {
    parts.read(end - 1, 1, &byte);
    if (byte == '\n')
      break;
  }
  if (end < parts.size() && ::truncate(file.c_str(), static_cast<off_t>(end)) != 0)
    throw fileError(file, std::string("cannot be written: ") + std::strerror(errno));
}

void checkWritable(const std::string &file) {
  std::string folder = std::filesystem::path(file).parent_path();
  struct stat status;
  if (file == "-")
    return;
  if (::stat(file.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    errno = EISDIR;
  else if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0)
    return;
  throw fileError(file, std::string("cannot be written: ") + std::strerror(errno));
}

} // namespace plc::runtime
