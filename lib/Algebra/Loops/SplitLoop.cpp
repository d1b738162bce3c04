//===- SplitLoop.cpp - equations that leave a loop ------------------------===//
#include "Base/Bodies.h"
#include "LoopRewrites.h"
#include "plc/Algebra/Passes.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/Loops.h"
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINSPLITLOOPS
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// A map with a new first dimension. With a new first result, if it reads a value of all iterations.
AffineMap overIterations(AffineMap map, bool isStacked) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> exprs;
  if (isStacked)
    exprs.push_back(getAffineDimExpr(0, context));
  for (AffineExpr expr : map.shiftDims(1).getResults())
    exprs.push_back(expr);
  return AffineMap::get(map.getNumDims() + 1, map.getNumSymbols(), exprs, context);
}

// Whether an equation of the body can compute over all iterations at once, where the operands in `isStacked` have an
// axis of iterations.
bool canRunOverIterations(Operation *op, llvm::function_ref<bool(Value)> isStacked) {
  if (isa<ein::LoopOp, ein::PutOp>(op) || op->getNumResults() != 1)
    return false;
  if (isa<ein::ScatterAddOp>(op)) // its updates have all dimensions
    return isStacked(op->getOperand(0));
  return isa<ein::Equation, ein::CastOp, ein::StopOp, ein::InsertSliceOp>(op) || ein::isView(op);
}

// The equation over all iterations. Some of its operands have an axis of iterations in front.
Value runOverIterations(OpBuilder &builder, Operation *op, int64_t iterations, ArrayRef<Value> operands,
                        ArrayRef<bool> isStacked) {
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(ein::stackedType(op->getResult(0).getType(), iterations));
  if (auto equation = dyn_cast<ein::Equation>(made)) {
    SmallVector<int64_t> extents(equation.getExtents());
    extents.insert(extents.begin(), iterations);
    SmallVector<AffineMap> maps;
    for (unsigned i = 0; i < equation.getInputs().size(); ++i)
      maps.push_back(overIterations(equation.getInputMap(i), isStacked[i]));
    maps.push_back(overIterations(equation.getResultMap(), true));
    equation.setExtents(extents);
    equation.setMaps(maps);
  } else if (auto window = dyn_cast<ein::WindowOp>(made)) {
    window.setMap(overIterations(window.getMap(), true));
  } else if (auto place = dyn_cast<ein::InsertSliceOp>(made)) {
    place.setMap(overIterations(place.getMap(), true));
  } else if (auto split = dyn_cast<ein::SplitOp>(made)) {
    split.setAxis(split.getAxis() + 1);
  } else if (auto merge = dyn_cast<ein::MergeOp>(made)) {
    merge.setAxis(merge.getAxis() + 1);
  }
  return made->getResult(0);
}

// Takes equations out of one loop: first those that can stand before it, then those that can stand behind it.
class Splitter {
public:
  explicit Splitter(ein::LoopOp loop) : loop(loop), iterations(loop.getIterations()) {}

  void run() {
    hoist();
    sink();
  }

private:
  using Operations = llvm::SetVector<Operation *>;

  // The value outside of the loop that a value of the body is, or whose slice it is.
  struct Outer {
    Value value;
    bool isStacked = false;
  };

