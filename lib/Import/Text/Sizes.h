//===- Sizes.h - names of sizes and letters of indices ----------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_TEXT_SIZES_H
#define PLC_LIB_IMPORT_TEXT_SIZES_H

#include "Rules/Rules.h"

namespace plc::import {

/// Gives atoms roles by their uses: the batch, heads, features before an activation, ..
void findRoles(const Rules &rules, Atom *batch);

/// Names atoms' extents, in the order in which the text meets them.
class Sizes {
public:
  /// The size's name; a small one without a role is a number; that of a refined atom is a product.
  std::string name(Atom *leaf);
  /// Of a list: "B * S"; "1" if it is empty.
  std::string product(const Axis &axis);
  /// A new size of this value, or an old one: the number of iterations.
  std::string count(int64_t value);
  /// "dim B = 2, K = D / H": in order, each by those before it where a relation is known.
  std::string declarations() const;
  /// Writes numbers for sizes of which the rules read each position by itself, since another length needs other rules.
  /// Those that a `repeat` counts keep their names. Returns lines of comments that say so.
  std::string fixUnrolled(std::string &text);
  bool has(const std::string &name) const;
  /// A size is another one, or "M - 1".
  void equate(const std::string &size, const std::string &other) { equal.try_emplace(size, other); }
  /// Learns which sizes are those of windows over others.
  void findWindows(const Net &net);

private:
  /// A size computed from others, which are named.
  struct Relation {
    std::string text;
    std::vector<std::string> from;
    bool isCut = false; // a part of one other size, which may be made of this one
  };
  std::vector<std::optional<Relation>> relations() const;
  std::optional<Relation> relation(size_t index) const;
  std::optional<Relation> sumRelation(const std::string &size) const;
  std::optional<Relation> windowRelation(const std::string &size) const;
  std::optional<size_t> find(const std::string &name) const;
  void writeNumbers(std::string &text) const;

  /// An extent is (from + rest) // stride + 1.
  struct Window {
    const Atom *from;
    int64_t rest, stride;
  };

  std::vector<std::pair<std::string, int64_t>> sizes;
  std::map<const Atom *, Window> windows;
  std::map<std::string, std::string> equal;
  std::map<const Atom *, std::string> names;
  std::set<std::string> unrolled, fixed;
};

/// "(N - 1) // 2 + 1": how many windows there are.
std::string countOfWindows(const std::string &size, int64_t rest, int64_t stride);

/// The letter of an index over a size, of which several rules may have more than one.
std::string indexName(const std::string &size, const std::set<std::string> &taken);

} // namespace plc::import

#endif
