//===- Unused.h - warnings about unused names -------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_FILES_UNUSED_H
#define PLC_LIB_LANGUAGE_FILES_UNUSED_H

#include "Elaborate/Library.h"

namespace plc {
class Diagnostics;
} // namespace plc

namespace plc::language {

/// Warns of unused parameters, popped skips and rules of the user's files: no rule of their body uses them, and they
/// are no results. The program has no trace of them, and a checkpoint lacks them. A name that begins with `_` is
/// exempt. `exposed` are the requested values of rules, `PATH.NAME`.
void warnOfUnused(const Library &library, llvm::ArrayRef<std::string> exposed, Diagnostics &diagnostics);

} // namespace plc::language

#endif
