//===- Nearest.h - which name was meant -------------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_NEAREST_H
#define PLC_SUPPORT_NEAREST_H

#include <string>
#include <string_view>

namespace plc {

/// The known name that an unknown one most likely misspells: at most a third of its letters differ, two letters that
/// changed places count as one. Among equals the first in alphabetical order, so that messages do not depend on hashes.
class Nearest {
public:
  explicit Nearest(std::string_view name) : name(name), distance(static_cast<unsigned>(1 + (name.size() + 1) / 3)) {}

  /// `meant` is what to tell instead of a name that is only a part of it.
  void offer(std::string_view known, std::string_view meant = {});
  template <typename Names>
  void offerKeys(const Names &names) {
    for (const auto &[known, value] : names)
      offer(known);
  }

  /// Empty if no name is near.
  std::string_view found() const { return told; }
  /// "; the nearest is 'x'", or nothing.
  std::string text() const { return told.empty() ? "" : "; the nearest is '" + std::string(told) + "'"; }

private:
  std::string_view name, best, told;
  unsigned distance; // less than this
};

} // namespace plc

#endif
