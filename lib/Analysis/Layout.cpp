//===- Layout.cpp - offsets and strides of tensors and views --------------===//
#include "plc/Analysis/Layout.h"

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace plc::ein;

llvm::SmallVector<int64_t> plc::ein::stridesOf(Type tensor) {
  return computeSuffixProduct(cast<RankedTensorType>(tensor).getShape());
}

namespace {

// The layout of a view, given that of its operand.
std::optional<Layout> through(SplitOp split, Layout layout) {
  unsigned axis = split.getAxis(), count = split.getType().getRank() - layout.strides.size() + 1;
  SmallVector<int64_t> parts = computeSuffixProduct(split.getType().getShape().slice(axis, count));
  for (int64_t &part : parts)
    part *= layout.strides[axis];
  layout.strides.erase(layout.strides.begin() + axis);
  layout.strides.insert(layout.strides.begin() + axis, parts.begin(), parts.end());
  return layout;
}

std::optional<Layout> through(MergeOp merge, Layout layout) {
  ArrayRef<int64_t> shape = merge.getInput().getType().getShape();
  unsigned axis = merge.getAxis(), count = layout.strides.size() - merge.getType().getRank() + 1;
  // Merged axes must be contiguous with each other.
  for (unsigned i = axis; i + 1 < axis + count; ++i)
    if (layout.strides[i] != layout.strides[i + 1] * shape[i + 1])
      return std::nullopt;
  layout.strides.erase(layout.strides.begin() + axis, layout.strides.begin() + axis + count - 1);
  return layout;
}

std::optional<Layout> through(WindowOp window, const Layout &layout) {
  Layout shown{layout.offset, SmallVector<int64_t>(window.getType().getRank(), 0)};
  for (auto [positions, stride] : llvm::zip(window.getPositions(), layout.strides)) {
    shown.offset += positions.offset * stride;
    for (auto [dim, times] : llvm::zip(positions.dims, positions.strides))
      shown.strides[dim] = times * stride;
  }
  return shown;
}

} // namespace

std::optional<Layout> plc::ein::findLayout(Value value) {
  auto whole = [&] { return Layout{0, stridesOf(value.getType())}; };
  Operation *maker = value.getDefiningOp();
  if (!isa_and_nonnull<SplitOp, MergeOp, WindowOp>(maker))
    return whole();
  std::optional<Layout> input = findLayout(maker->getOperand(0));
  if (!input)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Layout>>(maker).Case<SplitOp, MergeOp, WindowOp>(
      [&](auto view) { return through(view, *input); });
}

Layout plc::ein::layoutOf(Value value) { return *findLayout(value); }
