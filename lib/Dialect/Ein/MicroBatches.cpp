//===- MicroBatches.cpp - samples of micro-batches ------------------------===//
#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Dialect/Ein/Names.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace plc::ein;

// (C1)
LogicalResult BatchAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                        llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (getAxis() >= 0 && getAxis() < int64_t(shape.size()))
    return success();
  return emitError() << "batch axis is " << getAxis() << " but the tensor has rank " << shape.size();
}

LogicalResult RoomAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                       llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != 1) // (C1)
    return emitError() << "room is that of a tensor of rank 1 but this one has rank " << shape.size();
  if (getFewer() > 0 && getFewer() < shape.front()) // (C2)
    return success();
  return emitError() << "room is " << getFewer() << " but must be above 0 and below the " << shape.front()
                     << " elements of the tensor";
}

std::optional<int64_t> plc::ein::batchAxisOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto batch = tensor ? dyn_cast_or_null<BatchAttr>(tensor.getEncoding()) : BatchAttr();
  return batch ? std::optional(batch.getAxis()) : std::nullopt;
}

bool plc::ein::isScratch(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_present<RoomAttr>(tensor.getEncoding());
}

RankedTensorType plc::ein::tensorType(ArrayRef<int64_t> shape, Type element, std::optional<int64_t> batchAxis) {
  return RankedTensorType::get(shape, element, batchAxis ? BatchAttr::get(element.getContext(), *batchAxis) : nullptr);
}

std::optional<int64_t> plc::ein::batchDimOf(Equation equation) {
  auto dimOf = [](AffineMap map, Type type) -> std::optional<int64_t> {
    std::optional<int64_t> axis = batchAxisOf(type);
    if (!axis || !isa<AffineDimExpr>(map.getResult(*axis)))
      return std::nullopt;
    return dimsOf(map)[*axis];
  };
  for (auto [index, input] : llvm::enumerate(equation.getInputs()))
    if (std::optional<int64_t> dim = dimOf(equation.getInputMap(index), input.getType()))
      return dim;
  return dimOf(equation.getResultMap(), equation->getResult(0).getType());
}

bool plc::ein::isBatchNumber(int64_t batch, Type type, bool maySum) {
  int64_t rank = cast<RankedTensorType>(type).getRank();
  return batch == summedBatch ? maySum && rank > 0 : batch >= -1 && batch < rank;
}

MicroBatches plc::ein::cutOf(ModelOp model) {
  return {int64_t(model.getBatch()), int64_t(model.getMicroBatches()),
          int64_t(model.getAccumulationGroups().value_or(1))};
}

LogicalResult MicroBatches::verify(Operation *op) const {
  if (groups > std::max<int64_t>(count, 1) || count % groups)
    return op->emitOpError("has ") << count << " micro-batches in " << groups << " accumulation groups";
  if (batch == 0 || batch >= count)
    return success();
  return op->emitOpError("has ") << count << " micro-batches of a batch of " << batch << " samples";
}

LogicalResult MicroBatches::verifyTypes(Operation *op, StringRef what, ArrayAttr names, ArrayRef<Type> types,
                                        ArrayRef<int64_t> batch) const {
  for (auto [name, type, number] : llvm::zip(names, types, batch)) {
    auto found = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(found.getShape());
    std::optional<int64_t> axis = namedAxis(number), batchAxis;
    if (axis && batchAxisOf(found) == axis && shape[*axis] == this->batch)
      continue; // not cut yet
    if (isRagged() && axis) {
      shape[*axis] = mostSamples();
      batchAxis = axis;
    }
    if (RankedTensorType needed = tensorType(shape, found.getElementType(), batchAxis); found != needed)
      return op->emitOpError(what) << " '" << textOf(name) << "' is " << found << " but needs to be " << needed
                                   << ", as " << this->batch << " samples are cut in " << count << " micro-batches";
  }
  return success();
}

RankedTensorType MicroBatches::typeIn(int64_t microBatch, Type type) const {
  return isRagged() ? withSamples(type, samplesOf(microBatch)) : cast<RankedTensorType>(type);
}

