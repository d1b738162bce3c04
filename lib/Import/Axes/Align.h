//===- Align.h - the axes of all tensors of a net ---------------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_AXES_ALIGN_H
#define PLC_LIB_IMPORT_AXES_ALIGN_H

#include "Net/Net.h"

#include <map>

namespace plc::import {

/// Finds what the outputs depend on (`order`) and which operators use each value (`users`).
void findLive(Net &net);

/// Gives each axis of each value its atoms. Products, sums and norms unite axes; a view refines and regroups them;
/// even slices become numbers on a refined axis. Refinement is global: a view behind a product divides the axis of
/// the weight itself. Where two axes are divided differently, a rule with a merged left side stands between them (a
/// barrier).
class Align {
public:
  Align(Net &net, Atoms &atoms) : net(net), atoms(atoms) {}
  void run();

private:
  using Axes = std::vector<Axis>;

  Axes axesOf(NetNode &node);
  Axes changedAxes(const NetNode &node);
  /// Unites an axis of an operand with another one; a barrier replaces the operand if they are divided differently.
  void unite(NetNode &node, size_t operand, int dim, const Axis &axis);
  /// Makes an axis of operand 0 one atom, if a view divides it.
  void makeWhole(NetNode &node, int dim);
  NetNode *makeBarrier(NetNode &user, NetNode *x, int dim);
  Axes broadcast(NetNode &node, size_t firstOperand, size_t lastOperand, int rank);
  Axes product(NetNode &node);
  Axes reduction(NetNode &node);
  Axes view(NetNode &node);
  Axes regroup(const Axes &from, const Shape &shape);
  void merge(NetNode &node, Axes &axes);
  Axes slice(NetNode &node);
  std::optional<Axis> lastDigit(const NetNode &node, const Axis &axis);
  std::optional<Axis> evenPart(const NetNode &node, const Axis &axis);
  void fixIfUnrolled(const NetNode &node, int dim);
  Axes cat(NetNode &node);
  Axes index(NetNode &node);
  Axes scatter(NetNode &node);
  Axes patches(NetNode &node);
  Axes windows(NetNode &node);
  void uniteChannels(NetNode &node, Axes &axes);
  void findDomain(NetNode &node);
  void dropMerges();
  void alignUnused();

  Net &net;
  Atoms &atoms;
  std::vector<NetNode *> done; // the order with barriers
};

/// Says that an axis's extent is that of another one and a number.
void follow(const Axis &axis, const Axis &other, int64_t extent);
/// Gives the first atom of an axis a role, unless it has one.
void setRole(const Axis &axis, Role role);

} // namespace plc::import

#endif
