//===- Verify.cpp - whether the shapes of an operator fit -----------------===//
// Files can lie about types and arguments. What stands behind `Builder::make` relies on what is checked here.
#include "Net/Net.h"

#include <algorithm>

using namespace plc;
using namespace plc::import;

std::string plc::import::typeText(const TensorType &type) {
  std::string text = std::string(nameOf(type.type)) + "[";
  for (size_t i = 0; i < type.shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(type.shape[i]);
  return text + "]";
}

int64_t plc::import::elementsOf(const Shape &shape) {
  constexpr int64_t mostElements = int64_t(1) << 45, mostAxes = 64; // of a tensor of PyTorch
  int64_t count = 1;
  bool fits = int64_t(shape.size()) <= mostAxes;
  for (int64_t extent : shape)
    fits &=
        extent >= 0 && !__builtin_mul_overflow(count, std::max<int64_t>(extent, 1), &count) && count <= mostElements;
  if (!fits)
    throw CannotImport("a tensor of more than 2^45 elements or 64 axes, or of a size less than 0");
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? count : 0;
}

namespace {
/// Which operands an operator may have; `optional` counts those at the end that may be null.
struct Operands {
  size_t least, most, optional;
};

class Verifier {
public:
  explicit Verifier(const NetNode &node) : node(node), shape(node.shape()), ints(node.ints) {}
  bool fits() const;

private:
  Operands operands() const;
  const Shape &of(size_t i) const { return node.operands[i]->shape(); }
  size_t rank(size_t i) const { return of(i).size(); }
  bool isAxis() const { return node.dim >= 0 && node.dim < node.operands[0]->rank(); }
  /// The operand's shape with another extent of its axis `dim`, or without it.
  Shape changed(int64_t extent) const;
  Shape dropped() const;
  bool isBroadcast(const std::vector<const Shape *> &shapes, const Shape &to) const;
  bool isElementwise() const;
  bool isMap() const;
  bool isSlice() const;
  bool isProduct() const;
  bool isReduction() const;
  bool isCat() const;
  bool isPad() const;
  bool isRepeat() const;
  std::optional<Shape> indexed(const Shape &x) const;
  bool isWindowed() const;
  bool isNorm() const;
  bool isRecurrence() const;

  const NetNode &node;
  const Shape &shape, &ints;
};
} // namespace

Operands Verifier::operands() const {
  size_t count = node.operands.size();
  switch (node.op) {
  case Op::Where: return {3, 3, 0};
  case Op::Maximum:
  case Op::Minimum:
  case Op::Pow:
  case Op::Embedding:
  case Op::Gather:
  case Op::PickedBest:
  case Op::ConvTranspose:
  case Op::CrossEntropy: return {2, 2, 0};
  case Op::Matmul:
  case Op::PatchConv:
  case Op::Convolution: return {2, 3, 1};
  case Op::Index:
  case Op::Scatter: return {2, count, count - 1};
  case Op::Cat: return {1, count, 0};
  case Op::LayerNorm: return {3, 3, 2};
  case Op::RmsNorm: return {2, 2, 1};
  case Op::GroupNorm: return {3, 3, 2};
  case Op::BatchNorm: return {5, 5, 2};
  case Op::Lstm: return {4, 4, 0};
  case Op::Gru: return {5, 5, 0};
  case Op::Random:
  case Op::Normal:
  case Op::Training: return {0, 0, 0};
  default: break;
  }
  return node.is(OpClass::Leaf) ? Operands{0, 0, 0} : node.is(OpClass::Infix) ? Operands{2, 2, 0} : Operands{1, 1, 0};
}

Shape Verifier::changed(int64_t extent) const {
  Shape x = of(0);
  x[size_t(node.dim)] = extent;
  return x;
}

Shape Verifier::dropped() const {
  Shape x = of(0);
  x.drop(size_t(node.dim));
  return x;
}

/// Whether shapes have this one in common, counted from their last axes.
bool Verifier::isBroadcast(const std::vector<const Shape *> &shapes, const Shape &to) const {
  Shape common;
  for (const Shape *each : shapes) {
    if (each->size() > common.size())
      common.put(0, 1, each->size() - common.size());
    for (size_t i = 0, more = common.size() - each->size(); i < each->size(); ++i) {
      if ((*each)[i] != 1 && common[i + more] != 1 && common[i + more] != (*each)[i])
        return false;
      if ((*each)[i] != 1)
        common[i + more] = (*each)[i];
    }
  }
  return common == to;
}

bool Verifier::isElementwise() const {
  std::vector<const Shape *> shapes;
  for (const NetNode *operand : node.operands)
    shapes.push_back(&operand->shape());
  return isBroadcast(shapes, shape);
}

bool Verifier::isSlice() const {
  int64_t extent = isAxis() ? of(0)[size_t(node.dim)] : 0, start = ints[0], step = ints[1];
  if (!isAxis() || shape.size() != rank(0) || step == 0 || std::abs(step) > std::max<int64_t>(extent, 1))
    return false;
  int64_t length = shape[size_t(node.dim)], last = start + step * (length - 1);
  bool isInside = start >= 0 && start < extent && length <= extent && last >= 0 && last < extent;
  return (length == 0 || isInside) && shape == changed(length);
}

bool Verifier::isMap() const {
  const Shape &x = of(0);
  switch (node.op) {
  case Op::View: return elementsOf(x) == elementsOf(shape);
  case Op::Permute: {
    Shape sorted = ints, moved;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] != int64_t(i) || sorted.size() != x.size())
        return false;
    for (int64_t dim : ints)
      moved.push_back(x[size_t(dim)]);
    return moved.size() == x.size() && shape == moved;
  }
  case Op::Expand: return isBroadcast({&x, &shape}, shape);
  case Op::Slice: return isSlice();
  case Op::Select: return isAxis() && ints[0] >= 0 && ints[0] < x[size_t(node.dim)] && shape == dropped();
  case Op::Unfold: {
    int64_t step = ints[0], dilation = ints[1], size = shape.back(), extent = isAxis() ? x[size_t(node.dim)] : 0;
    if (!isAxis() || shape.size() != x.size() + 1 || std::min(step, dilation) < 1)
      return false;
    int64_t count = shape[size_t(node.dim)];
    Shape expected = changed(count);
    expected.push_back(size);
    return shape == expected && std::min(count, size) >= 1 && std::max(count, size) <= extent &&
           (count == 1 || step <= extent) && (size == 1 || dilation <= extent) &&
           (count - 1) * step + (size - 1) * dilation < extent;
  }
  default: return shape == x;
  }
}

