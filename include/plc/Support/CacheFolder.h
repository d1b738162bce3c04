//===- CacheFolder.h - where a user's own files are kept --------*- C++ -*-===//
#ifndef PLC_SUPPORT_CACHEFOLDER_H
#define PLC_SUPPORT_CACHEFOLDER_H

#include <cstdlib>
#include <string>

namespace plc {

/// The folder of compiled models and measured rates, which may be deleted at any time: `$XDG_CACHE_HOME/plc`, or
/// `~/.cache/plc`.
inline std::string cacheFolder() {
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (cache && *cache)
    return std::string(cache) + "/plc";
  return std::string(home && *home ? home : "/tmp") + "/.cache/plc";
}

} // namespace plc

#endif
