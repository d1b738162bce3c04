//===- WholeFile.cpp - writes files atomically ----------------------------===//
#include "plc/Support/WholeFile.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

// raw_fd_ostream ends the process if it is destroyed with an error, so the error is taken out.
static std::error_code write(raw_fd_ostream &stream, StringRef bytes) {
  stream << bytes;
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

std::error_code plc::writeWhole(StringRef bytes, StringRef path) {
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path)) {
    std::error_code error;
    raw_fd_ostream stream(path, error);
    return error ? error : write(stream, bytes);
  }
  // Beside the target, because a rename cannot cross file systems.
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(path + ".%%%%%%%%");
  if (!file)
    return errorToErrorCode(file.takeError());
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  if (std::error_code error = write(stream, bytes)) {
    consumeError(file->discard());
    return error;
  }
  return errorToErrorCode(file->keep(path));
}
