//===- MicroBatches.cpp - how many samples a micro-batch has --------------===//
#include "plc/Dialect/Ein/MicroBatches.h"

using namespace mlir;
using namespace plc::ein;

RankedTensorType MicroBatches::typeIn(int64_t microBatch, Type type) const {
  return ragged ? withSamples(type, ragged, samplesOf(microBatch)) : cast<RankedTensorType>(type);
}

int64_t MicroBatches::elementsBefore(int64_t microBatch, Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  if (ragged && llvm::is_contained(tensor.getShape(), ragged))
    return firstOf(microBatch) * (tensor.getNumElements() / ragged);
  return microBatch * tensor.getNumElements();
}

static void replaceExtent(SmallVectorImpl<int64_t> &extents, int64_t ragged, int64_t samples) {
  for (int64_t &extent : extents)
    if (extent == ragged)
      extent = samples;
}

RankedTensorType plc::ein::withSamples(Type type, int64_t ragged, int64_t samples) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  replaceExtent(shape, ragged, samples);
  return RankedTensorType::get(shape, tensor.getElementType());
}

void plc::ein::setSamples(FunctionOpInterface function, int64_t ragged, int64_t samples) {
  auto set = [&](Value value) { value.setType(withSamples(value.getType(), ragged, samples)); };
  Block &block = function.getFunctionBody().front();
  llvm::for_each(block.getArguments(), set);
  for (Operation &op : block) {
    llvm::for_each(op.getResults(), set);
    if (auto equation = dyn_cast<Equation>(op)) {
      SmallVector<int64_t> extents(equation.getExtents());
      replaceExtent(extents, ragged, samples);
      equation.setExtents(extents);
    }
  }
  function.setFunctionTypeAttr(TypeAttr::get(
      FunctionType::get(function.getContext(), block.getArgumentTypes(), block.back().getOperandTypes())));
}
