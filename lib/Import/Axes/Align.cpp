//===- Align.cpp - the axes of all tensors of a net -----------------------===//
#include "Axes/Align.h"

#include <algorithm>

using namespace plc;
using namespace plc::import;

void plc::import::setRole(const Axis &axis, Role role) {
  if (Axis leaves = flat(axis); !leaves.empty() && leaves[0]->role == Role::None)
    leaves[0]->role = role;
}

void plc::import::findLive(Net &net) {
  std::vector<NetNode *> open = net.outputs;
  for (auto [state, next] : net.states)
    open.insert(open.end(), {state, next});
  for (NetNode &node : net.nodes) {
    node.isLive = false;
    node.users.clear();
  }
  while (!open.empty()) {
    NetNode *node = open.back();
    open.pop_back();
    if (std::exchange(node->isLive, true) || node->isLeaf())
      continue;
    for (NetNode *operand : node->operands)
      if (operand)
        open.push_back(operand);
  }
  net.order.clear();
  for (NetNode &node : net.nodes)
    if (node.isLive)
      net.order.push_back(&node);
  for (NetNode *node : net.order)
    if (!node->isLeaf())
      for (NetNode *operand : node->operands)
        if (operand && (operand->users.empty() || operand->users.back() != node))
          operand->users.push_back(node);
}

NetNode *Align::makeBarrier(NetNode &user, NetNode *x, int dim) {
  NetNode &node = net.nodes.emplace_back();
  node.op = Op::View;
  node.id = user.id;
  node.operands = {x};
  node.type = x->type;
  node.source = user.source;
  node.isLive = true;
  node.axes = x->axes;
  node.tile = {.kind = Tile::Merge, .dim = dim, .merged = x->axes[dim]};
  node.axes[dim] = {atoms.make(x->extent(dim))};
  node.axes[dim][0]->sum = {x->axes[dim]};
  done.push_back(&node);
  return &node;
}

void Align::makeWhole(NetNode &node, int dim) {
  if (flat(node.operands[0]->axes[dim]).size() > 1)
    node.operands[0] = makeBarrier(node, node.operands[0], dim);
}

void Align::unite(NetNode &node, size_t operand, int dim, const Axis &axis) {
  NetNode *x = node.operands[operand];
  try {
    atoms.unify(axis, x->axes[dim]);
  } catch (const Misaligned &) {
    if (x->isLeaf())
      throw;
    x = node.operands[operand] = makeBarrier(node, x, dim);
    atoms.unify(axis, x->axes[dim]);
  }
}

/// Axes of operands that are broadcast against each other, counted from the last.
std::vector<Axis> Align::broadcast(NetNode &node, size_t first, size_t last, int rank) {
  Axes axes(rank);
  for (size_t k = first; k < last; ++k) {
    if (!node.operand(k))
      continue;
    int more = rank - node.operands[k]->rank();
    for (int i = 0; i < node.operands[k]->rank(); ++i) {
      const Axis &axis = node.operands[k]->axes[i];
      if (!axis.empty() && !axes[i + more].empty())
        unite(node, k, i, axes[i + more]);
      else if (!axis.empty())
        axes[i + more] = axis;
    }
  }
  return axes;
}

std::vector<Axis> Align::product(NetNode &node) {
  const NetNode *x = node.operands[0], *y = node.operands[1];
  unite(node, 1, y->rank() - 2, x->axes.back());
  int rank = node.rank();
  Axes axes(rank);
  for (size_t k : {0, 1}) {
    const NetNode *operand = node.operands[k];
    int more = rank - operand->rank();
    for (int i = 0; i < operand->rank() - 2; ++i)
      if (axes[i + more].empty())
        axes[i + more] = operand->axes[i];
      else if (!operand->axes[i].empty())
        unite(node, k, i, axes[i + more]);
  }
  axes[rank - 2] = node.operands[0]->axes[node.operands[0]->rank() - 2];
  axes[rank - 1] = node.operands[1]->axes.back();
  if (const NetNode *bias = node.operand(2))
    if (!bias->axes.back().empty())
      unite(node, 2, bias->rank() - 1, axes.back());
  return axes;
}

