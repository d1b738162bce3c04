//===- WholeFile.h - writes files atomically --------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_WHOLEFILE_H
#define PLC_SUPPORT_WHOLEFILE_H

#include "llvm/ADT/StringRef.h"

#include <system_error>

namespace plc {

/// Writes `bytes` to `path` atomically: the file appears or is replaced completely, or not at all. Devices and pipes
/// are written in place.
std::error_code writeWhole(llvm::StringRef bytes, llvm::StringRef path);

} // namespace plc

#endif
