//===- KeyLocations.h - where a strategy's values were given -------*- C++ -*-===//
#ifndef PLC_SUPPORT_KEYLOCATIONS_H
#define PLC_SUPPORT_KEYLOCATIONS_H

#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>

namespace plc {

/// Where the values of a strategy's keys were given, for errors found long after it was read: only the model shows
/// whether a value fits it.
struct KeyLocations {
  struct Location {
    std::string set;   ///< "KEY=VALUE" of `--set`; empty: in the file
    size_t offset = 0; ///< of the value in the file's text, in bytes
  };

  std::string tool;       ///< that was given the strategy
  std::string file, text; ///< of the strategy
  std::map<std::string, Location> locations;

  /// Nullptr if the key has its default. A value that another key implies was given with that key.
  const Location *find(llvm::StringRef key) const {
    auto found = locations.find(key.str());
    return found == locations.end() ? nullptr : &found->second;
  }
};

} // namespace plc

#endif
