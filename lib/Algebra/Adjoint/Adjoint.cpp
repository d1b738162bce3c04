//===- Adjoint.cpp - reverse mode over one body ---------------------------===//
#include "Adjoint.h"
#include "LoopAdjoint.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

static bool isFloat(Value value) { return ein::findElementKind(value.getType()) == ElementKind::Real; }

// The operands that the result depends on differentiably.
static SmallVector<unsigned> differentiableOperands(Operation *op) {
  // A stop ends gradients, and integers carry none.
  if (isa<ein::StopOp>(op) || op->getNumResults() != 1 || !isFloat(op->getResult(0)))
    return {};
  SmallVector<unsigned> operands;
  if (isa<ein::NextOp>(op))
    return {0, 1};
  auto map = dyn_cast<ein::MapOp>(op);
  // Comparisons and steps have derivative 0 almost everywhere.
  if (map && ein::infoOf(map.getFunction()).derivative == ein::Derivative::Zero)
    return {};
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (isFloat(operand))
      operands.push_back(index);
  return operands;
}

// A carry is active if any iteration makes it so; an element, if the body computes it from active arguments.
static void addActiveResults(ein::LoopOp loop, llvm::DenseSet<Value> &active) {
  llvm::DenseSet<Value> arguments = activeArguments(loop, active);
  llvm::DenseSet<Value> values = activeValues(loop.getIteration(), arguments);
  for (auto [index, result] : llvm::enumerate(loop.getResults())) {
    bool isCarry = int64_t(index) < loop.getNumCarries();
    if (isFloat(result) &&
        (isCarry ? arguments.contains(loop.getCarries()[index]) : values.contains(loop.getEnd()->getOperand(index))))
      active.insert(result);
  }
}

// One pass is enough: equations stand in program order.
llvm::DenseSet<Value> algebra::activeValues(Block &block, const llvm::DenseSet<Value> &sources) {
  llvm::DenseSet<Value> active(sources);
  for (Operation &op : block) {
    if (auto loop = dyn_cast<ein::LoopOp>(op))
      addActiveResults(loop, active);
    for (unsigned index : differentiableOperands(&op))
      if (active.contains(op.getOperand(index)))
        active.insert(op.getResult(0));
  }
  return active;
}

Adjoint::Adjoint(Block &block, const llvm::DenseSet<Value> &sources)
    : block(block), builder(block.getTerminator()), active(activeValues(block, sources)) {}

void Adjoint::seed(Value value, Value gradient) {
  if (active.contains(value))
    contributions[value].push_back({gradient, {}});
}

std::optional<Gradient> Adjoint::sum(Value value, Location loc) {
  auto it = contributions.find(value);
  if (it == contributions.end())
    return std::nullopt;
  // Contributions arrive from the last consumer on, and sums take them in program order.
  SmallVector<Gradient> all(llvm::reverse(it->second));
  SmallVector<Value> values;
  SmallVector<GuardList> guarded;
  for (const Gradient &gradient : all) {
    values.push_back(gradient.value);
    guarded.push_back(gradient.guards);
  }
  return Gradient{sumTree(builder, loc, values), guards.ofSum(loc, dimensionsOf(value), guarded)};
}

LogicalResult Adjoint::run() {
  // Before anything is emitted: the adjoints go into the same block.
  SmallVector<Operation *> equations;
  for (Operation &op : block.without_terminator())
    equations.push_back(&op);
  for (Operation *op : llvm::reverse(equations)) {
    if (auto loop = dyn_cast<ein::LoopOp>(op)) {
      if (failed(run(loop)))
        return failure();
      continue;
    }
    // No source reaches it, so its gradient would not be used.
    if (op->getNumResults() != 1 || !active.contains(op->getResult(0)))
      continue;
    // All consumers come later in the block, so all contributions are here.
    std::optional<Gradient> gradient = sum(op->getResult(0), op->getLoc());
    if (!gradient)
      continue;
    SmallVector<std::pair<unsigned, Gradient>> parts;
    if (failed(differentiate(builder, guards, op, *gradient, active, parts)))
      return failure();
    // An equation that reads a value twice contributes in operand order, which the list holds reversed.
    for (auto &[index, part] : llvm::reverse(parts))
      contributions[op->getOperand(index)].push_back(part);
  }
  return success();
}

LogicalResult Adjoint::run(ein::LoopOp loop) {
  SmallVector<Value> gradients;
  // Guards end at a loop: its body has adjoints and guards of its own.
  for (Value result : loop.getResults()) {
    std::optional<Gradient> gradient = sum(result, loop.getLoc());
    gradients.push_back(gradient ? gradient->value : Value());
  }
  // No result of the loop has a gradient.
  if (!llvm::any_of(gradients, [](Value gradient) { return bool(gradient); }))
    return success();
  SmallVector<std::pair<Value, Value>> parts;
  if (failed(differentiateLoop(builder, loop, gradients, active, parts)))
    return failure();
  for (auto [operand, part] : llvm::reverse(parts))
    contributions[operand].push_back({part, {}});
  return success();
}

Value Adjoint::gradientOf(Value value) {
  std::optional<Gradient> gradient = sum(value, value.getLoc());
  return gradient ? gradient->value : Value();
}
