//===- Values.cpp - values of a program: sources and sizes ----------------===//
#include "plc/Dialect/Plan/Values.h"

using namespace mlir;
using namespace plc::plan;

Value plc::plan::forwardedFrom(Value value, llvm::function_ref<Value(PopOp)> stashedFor) {
  auto result = cast<OpResult>(value);
  if (isa<TaskOp, StageOp>(result.getOwner()))
    return result.getOwner()->getRegion(0).front().getTerminator()->getOperand(result.getResultNumber());
  if (auto pop = dyn_cast<PopOp>(result.getOwner()))
    return pop.getInto() ? Value(pop.getInto()) : stashedFor(pop);
  return nullptr;
}

std::optional<int64_t> plc::plan::precomputedNumber(Value resolved) {
  auto call = resolved.getDefiningOp<CallOp>();
  auto task = call ? dyn_cast<TaskOp>(call->getParentOp()) : nullptr;
  if (task && task.getRole() == Role::P)
    for (OpOperand &use : resolved.getUses())
      if (isa<YieldOp>(use.getOwner()))
        return use.getOperandNumber();
  return std::nullopt;
}

std::string plc::plan::precomputedName(Value resolved, int64_t number) {
  return (resolved.getDefiningOp()->getParentOfType<StageOp>().getSymName() + "." + Twine(number)).str();
}

bool plc::plan::isPersistent(Value resolved) {
  return isa_and_nonnull<ParamOp, SiteOp>(resolved.getDefiningOp()) || precomputedNumber(resolved);
}

int64_t plc::plan::byteSize(Type type) { return byteSizeOf(cast<RankedTensorType>(type)); }

SmallVector<int64_t> plc::plan::momentBytes(Type parameter, std::optional<ArrayAttr> moments, int64_t standard) {
  if (!moments)
    return SmallVector<int64_t>(standard, byteSize(parameter));
  auto whole = cast<RankedTensorType>(parameter);
  return llvm::map_to_vector(moments->getAsRange<DenseI64ArrayAttr>(), [&](DenseI64ArrayAttr axes) {
    auto shape = llvm::map_to_vector(axes.asArrayRef(), [&](int64_t axis) { return whole.getDimSize(axis); });
    return byteSize(whole.clone(shape));
  });
}

int64_t plc::plan::byteSize(ProgramOp program, Type type, int64_t mb) {
  return byteSize(program.getCut().typeIn(mb, type));
}

llvm::SmallVector<StageOp> plc::plan::stagesOfFirst(ProgramOp program) {
  auto isFirst = [](StageOp stage) { return stage.getReplica() == 0; };
  return llvm::to_vector(llvm::make_filter_range(program.getBody().getOps<StageOp>(), isFirst));
}

std::vector<int64_t> plc::plan::pipelineOf(ProgramOp program) {
  return program.getPipeline().value_or(ArrayRef<int64_t>()).vec();
}

int64_t plc::plan::carriedBytes(RouteOp route, int64_t mb) {
  return byteSize(route->getParentOfType<ProgramOp>(), route.getType(), mb) * int64_t(route.getGroups());
}

int64_t plc::plan::bytesBefore(ProgramOp program, Type type, int64_t mb) {
  return program.getCut().elementsBefore(mb, type) * int64_t(byteWidth(elementTypeOf(type)));
}
