//===- LoopNest.cpp - the loops over a kernel's domain --------------------===//
#include "PointwiseEmitter.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

// The strides of all accesses of a kernel over the dimensions of its domain, and the dimensions that need an index of
// their own.
struct Accesses {
  SmallVector<SmallVector<int64_t>> strides;
  SmallVector<bool> alone;

  Accesses(plan::KernelOp kernel, const ein::IterationSpace &alignment) : alone(alignment.extents.size(), false) {
    for (Operation &op : kernel.getBody().front()) {
      auto dims = alignment.dims.find(&op);
      if (dims == alignment.dims.end())
        continue;
      ein::Iteration it = ein::iterationOf(&op);
      for (auto [index, map] : llvm::enumerate(it.inputs)) {
        Value operand = op.getOperand(index);
        bool inside = operand.getDefiningOp() && alignment.dims.contains(operand.getDefiningOp());
        // A value that passes from equation to equation has no memory, so it restricts no loop.
        if (!inside || ein::isFree(operand) || map.getNumSymbols())
          add(operand, map, dims->second);
      }
      add(op.getResult(0), it.result, dims->second);
      // Values computed from indices need each index, so no dimensions may merge.
      if (ein::isFree(op.getResult(0)))
        alone.assign(alone.size(), true);
    }
  }

  // Adds one access. Computed values and positions use single indices, so their dimensions stay alone.
  void add(Value value, AffineMap map, ArrayRef<unsigned> dims) {
    bool pinned = ein::viewed(value).getDefiningOp() && (ein::isFree(value) || map.getNumSymbols());
    SmallVector<int64_t> access(alone.size(), 0);
    for (auto [axis, stride] : llvm::enumerate(ein::layoutOf(value).strides))
      if (int dim = ein::dimOf(map, axis); dim >= 0) {
        access[dims[dim]] += stride;
        if (pinned)
          alone[dims[dim]] = true;
      }
    strides.push_back(access);
  }

  // Whether dimensions dim - 1 and dim can be one loop: in every tensor the outer stride is the inner one times the
  // inner extent.
  bool compose(unsigned dim, int64_t extent) const {
    return !alone[dim - 1] && !alone[dim] &&
           llvm::all_of(strides, [&](ArrayRef<int64_t> access) { return access[dim - 1] == access[dim] * extent; });
  }
};

} // namespace

// Merges neighbours greedily, slowest first. Unless `mix`, no loop spans the border between rows and inner dimensions.
Loops codegen::planLoops(plan::KernelOp kernel, const ein::IterationSpace &alignment, bool mix) {
  Accesses accesses(kernel, alignment);
  Loops loops;
  unsigned dims = alignment.extents.size();
  loops.counts.assign(dims, true);
  for (unsigned dim = 0; dim < dims; ++dim) {
    // Reductions begin and end at the border.
    bool border = dim == alignment.outer && !mix;
    bool joins = dim > 0 && !border && accesses.compose(dim, alignment.extents[dim]);
    if (joins) {
      loops.counts[dim - 1] = false;
      loops.extents.back() *= alignment.extents[dim];
    } else {
      loops.extents.push_back(alignment.extents[dim]);
    }
    loops.loopOf.push_back(loops.extents.size() - 1);
    if (dim < alignment.outer)
      loops.outer = loops.extents.size();
  }
  // Without a border all loops but the last count as rows, which chunks cut.
  if (mix)
    loops.outer = loops.extents.empty() ? 0 : loops.extents.size() - 1;
  return loops;
}
