//===- AlignViews.cpp - axes of views, slices, joins and gathers ----------===//
#include "Axes/Align.h"

#include <algorithm>
#include <set>

using namespace plc;
using namespace plc::import;

/// The atoms of a tensor as axes of another shape: both are counted row-major.
std::vector<Axis> Align::regroup(const Axes &from, const Shape &shape) {
  Axis source = flat(from);
  Axes axes;
  for (int64_t extent : shape) {
    Axis axis;
    int64_t counted = 1;
    while (counted < extent) {
      Atom *atom = source.front();
      source.erase(source.begin());
      if (!atom->parts.empty() || atom->same) { // refined or united a moment ago
        Axis leaves = flat(Axis{atom});
        source.insert(source.begin(), leaves.begin(), leaves.end());
        continue;
      }
      if (extent % (counted * atom->extent) == 0) {
        axis.push_back(atom);
        counted *= atom->extent;
        continue;
      }
      int64_t need = extent / counted;
      if (extent % counted || atom->extent % need)
        throw Misaligned("extents " + std::to_string(extent) + " and " + std::to_string(counted * atom->extent));
      Axis parts = atoms.refine(atom, {need, atom->extent / need});
      axis.push_back(parts[0]);
      source.insert(source.begin(), parts[1]);
      counted = extent;
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

/// The operators that use a value, through changes of indices.
static void addEnds(const NetNode *node, std::set<Op> &ends) {
  for (const NetNode *user : node->users)
    if (user->isMap())
      addEnds(user, ends);
    else
      ends.insert(user->op);
}

static bool isImage(const Atom *atom) { return atom->role == Role::Grid || atom->role == Role::Side; }

/// Rows and columns of an image that a view counts by one number are a rule of their own: tokens.
void Align::merge(NetNode &node, Axes &axes) {
  if (node.rank() >= node.operands[0]->rank())
    return;
  for (size_t d = 0; d < axes.size(); ++d) {
    Axis leaves = flat(axes[d]);
    size_t count = leaves.size();
    if (count < 2 || !isImage(leaves[count - 1]) || !isImage(leaves[count - 2]))
      continue;
    std::set<Op> ends;
    addEnds(&node, ends);
    bool isSummed = std::any_of(node.users.begin(), node.users.end(), [](const NetNode *user) {
      return user->op == Op::Mean || (user->op == Op::Matmul && user->rank() == 2);
    });
    if (isSummed || ends == std::set<Op>{Op::Cat})
      continue;
    node.tile = {.kind = Tile::Merge, .dim = int(d), .merged = axes[d]};
    Atom *merged = atoms.make(node.extent(int(d)));
    merged->sum = {axes[d]};
    axes[d] = {merged};
  }
}

/// A merged axis that is divided again was none.
void Align::dropMerges() {
  for (NetNode *node : done)
    if (node->tile.kind == Tile::Merge && flat(node->axes[node->tile.dim]).size() > 1) {
      try {
        atoms.unify(node->axes[node->tile.dim], node->tile.merged);
        node->tile = {};
      } catch (const Misaligned &) { // it is divided differently, so the rule stays
      }
    }
}

std::vector<Axis> Align::view(NetNode &node) {
  NetNode *x = node.operands[0];
  try {
    Axes axes = regroup(x->axes, node.shape());
    merge(node, axes);
    return axes;
  } catch (const Misaligned &) {
  }
  // All axes but the first ones that stay are counted by one, in a rule; the view divides that one.
  int kept = 0;
  while (kept < std::min(x->rank(), node.rank()) && x->extent(kept) == node.extent(kept))
    ++kept;
  NetNode *whole = makeBarrier(node, x, kept);
  whole->tile.merged = flat(Axes(x->axes.begin() + kept, x->axes.end()));
  int64_t count = extentOf(whole->tile.merged);
  whole->type.shape.resize(kept);
  whole->type.shape.push_back(count);
  whole->axes.resize(kept);
  whole->axes.push_back({atoms.make(count)});
  whole->axes.back()[0]->sum = {whole->tile.merged};
  node.operands[0] = whole;
  return regroup(whole->axes, node.shape());
}

/// Each n-th element, where all n are taken: the last digit of the position is a number.
std::optional<Axis> Align::lastDigit(const NetNode &node, const Axis &axis) {
  const NetNode *x = node.operands[0];
  int64_t extent = x->extent(node.dim), step = node.ints[1];
  std::set<int64_t> starts;
  for (const NetNode *user : x->users)
    if (user->op == Op::Slice && user->dim == node.dim && user->ints[1] == step)
      starts.insert(user->ints[0]);
  if (step == 1 || extent % step || int64_t(starts.size()) != step)
    return std::nullopt;
  Axis digits = flat(axis);
  if (digits.back()->extent != step) {
    if (digits.back()->extent % step)
      return std::nullopt;
    Axis parts = atoms.refine(digits.back(), {digits.back()->extent / step, step});
    digits.back() = parts[0];
    digits.push_back(parts[1]);
  }
  digits.pop_back();
  return digits;
}

/// One of equal parts, where all parts are taken: the first digit of the position is a number.
std::optional<Axis> Align::evenPart(const NetNode &node, const Axis &axis) {
  const NetNode *x = node.operands[0];
  int64_t extent = x->extent(node.dim), length = node.extent(node.dim);
  if (length == 0 || node.ints[1] != 1 || extent % length)
    return std::nullopt;
  std::set<int64_t> starts;
  for (const NetNode *user : x->users)
    if (user->op == Op::Slice && user->dim == node.dim && user->ints[1] == 1) {
      if (user->ints[0] % length || user->extent(user->dim) != length)
        return std::nullopt;
      starts.insert(user->ints[0]);
    }
  if (int64_t(starts.size()) != extent / length)
    return std::nullopt;
  Axis digits = flat(axis);
  for (Atom *atom : length == 1 ? digits : Axis())
    atom->isFixed = true;
  if (digits.size() > 1 && digits[0]->extent == extent / length)
    return Axis(digits.begin() + 1, digits.end());
  if (digits.size() > 1)
    return std::nullopt;
  return length > 1 ? Axis{atoms.refine(digits[0], {extent / length, length})[1]} : Axis();
}

/// An axis is longer or shorter than another one, whatever that one's size is.
void plc::import::follow(const Axis &axis, const Axis &other, int64_t extent) {
  if (axis.size() != 1 || other.empty() || !axis[0]->sum.empty())
    return;
  axis[0]->sum = {other};
  axis[0]->plus = extent - extentOf(flat(other));
}

/// A slice of an axis: a number on a refined axis if slices tile it, else an offset.
std::vector<Axis> Align::slice(NetNode &node) {
  Axes axes = node.operands[0]->axes;
  Axis &axis = axes[node.dim];
  int64_t start = node.ints[0], step = node.ints[1], length = node.extent(node.dim);
  if (std::optional<Axis> rest = lastDigit(node, axis)) {
    node.tile = {.kind = Tile::Last, .dim = node.dim, .start = start};
    axis = *rest;
  } else if (std::optional<Axis> part = evenPart(node, axis)) {
    node.tile = {.kind = Tile::Part, .dim = node.dim, .start = start / length};
    axis = *part;
  } else {
    node.tile = {.kind = Tile::Offset, .dim = node.dim, .start = start, .step = step};
    Axis source = axis;
    axis = std::abs(step) == 1 && length == extentOf(flat(source)) ? source : atoms.axis(length);
    if (node.isCut)
      follow(axis, source, length);
  }
  return axes;
}

/// An axis whose positions are all selected, one by one: an unrolled loop.
void Align::fixIfUnrolled(const NetNode &node, int dim) {
  std::set<int64_t> positions;
  for (const NetNode *user : node.users)
    if (user->op == Op::Select && user->dim == dim)
      positions.insert(user->ints[0]);
  if (int64_t(positions.size()) == node.extent(dim))
    for (Atom *atom : flat(node.axes[dim]))
      atom->isFixed = true;
}

/// Equal parts, if they are few, are chosen by a number; others are clauses.
std::vector<Axis> Align::cat(NetNode &node) {
  int d = node.dim;
  Axes axes = node.operands[0]->axes;
  bool isEven = true;
  for (size_t k = 1; k < node.operands.size(); ++k) {
    for (int i = 0; i < node.rank(); ++i)
      if (i != d)
        unite(node, k, i, axes[i]);
    isEven &= node.operands[k]->extent(d) == node.operands[0]->extent(d);
  }
  if (isEven && node.operands.size() <= (node.operands[0]->extent(d) == 1 ? 4 : 3)) {
    for (size_t k = 1; k < node.operands.size(); ++k)
      unite(node, k, d, axes[d]);
    node.tile = {.kind = Tile::Stack, .dim = d};
    axes[d].insert(axes[d].begin(), atoms.make(int64_t(node.operands.size())));
    return axes;
  }
  axes[d] = {atoms.make(node.extent(d))};
  for (const NetNode *part : node.operands)
    axes[d][0]->sum.push_back(part->axes[d]);
  return axes;
}

/// Whether an index counts a whole axis, 0, 1, 2, ..; then it is that axis.
static std::optional<int> countedBy(const NetNode &index, int64_t extent) {
  const std::optional<Formula> &formula = index.formula;
  if (!formula || formula->kind != Formula::Affine || formula->value != 0 || formula->factors.size() != 1 ||
      formula->factors[0].second != 1 || index.extent(formula->factors[0].first) != extent)
    return std::nullopt;
  return formula->factors[0].first;
}

IndexedAxes plc::import::indexedAxes(const NetNode &node) {
  IndexedAxes axes{0, node.operands.size() - 1, 0};
  while (!node.operands[axes.first + 1])
    ++axes.first;
  while (!node.operands[axes.last])
    --axes.last;
  for (size_t i = axes.first; i < axes.last; ++i)
    axes.rank = std::max(axes.rank, node.operands[i + 1]->rank());
  return axes;
}

/// x[.., i, j, ..]: the axes of the indices stand where the first of them stands.
std::vector<Axis> Align::index(NetNode &node) {
  const NetNode *x = node.operands[0];
  auto [first, last, rank] = indexedAxes(node);
  Axes middle = broadcast(node, first + 1, last + 1, rank);
  for (size_t i = first; i < last; ++i)
    if (std::optional<int> dim = countedBy(*node.operands[i + 1], x->extent(int(i))))
      unite(node, 0, int(i), node.operands[i + 1]->axes[*dim]);
  x = node.operands[0];
  if (node.op == Op::Embedding) {
    setRole(x->axes[0], Role::Vocabulary);
    setRole(x->axes[1], Role::Model);
  }
  Axes axes(x->axes.begin(), x->axes.begin() + first);
  axes.insert(axes.end(), middle.begin(), middle.end());
  axes.insert(axes.end(), x->axes.begin() + last, x->axes.end());
  return axes;
}

/// The source has the axes of the indices where the first of them stands, and around them those of the result.
std::vector<Axis> Align::scatter(NetNode &node) {
  auto [first, last, rank] = indexedAxes(node);
  Axes middle = broadcast(node, first + 1, last + 1, rank), axes;
  for (size_t i = 0; i < size_t(node.rank()); ++i) {
    bool isIndexed = first <= i && i < last;
    std::optional<int> dim = isIndexed ? countedBy(*node.operands[i + 1], node.extent(int(i))) : std::nullopt;
    axes.push_back(dim ? node.operands[i + 1]->axes[*dim] : atoms.axis(node.extent(int(i))));
  }
  Axes all(axes.begin(), axes.begin() + first);
  all.insert(all.end(), middle.begin(), middle.end());
  all.insert(all.end(), axes.begin() + last, axes.end());
  const NetNode *source = node.operands[0];
  for (int i = 0, more = int(all.size()) - source->rank(); i < source->rank(); ++i)
    if (!source->axes[i].empty() && !all[i + more].empty())
      unite(node, 0, i, all[i + more]);
  return axes;
}
