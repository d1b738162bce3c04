//===- EinSegmentLoops.cpp - long loops as loops of segments --------------===//
#include "Base/Bodies.h"
#include "LoopRewrites.h"
#include "plc/Algebra/Passes.h"
#include "plc/Dialect/Ein/Loops.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/Remarks.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINSEGMENTLOOPS
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

// Tries lengths from the least one up; the first divisor at or above the square root ends it.
std::optional<int64_t> algebra::segmentOf(int64_t iterations) {
  int64_t length = fewestOfSegment;
  // Both factors must be at least `fewestOfSegment`. Near the square root the iterations that are live at once are
  // fewest.
  while (length <= iterations / fewestOfSegment && (iterations % length || length < iterations / length))
    ++length;
  return length <= iterations / fewestOfSegment ? std::optional(length) : std::nullopt;
}

namespace {

/// Replaces a loop by a loop of segments, each of which runs `length` iterations.
void cut(ein::LoopOp loop, int64_t length) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  const int64_t segments = loop.getIterations() / length;
  SmallVector<Value> slices;
  for (Value slice : loop.getSlices())
    // Splits and merges are views: the values of all iterations are the same memory as before.
    slices.push_back(ein::split(builder, loc, slice, 0, {segments, length}));
  SmallVector<Type> given(loop.getInit().getTypes()), results(given);
  for (Value element : loop.getElements()) {
    given.push_back(ein::stackedType(element.getType(), length));
    results.push_back(ein::stackedType(given.back(), segments));
  }
  auto outer = ein::LoopOp::create(builder, loc, results, loop.getInit(), slices, loop.getInvariants(), segments,
                                   loop.getReverse());
  ein::markSegments(outer);
  OpBuilder body(loop.getContext());
  Block *segment = body.createBlock(&outer.getBody());
  // A segment has the loop's own arguments: carries, its slices of the slices, invariants.
  for (Value carry : loop.getInit())
    segment->addArgument(carry.getType(), carry.getLoc());
  for (Value slice : slices)
    segment->addArgument(ein::partType(slice.getType()), slice.getLoc());
  for (Value invariant : loop.getInvariants())
    segment->addArgument(invariant.getType(), invariant.getLoc());
  auto inner = ein::LoopOp::create(body, loc, given, outer.getCarries(), outer.getParts(), outer.getShared(), length,
                                   loop.getReverse());
  inner.getBody().takeBody(loop.getBody());
  ein::ReturnOp::create(body, loc, inner.getResults());
  for (auto [index, result] : llvm::enumerate(loop.getResults())) {
    Value whole = outer.getResult(index);
    // Elements have two axes of iterations, which one merge makes one again; last carries are as before.
    if (int64_t(index) >= outer.getNumCarries())
      whole = ein::merge(builder, loc, whole, 0, 2);
    result.replaceAllUsesWith(whole);
  }
  loop.erase();
}

struct EinSegmentLoops : algebra::impl::EinSegmentLoopsBase<EinSegmentLoops> {
  void runOnOperation() override {
    if (failed(requireEquations(getOperation())))
      return signalPassFailure();
    for (ein::FuncOp body : getOperation().getOps<ein::FuncOp>())
      for (auto loop : llvm::make_early_inc_range(body.getBody().front().getOps<ein::LoopOp>())) {
        std::optional<int64_t> length = segmentOf(loop.getIterations());
        // A loop of segments is not cut again, and inner loops are not cut at all.
        if (!length || ein::runsSegments(loop))
          continue;
        remark::passed(loop.getLoc(),
                       remark::RemarkOpts::name("Cut").category(getArgument()).function(body.getSymName()))
            << remark::add("cut {0} iterations into segments of {1}", loop.getIterations(), *length);
        cut(loop, *length);
      }
  }
};

} // namespace
