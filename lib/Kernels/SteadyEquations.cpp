//===- SteadyEquations.cpp - equations that are computed apart ------------===//
#include "SteadyEquations.h"

#include "Grouping.h"
#include "KernelCost.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/MicroBatches.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace plc;
using namespace plc::kernels;

namespace {

// Whether an operation of a body or a model is steady, given its operands: no accumulator, nothing that depends on the
// batch.
bool isSteady(Operation &op, llvm::function_ref<bool(Value)> isSteadyValue) {
  // An operation with regions is as steady as all that it contains.
  auto equation = dyn_cast<ein::Equation>(op);
  bool overBatch = op.walk([](Operation *each) {
                       return ein::dependsOnBatch(each) ? WalkResult::interrupt() : WalkResult::advance();
                     }).wasInterrupted();
  return (!equation || !equation.getAccumulator()) && !overBatch && llvm::all_of(op.getOperands(), isSteadyValue);
}

// The steady values of a body, given its steady arguments.
DenseSet<Value> steadyValues(Block &body, llvm::function_ref<bool(Value)> isSteadyArgument) {
  DenseSet<Value> steady;
  for (Value argument : body.getArguments())
    if (isSteadyArgument(argument))
      steady.insert(argument);
  for (Operation &op : body.without_terminator())
    if (isSteady(op, [&](Value value) { return steady.contains(value); }))
      steady.insert(op.result_begin(), op.result_end());
  return steady;
}

// Whether computing an operation's result costs more than reading it: a rounding, a sum, a product of tensors, a
// look-up, or a function of many instructions. By kind and not by rates, so that kernels are the same on all machines.
bool isPrecomputed(Operation &op) {
  auto cast = dyn_cast<ein::CastOp>(op);
  bool isRounded = cast && ein::isNarrow(cast.getType()); // what reads it reads fewer bytes
  return isRounded || isCostly(&op) ||
         isa<ein::ContractOp, ein::ReduceOp, ein::GatherOp, ein::ScatterAddOp, ein::InsertSliceOp, ein::LoopOp>(op);
}

// A free scalar: code computes it once, before its loops.
bool isNumber(Operation &op) { return ein::isFree(op.getResult(0)) && ein::pointsOf(&op) == 1; }

// Free values, with the number of points at which kernels compute them if they are not in memory: the most of any
// reader.
class RemadePoints {
public:
  explicit RemadePoints(Block &body) {
    for (Operation &op : llvm::reverse(body.without_terminator()))
      if (ein::isFree(op.getResult(0)))
        for (Operation *user : op.getUsers())
          points[&op] = std::max(points[&op], pointsOfReader(user));
  }
  int64_t of(Operation *op) const { return points.lookup(op); }

private:
  // A reader that stores its result computes the value at all its points; a free reader at those of its own readers.
  int64_t pointsOfReader(Operation *user) const {
    if (needsMemory(user))
      return 0; // it is made once for this one
    bool stored = !ein::isFree(user->getResult(0)) || llvm::any_of(user->getUsers(), needsMemory);
    return std::max(stored ? ein::pointsOf(user) : 0, points.lookup(user));
  }

  DenseMap<Operation *, int64_t> points;
};

// Moves the `costly` operations, with all that they are computed from, to a block of their own.
void moveApart(Block &body, ArrayRef<Operation *> costly, ApartEquations &apart) {
  if (costly.empty())
    return;
  SetVector<Operation *> needed;
  BackwardSliceOptions whole;
  whole.inclusive = whole.omitBlockArguments = true;
  for (Operation *op : costly)
    if (failed(getBackwardSlice(op, &needed, whole)))
      llvm_unreachable("a loop reads nothing from around it");
  // Operations are cloned: cheap ones that others read too are computed again there.
  OpBuilder builder(body.getTerminator()->getContext());
  builder.setInsertionPointToStart(&apart.block);
  IRMapping copies;
  for (Operation &op : body.without_terminator())
    if (needed.contains(&op))
      builder.clone(op, copies);
  SmallVector<std::pair<Value, Value>> made; // the copy, and its argument in the body
  for (Operation *op : costly)
    for (Value value : op->getResults()) {
      made.emplace_back(copies.lookup(value), body.addArgument(value.getType(), value.getLoc()));
      value.replaceAllUsesWith(made.back().second);
    }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (needed.contains(&op) && op.use_empty())
      op.erase();
  // Values that only costly equations read stay inside the block.
  SmallVector<Value> returned;
  for (auto [copy, argument] : made) {
    if (argument.use_empty()) {
      body.eraseArgument(cast<BlockArgument>(argument).getArgNumber());
      continue;
    }
    returned.push_back(copy);
    apart.arguments.push_back(argument);
  }
  ein::ReturnOp::create(builder, body.getTerminator()->getLoc(), returned);
}

} // namespace

