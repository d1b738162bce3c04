//===- SimplifyPatterns.cpp - the identities of --ein-simplify ------------===//
#include "Base/Bodies.h"
#include "Base/Equations.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

namespace {

/// A body's result must not be one of its arguments: calls would then share one value's memory with another.
bool wouldReturnArgument(Operation *replaced, Value by) {
  return isa<BlockArgument>(by) &&
         llvm::any_of(replaced->getUsers(), [](Operation *user) { return isa<ein::ReturnOp>(user); });
}

/// Whether an equation may read `dims` at input `index` instead of what it reads there now.
bool mayRead(ein::Equation op, unsigned index, ArrayRef<int64_t> dims) {
  if (isa<ein::MapOp>(op))
    return true;
  if (isa<ein::GatherOp>(op)) // a table's extents are checked at run time: it stays
    return index > 0;
  if (auto scatter = dyn_cast<ein::ScatterAddOp>(op.getOperation()))
    return scatter.getFactor() ? index > 0 && index <= scatter.getIndices().size()
                               : index > 0 || dims.size() == op.getExtents().size();
  Dims read(dims); // contract, reduce: every dimension occurs in an input
  for (unsigned other = 0; other < op.getInputs().size(); ++other)
    if (other != index)
      llvm::append_range(read, inputOf(op, other).dims);
  return distinct(read).size() == op.getExtents().size();
}

/// op(.., id(t)[i], ..)  -->  op(.., t[i'], ..), where i' is i taken through the copy's map.
/// Transposes and broadcasts are then done by the reader's own maps.
struct ReadThroughCopy : OpInterfaceRewritePattern<ein::Equation> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ein::Equation op, PatternRewriter &rewriter) const override {
    bool changed = false;
    for (unsigned index = 0; index < op.getInputs().size(); ++index)
      changed |= succeeded(readThrough(op, index, rewriter));
    return success(changed);
  }

private:
  static LogicalResult readThrough(ein::Equation op, unsigned index, PatternRewriter &rewriter) {
    auto copy = op.getInputs()[index].getDefiningOp<ein::MapOp>();
    if (!copy || copy.getFunction() != Function::id)
      return rewriter.notifyMatchFailure(op, "reads no copy");
    Access source = inputOf(copy, 0), result = resultOf(copy), read = inputOf(op, index);
    // `TakeDiagonalFirst` makes such copies: reading through them would undo it.
    if (distinct(source.dims).size() != source.dims.size())
      return rewriter.notifyMatchFailure(op, "reads a diagonal, which the copy takes first");
    Dims dims;
    // Each axis of the source, named by the reader's dimension for the copy's axis.
    for (int64_t dim : source.dims)
      dims.push_back(read.dims[std::distance(result.dims.begin(), llvm::find(result.dims, dim))]);
    if (!mayRead(op, index, dims))
      return rewriter.notifyMatchFailure(op, "a dimension would occur in no input, or a table would be another one");
    SmallVector<Attribute> maps(op.getMaps().getValue());
    SmallVector<AffineExpr> exprs;
    for (int64_t dim : dims)
      exprs.push_back(rewriter.getAffineDimExpr(dim));
    maps[index] = AffineMapAttr::get(AffineMap::get(op.getExtents().size(), 0, exprs, op.getContext()));
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(index, source.value);
      op.setMapsAttr(rewriter.getArrayAttr(maps));
    });
    return success();
  }
};

/// x * 1, 1 * x, x / 1  -->  id(x). Exact for every x, infinities and NaN too; not so x + 0 (of -0), x * 0, x - x.
struct DropNeutralOperand : OpRewritePattern<ein::MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ein::MapOp op, PatternRewriter &rewriter) const override {
    constexpr struct {
      Function function;
      unsigned operand;
      double value;
    } neutral[] = {{Function::mul, 1, 1.0}, {Function::mul, 0, 1.0}, {Function::div, 1, 1.0}};
    for (const auto &row : neutral)
      if (op.getFunction() == row.function && constantOf(op.getInputs()[row.operand]) == row.value) {
        SmallVector<Attribute> maps(op.getMaps().getValue());
        maps.erase(maps.begin() + row.operand);
        rewriter.modifyOpInPlace(op, [&] {
          op->eraseOperand(row.operand);
          op.setMapsAttr(rewriter.getArrayAttr(maps));
          op.setFunction(Function::id);
        });
        return success();
      }
    return rewriter.notifyMatchFailure(op, "no operand is neutral");
  }
};

