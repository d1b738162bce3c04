//===- Nearest.h - the known name nearest to a misspelt one -----*- C++ -*-===//
#ifndef PLC_SUPPORT_NEAREST_H
#define PLC_SUPPORT_NEAREST_H

#include <string>
#include <string_view>

namespace plc {

/// The known name that an unknown one most likely misspells: at most a third of its letters differ, and two exchanged
/// letters count as one. Of equally near names the first in alphabetical order, so that messages do not depend on
/// hashes.
class Nearest {
public:
  explicit Nearest(std::string_view name) : name(name), distance(static_cast<unsigned>(1 + (name.size() + 1) / 3)) {}

  /// A known name. `meant`: the text to show instead, if `known` is only a part of it.
  void offer(std::string_view known, std::string_view meant = {});
  template <typename Names>
  void offerKeys(const Names &names) {
    for (const auto &[known, value] : names)
      offer(known);
  }

  /// The nearest name; empty if none is near.
  std::string_view found() const { return told; }
  /// "; the nearest is 'x'", or nothing.
  std::string text() const { return told.empty() ? "" : "; the nearest is '" + std::string(told) + "'"; }

private:
  std::string_view name, best, told;
  unsigned distance; // a name must be nearer than this
};

} // namespace plc

#endif
