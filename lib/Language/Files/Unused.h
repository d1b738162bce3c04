//===- Unused.h - names that nothing uses -----------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_FILES_UNUSED_H
#define PLC_LIB_LANGUAGE_FILES_UNUSED_H

#include "Elaborate/Library.h"

namespace plc {
class Diagnostics;
} // namespace plc

namespace plc::language {

/// Warns of each parameter, popped skip and rule of the user's files that no rule of its body uses and no result is: the program
/// has no trace of it, and a checkpoint lacks it. A name that begins with `_` says so itself. `exposed` are the values of
/// rules that are asked for, `PATH.NAME`.
void warnOfUnused(const Library &library, llvm::ArrayRef<std::string> exposed, Diagnostics &diagnostics);

} // namespace plc::language

#endif
