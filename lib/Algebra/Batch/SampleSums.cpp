//===- SampleSums.cpp - results are summed over samples last --------------===//
//
// `loss = sum(ce) / N` as written sums a micro-batch and then divides. Its rounding depends on which samples are summed
// together. Equations after a sum over the batch are linear, so they can compute for each sample: `loss[b] = sum(ce[b])
// / N`. The result is the sum over b. An equation in between gets the batch as a further dimension, in front of the
// axes of tensors that were sums.
//
// Values that meet in an equation or a call are changed together, or not at all.
//
//===----------------------------------------------------------------------===//
#include "Base/Equations.h"
#include "BatchAxes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// Partitions the partial sums into groups of values that must change together. A group that holds a value that cannot
// change stays as it is.
class SampleSums {
public:
  SampleSums(ein::ModelOp model, const BatchAxes &axes)
      : model(model), batch(model.getBatch()), axes(axes), module(model->getParentOfType<ModuleOp>()),
        sums(findPartialSums(model, axes)) {}

  // Steps: find the groups and those that stay; extend the equations of the others; change types; mark the results.
  void run() {
    for (Value value : sums.everywhere)
      groups.insert(value.getAsOpaquePointer());
    module.walk([&](Operation *op) { visit(op); });
    module.walk([&](Operation *op) {
      if (auto equation = dyn_cast<ein::Equation>(op))
        extend(equation);
    });
    for (Value value : sums.everywhere)
      if (isChanged(value))
        value.setType(ofSamples(value));
    SmallVector<int64_t> numbers(model.getResultBatch());
    for (auto [number, value] : llvm::zip(numbers, model.getBody().front().back().getOperands()))
      if (isChanged(value))
        number = summedBatch;
    model.setResultBatch(numbers);
    SmallVector<ein::ReduceOp> copies;
    module.walk([&](ein::ReduceOp reduce) {
      if (isChanged(reduce.getResult()) && reduce.getReducedDims().empty())
        copies.push_back(reduce);
    });
    llvm::for_each(copies, copyInstead);
    module.walk([](FunctionOpInterface function) {
      Block &block = function.getFunctionBody().front();
      function.setFunctionTypeAttr(TypeAttr::get(
          FunctionType::get(function.getContext(), block.getArgumentTypes(), block.back().getOperandTypes())));
    });
  }

private:
  // Whether a value is a sum over the batch in every call.
  bool isPartial(Value value) const { return sums.everywhere.contains(value); }
  // Whether its group changes.
  bool isChanged(Value value) const {
    return isPartial(value) && !kept.contains(groups.getLeaderValue(value.getAsOpaquePointer()));
  }

  // The type with an axis of samples in front.
  RankedTensorType ofSamples(Value value) const {
    SmallVector<int64_t> shape{batch};
    llvm::append_range(shape, shapeOf(value));
    return RankedTensorType::get(shape, elementOf(value));
  }

  // Puts two values into one group. If one of them is no sum, the other one stays.
  void join(Value a, Value b) {
    if (!isPartial(a) && !isPartial(b))
      return;
    if (!isPartial(a) || !isPartial(b)) // only some calls give or take a sum
      return keep(isPartial(a) ? a : b);
    const void *first = groups.getLeaderValue(a.getAsOpaquePointer());
    const void *second = groups.getLeaderValue(b.getAsOpaquePointer());
    bool isKept = kept.contains(first) || kept.contains(second);
    groups.unionSets(first, second);
    if (isKept)
      keep(a);
  }
  // Leaves the group of a value as it is.
  void keep(Value value) {
    if (isPartial(value))
      kept.insert(groups.getLeaderValue(value.getAsOpaquePointer()));
  }

  // Joins the sums that an operation reads and returns, and keeps them where the operation cannot be extended.
  void visit(Operation *op) {
    SmallVector<Value> partial;
    for (Value value :
         llvm::concat<Value>(SmallVector<Value>(op->getOperands()), SmallVector<Value>(op->getResults()))) {
      if (sums.somewhere.contains(value))
        return keepAll(op);
      if (isPartial(value))
        partial.push_back(value);
    }
    if (auto call = dyn_cast<ein::CallOp>(op))
      return visitCall(call);
    if (partial.empty() || isa<ein::ReturnOp>(op))
      return;
    for (Value value : ArrayRef(partial).drop_front())
      join(partial.front(), value);
    if (!canExtend(op))
      keep(partial.front());
  }

