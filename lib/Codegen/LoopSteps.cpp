//===- LoopSteps.cpp - steps of a loop's iterations -----------------------===//
#include "LoopSteps.h"
#include "KernelWriter.h"

#include "plc/Analysis/Layout.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;
using module::TurnOperand;
using module::TurnPlace;
using plan::TurnMemory;

namespace {

int64_t bytesOf(Value value) { return byteSizeOf(cast<RankedTensorType>(value.getType())); }

// The same buffer in the first, in even and in odd iterations.
TurnOperand inAllTurns(TurnPlace place) { return {place, place, place}; }

// Translates the calls in a loop's body to steps: numbers of kernels, with a place for each operand. A place is an
// operand of the loop's kernel, an offset, and a stride per iteration.
class StepWriter {
public:
  StepWriter(plan::KernelOp kernel, const KernelSet &set)
      : kernel(kernel), loop(kernel.getLoop()), set(set), memory(set.turnOf(kernel)) {}

  // First the loop's own operands, then each call in order, then the copies behind the last iteration.
  FailureOr<module::LoopInfo> run() {
    Block &body = kernel.getBody().front();
    module::LoopInfo info{int64_t(loop.getTurns()), loop.getReverse(), {}, {}, {}};
    for (Value operand : llvm::concat<Value>(body.getArguments(), body.getTerminator()->getOperands())) {
      bool isResult = isa<OpResult>(operand);
      if (isResult && operand != kernel.getScratch() && ein::regrouped(operand).getDefiningOp() != loop)
        return refuse();
      info.bytes.push_back(bytesOf(operand));
    }
    if (!placeArguments())
      return refuse();
    size_t made = 0;
    for (auto call : loop.getTurn().getOps<plan::CallOp>()) {
      for (Value result : call.getResults())
        places[result] = homeOf(result, memory.made[made++]);
      auto called = cast<plan::KernelOp>(SymbolTable::lookupSymbolIn(kernel, call.getKernelAttr()));
      module::StepInfo &step = info.steps.emplace_back(module::StepInfo{set.numberOf(called), {}});
      for (Value operand : llvm::concat<Value>(call.getArgs(), call.getResults()))
        step.operands.push_back(places.find(operand)->second);
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
  std::optional<TurnPlace> placeOf(Value operand, bool isSlice) {
    auto argument = dyn_cast<BlockArgument>(ein::viewed(operand));
    if (!argument || !plan::isOnePiece(operand, isSlice))
      return std::nullopt;
    ein::Layout layout = ein::layoutOf(operand);
    int64_t width = bytesOf(operand) / elementsOf(operand.getType());
    return TurnPlace{argument.getArgNumber(), layout.offset * width, isSlice ? layout.strides[0] * width : 0};
  }

  // Carries are read from another buffer in each iteration, slices at another offset, all others from one place.
  bool placeArguments() {
    for (auto [number, operand] : llvm::enumerate(loop->getOperands())) {
      bool isCarry = number < loop.getInit().size();
      bool isSlice = !isCarry && number - loop.getInit().size() < loop.getSlices().size();
      std::optional<TurnPlace> place = placeOf(operand, isSlice);
      if (!place)
        return false;
      places[loop.getTurn().getArgument(number)] = isCarry ? carryOf(number, *place) : inAllTurns(*place);
    }
    return true;
  }

  // The buffer that iteration `count` writes a carry to. Two buffers alternate, so that an iteration reads one and
  // writes the other; the last iteration always writes the first buffer, which may be a result.
  TurnPlace bufferOf(int64_t carry, int64_t count) {
    auto turns = int64_t(loop.getTurns());
    bool isFirst = turns == 1 || (turns - 1 - count) % 2 == 0;
    if (int64_t offset = memory.buffers[carry][isFirst ? 0 : 1]; offset != TurnMemory::elsewhere)
      return {scratch(), offset, 0};
    return {operandOf(*plan::resultOf(kernel, loop.getLastCarries()[carry])), 0, 0};
  }

  // The place of an element of a stacked result, which moves by one element per iteration.
  TurnPlace elementOf(int64_t element) {
    Value stacked = loop.getStacked()[element];
    return {operandOf(*plan::resultOf(kernel, stacked)), 0, bytesOf(stacked) / int64_t(loop.getTurns())};
  }

  // The place that an iteration reads a carry from: its initial value, then the place written by the iteration before.
  TurnOperand carryOf(int64_t carry, TurnPlace init) {
    if (auto element = plan::collectedAs(kernel, loop.getNextCarries()[carry])) {
      TurnPlace before = elementOf(*element);
      before.offset = loop.getReverse() ? before.perTurn : -before.perTurn;
      return {init, before, before};
    }
    return {init, bufferOf(carry, 0), bufferOf(carry, 1)};
  }

  // The place that an iteration writes a call's result to: a stacked element, scratch, or a buffer of a carry.
  TurnOperand homeOf(Value made, int64_t offset) {
    if (auto element = plan::collectedAs(kernel, made))
      return inAllTurns(elementOf(*element));
    if (offset != TurnMemory::elsewhere)
      return inAllTurns({scratch(), offset, 0});
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
  const TurnMemory &memory;
  DenseMap<Value, TurnOperand> places; // of the values that the iteration's calls read and write
};

} // namespace

FailureOr<module::LoopInfo> codegen::stepsOf(plan::KernelOp kernel, const KernelSet &set) {
  return StepWriter(kernel, set).run();
}

LogicalResult codegen::writeLoop(KernelWriter &) { llvm_unreachable("a loop has no code of its own"); }