  // A value of the body outside of the loop: an invariant, a sliced operand, a value that has left, or a clone of a
  // free value. Nullopt for the rest.
  std::optional<Outer> outerOf(OpBuilder &builder, Value value) {
    if (auto it = left.find(value); it != left.end())
      return it->second;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned number = argument.getArgNumber(), carries = loop.getNumCarries();
      if (number < carries)
        return std::nullopt;
      return Outer{loop.getOperand(number), number < carries + loop.getSlices().size()};
    }
    if (!ein::isFree(value))
      return std::nullopt;
    IRMapping mapping;
    return Outer{cloneFree(builder, value, mapping)};
  }

  // Clones a value that constants and indices make.
  static Value cloneFree(OpBuilder &builder, Value value, IRMapping &mapping) {
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      cloneFree(builder, operand, mapping);
    if (!mapping.contains(value))
      builder.clone(*op, mapping);
    return mapping.lookup(value);
  }

  // Makes an equation outside. Its operands are there, except for those that the loop has to return (`sink`).
  void leave(OpBuilder &builder, Operation *op, bool fromLoop) {
    // All values that the loop has to return come first: each further result makes it anew.
    SmallVector<std::optional<Outer>> outers;
    for (Value operand : op->getOperands()) {
      outers.push_back(outerOf(builder, operand));
      assert((outers.back() || fromLoop) && "an equation that reads a carry cannot go before the loop");
      if (!outers.back())
        (void)stackOf(loop, operand);
    }
    SmallVector<Value> operands;
    SmallVector<bool> stacked;
    for (auto [operand, outer] : llvm::zip(op->getOperands(), outers)) {
      operands.push_back(outer ? outer->value : stackOf(loop, operand));
      stacked.push_back(!outer || outer->isStacked);
    }
    // An equation whose operands are equal in all iterations is computed once.
    if (llvm::is_contained(stacked, true)) {
      left[op->getResult(0)] = {runOverIterations(builder, op, iterations, operands, stacked), true};
      return;
    }
    Operation *made = builder.clone(*op);
    made->setOperands(operands);
    left[op->getResult(0)] = {made->getResult(0), false};
  }

  // Equations that read no carry and may go before the loop: those that are equal in every iteration, and those that
  // are worth a value of all iterations. Equations that these need go with them.
  Operations early() {
    llvm::DenseSet<Value> carried, varying;
    carried.insert(loop.getCarries().begin(), loop.getCarries().end());
    varying.insert(loop.getParts().begin(), loop.getParts().end());
    Operations mayLeave;
    for (Operation &op : loop.getIteration().without_terminator()) {
      auto reads = [&](const llvm::DenseSet<Value> &values) {
        return llvm::any_of(op.getOperands(), [&](Value value) { return values.contains(value); });
      };
      bool varies = reads(varying);
      if (varies)
        varying.insert(op.getResults().begin(), op.getResults().end());
      // In a loop of segments varying equations stay: memory for all segments at once is what segments avoid.
      if (reads(carried) || op.getNumResults() != 1 || (varies && ein::runsSegments(loop)) ||
          (varies && !canRunOverIterations(&op, [&](Value value) { return varying.contains(value); }))) {
        carried.insert(op.getResults().begin(), op.getResults().end());
        continue;
      }
      if (!ein::isFree(op.getResult(0)))
        mayLeave.insert(&op);
    }
    Operations leaves;
    for (Operation *op : llvm::reverse(mayLeave))
      // A cheap varying equation would be written and read for all iterations, which costs more than it saves.
      if (!varying.contains(op->getResult(0)) || !isCheap(op) ||
          llvm::any_of(op->getUsers(), [&](Operation *user) { return leaves.contains(user); }))
        leaves.insert(op);
    return leaves;
  }

  // Moves equations before the loop. Values that the body still reads become slices or invariants.
  void hoist() {
    Operations leaves = early();
    OpBuilder builder(loop);
    for (Operation *op : llvm::reverse(leaves)) // as they stand in the body
      leave(builder, op, /*fromLoop=*/false);
    for (Operation *op : llvm::reverse(leaves)) {
      Value value = op->getResult(0);
      Outer outer = left.lookup(value);
      if (llvm::any_of(op->getUsers(), [&](Operation *user) { return !leaves.contains(user); }))
        value.replaceUsesWithIf(outer.isStacked ? partOf(loop, outer.value) : sharedOf(loop, outer.value),
                                [&](OpOperand &use) { return !leaves.contains(use.getOwner()); });
    }
    for (Operation *op : leaves) // users first
      op->erase();
    left.clear();
    // An element that iterations only pass on is the sliced value itself.
    for (auto [element, stacked] : llvm::zip(loop.getElements(), loop.getStacked()))
      for (auto [slice, part] : llvm::zip(loop.getSlices(), loop.getParts()))
        if (element == part)
          stacked.replaceAllUsesWith(slice);
  }

  // In a loop of segments only scatters, and equations that read them, leave. A scatter adds at few positions of a
  // large tensor, which no segment should have to make.
  bool mayStandBehind(Operation *op) const {
    if (!ein::runsSegments(loop) || isa<ein::ScatterAddOp>(op))
      return true;
    return llvm::any_of(op->getOperands(),
                        [&](Value value) { return value.getDefiningOp() && mayStandBehind(value.getDefiningOp()); });
  }

  // Equations that no carry reads and whose readers may all leave, too. Of these, the ones that are worth it, and their
  // readers.
  Operations late() {
    llvm::DenseSet<Operation *> ofCarries;
    SmallVector<Value> stack(loop.getNextCarries());
    while (!stack.empty())
      if (Operation *op = stack.pop_back_val().getDefiningOp(); op && ofCarries.insert(op).second)
        llvm::append_range(stack, op->getOperands());
    llvm::DenseSet<Operation *> mayLeave;
    for (Operation &op : llvm::reverse(loop.getIteration().without_terminator()))
      if (!ofCarries.contains(&op) && !op.use_empty() && mayStandBehind(&op) &&
          canRunOverIterations(&op, [](Value) { return true; }) && !ein::isFree(op.getResult(0)) &&
          llvm::all_of(op.getUsers(),
                       [&](Operation *user) { return user == loop.getEnd() || mayLeave.contains(user); }))
        mayLeave.insert(&op);
    Operations leaves;
    for (Operation &op : loop.getIteration().without_terminator())
      if (mayLeave.contains(&op) && (!isCheap(&op) || llvm::any_of(op.getOperands(), [&](Value value) {
            return leaves.contains(value.getDefiningOp());
          })))
        leaves.insert(&op);
    return leaves;
  }

  // Moves equations behind the loop, which returns their operands for all iterations.
  void sink() {
    Operations leaves = late();
    if (leaves.empty())
      return;
    OpBuilder builder(loop->getContext());
    builder.setInsertionPointAfter(loop);
    for (Operation *op : leaves)
      leave(builder, op, /*fromLoop=*/true);
    for (auto [element, stacked] : llvm::zip(loop.getElements(), loop.getStacked()))
      if (auto it = left.find(element); it != left.end() && it->second.isStacked)
        stacked.replaceAllUsesWith(it->second.value);
  }

  ein::LoopOp loop;
  const int64_t iterations;
  DenseMap<Value, Outer> left; // values of the body whose equations are outside now
};

