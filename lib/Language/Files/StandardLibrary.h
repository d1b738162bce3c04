//===- StandardLibrary.h - the std/*.ein files ------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_FILES_STANDARDLIBRARY_H
#define PLC_LIB_LANGUAGE_FILES_STANDARDLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace plc::language {

struct StandardFile {
  llvm::StringRef use;  // as `use` names it: "std.nn"
  llvm::StringRef name; // as errors show it: "std/nn.ein"
  llvm::StringRef text;
};

/// The files of the standard library, in the state when plc was configured.
llvm::ArrayRef<StandardFile> standardLibrary();

} // namespace plc::language

#endif