std::vector<Axis> Align::reduction(NetNode &node) {
  const NetNode *x = node.operands[0];
  Axes axes;
  for (int i = 0; i < x->rank(); ++i)
    if (std::find(node.ints.begin(), node.ints.end(), i) == node.ints.end())
      axes.push_back(x->axes[i]);
    else if (node.rank() == x->rank())
      axes.push_back({});
  return axes;
}

/// Positions that topk and argmax give are those of the axis that they look at: an index by them is on that axis.
void Align::findDomain(NetNode &node) {
  const NetNode *x = node.operand(0);
  if (node.op == Op::TopK || node.op == Op::ArgMax)
    node.domain = x->axes[node.dim];
  else if (node.isMap())
    node.domain = x->domain;
  auto count = [&](size_t operand, int dim) {
    const NetNode *index = node.operand(operand);
    if (index && !index->domain.empty() && x->extent(dim) == extentOf(flat(index->domain)))
      unite(node, 0, dim, index->domain);
  };
  if (node.op == Op::Gather)
    count(1, node.dim);
  if (node.op == Op::Index || node.op == Op::Embedding)
    for (size_t i = 1; i < node.operands.size(); ++i)
      count(i, int(i) - 1);
}

std::vector<Axis> Align::axesOf(NetNode &node) {
  const NetNode *x = node.operand(0);
  switch (node.op) {
  case Op::View: return view(node);
  case Op::Slice: return slice(node);
  case Op::Cat: return cat(node);
  case Op::Index:
  case Op::Embedding: return index(node);
  case Op::Gather:
    for (int i = 0; i < x->rank(); ++i)
      if (i != node.dim && x->extent(i) == node.extent(i) && node.extent(i) > 1)
        unite(node, 1, i, node.operands[0]->axes[i]);
    return node.operands[1]->axes;
  case Op::PickedBest: return node.operands[1]->axes;
  case Op::CrossEntropy:
    for (int i = 0; i < node.rank(); ++i)
      unite(node, 1, i, node.operands[0]->axes[i]);
    return node.operands[1]->axes;
  case Op::Scatter: return scatter(node);
  case Op::Running:
  case Op::TopK:
  case Op::ArgMax: makeWhole(node, node.dim); return changedAxes(node);
  case Op::Matmul: return product(node);
  case Op::PatchConv: return patches(node);
  case Op::Convolution:
  case Op::ConvTranspose:
  case Op::MaxPool:
  case Op::MeanPool:
  case Op::UpsampleNearest:
  case Op::UpsampleLinear: return windows(node);
  case Op::LayerNorm:
  case Op::RmsNorm:
    for (size_t k = 1; k < node.operands.size(); ++k)
      if (const NetNode *w = node.operands[k])
        for (int i = 0; i < w->rank(); ++i)
          unite(node, k, i, x->axes[x->rank() - w->rank() + i]);
    return node.operands[0]->axes;
  case Op::Lstm:
  case Op::Gru: {
    makeWhole(node, 2);
    x = node.operands[0];
    const NetNode *w = node.operands[1], *u = node.operands[2];
    unite(node, 1, 1, x->axes[2]);
    for (int i : {1, 2})
      unite(node, 2, i, w->axes[2]);
    unite(node, 2, 0, w->axes[0]);
    for (size_t k = 3; k < node.operands.size(); ++k) {
      unite(node, k, 0, w->axes[0]);
      unite(node, k, 1, w->axes[2]);
    }
    return {x->axes[0], x->axes[1], u->axes[2]};
  }
  case Op::BatchNorm:
  case Op::GroupNorm:
    for (size_t k = 1; k < node.operands.size(); ++k)
      if (node.operands[k])
        unite(node, k, 0, x->axes[1]);
    return node.operands[0]->axes;
  default: break;
  }
  if (node.is(OpClass::Reduction))
    return reduction(node);
  if (node.operands.empty()) { // a draw
    Axes axes;
    for (int64_t extent : node.shape())
      axes.push_back(atoms.axis(extent));
    return axes;
  }
  if (node.isElementwise())
    return broadcast(node, 0, node.operands.size(), node.rank());
  return changedAxes(node);
}

