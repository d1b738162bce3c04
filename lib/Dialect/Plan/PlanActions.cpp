//===- PlanActions.cpp - verification of ranks and layouts ----------------===//
#include "plc/Dialect/Plan/Plan.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace plc::plan;

LogicalResult RankOp::verify() {
  // (C1)
  for (auto layout : getBody().getOps<LayoutOp>())
    if (layout != &getBody().front().front())
      return layout.emitOpError("does not stand at the front of its rank");
  // (C3)
  if (!getAfter())
    return success();
  ArrayRef<int64_t> pairs = *getAfter();
  auto actions = llvm::range_size(getBody().getOps<ActionInterface>());
  if (pairs.size() % 2)
    return emitOpError("has ") << pairs.size() << " numbers in 'after', which are no pairs";
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i] >= int64_t(actions) || pairs[i + 1] < 0 || pairs[i + 1] >= pairs[i])
      return emitOpError("has action ") << pairs[i] << " after action " << pairs[i + 1]
                                        << ", which is no earlier one of " << actions;
  return success();
}

LogicalResult LayoutOp::verify() {
  // (C1)
  if (getPersistentBytes() > getBoundBytes() || getBoundBytes() > getArenaBytes())
    return emitOpError("has ") << getPersistentBytes() << " persistent bytes, bound " << getBoundBytes()
                               << " and arena " << getArenaBytes() << ", which do not ascend";
  // (C2)
  llvm::SmallSet<std::tuple<StringRef, Role, bool>, 8> framed;
  for (auto frame : getBody().getOps<FrameOp>())
    if (!framed.insert({frame.getStage(), frame.getRole(), frame.getKeep()}).second)
      return frame.emitOpError("is of ") << stringifyRole(frame.getRole()) << " of '" << frame.getStage()
                                         << "', as an earlier one is";
  return success();
}

FrameOp LayoutOp::getFrame(StringRef stage, Role role, bool keep) {
  for (auto frame : getBody().getOps<FrameOp>())
    if (frame.getStage() == stage && frame.getRole() == role && frame.getKeep() == keep)
      return frame;
  return nullptr;
}

LogicalResult FrameOp::verify() {
  // (C2)
  ArrayRef<int64_t> slots = getSlots();
  if (slots.size() % 2)
    return emitOpError("has ") << slots.size() << " numbers of slots, which are no pairs";
  for (size_t slot = 0; slot < slots.size() / 2; ++slot)
    if (int64_t base = slots[2 * slot], offset = slots[2 * slot + 1];
        base < 0 || base >= int64_t(getBases()) || offset < 0)
      return emitOpError("has slot ") << slot << " at " << offset << " bytes behind base " << base << " of "
                                      << getBases();
  return success();
}

LogicalResult BufferOp::verify() {
  // (C1)
  bool isGradient = getKind() == BufferKind::gradient;
  if (getSite().has_value() != (isGradient || getKind() == BufferKind::moment))
    return emitOpError("'") << stringifyBufferKind(getKind()) << "' has "
                            << (getSite() ? "a site, as only gradients and moments have" : "no site");
  if (!isGradient && (getGroup() != 0 || getGroups() != 1))
    return emitOpError("'") << stringifyBufferKind(getKind()) << "' has accumulation groups, as only gradients have";
  return success();
}
