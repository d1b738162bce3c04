//===- FillWindows.cpp - the rules of convolutions and pools --------------===//
#include "Rules/Rules.h"

#include <algorithm>
#include <limits>

using namespace plc;
using namespace plc::import;

static bool isDepthwise(const NetNode *node) {
  const NetNode *w = node->operands[1];
  return node->windows.groups > 1 && w->extent(1) == 1 && w->extent(0) == node->windows.groups;
}

bool plc::import::isLibraryConvolution(const NetNode *node) {
  const Windows &windows = node->windows;
  return !node->operand(2) && windows.stride.size() == 2 && windows.stride[0] == windows.stride[1] &&
         windows.pad[0] == windows.pad[1] && windows.dilation == Shape{1, 1} &&
         (windows.groups == 1 || (isDepthwise(node) && node->op == Op::Convolution));
}

E Rules::convolution(NetNode *node, const Position &at) {
  const Windows &windows = node->windows;
  const NetNode *x = node->operands[0];
  bool isWhole = isLibraryConvolution(node);
  for (const Axis &axis : x->axes)
    isWhole &= !axis.empty() || x->op == Op::Input;
  for (const Axis &axis : node->axes)
    isWhole &= !axis.empty();
  std::optional<std::vector<E>> operands = isWhole ? wholeOperands(node, {0, 1}) : std::nullopt;
  if (!operands && node->op == Op::ConvTranspose)
    throw CannotImport("a transposed convolution other than of square windows", node);
  if (!operands)
    return windowed(node, at);
  Settings settings;
  if (windows.stride[0] != 1)
    settings.push_back({"STRIDE", double(windows.stride[0])});
  if (windows.pad[0])
    settings.push_back({"PAD", double(windows.pad[0])});
  if (windows.groups == 1)
    full.insert(node->operands[1]);
  Op op = windows.groups == 1 ? node->op : Op::DepthwiseConv;
  return exprs.make({.kind = Expr::Whole, .op = op, .arguments = *operands, .settings = std::move(settings)});
}

/// The operand's element in a window: behind the position on its first axes, those of the window on the others.
E Rules::inWindow(NetNode *node, const Position &at, Position image, const std::vector<Affine> &inside,
                  double outside) {
  const Windows &windows = node->windows;
  NetNode *x = node->operands[0];
  bool isPadded = false;
  for (size_t i = 0; i < windows.stride.size(); ++i) {
    size_t dim = image.size();
    if (x->axes[dim].empty()) // one row: the others of a window are padding
      throw CannotImport("a window on an axis of extent 1", node);
    Affine offset = inside[i] * windows.dilation[i] + Affine(-windows.pad[i]);
    image.push_back(moved(at[dim], flat(node->axes[dim]), windows.stride[i], offset, flat(x->axes[dim])));
    isPadded |= windows.pad[i] != 0;
  }
  E e = element(x, image);
  return isPadded ? exprs.make({.kind = Expr::Pad, .number = outside, .arguments = {e}}) : e;
}

/// The formula of a convolution: the sum over channels and windows.
E Rules::windowed(NetNode *node, const Position &at) {
  NetNode *w = node->operands[1];
  int64_t groups = node->windows.groups;
  Position inner;
  std::vector<const Var *> summed;
  std::vector<Affine> inside;
  for (int i = 1; i < w->rank(); ++i) {
    inner.emplace_back();
    for (Atom *leaf : flat(w->axes[i])) {
      summed.push_back(exprs.var(leaf));
      inner.back().push_back(Term{Affine(summed.back())});
    }
    if (i > 1)
      inside.push_back(join(inner.back(), flat(w->axes[i])));
  }
  Terms channels = isDepthwise(node) ? at[1] : inner[0];
  if (!isDepthwise(node) && groups > 1) { // the group's digits stand in front
    size_t digits = flat(node->operands[0]->axes[1]).size() - inner[0].size();
    channels.insert(channels.begin(), at[1].begin(), at[1].begin() + digits);
  }
  Position weight = {at[1]};
  weight.insert(weight.end(), inner.begin(), inner.end());
  E e = inWindow(node, at, {at[0], channels}, inside, 0);
  e = exprs.make({.kind = Expr::Product, .arguments = {e, element(w, weight)}, .vars = summed});
  return node->operand(2) ? exprs.sum(Op::Add, e, element(node->operands[2], {at[1]})) : e;
}

/// A function of the library if it sees whole tensors, else the formula.
E Rules::pool(NetNode *node, const Position &at) {
  const Windows &windows = node->windows;
  bool isMax = node->op == Op::MaxPool;
  if (std::optional<std::vector<E>> operands = wholeOperands(node, {0})) {
    Settings settings = {{"K", double(windows.kernel[0])}};
    if (windows.stride[0] != windows.kernel[0])
      settings.push_back({"STRIDE", double(windows.stride[0])});
    if (windows.pad[0])
      settings.push_back({"PAD", double(windows.pad[0])});
    return exprs.make({.kind = Expr::Whole, .op = node->op, .arguments = *operands, .settings = std::move(settings)});
  }
  std::vector<const Var *> vars;
  std::vector<Affine> inside;
  for (int64_t extent : windows.kernel) {
    vars.push_back(exprs.var(&windowAtoms.emplace_back(Atom{extent, Role::Window})));
    inside.emplace_back(vars.back());
  }
  E e = inWindow(node, at, {at.begin(), at.end() - std::ptrdiff_t(windows.kernel.size())}, inside,
                 isMax ? -std::numeric_limits<double>::infinity() : 0);
  return exprs.reduce(isMax ? Op::MaxOf : Op::Mean, vars, e);
}
