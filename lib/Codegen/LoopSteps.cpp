//===- LoopSteps.cpp - steps of a loop's iterations -----------------------===//
#include "LoopSteps.h"
#include "KernelWriter.h"

#include "plc/Analysis/Layout.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;
using module::IterationOffset;
using module::IterationOperand;
using plan::IterationMemory;

namespace {

int64_t bytesOf(Value value) { return byteSizeOf(cast<RankedTensorType>(value.getType())); }

// The same buffer in the first, in even and in odd iterations.
IterationOperand inAllIterations(IterationOffset offset) { return {offset, offset, offset}; }

// Translates the calls in a loop's body to steps: numbers of kernels, with a place for each operand. A place is an
// operand of the loop's kernel, an offset, and a stride per iteration.
class StepWriter {
public:
  StepWriter(plan::KernelOp kernel, const KernelSet &set)
      : kernel(kernel), loop(kernel.getLoop()), set(set), memory(set.iterationOf(kernel)) {}

  // First the loop's own operands, then each call in order, then the copies behind the last iteration.
  FailureOr<module::LoopInfo> run() {
    Block &body = kernel.getBody().front();
    module::LoopInfo info{int64_t(loop.getIterations()), loop.getReverse(), {}, {}, {}};
    for (Value operand : llvm::concat<Value>(body.getArguments(), body.getTerminator()->getOperands())) {
      // Results must be the loop's own: the runtime copies nothing behind the iterations but `ends`.
      bool isResult = isa<OpResult>(operand);
      if (isResult && operand != kernel.getScratch() && ein::regrouped(operand).getDefiningOp() != loop)
        return refuse();
      info.bytes.push_back(bytesOf(operand));
    }
    if (!placeArguments())
      return refuse();
    size_t made = 0;
    for (auto call : loop.getIteration().getOps<plan::CallOp>()) {
      for (Value result : call.getResults())
        // In the order of calls, as `layOutIteration` has numbered them.
        offsets[result] = homeOf(result, memory.made[made++]);
      auto called = cast<plan::KernelOp>(SymbolTable::lookupSymbolIn(kernel, call.getKernelAttr()));
      module::StepInfo &step = info.steps.emplace_back(module::StepInfo{set.numberOf(called), {}});
      for (Value operand : llvm::concat<Value>(call.getArgs(), call.getResults()))
        step.operands.push_back(offsets.find(operand)->second);
    }
    addEnds(info);
    return info;
  }

private:
  LogicalResult refuse() {
    return kernel.emitOpError("has a loop that does not read and write operands of it, each in one piece");
  }

  int64_t operandOf(int64_t result) { return kernel.getNumInputs() + result; }
  int64_t scratch() { return operandOf(kernel.getResultTypes().size() - 1); }

  // The place of an operand of the loop; nullopt if it is no argument of the kernel in one piece.
  std::optional<IterationOffset> offsetOf(Value operand, bool isSlice) {
    auto argument = dyn_cast<BlockArgument>(ein::viewed(operand));
    if (!argument || !plan::isOnePiece(operand, isSlice))
      return std::nullopt;
    ein::Layout layout = ein::layoutOf(operand);
    int64_t width = bytesOf(operand) / elementsOf(operand.getType());
    return IterationOffset{argument.getArgNumber(), layout.offset * width, isSlice ? layout.strides[0] * width : 0};
  }

  // Carries are read from another buffer in each iteration, slices at another offset, all others from one place.
  bool placeArguments() {
    for (auto [number, operand] : llvm::enumerate(loop->getOperands())) {
      bool isCarry = number < loop.getInit().size();
      bool isSlice = !isCarry && number - loop.getInit().size() < loop.getSlices().size();
      std::optional<IterationOffset> offset = offsetOf(operand, isSlice);
      if (!offset)
        return false;
      offsets[loop.getIteration().getArgument(number)] = isCarry ? carryOf(number, *offset) : inAllIterations(*offset);
    }
    return true;
  }

  // The buffer that iteration `count` writes a carry to. Two buffers alternate, so that an iteration reads one and
  // writes the other; the last iteration always writes the first buffer, which may be a result.
  IterationOffset bufferOf(int64_t carry, int64_t count) {
    auto iterations = int64_t(loop.getIterations());
    bool isFirst = iterations == 1 || (iterations - 1 - count) % 2 == 0;
    if (int64_t offset = memory.buffers[carry][isFirst ? 0 : 1]; offset != IterationMemory::elsewhere)
      return {scratch(), offset, 0};
    return {operandOf(*plan::resultOf(kernel, loop.getLastCarries()[carry])), 0, 0};
  }

  // The place of an element of a stacked result, which moves by one element per iteration.
  IterationOffset elementOf(int64_t element) {
    Value stacked = loop.getStacked()[element];
    return {operandOf(*plan::resultOf(kernel, stacked)), 0, bytesOf(stacked) / int64_t(loop.getIterations())};
  }

  // The place that an iteration reads a carry from: its initial value, then the place written by the iteration before.
  IterationOperand carryOf(int64_t carry, IterationOffset init) {
    if (auto element = plan::collectedAs(kernel, loop.getNextCarries()[carry])) {
      IterationOffset before = elementOf(*element);
      before.offset = loop.getReverse() ? before.perIteration : -before.perIteration;
      return {init, before, before};
    }
    return {init, bufferOf(carry, 0), bufferOf(carry, 1)};
  }

  // The place that an iteration writes a call's result to: a stacked element, scratch, or a buffer of a carry.
  IterationOperand homeOf(Value made, int64_t offset) {
    if (auto element = plan::collectedAs(kernel, made))
      return inAllIterations(elementOf(*element));
    if (offset != IterationMemory::elsewhere)
      return inAllIterations({scratch(), offset, 0});
    int64_t carry = llvm::find(loop.getNextCarries(), made) - loop.getNextCarries().begin();
    return {bufferOf(carry, 0), bufferOf(carry, 1), bufferOf(carry, 0)};
  }

  // A last carry that is also a stacked element is copied from there once the loop ends.
  void addEnds(module::LoopInfo &info) {
    for (auto [next, last] : llvm::zip(loop.getNextCarries(), loop.getLastCarries()))
      if (auto element = plan::collectedAs(kernel, next))
        if (auto result = plan::resultOf(kernel, last))
          info.ends.push_back({elementOf(*element), {operandOf(*result), 0, 0}, bytesOf(last)});
  }

  plan::KernelOp kernel;
  ein::LoopOp loop;
  const KernelSet &set;
  const IterationMemory &memory;
  DenseMap<Value, IterationOperand> offsets; // of the values that the iteration's calls read and write
};

} // namespace

FailureOr<module::LoopInfo> codegen::stepsOf(plan::KernelOp kernel, const KernelSet &set) {
  return StepWriter(kernel, set).run();
}

LogicalResult codegen::writeLoop(KernelWriter &) { llvm_unreachable("a loop has no code of its own"); }
