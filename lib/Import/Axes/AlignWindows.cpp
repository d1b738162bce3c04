//===- AlignWindows.cpp - axes of convolutions and pools ------------------===//
#include "Axes/Align.h"

#include <map>

using namespace plc;
using namespace plc::import;

/// A convolution whose windows tile the image: a grid of patches.
std::vector<Axis> Align::patches(NetNode &node) {
  const NetNode *x = node.operands[0], *w = node.operands[1];
  unite(node, 1, 1, x->axes[1]);
  Axes axes = {x->axes[0], w->axes[0]};
  for (int i = 2; i < node.rank(); ++i)
    axes.push_back(w->axes[i].empty() ? x->axes[i] : atoms.axis(node.extent(i), Role::Grid));
  if (node.rank() == 4 && x->extent(2) == x->extent(3) && !x->axes[2].empty() && !w->axes[2].empty() &&
      w->extent(2) == w->extent(3)) {
    atoms.unify(x->axes[2], x->axes[3]);
    atoms.unify(w->axes[2], w->axes[3]);
    atoms.unify(axes[2], axes[3]);
    setRole(x->axes[2], Role::Side);
  }
  if (node.operands[2])
    unite(node, 2, 0, w->axes[0]);
  return axes;
}

/// Channels: of groups that see each other alone, of each by itself, or of all.
void Align::uniteChannels(NetNode &node, Axes &axes) {
  const NetNode *x = node.operands[0], *w = node.operands[1];
  int64_t groups = node.windows.groups;
  if (node.op == Op::ConvTranspose) {
    axes[1] = w->axes[1];
    unite(node, 1, 0, x->axes[1]);
    return;
  }
  axes[1] = w->axes[0];
  if (groups == 1) {
    unite(node, 1, 1, x->axes[1]);
  } else if (w->extent(1) == 1 && w->extent(0) == groups) {
    unite(node, 1, 0, x->axes[1]);
  } else {
    Axis group = {atoms.make(groups, Role::Group)}, inputs = group, outputs = group;
    inputs.insert(inputs.end(), w->axes[1].begin(), w->axes[1].end());
    unite(node, 0, 1, inputs);
    if (w->extent(0) > groups)
      outputs.push_back(atoms.make(w->extent(0) / groups));
    atoms.unify(outputs, w->axes[0]);
  }
}

/// A side of the image that keeps its extent keeps its atoms. Sides of one extent are one, as images are mostly square.
std::vector<Axis> Align::windows(NetNode &node) {
  const NetNode *x = node.operands[0], *w = node.operand(1);
  Axes axes = {x->axes[0], x->axes[1]};
  std::map<int64_t, Axis> sides;
  for (int i = 2; i < node.rank(); ++i) {
    if (node.extent(i) == x->extent(i))
      axes.push_back(x->axes[i]);
    else
      axes.push_back(sides.try_emplace(node.extent(i), atoms.axis(node.extent(i), Role::Side)).first->second);
  }
  if (!w)
    return axes;
  uniteChannels(node, axes);
  for (int i = 2; i < node.rank(); ++i)
    setRole(x->axes[i], Role::Side);
  if (node.rank() == 4 && w->extent(2) == w->extent(3) && w->extent(2) > 1)
    atoms.unify(w->axes[2], w->axes[3]);
  if (node.rank() == 4 && x->extent(2) == x->extent(3) && x->extent(2) > 1)
    atoms.unify(x->axes[2], x->axes[3]);
  if (node.operand(2))
    unite(node, 2, 0, axes[1]);
  return axes;
}
