//===- ErrorLimit.h - how many errors a tool prints -------------*- C++ -*-===//
#ifndef PLC_SUPPORT_ERRORLIMIT_H
#define PLC_SUPPORT_ERRORLIMIT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace plc {

/// The most errors that a tool prints: most of hundreds follow from the first ones. A program may set another number at
/// its start; SIZE_MAX: no limit.
inline size_t mostErrors = 20;

/// Counts errors as they come.
class ErrorLimit {
public:
  /// Whether the next error is to be printed; prints once that no more are.
  bool takes(llvm::StringRef tool, llvm::raw_ostream &os) {
    if (++count > mostErrors && count == mostErrors + 1)
      os << tool << ": error: stopped after " << mostErrors << " errors\n";
    return count <= mostErrors;
  }

private:
  size_t count = 0;
};

} // namespace plc

#endif
