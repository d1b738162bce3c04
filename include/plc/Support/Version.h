//===- Version.h - the version of the project -------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_VERSION_H
#define PLC_SUPPORT_VERSION_H

namespace plc {

/// "0.1.0", from the top CMakeLists.txt. All programs print it by `--version`.
const char *version();

} // namespace plc

#endif
