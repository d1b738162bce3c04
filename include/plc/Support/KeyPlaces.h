//===- KeyPlaces.h - where a strategy's values were given -------*- C++ -*-===//
#ifndef PLC_SUPPORT_KEYPLACES_H
#define PLC_SUPPORT_KEYPLACES_H

#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>

namespace plc {

/// Where the values of keys were given, for errors that are found long after a strategy was read: it turns out only with
/// the model whether they fit it.
struct KeyPlaces {
  struct Place {
    std::string set;   ///< "KEY=VALUE", as `--set` got it; empty: in the file
    size_t offset = 0; ///< of the value in the file's text, in bytes
  };

  std::string tool;       ///< that was given the strategy
  std::string file, text; ///< of the strategy
  std::map<std::string, Place> places;

  /// Null if the key has its default. The value of a key that another one implies was given with that one.
  const Place *find(llvm::StringRef key) const {
    auto found = places.find(key.str());
    return found == places.end() ? nullptr : &found->second;
  }
};

} // namespace plc

#endif
