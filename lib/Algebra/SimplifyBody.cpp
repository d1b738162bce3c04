//===- SimplifyBody.cpp - canonical equations, each once, none dead --------===//
#include "Bodies.h"
#include "Equations.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

void algebra::eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto call = dyn_cast<ein::CallOp>(op);
    if ((call && call.use_empty() && call.getAccumulates().empty()) || isOpTriviallyDead(&op))
      op.erase();
  }
}

namespace {

// Whether an equation may read `dims` at input `index` instead of what it reads there now.
bool mayRead(ein::Equation op, unsigned index, ArrayRef<int64_t> dims) {
  if (isa<ein::MapOp>(op))
    return true;
  if (isa<ein::GatherOp>(op)) // a table's extents are checked at run time: it stays
    return index > 0;
  if (isa<ein::ScatterAddOp>(op))
    return index > 0 || dims.size() == op.getExtents().size();
  Dims read(dims); // contract, reduce: every dimension occurs in an input
  for (unsigned other = 0; other < op.getInputs().size(); ++other)
    if (other != index)
      llvm::append_range(read, inputOf(op, other).dims);
  return distinct(read).size() == op.getExtents().size();
}

// Reads through copies: transposes and broadcasts are done by the reader's own maps.
void readThroughCopies(ein::Equation op) {
  for (unsigned index = 0; index < op.getInputs().size(); ++index) {
    auto copy = op.getInputs()[index].getDefiningOp<ein::MapOp>();
    if (!copy || copy.getFunction() != Function::id)
      continue;
    Access source = inputOf(copy, 0), result = resultOf(copy), read = inputOf(op, index);
    if (distinct(source.dims).size() != source.dims.size())
      continue; // a diagonal is taken first, by the copy
    Dims dims;
    for (int64_t dim : source.dims)
      dims.push_back(read.dims[std::distance(result.dims.begin(), llvm::find(result.dims, dim))]);
    if (!mayRead(op, index, dims))
      continue;
    SmallVector<AffineExpr> exprs;
    for (int64_t dim : dims)
      exprs.push_back(getAffineDimExpr(dim, op.getContext()));
    op->setOperand(index, source.value);
    op.setMap(index, AffineMap::get(op.getNumDims(), 0, exprs, op.getContext()));
  }
}

// Products and quotients with 1 are copies: exact, also for infinities and NaN.
void dropOnes(ein::MapOp op) {
  Function function = op.getFunction();
  if (function != Function::mul && function != Function::div)
    return;
  for (unsigned one : {1u, 0u}) {
    if (constantOf(op.getInputs()[one]) != 1.0 || (one == 0 && function == Function::div))
      continue;
    SmallVector<Attribute> maps(op.getMaps().getValue());
    maps.erase(maps.begin() + one);
    op->eraseOperand(one);
    op.setMapsAttr(ArrayAttr::get(op.getContext(), maps));
    op.setFunction(Function::id);
    return;
  }
}

// A copy that changes nothing. A returned one of an argument stays: no result is an argument.
bool isRedundant(ein::MapOp op) {
  if (op.getFunction() != Function::id || inputOf(op, 0).dims != resultOf(op).dims)
    return false;
  bool returned = llvm::any_of(op->getUsers(), [](Operation *user) { return isa<ein::ReturnOp>(user); });
  return !returned || !isa<BlockArgument>(op.getInputs()[0]);
}

// A view that undoes another one.
void foldViews(Operation *view) {
  SmallVector<OpFoldResult> folded;
  bool returned = llvm::any_of(view->getUsers(), [](Operation *user) { return isa<ein::ReturnOp>(user); });
  if (failed(view->fold(folded)) || folded.empty())
    return;
  auto value = cast<Value>(folded.front());
  if (returned && isa<BlockArgument>(value)) // no result is an argument
    return;
  view->replaceAllUsesWith(ValueRange(value));
  view->erase();
}

// The factors multiplied from the left, as maps.
Value multiplyAll(EquationBuilder &build, ArrayRef<Access> factors, ArrayRef<int64_t> dims, Value into) {
  Access product = factors.front();
  for (const Access &factor : factors.drop_front().drop_back()) {
    Dims needed(product.dims), kept;
    llvm::append_range(needed, factor.dims);
    for (int64_t dim : dims)
      if (contains(needed, dim))
        kept.push_back(dim);
    product = {build.product({product, factor}, kept), kept};
  }
  return build.product({product, factors.back()}, dims, into);
}

void rewriteContract(ein::ContractOp op) {
  SmallVector<Access> inputs = inputsOf(op);
  Access result = resultOf(op);
  bool sums = result.dims.size() < op.getExtents().size();
  if (inputs.size() > 2 && sums)
    return;
  if (inputs.size() == 2 && isMatrixLike(inputs[0].dims, inputs[1].dims, result.dims))
    return;
  OpBuilder builder(op);
  EquationBuilder build(builder, op.getLoc(), op.getExtents());
  Value value = inputs.size() > 2 ? multiplyAll(build, inputs, result.dims, op.getAccumulator())
                                  : build.product(inputs, result.dims, op.getAccumulator());
  op.replaceAllUsesWith(value);
  op.erase();
}

// Sums of a diagonal: the diagonal first.
void takeDiagonal(ein::ReduceOp op) {
  Access input = inputOf(op, 0);
  Dims dims = distinct(input.dims);
  if (dims.size() == input.dims.size())
    return;
  OpBuilder builder(op);
  EquationBuilder build(builder, op.getLoc(), op.getExtents());
  Value diagonal = build.copy(input, dims);
  Value value = build.reduce(op.getReduction(), {diagonal, dims}, resultOf(op).dims, op.getAccumulator());
  op.replaceAllUsesWith(value);
  op.erase();
}

} // namespace

void algebra::simplifyBody(ein::FuncOp body) {
  Block &block = body.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto equation = dyn_cast<ein::Equation>(op))
      readThroughCopies(equation);
    if (auto map = dyn_cast<ein::MapOp>(op)) {
      dropOnes(map);
      readThroughCopies(map);
      if (isRedundant(map)) {
        map.replaceAllUsesWith(map.getInputs()[0]);
        map.erase();
      }
    } else if (auto contract = dyn_cast<ein::ContractOp>(op)) {
      rewriteContract(contract);
    } else if (auto reduce = dyn_cast<ein::ReduceOp>(op)) {
      takeDiagonal(reduce);
    } else if (ein::isView(&op)) {
      foldViews(&op);
    }
  }
  for (auto equation : block.getOps<ein::Equation>())
    normalizeDomain(equation);
  IRRewriter rewriter(body.getContext());
  DominanceInfo dominance(body);
  eliminateCommonSubExpressions(rewriter, dominance, body);
  eraseDead(block);
}
