//===- SimplifyBody.cpp - canonical equations, each once, none dead --------===//
#include "Bodies.h"

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

/// Counts the rewrites of each pattern, for remarks, and knows what they erased.
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

void algebra::simplifyBody(ein::FuncOp body) {
  RewritePatternSet patterns(body.getContext());
  populateEinSimplifyPatterns(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  PatternApplicator applicator(frozen);
  applicator.applyDefaultCostModel();
  // Each equation in program order, until no pattern matches it. The greedy driver erases what is dead as it goes; but
  // of two equal equations the first stays, be it dead until then, and the numerics key holds their order.
  RewriteCounter counter;
  PatternRewriter patternRewriter(body.getContext());
  patternRewriter.setListener(&counter);
  auto rewrite = [&](Operation &op) {
    patternRewriter.setInsertionPoint(&op);
    return applicator.matchAndRewrite(&op, patternRewriter, /*canApply=*/{}, /*onFailure=*/{},
                                      [&](const Pattern &pattern) { return counter.count(pattern); });
  };
  for (Operation &op : llvm::make_early_inc_range(body.getBody().front().without_terminator())) {
    while (succeeded(rewrite(op)) && !counter.erased.contains(&op)) {
    }
  }
  for (auto &[name, count] : counter.counts)
    remark::passed(body.getLoc(), remark::RemarkOpts::name(name).category(DEBUG_TYPE).function(body.getSymName()))
        << remark::add("applied {0} times", count);
  IRRewriter rewriter(body.getContext());
  DominanceInfo dominance(body);
  eliminateCommonSubExpressions(rewriter, dominance, body);
  eraseDead(body.getBody());
}