/// x[.., i, k] y[.., k, j] and a bias.
bool Verifier::isProduct() const {
  const Shape &x = of(0), &y = of(1);
  if (x.size() < 2 || y.size() < 2 || x.back() != y[y.size() - 2])
    return false;
  Shape left = x.part(0, x.size() - 2), right = y.part(0, y.size() - 2), result = shape.part(0, shape.size() - 2);
  const NetNode *bias = node.operand(2);
  return isBroadcast({&left, &right}, result) && shape[shape.size() - 2] == x[x.size() - 2] &&
         shape.back() == y.back() && (!bias || (bias->rank() > 0 && isBroadcast({&bias->shape(), &shape}, shape)));
}

bool Verifier::isReduction() const {
  Shape kept, dropped, dims = ints;
  for (size_t i = 0; i < rank(0); ++i) {
    bool isSummed = std::find(ints.begin(), ints.end(), int64_t(i)) != ints.end();
    kept.push_back(isSummed ? 1 : of(0)[i]);
    if (!isSummed)
      dropped.push_back(of(0)[i]);
  }
  std::sort(dims.begin(), dims.end());
  bool areAxes = std::adjacent_find(dims.begin(), dims.end()) == dims.end() &&
                 (dims.empty() || (dims.front() >= 0 && dims.back() < int64_t(rank(0))));
  return areAxes && (shape == kept || shape == dropped);
}

bool Verifier::isCat() const {
  int64_t extent = 0;
  if (!isAxis())
    return false;
  for (const NetNode *part : node.operands) {
    if (part->shape().size() != rank(0))
      return false;
    Shape like = part->shape();
    extent += std::exchange(like[size_t(node.dim)], of(0)[size_t(node.dim)]);
    if (like != of(0) || part->extent(node.dim) == 0)
      return false;
  }
  return shape == changed(extent);
}

