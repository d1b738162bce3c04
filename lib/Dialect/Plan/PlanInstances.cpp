//===- PlanInstances.cpp - verification of planning problems --------------===//
#include "plc/Dialect/Plan/Plan.h"

using namespace mlir;
using namespace plc::plan;

/// (C1) of instances: the body has items of these types only.
template <typename... Items>
static LogicalResult verifyItems(Operation *instance, Block &body, StringRef what) {
  for (Operation &op : body)
    if (!isa<Items...>(op))
      return op.emitOpError("stands in a '") << instance->getName().getStringRef() << "', which holds " << what;
  return success();
}

/// (C2) of instances: the answer is complete or absent; only an answer may be `exact`.
static LogicalResult verifyAnswer(Operation *instance, ArrayRef<bool> parts, bool exact = false) {
  if (llvm::all_equal(parts) && (parts.front() || !exact))
    return success();
  return instance->emitOpError("has a part of an answer but not the whole");
}

LogicalResult PackInstanceOp::verify() {
  if (failed(verifyItems<BlockOp>(*this, getBody().front(), "blocks"))) // (C1)
    return failure();
  SmallVector<bool> answer = {getPacked().has_value(), getBound().has_value()};
  for (auto block : getBody().getOps<BlockOp>())
    answer.push_back(block.getAt().has_value());
  return verifyAnswer(*this, answer, getExact()); // (C2)
}

LogicalResult RematInstanceOp::verify() {
  if (failed(verifyItems<ValueOp, ComputeOp, BackwardOp>(*this, getBody().front(),
                                                         "values, computes and backwards"))) // (C1)
    return failure();
  return verifyAnswer(*this, {getKept() || getBefore(), getCloned().has_value(), getBytes().has_value(),
                              getNs().has_value(), getBound().has_value()}); // (C2)
}

LogicalResult BackwardOp::verify() {
  // (C1)
  if (getRole() == Role::F)
    return emitOpError("has role F but is of B or W");
  return success();
}

LogicalResult ScheduleInstanceOp::verify() {
  if (failed(verifyItems<TimesOp, DependenceOp, OrderOp>(*this, getBody().front(),
                                                         "times, dependences and orders"))) // (C1)
    return failure();
  bool ordered = !getBody().getOps<OrderOp>().empty();
  if (!getSchedule() && !getMakespan()) // (C3)
    return emitOpError("has neither a schedule nor an answer");
  return verifyAnswer(*this, {getMakespan().has_value(), getBound().has_value(), ordered}); // (C2)
}

LogicalResult OrderOp::verify() {
  // (C1)
  for (StringRef job : getJobs().getAsValueRange<StringAttr>()) {
    StringRef rest = job;
    int64_t stage, microBatch;
    if (rest.consumeInteger(10, stage) || rest.empty() || !StringRef("FBW").contains(rest.front()) ||
        rest.drop_front().getAsInteger(10, microBatch) || stage < 0 || microBatch < 0)
      return emitOpError("has job '") << job << "' but jobs are written as '1B3': stage, F, B or W, micro-batch";
  }
  return success();
}
