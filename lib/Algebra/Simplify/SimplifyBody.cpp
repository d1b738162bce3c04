//===- SimplifyBody.cpp - canonical equations, each once, none dead -------===//
#include "Base/Bodies.h"
#include "Loops/LoopRewrites.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "ein-simplify"

using namespace mlir;
using namespace plc;

void algebra::eraseDead(Region &region) {
  IRRewriter rewriter(region.getContext());
  (void)runRegionDCE(rewriter, region); // fails if there was nothing to erase
}

namespace {

/// Counts the rewrites of each pattern, for remarks, and records which operations they erased.
struct RewriteCounter : RewriterBase::Listener {
  llvm::MapVector<StringRef, int64_t> counts;
  llvm::DenseSet<Operation *> erased;

  LogicalResult count(const Pattern &pattern) {
    ++counts[pattern.getDebugName().rsplit("::").second];
    return success();
  }
  void notifyOperationErased(Operation *op) override { erased.insert(op); }
  void notifyMatchFailure(Location loc, llvm::function_ref<void(Diagnostic &)> reason) override {
    LDBG(2) << [&] {
      Diagnostic diagnostic(loc, DiagnosticSeverity::Remark);
      reason(diagnostic);
      return diagnostic.str();
    }();
  }
};

} // namespace

// Rewrites each equation in program order, until no pattern matches it. Not the greedy driver: it erases dead equations
// as it goes. Of two equal equations the first must stay, even if it is dead until then, because the numerics key holds
// their order.
static void rewriteBlock(Block &block, PatternApplicator &applicator, PatternRewriter &rewriter,
                         RewriteCounter &counter) {
  auto rewrite = [&](Operation &op) {
    rewriter.setInsertionPoint(&op);
    return applicator.matchAndRewrite(&op, rewriter, /*canApply=*/{}, /*onFailure=*/{},
                                      [&](const Pattern &pattern) { return counter.count(pattern); });
  };
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    // Inside first, so that the loop is seen in its final form.
    if (auto loop = dyn_cast<ein::LoopOp>(op))
      rewriteBlock(loop.getIteration(), applicator, rewriter, counter);
    while (succeeded(rewrite(op)) && !counter.erased.contains(&op)) {
    }
  }
}

void algebra::simplifyRegion(Region &region) {
  MLIRContext *context = region.getContext();
  RewritePatternSet patterns(context);
  populateEinSimplifyPatterns(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  PatternApplicator applicator(frozen);
  applicator.applyDefaultCostModel();
  RewriteCounter counter;
  PatternRewriter patternRewriter(context);
  patternRewriter.setListener(&counter);
  rewriteBlock(region.front(), applicator, patternRewriter, counter);
  Operation *owner = region.getParentOp();
  auto body = owner->getParentOfType<ein::FuncOp>();
  StringRef name = body ? body.getSymName() : cast<ein::FuncOp>(owner).getSymName();
  // One remark for each pattern, in the order of first use.
  for (auto &[pattern, count] : counter.counts)
    remark::passed(owner->getLoc(), remark::RemarkOpts::name(pattern).category(DEBUG_TYPE).function(name))
        << remark::add("applied {0} times", count);
  IRRewriter rewriter(context);
  DominanceInfo dominance(owner);
  // Equal equations only now: merging them needs their final form. Loops are pruned last, as merging leaves unused
  // arguments.
  eliminateCommonSubExpressions(rewriter, dominance, owner);
  eraseDead(region);
  pruneLoops(region.front());
  eraseDead(region);
}

void algebra::simplifyBody(ein::FuncOp body) { simplifyRegion(body.getBody()); }
