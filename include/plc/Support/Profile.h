//===- Profile.h - measured times of kernels --------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_PROFILE_H
#define PLC_SUPPORT_PROFILE_H

#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <optional>
#include <string>

namespace plc {

/// The times of kernels in the log of a run with `profiling = true`. Kernels of another plan of the same model are
/// found by name and bytes of operands.
class Profile {
public:
  /// Nullopt if the file is no such log; `why` is the reason.
  static std::optional<Profile> read(llvm::StringRef path, std::string &why);

  /// Nanoseconds of the median call.
  std::optional<int64_t> nsOf(llvm::StringRef kernel, int64_t bytes) const;
  /// Nanoseconds per byte of the median step's updates; nullopt if no rank has parameters.
  std::optional<double> nsPerUpdatedByte() const;

private:
  struct Time {
    int64_t bytes, ns;
  };
  llvm::StringMap<Time> times; // by kernel, and the updates as 'step'
};

} // namespace plc

#endif