int64_t MicroBatches::elementsBefore(int64_t microBatch, Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  if (std::optional<int64_t> axis = batchAxisOf(type); axis && isRagged())
    return firstOf(microBatch) * (tensor.getNumElements() / tensor.getDimSize(*axis));
  return microBatch * tensor.getNumElements();
}

bool plc::ein::dependsOnBatch(Operation *op) {
  auto hasBatch = [](Type type) { return batchAxisOf(type).has_value(); };
  return llvm::any_of(op->getOperandTypes(), hasBatch) || llvm::any_of(op->getResultTypes(), hasBatch);
}

std::optional<int64_t> plc::ein::mostSamplesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (auto room = dyn_cast_if_present<RoomAttr>(tensor.getEncoding()))
    return room.getSamples();
  std::optional<int64_t> axis = batchAxisOf(type);
  return axis ? std::optional(tensor.getDimSize(*axis)) : std::nullopt;
}

// Scratch has no batch axis: only two sizes are known for it.
RankedTensorType plc::ein::withSamples(Type type, int64_t samples) {
  auto tensor = cast<RankedTensorType>(type);
  if (auto room = dyn_cast_if_present<RoomAttr>(tensor.getEncoding()))
    return RankedTensorType::get({samples < room.getSamples() ? room.getFewer() : tensor.getDimSize(0)},
                                 tensor.getElementType());
  std::optional<int64_t> axis = batchAxisOf(type);
  if (!axis)
    return tensor;
  SmallVector<int64_t> shape(tensor.getShape());
  shape[*axis] = samples;
  return tensorType(shape, tensor.getElementType(), std::nullopt);
}

static void setTypes(FunctionOpInterface function, int64_t samples, llvm::function_ref<Type(Type)> typeOf) {
  // Domains come first: types locate the batch only until they are changed.
  function.walk([&](Equation equation) {
    if (std::optional<int64_t> dim = batchDimOf(equation)) {
      SmallVector<int64_t> extents(equation.getExtents());
      extents[*dim] = samples;
      equation.setExtents(extents);
    }
  });
  auto set = [&](Value value) { value.setType(typeOf(value.getType())); };
  function.walk([&](Block *block) {
    llvm::for_each(block->getArguments(), set);
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), set);
  });
  function.walk([](FunctionOpInterface each) { // also the kernels inside a loop
    Block &block = each.getFunctionBody().front();
    each.setFunctionTypeAttr(
        TypeAttr::get(FunctionType::get(each.getContext(), block.getArgumentTypes(), block.back().getOperandTypes())));
  });
}

void plc::ein::setSamples(FunctionOpInterface function, int64_t samples) {
  setTypes(function, samples, [&](Type type) { return withSamples(type, samples); });
}

bool plc::ein::isUncut(ModelOp model) {
  auto isWhole = [&](ArrayRef<Type> types, ArrayRef<int64_t> batch) {
    return llvm::any_of(llvm::zip(types, batch), [&](auto each) {
      auto [type, number] = each;
      std::optional<int64_t> axis = namedAxis(number);
      return axis && batchAxisOf(type) == axis && cast<RankedTensorType>(type).getDimSize(*axis) == model.getBatch();
    });
  };
  return model.getMicroBatches() && (isWhole(model.getArgumentTypes(), model.getArgBatch()) ||
                                     isWhole(model.getResultTypes(), model.getResultBatch()));
}

void plc::ein::cutBatch(ModelOp model) {
  if (!isUncut(model))
    return;
  MicroBatches cut = cutOf(model);
  model.setRagged(cut.isRagged() ? cut.mostSamples() : 0);
  // Groups of samples that micro-batches would divide are dropped: blocks then begin anew with each micro-batch.
  model->getParentOfType<ModuleOp>().walk([&](ContractOp op) {
    if (int64_t anew = op.getAnew().value_or(1); anew > 1 && (cut.isRagged() || cut.mostSamples() % anew))
      op.removeAnewAttr();
  });
  auto typeOf = [&](Type type) -> Type {
    RankedTensorType held = withSamples(type, cut.mostSamples());
    return cut.isRagged() ? tensorType(held.getShape(), held.getElementType(), batchAxisOf(type)) : held;
  };
  for (auto function : model->getParentOfType<ModuleOp>().getOps<FunctionOpInterface>())
    setTypes(function, cut.mostSamples(), typeOf);
}