  void keepAll(Operation *op) {
    llvm::for_each(op->getOperands(), [&](Value value) { keep(value); });
    llvm::for_each(op->getResults(), [&](Value value) { keep(value); });
  }

  void visitCall(ein::CallOp call) {
    auto callee = symbols.lookupNearestSymbolFrom<ein::FuncOp>(call, call.getCalleeAttr());
    for (auto [operand, argument] : llvm::zip(call.getArgs(), callee.getBody().getArguments()))
      join(operand, argument);
    for (auto [result, returned] : llvm::zip(call.getResults(), callee.getBody().front().back().getOperands()))
      join(result, returned);
  }

  // Whether an equation can compute for each sample what it computes from sums.
  bool canExtend(Operation *op) const {
    // What is not linear in a sum, or divides by one, needs the sum.
    auto map = dyn_cast<ein::MapOp>(op);
    // Equations that are not linear in a sum, or divide by one, need the sum itself.
    bool divides = map && map.getFunction() == ein::Function::div && isPartial(op->getOperand(1));
    if (isa<ein::LoopOp>(op->getParentOp()) ||
        !llvm::all_of(op->getResults(), [&](Value value) { return isPartial(value); }) || divides)
      return false;
    if (isa<ein::CastOp, ein::StopOp, ein::MapOp>(op))
      return true;
    if (auto reduce = dyn_cast<ein::ReduceOp>(op))
      return reduce.getReduction() == ein::Reduction::sum;
    if (!isa<ein::ContractOp>(op))
      return false;
    // A contraction, such as the gradient of a weight, would make a result for each sample. It may if that is no larger
    // than its largest factor.
    int64_t most = 0;
    for (Value operand : op->getOperands())
      most = std::max(most, cast<RankedTensorType>(operand.getType()).getNumElements());
    return ofSamples(op->getResult(0)).getNumElements() <= most;
  }

  // The batch dimension of an equation that sums it.
  std::optional<int64_t> summedDim(ein::Equation equation) const {
    for (int64_t dim = 0, rank = equation.getExtents().size(); dim < rank; ++dim)
      if (axes.isBatchDim(equation, dim))
        return dim;
    return std::nullopt;
  }

  // Gives an equation the batch as a dimension of its result: its own summed dimension, or a new last one.
  void extend(ein::Equation equation) {
    if (!isChanged(equation->getResult(0)))
      return;
    SmallVector<int64_t> extents(equation.getExtents());
    std::optional<int64_t> summed = summedDim(equation);
    int64_t samples = summed ? *summed : int64_t(extents.size());
    if (!summed)
      extents.push_back(batch);
    auto withSamples = [&](AffineMap map, bool reads) {
      SmallVector<AffineExpr> results(map.getResults());
      if (reads)
        results.insert(results.begin(), getAffineDimExpr(samples, map.getContext()));
      return AffineMap::get(extents.size(), map.getNumSymbols(), results, map.getContext());
    };
    SmallVector<AffineMap> maps;
    for (auto [index, input] : llvm::enumerate(equation.getInputs()))
      maps.push_back(withSamples(equation.getInputMap(index), isChanged(input)));
    maps.push_back(withSamples(equation.getResultMap(), true));
    equation.setExtents(extents);
    equation.setMaps(maps);
  }

  // A sum over the batch alone has nothing left to sum.
  static void copyInstead(ein::ReduceOp reduce) {
    OpBuilder builder(reduce);
    auto copy = ein::MapOp::create(builder, reduce.getLoc(), reduce.getType(), ein::Function::id,
                                   ValueRange{reduce.getInput()}, reduce.getExtents(), reduce.getMaps());
    reduce.replaceAllUsesWith(copy.getResult());
    reduce.erase();
  }

  ein::ModelOp model;
  int64_t batch; // samples
  const BatchAxes &axes;
  ModuleOp module;
  SymbolTableCollection symbols;
  PartialSums sums;
  llvm::EquivalenceClasses<const void *> groups; // of values that are changed together
  llvm::DenseSet<const void *> kept;             // leaders of those that stay
};

} // namespace

void algebra::sumSamplesLast(ein::ModelOp model, const BatchAxes &axes) { SampleSums(model, axes).run(); }
