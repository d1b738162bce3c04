//===- ErrorLimit.h - how many errors a tool prints -------------*- C++ -*-===//
#ifndef PLC_SUPPORT_ERRORLIMIT_H
#define PLC_SUPPORT_ERRORLIMIT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace plc {

/// The first errors help; of hundreds, most follow from them. A program may set another number before it begins, or none: SIZE_MAX.
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
