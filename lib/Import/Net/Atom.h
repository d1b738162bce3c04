//===- Atom.h - pieces of axes ----------------------------------*- C++ -*-===//
// Each axis of a tensor is a row-major list of atoms. Atoms that count the same thing are one (union-find); an atom
// that a view divides is refined into parts, for all tensors that have it at once.
#ifndef PLC_LIB_IMPORT_NET_ATOM_H
#define PLC_LIB_IMPORT_NET_ATOM_H

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace plc::import {

/// What an atom counts, as far as its uses tell: names of sizes are chosen by it.
enum class Role : uint8_t {
  None,
  Batch,
  Sequence,
  Vocabulary,
  Model,     // features of the residual stream
  Positions, // of a learned table
  Kinds,     // token types
  Buckets,   // of relative distances
  Heads,
  Group,   // of heads that share keys, of channels
  Joint,   // heads of one group
  Key,     // features of a head
  Rotated, // half of them
  Hidden,  // before an activation
  Experts,
  Active, // experts of a token
  Channels,
  Wide, // channels that a convolution gives
  Side, // of an image
  Grid, // of patches
  Patch,
  Window // of a convolution
};

struct Atom {
  int64_t extent;
  Role role = Role::None;
  Atom *same = nullptr;                   // the atom that it is united with
  std::vector<Atom *> parts{};            // if it is refined, row-major
  std::vector<std::vector<Atom *>> sum{}; // of a join, a pad or a slice: the axes whose extents, and `plus`, make it
  int64_t plus = 0;
  int id = 0;
  bool isFixed = false; // the graph reads it position by position, so other sizes need another graph
};
using Axis = std::vector<Atom *>;

/// Two axes that should be one are divided differently.
struct Misaligned : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Makes atoms, unites and refines them.
class Atoms {
public:
  Atom *make(int64_t extent, Role role = Role::None);
  /// An axis of its own; the empty one of extent 1.
  Axis axis(int64_t extent, Role role = Role::None);
  /// Divides an atom into parts.
  const Axis &refine(Atom *atom, const std::vector<int64_t> &extents);
  /// Makes two axes that count the same thing one: where one extent divides the other, the larger atom is refined.
  /// Throws `Misaligned`.
  void unify(const Axis &a, const Axis &b);

private:
  std::deque<Atom> atoms;
};

/// The atom that stands for all that it is united with.
Atom *find(Atom *atom);
/// The atoms of an axis as they are refined now.
Axis flat(const Axis &axis);
Axis flat(const std::vector<Axis> &axes);
int64_t extentOf(const Axis &axis);

} // namespace plc::import

#endif