/// if c then x else x  -->  id(x). Such a choice is left of one that stops the gradient of some elements.
struct DropCondition : OpRewritePattern<ein::MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ein::MapOp op, PatternRewriter &rewriter) const override {
    if (op.getFunction() != Function::select || op.getInputs()[1] != op.getInputs()[2] ||
        inputOf(op, 1).dims != inputOf(op, 2).dims)
      return rewriter.notifyMatchFailure(op, "chooses between two values");
    ArrayRef<Attribute> maps = op.getMaps().getValue();
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperands(op.getInputs()[1]);
      op.setMapsAttr(rewriter.getArrayAttr({maps[1], maps.back()}));
      op.setFunction(Function::id);
    });
    return success();
  }
};

/// id(x[i])[i]  -->  x
struct EraseCopy : OpRewritePattern<ein::MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ein::MapOp op, PatternRewriter &rewriter) const override {
    if (op.getFunction() != Function::id || inputOf(op, 0).dims != resultOf(op).dims)
      return rewriter.notifyMatchFailure(op, "is no copy under the same indices");
    if (wouldReturnArgument(op, op.getInputs()[0]))
      return rewriter.notifyMatchFailure(op, "is a result of the body that must not be its argument");
    rewriter.replaceOp(op, op.getInputs()[0]);
    return success();
  }
};

/// f(x)[i] of an x without i  -->  id(f(x))[i], so that what reads it reads f(x).
struct RepeatLast : OpRewritePattern<ein::MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ein::MapOp op, PatternRewriter &rewriter) const override {
    SmallVector<Access> inputs = inputsOf(op);
    Dims all = resultOf(op).dims, read;
    for (int64_t dim : all)
      if (llvm::any_of(inputs, [&](const Access &input) { return contains(input.dims, dim); }))
        read.push_back(dim);
    // A copy repeats by itself: without this test the pattern would apply for ever.
    if (op.getFunction() == Function::id || read.size() == all.size())
      return rewriter.notifyMatchFailure(op, "repeats nothing");
    EquationBuilder build(rewriter, op.getLoc(), domainOf(op));
    Access once{build.map(op.getFunction(), inputs, read), read};
    rewriter.replaceOp(op, build.map(Function::id, once, all));
    return success();
  }
};

/// split(merge(x)), merge(split(x))  -->  x, as the folds of the dialect say.
template <typename View>
struct EraseUndoneView : OpRewritePattern<View> {
  using OpRewritePattern<View>::OpRewritePattern;

  LogicalResult matchAndRewrite(View op, PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> folded;
    if (failed(op->fold(folded)) || folded.empty())
      return rewriter.notifyMatchFailure(op, "undoes no other view");
    auto value = cast<Value>(folded.front());
    if (wouldReturnArgument(op, value))
      return rewriter.notifyMatchFailure(op, "is a result of the body that must not be its argument");
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// cast(widen(x))  -->  cast(x), or x: of a narrow x, which is widened exactly.
struct CastNarrow : OpRewritePattern<ein::CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ein::CastOp op, PatternRewriter &rewriter) const override {
    auto widen = op.getInput().getDefiningOp<ein::CastOp>();
    if (!widen || !ein::isNarrow(widen.getInput().getType()))
      return rewriter.notifyMatchFailure(op, "reads nothing that was widened");
    Value narrow = widen.getInput();
    Type wide = elementOf(widen);
    // Exact: into a wide real, or from integers into an integer of at least 32 bits.
    bool isExact = !ein::isNarrow(wide) && (!isa<IntegerType>(wide) || wide.getIntOrFloatBitWidth() >= 32) &&
                   (isa<IntegerType>(elementOf(narrow)) || !isa<IntegerType>(wide));
    if (!isExact)
      return rewriter.notifyMatchFailure(op, "reads what may be rounded");
    // One cast remains, from the narrow type to the last one.
    if (narrow.getType() != op.getType()) {
      rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(narrow); });
      return success();
    }
    if (wouldReturnArgument(op, narrow))
      return rewriter.notifyMatchFailure(op, "is a result of the body that must not be its argument");
    rewriter.replaceOp(op, narrow);
    return success();
  }
};

