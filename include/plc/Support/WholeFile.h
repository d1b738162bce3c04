//===- WholeFile.h - files that are whole or not there ----------*- C++ -*-===//
#ifndef PLC_SUPPORT_WHOLEFILE_H
#define PLC_SUPPORT_WHOLEFILE_H

#include "llvm/ADT/StringRef.h"

#include <system_error>

namespace plc {

/// Writes `bytes` to `path`: the file appears, or replaces what was there, whole or not at all. Devices and pipes are
/// written where they stand.
std::error_code writeWhole(llvm::StringRef bytes, llvm::StringRef path);

} // namespace plc

#endif