SteadyArguments::SteadyArguments(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::StringSet<> trained;
  for (auto model : module.getOps<ein::ModelOp>())
    for (auto call : model.getBody().getOps<ein::CallOp>())
      for (auto name : call.getAccumulates().getAsRange<FlatSymbolRefAttr>())
        trained.insert(name.getValue());
  // From the top: all arguments are steady until a call shows otherwise.
  for (auto body : module.getOps<ein::FuncOp>())
    steady.insert(body.getBody().args_begin(), body.getBody().args_end());
  auto contains = [&](Value value) { return steady.contains(value); };
  // Iterates to the fixed point: each round can only remove arguments, so it ends.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto model : module.getOps<ein::ModelOp>()) {
      DenseSet<Value> values; // of the model
      for (Operation &op : model.getBody().front().without_terminator()) {
        auto call = dyn_cast<ein::CallOp>(op);
        if (!call) {
          if (isSteady(op, [&](Value value) { return values.contains(value); }))
            values.insert(op.result_begin(), op.result_end());
          continue;
        }
        Block &body = symbols.lookup<ein::FuncOp>(call.getCallee()).getBody().front();
        auto next = body.args_begin();
        auto give = [&](bool isSteadyOperand) {
          if (!isSteadyOperand)
            changed |= steady.erase(*next);
          ++next;
        };
        for (Value operand : call.getArgs())
          give(values.contains(operand));
        for (auto name : call.getParams().getAsRange<FlatSymbolRefAttr>())
          give(!trained.contains(name.getValue()));
        while (next != body.args_end())
          give(false); // accumulators
        DenseSet<Value> inside = steadyValues(body, contains);
        for (auto [result, returned] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
          if (inside.contains(returned))
            values.insert(result);
      }
    }
  }
}

void plc::kernels::takeSteady(Block &body, const SteadyArguments &steadyArguments, ApartEquations &apart) {
  DenseSet<Value> steady = steadyValues(body, [&](Value argument) { return steadyArguments.contains(argument); });
  SmallVector<Operation *> costly;
  for (Operation &op : body.without_terminator())
    // Numbers stay: code computes them before its loops anyway.
    if (steady.contains(op.getResult(0)) && isPrecomputed(op) && !isNumber(op))
      costly.push_back(&op);
  moveApart(body, costly, apart);
}

void plc::kernels::takeTables(Block &body, const PerRate &rates, ApartEquations &apart) {
  RemadePoints remade(body);
  SmallVector<Operation *> costly;
  for (Operation &op : body.without_terminator()) {
    if (!isCostly(&op) || !ein::isFree(op.getResult(0)) || isNumber(op))
      continue;
    // The value with all free values that it is computed from: readers compute these, too.
    SetVector<Operation *> made;
    BackwardSliceOptions whole;
    whole.inclusive = true;
    if (failed(getBackwardSlice(&op, &made, whole)))
      llvm_unreachable("what is free reads nothing from around it");
    auto nsAt = [&](int64_t points) {
      double ns = 0;
      for (Operation *each : made)
        ns += mapNs(each, points, rates);
      return ns;
    };
    // Compute once, write and read, against computing at every point of the readers.
    if (nsAt(ein::pointsOf(&op)) + storedNs(op.getResult(0), rates) < nsAt(remade.of(&op)))
      costly.push_back(&op);
  }
  moveApart(body, costly, apart);
}