/// contract(a)  -->  a reduction, or a copy if nothing is summed.
struct ReduceSingleFactor : OpRewritePattern<ein::ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ein::ContractOp op, PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 1)
      return rewriter.notifyMatchFailure(op, "has more than one factor");
    EquationBuilder build(rewriter, op.getLoc(), domainOf(op));
    rewriter.replaceOp(op, build.product(inputsOf(op), resultOf(op).dims, op.getAccumulator()));
    return success();
  }
};

/// contract(a, b)  -->  map mul and reduce sum, unless it is a matrix product, or one of matrices that positions
/// choose.
struct MultiplyAndReduce : OpRewritePattern<ein::ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ein::ContractOp op, PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 2)
      return rewriter.notifyMatchFailure(op, "has not two factors");
    SmallVector<Access> inputs = inputsOf(op);
    Access result = resultOf(op);
    if (isOneContraction(inputs[0], inputs[1], result.dims))
      return rewriter.notifyMatchFailure(op, "is a matrix product");
    EquationBuilder build(rewriter, op.getLoc(), domainOf(op));
    rewriter.replaceOp(op, build.product(inputs, result.dims, op.getAccumulator()));
    return success();
  }
};

/// contract(a, b, c, ..)  -->  ((a * b) * c) * .., if nothing is summed.
struct MultiplyFromLeft : OpRewritePattern<ein::ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ein::ContractOp op, PatternRewriter &rewriter) const override {
    SmallVector<Access> factors = inputsOf(op);
    Dims dims = resultOf(op).dims;
    if (factors.size() < 3)
      return rewriter.notifyMatchFailure(op, "has fewer than three factors");
    if (dims.size() < op.getExtents().size())
      return rewriter.notifyMatchFailure(op, "sums: '--ein-order-contractions' chooses its order");
    EquationBuilder build(rewriter, op.getLoc(), domainOf(op));
    Access product = factors.front();
    for (const Access &factor : ArrayRef(factors).drop_front().drop_back()) {
      // In the order of the result's axes, so that the last product copies nothing.
      Dims needed(product.dims), kept;
      llvm::append_range(needed, factor.dims);
      for (int64_t dim : dims)
        if (contains(needed, dim))
          kept.push_back(dim);
      product = {build.product({product, factor}, kept), kept};
    }
    // The last product has the result's own axes, and takes the accumulator.
    rewriter.replaceOp(op, build.product({product, factors.back()}, dims, op.getAccumulator()));
    return success();
  }
};

/// reduce(a[i, i])  -->  reduce(d[i]) with d[i] = id(a[i, i])
struct TakeDiagonalFirst : OpRewritePattern<ein::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ein::ReduceOp op, PatternRewriter &rewriter) const override {
    Access input = inputOf(op, 0);
    Dims dims = distinct(input.dims);
    if (dims.size() == input.dims.size())
      return rewriter.notifyMatchFailure(op, "reduces no diagonal");
    EquationBuilder build(rewriter, op.getLoc(), domainOf(op));
    Value diagonal = build.copy(input, dims);
    rewriter.replaceOp(op, build.reduce(op.getReduction(), {diagonal, dims}, resultOf(op).dims, op.getAccumulator()));
    return success();
  }
};

/// The dimensions of a domain numbered as `normalizeDomain` does, so that equal equations are equal operations.
struct NumberDimensions : OpInterfaceRewritePattern<ein::Equation> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ein::Equation op, PatternRewriter &rewriter) const override {
    if (isNormalized(op))
      return rewriter.notifyMatchFailure(op, "numbers its dimensions in canonical order");
    rewriter.modifyOpInPlace(op, [&] { normalizeDomain(op); });
    return success();
  }
};

} // namespace

void algebra::populateEinSimplifyPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  // First on each equation: its operands decide which other patterns match.
  patterns.add<ReadThroughCopy>(context, /*benefit=*/3);
  patterns
      .add<DropNeutralOperand, DropCondition, EraseCopy, EraseUndoneView<ein::SplitOp>, EraseUndoneView<ein::MergeOp>,
           RepeatLast, ReduceSingleFactor, CastNarrow, MultiplyAndReduce, MultiplyFromLeft, TakeDiagonalFirst>(
          context, /*benefit=*/2);
  // Last: numbers of dimensions matter to no other pattern.
  patterns.add<NumberDimensions>(context, /*benefit=*/1);
}