struct EinSplitLoops : algebra::impl::EinSplitLoopsBase<EinSplitLoops> {
  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::algebra);
    if (failed(requireEquations(getOperation())))
      return signalPassFailure();
    for (ein::FuncOp body : getOperation().getOps<ein::FuncOp>()) {
      splitLoops(body.getBody().front());
      pruneLoops(body.getBody().front());
    }
  }
};

} // namespace

void algebra::splitLoop(ein::LoopOp loop) { Splitter(loop).run(); }

void algebra::splitLoops(Block &block) {
  SmallVector<ein::LoopOp> loops(block.getOps<ein::LoopOp>());
  for (ein::LoopOp loop : loops) {
    splitLoops(loop.getIteration());
    splitLoop(loop);
  }
}

// Goes through sums of two values and through transpositions, down to the equations that can add up. Other values get a
// reduction of their own.
Value algebra::sumOverIterations(OpBuilder &builder, Location loc, Value stacked) {
  Operation *maker = stacked.getDefiningOp();
  auto equation = dyn_cast_or_null<ein::Equation>(maker);
  auto map = dyn_cast_or_null<ein::MapOp>(maker);
  if (equation && equation.canAccumulate() && !equation.getAccumulator()) {
    auto made = cast<ein::Equation>(builder.clone(*maker));
    made->getResult(0).setType(ein::partType(stacked.getType()));
    made.setMap(made.getMaps().size() - 1, made.getResultMap().dropResult(0));
    return made->getResult(0);
  }
  Dims axes = axesOf(stacked.getType());
  if (map && map.getFunction() == ein::Function::add &&
      llvm::all_of(inputsOf(equation), [&](const Access &input) { return input.dims == resultOf(equation).dims; })) {
    Value first = sumOverIterations(builder, loc, map.getInputs()[0]),
          second = sumOverIterations(builder, loc, map.getInputs()[1]);
    return sumTree(builder, loc, {first, second});
  }
  if (map && map.getFunction() == ein::Function::id) {
    // A transposition of each iteration's value.
    Access input = inputOf(equation, 0), result = resultOf(equation);
    if (input.dims.size() == result.dims.size() && input.dims[0] == result.dims[0] &&
        distinct(input.dims).size() == input.dims.size()) {
      Value sum = sumOverIterations(builder, loc, input.value);
      EquationBuilder build(builder, loc, domainOf(equation));
      return build.copy({sum, Dims(llvm::drop_begin(input.dims))}, Dims(llvm::drop_begin(result.dims)));
    }
  }
  EquationBuilder build(builder, loc, dimensionsOf(stacked));
  return build.reduce(ein::Reduction::sum, {stacked, axes}, Dims(llvm::drop_begin(axes)));
}