/// Numbers of elements before and behind, of the last axis first.
bool Verifier::isPad() const {
  Shape wide = of(0);
  if (ints.size() % 2 || ints.size() > 2 * wide.size())
    return false;
  for (size_t i = 0; i < ints.size(); ++i) {
    int64_t &extent = wide[wide.size() - 1 - i / 2];
    if (ints[i] < 0 || __builtin_add_overflow(extent, ints[i], &extent))
      return false;
  }
  return shape == wide;
}

bool Verifier::isRepeat() const {
  if (ints.size() < rank(0) || ints.size() != shape.size())
    return false;
  for (size_t i = 0, more = ints.size() - rank(0); i < ints.size(); ++i)
    if (int64_t extent = 0;
        ints[i] < 1 || __builtin_mul_overflow(i < more ? 1 : of(0)[i - more], ints[i], &extent) || shape[i] != extent)
      return false;
  return true;
}

/// The shape of x[.., i, j, ..], whose indices are those of neighbours.
std::optional<Shape> Verifier::indexed(const Shape &x) const {
  auto isGiven = [](const NetNode *index) { return index != nullptr; };
  auto begin = node.operands.begin() + 1, first = std::find_if(begin, node.operands.end(), isGiven),
       last = std::find_if_not(first, node.operands.end(), isGiven);
  if (first == last || std::find_if(last, node.operands.end(), isGiven) != node.operands.end() ||
      node.operands.size() > x.size() + 1)
    return std::nullopt;
  std::vector<const Shape *> indices;
  Shape common;
  for (auto index = first; index != last; ++index) {
    indices.push_back(&(*index)->shape());
    if ((*index)->isReal() || (*index)->isBool())
      return std::nullopt;
    if ((*index)->shape().size() > common.size())
      common.put(0, 1, (*index)->shape().size() - common.size());
    for (size_t k = 0, more = common.size() - (*index)->shape().size(); k + more < common.size(); ++k)
      common[k + more] = std::max(common[k + more], (*index)->shape()[k]);
  }
  if (!isBroadcast(indices, common))
    return std::nullopt;
  Shape result = x.part(0, size_t(first - begin)), rest = x.part(size_t(last - begin), x.size());
  result.insert(result.end(), common.begin(), common.end());
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

/// Convolutions and pools: operands, and the number of windows that lie inside.
bool Verifier::isWindowed() const {
  const Windows &windows = node.windows;
  const Shape &x = of(0), *w = node.operands.size() > 1 ? &of(1) : nullptr;
  size_t count = windows.kernel.size(), dims = x.size();
  bool isTransposed = node.op == Op::ConvTranspose, isPool = !w;
  if (count == 0 || dims != count + 2 || shape.size() != dims || (w && w->size() != dims) || shape[0] != x[0])
    return false;
  for (size_t i = 0; i < count; ++i) {
    int64_t kernel = windows.kernel[i], stride = windows.stride[i], pad = windows.pad[i],
            dilation = windows.dilation[i], extent = x[i + 2];
    constexpr int64_t most = int64_t(1) << 30;
    if (std::min({kernel, stride, dilation, extent}) < 1 || pad < 0 ||
        std::max({kernel, stride, dilation, pad, extent}) > most || (w && (*w)[i + 2] != kernel))
      return false;
    int64_t reach = dilation * (kernel - 1) + 1, rest = extent + 2 * pad - reach;
    if (shape[i + 2] != (isTransposed ? (extent - 1) * stride - 2 * pad + reach : rest / stride + 1) ||
        (!isTransposed && rest < 0))
      return false;
  }
  if (isPool)
    return shape[1] == x[1];
  int64_t groups = windows.groups, outputs = (*w)[isTransposed ? 1 : 0];
  const NetNode *bias = node.operand(2);
  return groups > 0 && x[1] % groups == 0 && outputs % groups == 0 && shape[1] == outputs &&
         (*w)[isTransposed ? 0 : 1] == x[1] / groups && (!bias || bias->shape() == Shape{outputs});
}

bool Verifier::isNorm() const {
  const Shape &x = of(0);
  bool isOfLast = node.op == Op::LayerNorm || node.op == Op::RmsNorm;
  size_t count = node.op == Op::LayerNorm ? size_t(ints[0]) : 1;
  if (shape != x || x.size() < (isOfLast ? 1 : 2) || (isOfLast && (count < 1 || count > x.size())))
    return false;
  Shape expected = isOfLast ? x.part(x.size() - count, x.size()) : Shape{x[1]};
  for (size_t k = 1; k < node.operands.size(); ++k)
    if (node.operands[k] && node.operands[k]->shape() != expected)
      return false;
  return node.op != Op::GroupNorm || (ints[0] > 0 && x[1] % ints[0] == 0 && x.size() == 4);
}

bool Verifier::isRecurrence() const {
  const Shape &x = of(0), &w = of(1), &u = of(2);
  if (x.size() != 3 || w.size() != 3 || u.size() != 3)
    return false;
  int64_t gates = node.op == Op::Lstm ? 4 : 3, hidden = w[2];
  bool fits = w == Shape{gates, x[2], hidden} && u == Shape{gates, hidden, hidden};
  for (size_t k = 3; k < node.operands.size(); ++k)
    fits &= of(k) == Shape{gates, hidden};
  return fits && shape == Shape{x[0], x[1], hidden};
}

bool Verifier::fits() const {
  Operands known = operands();
  size_t count = node.operands.size();
  if (count < known.least || count > known.most)
    return false;
  for (size_t i = 0; i + known.optional < count; ++i)
    if (!node.operands[i])
      return false;
  switch (node.op) {
  case Op::Number:
  case Op::Training: return shape.empty();
  case Op::Arange: return shape.size() == 1 && ints.size() == 2;
  case Op::Repeat: return isRepeat();
  case Op::Pad: return isPad();
  case Op::Cat: return isCat();
  case Op::Matmul: return isProduct();
  case Op::Embedding: return rank(0) == 2 && indexed(of(0)) == shape;
  case Op::Index: return indexed(of(0)) == shape;
  case Op::Scatter: {
    std::optional<Shape> read = count == shape.size() + 1 ? indexed(shape) : std::nullopt;
    return read && isBroadcast({&of(0), &*read}, *read);
  }
  case Op::Gather:
  case Op::PickedBest: {
    if (!isAxis() || rank(1) != rank(0) || node.operands[1]->isReal() || shape != of(1))
      return false;
    for (size_t i = 0; i < shape.size(); ++i)
      if (int(i) != node.dim && shape[i] > of(0)[i])
        return false;
    return true;
  }
  case Op::Softmax:
  case Op::LogSoftmax:
  case Op::Running: return isAxis() && shape == of(0);
  case Op::TopK:
    return isAxis() && shape.size() == rank(0) && shape == changed(shape[size_t(node.dim)]) &&
           shape[size_t(node.dim)] <= of(0)[size_t(node.dim)];
  case Op::ArgMax: return isAxis() && (shape == changed(1) || shape == dropped());
  case Op::LayerNorm:
  case Op::RmsNorm:
  case Op::GroupNorm:
  case Op::BatchNorm: return isNorm();
  case Op::CrossEntropy:
    return rank(0) == shape.size() + 1 && !node.operands[1]->isReal() && shape == of(1) &&
           shape == of(0).part(0, shape.size());
  case Op::Lstm:
  case Op::Gru: return isRecurrence();
  case Op::PatchConv:
  case Op::Convolution:
  case Op::ConvTranspose:
  case Op::MaxPool:
  case Op::MeanPool: return isWindowed();
  case Op::UpsampleNearest:
  case Op::UpsampleLinear: {
    const Shape &x = of(0);
    return x.size() == 4 && ints[0] > 0 && shape == Shape{x[0], x[1], x[2] * ints[0], x[3] * ints[0]};
  }
  default: break;
  }
  return node.is(OpClass::Reduction) ? isReduction()
         : node.isMap()              ? isMap()
         : node.isElementwise()      ? isElementwise()
                                     : true;
}

void plc::import::verify(const NetNode &node) {
  elementsOf(node.shape());
  if (Verifier(node).fits())
    return;
  std::string text;
  for (const NetNode *operand : node.operands)
    text += (text.empty() ? "" : ", ") + (operand ? typeText(operand->type) : "none");
  throw CannotImport("its shapes do not fit: " + text + " to " + typeText(node.type));
}
