// Whole files: read with a bound, written so that no partial file is ever seen.
#ifndef PLC_RUNTIME_BASE_FILES_H
#define PLC_RUNTIME_BASE_FILES_H

#include "plc/Runtime/Base/Error.h"

#include <string>
#include <string_view>

namespace plc::runtime {

/// The bytes of a file, or of stdin for "-". Throws fileError, also of a named pipe: to open one waits for somebody who writes.
std::string readFile(const std::string &file);

/// A file of which parts are read; what is no regular file (a pipe) is read whole, once.
class PartsOfFile {
public:
  /// Throws fileError, as `read` does if the file has become shorter.
  explicit PartsOfFile(const std::string &file);
  ~PartsOfFile();
  PartsOfFile(PartsOfFile &&other) noexcept;
  PartsOfFile(const PartsOfFile &) = delete;

  size_t size() const { return length; }
  /// The bytes from `offset` on, which must be in the file.
  void read(size_t offset, size_t count, char *out) const;

private:
  std::string file, whole;
  int descriptor = -1; // -1: `whole` has it
  size_t length = 0;
};

/// Writes a file part by part, beside it; `finish` syncs, and renames over it. "-" is stdout, devices and pipes are written where they
/// stand. Throws fileError. What is not finished is removed.
class FileWriter {
public:
  explicit FileWriter(std::string file);
  ~FileWriter();
  FileWriter(const FileWriter &) = delete;

  void write(std::string_view bytes);
  void finish();

private:
  [[noreturn]] void fail() const;

  std::string file, target, partial; // empty: written where it stands
  int descriptor = -1;
};

/// The same at once.
void writeFile(const std::string &file, std::string_view bytes);

/// Writes what the program has told so far. Throws fileError if that, or anything before, could not be written.
void flushStdout();
/// That error.
Error unwrittenStdout(int reason);

/// Writes to an open file or pipe; false, and errno, if not all of it can be.
bool writeAll(int fd, std::string_view bytes);

/// Removes what stands behind the last end of a line: a full disk, or a process that was ended, may have cut what was written there. Of
/// what is no regular file, or not there, nothing. Throws fileError.
void dropCutLine(const std::string &file);

/// Throws fileError if a file cannot be written. Called before the work whose result it will hold.
void checkWritable(const std::string &file);

} // namespace plc::runtime

#endif
