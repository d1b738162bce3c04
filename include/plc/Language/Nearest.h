//===- Nearest.h - which name was meant -------------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_NEAREST_H
#define PLC_LIB_LANGUAGE_NEAREST_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace plc::language {

/// The known name that an unknown one most likely misspells: at most a third of its letters differ, two letters that
/// changed places count as one. Among equals the first in alphabetical order, so that messages do not depend on hashes.
class Nearest {
public:
  explicit Nearest(llvm::StringRef name) : name(name), distance(1 + (name.size() + 1) / 3) {}

  void offer(llvm::StringRef known);
  template <typename Names>
  void offerKeys(const Names &names) {
    for (const auto &[known, value] : names)
      offer(known);
  }

  /// "; the nearest is 'x'", or nothing.
  std::string text() const { return best.empty() ? "" : "; the nearest is '" + best.str() + "'"; }

private:
  llvm::StringRef name, best;
  unsigned distance; // less than this
};

} // namespace plc::language

#endif