/// Of operators that keep, move, repeat or drop axes of their operand.
std::vector<Axis> Align::changedAxes(const NetNode &node) {
  const NetNode *x = node.operands[0];
  Axes axes = x->axes;
  switch (node.op) {
  case Op::Permute:
    for (size_t i = 0; i < axes.size(); ++i)
      axes[i] = x->axes[node.ints[i]];
    return axes;
  case Op::Expand:
    axes.insert(axes.begin(), node.rank() - x->rank(), {});
    for (int i = 0, more = node.rank() - x->rank(); i < node.rank(); ++i)
      if (i < more || x->extent(i - more) != node.extent(i))
        axes[i] = atoms.axis(node.extent(i));
    return axes;
  case Op::Select:
    fixIfUnrolled(*x, node.dim);
    axes.erase(axes.begin() + node.dim);
    return axes;
  case Op::Unfold:
    axes[node.dim] = atoms.axis(node.extent(node.dim));
    axes.push_back(atoms.axis(node.shape().back()));
    return axes;
  case Op::Repeat:
    axes.insert(axes.begin(), node.rank() - x->rank(), {});
    for (int i = 0; i < node.rank(); ++i)
      if (node.ints[i] > 1)
        axes[i].insert(axes[i].begin(), atoms.make(node.ints[i]));
    return axes;
  case Op::Pad:
    for (int i = 0; i < node.rank(); ++i)
      if (node.extent(i) != x->extent(i)) {
        axes[i] = atoms.axis(node.extent(i));
        follow(axes[i], x->axes[i], node.extent(i));
      }
    return axes;
  case Op::TopK: axes[node.dim] = {atoms.make(node.extent(node.dim))}; return axes;
  case Op::ArgMax:
    if (node.rank() == x->rank())
      axes[node.dim] = {};
    else
      axes.erase(axes.begin() + node.dim);
    return axes;
  default: return axes;
  }
}

/// Inputs that nothing uses: the axes in front are those of the first input with the same extents, so that both have
/// one batch.
void Align::alignUnused() {
  auto isUsed = [](const NetNode *input) { return input->isLive && input->rank() > 0; };
  auto first = std::find_if(net.inputs.begin(), net.inputs.end(), isUsed);
  for (NetNode *input : net.inputs) {
    bool isShared = !input->isLive && first != net.inputs.end();
    for (int i = 0; !input->isLive && i < input->rank(); ++i) {
      isShared = isShared && i < (*first)->rank() && (*first)->extent(i) == input->extent(i);
      input->axes.push_back(isShared ? (*first)->axes[i] : atoms.axis(input->extent(i)));
    }
  }
}

void Align::run() {
  for (NetNode *node : net.order) {
    if (node->isLeaf()) {
      for (int64_t extent : node->shape())
        node->axes.push_back(atoms.axis(extent));
    } else {
      try {
        findDomain(*node);
        node->axes = axesOf(*node);
      } catch (const Misaligned &error) {
        throw CannotImport("axes are divided differently: " + std::string(error.what()), node);
      }
    }
    done.push_back(node);
  }
  alignUnused();
  // Results have the model's axes, however these are divided inside.
  for (NetNode *&output : net.outputs)
    for (int d = 0; d < output->rank(); ++d)
      if (flat(output->axes[d]).size() > 1)
        output = makeBarrier(*output, output, d);
  dropMerges();
  findLive(net);
  // Barriers stand where they were made, not at the end.
  std::erase_if(done, [](const NetNode *node) { return !node->isLive; });
  net.order = std::move(done);
  for (size_t i = 0; i < net.order.size(); ++i)
    net.order[i]->id = int(i);
}
