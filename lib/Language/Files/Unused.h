//===- Unused.h - warnings about unused names -------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_FILES_UNUSED_H
#define PLC_LIB_LANGUAGE_FILES_UNUSED_H

#include "Elaborate/Library.h"

namespace plc {
class Diagnostics;
} // namespace plc

namespace plc::language {

/// Warns of each parameter, popped skip and rule of the user's files that no rule of its body uses and that is no
/// result: the program has no trace of it, and a checkpoint lacks it. A name that begins with `_` is exempt. `exposed`
/// are the requested values of rules, `PATH.NAME`.
void warnOfUnused(const Library &library, llvm::ArrayRef<std::string> exposed, Diagnostics &diagnostics);

} // namespace plc::language

#endif
