//===- Output.h - where results go ------------------------------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_OUTPUT_H
#define PLC_LIB_DRIVER_OUTPUT_H

#include "plc/Support/ExitCodes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace plc::driver {

/// Writes a result to a file, or to the standard output if `path` is empty or "-". Returns the exit code. After an
/// error, which is reported, the file is as before.
int writeOutput(const std::string &path, llvm::StringRef text);

/// Reports an error that has no location; returns the exit code.
int reportError(ExitCode code, const llvm::Twine &text);

} // namespace plc::driver

#endif
