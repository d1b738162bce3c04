// Reads files whole or in slices, and writes them atomically.
#ifndef PLC_RUNTIME_BASE_FILES_H
#define PLC_RUNTIME_BASE_FILES_H

#include "plc/Runtime/Base/Error.h"

#include <string>
#include <string_view>

namespace plc::runtime {

/// The bytes of a file, or of stdin for "-". Throws fileError; also for a named pipe, because opening one waits for a
/// writer.
std::string readFile(const std::string &file);

/// A file of which ranges are read. A file that is not regular (a pipe) is read whole, once.
class PartsOfFile {
public:
  /// Throws fileError; so does read(), if the file has become shorter.
  explicit PartsOfFile(const std::string &file);
  ~PartsOfFile();
  PartsOfFile(PartsOfFile &&other) noexcept;
  PartsOfFile(const PartsOfFile &) = delete;

  size_t size() const { return length; }
  /// `count` bytes from `offset` on, which must lie in the file.
  void read(size_t offset, size_t count, char *out) const;

private:
  std::string file, whole;
  int descriptor = -1; // -1: the bytes are in `whole`
  size_t length = 0;
};

/// Writes a file under another name beside it; finish() syncs it and renames it. So no reader sees a partial file, and
/// a file that is not finished is removed. "-" is stdout; devices and pipes are written in place. Throws fileError.
class FileWriter {
public:
  explicit FileWriter(std::string file);
  ~FileWriter();
  FileWriter(const FileWriter &) = delete;

  void write(std::string_view bytes);
  void finish();

private:
  [[noreturn]] void fail() const;

  std::string file, target, partial; // no `partial`: written in place
  int descriptor = -1;
};

/// Writes a whole file with a FileWriter.
void writeFile(const std::string &file, std::string_view bytes);

/// Flushes stdout. Throws fileError if that, or any write before, failed.
void flushStdout();
/// That error; `reason` is errno, 0 if unknown.
Error unwrittenStdout(int reason);

/// Writes to an open file or pipe. False, with errno set, if not all could be written.
bool writeAll(int fd, std::string_view bytes);

/// Truncates a file after its last line end: a full disk, or the end of a process, may have cut the last line. Does
/// nothing for a file that is missing or not regular. Throws fileError.
void dropCutLine(const std::string &file);

/// Throws fileError if a file cannot be written. To be called before the work whose result it will have.
void checkWritable(const std::string &file);

} // namespace plc::runtime

#endif
