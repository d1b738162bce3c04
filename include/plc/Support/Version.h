//===- Version.h - the version of the project -------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_VERSION_H
#define PLC_SUPPORT_VERSION_H

namespace plc {

/// "0.1.0": what the first CMakeLists.txt says. All programs print it by `--version`.
const char *version();

} // namespace plc

#endif
