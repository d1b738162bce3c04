//===- ProveClones.cpp - clones compute what originals computed -----------===//
#include "Proof.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace plc::plan;

namespace {

InFlightDiagnostic refuse(CallOp clone, CallOp original) {
  InFlightDiagnostic error = clone.emitOpError("is a clone of '")
                             << original.getKernel() << "' of '" << original.getPath() << "' but ";
  error.attachNote(original.getLoc()) << "the original";
  return error;
}

// All attributes but those that make a clone or ask for one.
DictionaryAttr attributesOf(CallOp call) {
  NamedAttrList attributes(call->getAttrs());
  attributes.erase(call.getRecomputeAttrName());
  attributes.erase(call.getDiscardAttrName());
  return attributes.getDictionary(call.getContext());
}

LogicalResult proveClone(CallOp clone, CallOp original, TaskSlots &slots) {
  if (!original)
    return clone.emitOpError("is a clone of call ")
           << clone.getRecompute()->getOriginal() << " of its stage's F, which does not exist";
  // Same kernel, same attributes, same operands: the same bits.
  if (clone.getKernel() != original.getKernel())
    return refuse(clone, original) << "calls kernel '" << clone.getKernel() << "'";
  if (attributesOf(clone) != attributesOf(original))
    return refuse(clone, original) << "has other attributes: " << attributesOf(clone) << ", original "
                                   << attributesOf(original);
  for (auto [index, operands] : llvm::enumerate(llvm::zip(clone.getArgs(), original.getArgs()))) {
    Value found = slots.resolve(std::get<0>(operands)), expected = slots.resolve(std::get<1>(operands));
    // An operand may itself be a clone: induction lets it stand for its original.
    if (Value mapped = slots.getOriginals().lookup(found))
      found = mapped;
    if (found != expected)
      return refuse(clone, original) << "reads " << describe(found, -1) << " as operand #" << index
                                     << " where the original reads " << describe(expected, -1);
  }
  return success();
}

// A discarded value is dead when B and W run, so they must read a clone of it.
LogicalResult proveNotDiscarded(CallOp call, TaskSlots &slots) {
  auto task = cast<TaskOp>(call->getParentOp());
  if (task.getRole() == Role::F)
    return success();
  for (Value operand : call.getArgs()) {
    auto read = dyn_cast<OpResult>(slots.resolve(operand));
    auto maker = read ? dyn_cast<CallOp>(read.getOwner()) : nullptr;
    if (!maker || maker->getParentOfType<StageOp>() != task->getParentOp() ||
        !llvm::is_contained(maker.getDiscard().value_or(ArrayRef<int64_t>()), int64_t(read.getResultNumber())))
      continue;
    InFlightDiagnostic error = call.emitOpError("reads ")
                               << describe(read, -1)
                               << ", which is discarded there: no call that runs 'again' makes it before";
    error.attachNote(maker.getLoc()) << "discarded here";
    return error;
  }
  return success();
}

} // namespace

LogicalResult plc::plan::proveClones(ProgramOp program, TaskSlots &slots) {
  Originals originals;
  // The walk visits calls in order, so operands of a clone are proven before it.
  WalkResult walk = program.walk([&](CallOp call) {
    bool wrong = failed(proveNotDiscarded(call, slots)) ||
                 (call.getRecompute() && failed(proveClone(call, originals.of(call), slots)));
    return wrong ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
