//===- RecomputedIterations.cpp - iterations that run twice -------------------------===//
#include "plc/Planning/Remat/RecomputedIterations.h"

#include "plc/Dialect/Ein/Loops.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

int64_t plc::plan::nsOfRecomputedIterations(KernelOp kernel) {
  if (kernel.getKind() != KernelKind::loop)
    return 0;
  ein::LoopOp segments = kernel.getLoop();
  if (!ein::runsSegments(segments) || !segments.getReverse())
    return 0;
  // A backward loop of segments calls forward loops, one per segment: those are the recomputation.
  int64_t ns = 0;
  for (CallOp inner : segments.getIteration().getOps<CallOp>()) {
    auto called = cast<KernelOp>(SymbolTable::lookupSymbolIn(kernel, inner.getKernelAttr()));
    if (called.getKind() == KernelKind::loop && !called.getLoop().getReverse())
      ns += called.getNs() * segments.getIterations();
  }
  return ns;
}
