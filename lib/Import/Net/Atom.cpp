//===- Atom.cpp - pieces of axes ------------------------------------------===//
#include "Net/Atom.h"

#include <utility>

using namespace plc::import;

Atom *plc::import::find(Atom *atom) {
  Atom *root = atom;
  while (root->same)
    root = root->same;
  while (atom != root) // paths become short, or a thousand equal blocks make a long one
    atom = std::exchange(atom->same, root);
  return root;
}

static void addLeaves(Atom *atom, Axis &leaves) {
  atom = find(atom);
  if (atom->parts.empty())
    leaves.push_back(atom);
  for (Atom *part : atom->parts)
    addLeaves(part, leaves);
}

Axis plc::import::flat(const Axis &axis) {
  Axis leaves;
  for (Atom *atom : axis)
    addLeaves(atom, leaves);
  return leaves;
}

Axis plc::import::flat(const std::vector<Axis> &axes) {
  Axis leaves;
  for (const Axis &axis : axes)
    for (Atom *atom : axis)
      addLeaves(atom, leaves);
  return leaves;
}

int64_t plc::import::extentOf(const Axis &axis) {
  int64_t extent = 1;
  for (const Atom *atom : axis)
    extent *= atom->extent;
  return extent;
}

Atom *Atoms::make(int64_t extent, Role role) {
  Atom &atom = atoms.emplace_back(Atom{extent, role});
  atom.id = int(atoms.size());
  return &atom;
}

Axis Atoms::axis(int64_t extent, Role role) { return extent == 1 ? Axis() : Axis{make(extent, role)}; }

const Axis &Atoms::refine(Atom *atom, const std::vector<int64_t> &extents) {
  atom = find(atom);
  for (int64_t extent : extents) {
    atom->parts.push_back(make(extent));
    atom->parts.back()->isFixed = atom->isFixed;
  }
  return atom->parts;
}

static Misaligned misaligned(int64_t a, int64_t b) {
  return Misaligned("extents " + std::to_string(a) + " and " + std::to_string(b));
}

// Both axes are read from the front, as numbers are compared digit by digit.
void Atoms::unify(const Axis &first, const Axis &second) {
  Axis a = flat(first), b = flat(second);
  while (!a.empty() && !b.empty()) {
    Atom *x = a.front(), *y = b.front();
    a.erase(a.begin());
    b.erase(b.begin());
    if (x != y) {
      if (x->extent > y->extent) {
        std::swap(x, y);
        std::swap(a, b);
      }
      if (y->extent % x->extent)
        throw misaligned(x->extent, y->extent);
      if (x->extent == y->extent) {
        if (x->role == Role::None)
          x->role = y->role;
        if (x->sum.empty()) {
          x->sum = std::move(y->sum);
          x->plus = y->plus;
        }
        x->isFixed |= y->isFixed;
        y->same = x;
      } else {
        Axis parts = refine(y, {x->extent, y->extent / x->extent});
        parts[0]->same = x;
        b.insert(b.begin(), parts[1]);
      }
    }
    a = flat(a);
    b = flat(b);
  }
  if (!a.empty() || !b.empty())
    throw misaligned(extentOf(flat(first)), extentOf(flat(second)));
}
