//===- Loops.cpp - loops: types and verification --------------------------===//
#include "plc/Dialect/Ein/Loops.h"
#include "plc/Dialect/Ein/MicroBatches.h"

using namespace mlir;
using namespace plc::ein;

RankedTensorType plc::ein::stackedType(Type element, int64_t iterations) {
  auto type = cast<RankedTensorType>(element);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), iterations);
  std::optional<int64_t> batch = batchAxisOf(type);
  return tensorType(shape, type.getElementType(), batch ? std::optional(*batch + 1) : std::nullopt);
}

RankedTensorType plc::ein::partType(Type stacked) {
  auto type = cast<RankedTensorType>(stacked);
  std::optional<int64_t> batch = batchAxisOf(type);
  return tensorType(type.getShape().drop_front(), type.getElementType(),
                    batch ? std::optional(*batch - 1) : std::nullopt);
}

static constexpr llvm::StringLiteral segmentsName = "ein.segments";

bool plc::ein::runsSegments(LoopOp loop) { return loop->hasAttr(segmentsName); }

void plc::ein::markSegments(LoopOp loop) { loop->setAttr(segmentsName, UnitAttr::get(loop.getContext())); }

namespace {

// (C2)
LogicalResult verifyStacked(LoopOp loop, Type type, StringRef what, size_t number) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getRank() == 0 || tensor.getDimSize(0) != int64_t(loop.getIterations()))
    return loop.emitOpError() << what << " #" << number << " is " << type << " but axis 0 needs the extent "
                              << loop.getIterations() << ", one position for each iteration";
  if (batchAxisOf(type) == 0)
    return loop.emitOpError() << what << " #" << number << " has iterations along the batch, in " << type;
  return success();
}

// (C3), (C4)
LogicalResult verifyTypes(LoopOp loop, TypeRange found, ArrayRef<Type> expected, StringRef what) {
  if (found.size() != expected.size())
    return loop.emitOpError("has a body with ")
           << found.size() << " " << what << "s but " << expected.size() << " are needed";
  for (size_t i = 0; i < expected.size(); ++i)
    if (found[i] != expected[i])
      return loop.emitOpError("has a body whose ")
             << what << " #" << i << " is " << found[i] << " but " << expected[i] << " is needed";
  return success();
}

} // namespace

LogicalResult LoopOp::verify() {
  if (getIterations() == 0)
    return emitOpError("has no iteration");
  // (C1)
  if (!getBody().hasOneBlock() || getIteration().empty() || !isa<ReturnOp>(getIteration().back()))
    return emitOpError("has a body that is not one block, ended by 'ein.return'");
  if (getNumResults() < getInit().size())
    return emitOpError("has ") << getNumResults() << " results but " << getInit().size() << " carries";
  SmallVector<Type> arguments(getInit().getTypes()), given(getInit().getTypes());
  for (auto [number, slice] : llvm::enumerate(getSlices())) {
    if (failed(verifyStacked(*this, slice.getType(), "slice", number)))
      return failure();
    arguments.push_back(partType(slice.getType()));
  }
  llvm::append_range(arguments, getInvariants().getTypes());
  for (auto [number, result] : llvm::enumerate(getResults())) {
    if (number < getInit().size()) {
      if (result.getType() != given[number])
        return emitOpError("result #") << number << " is " << result.getType() << " but its carry " << given[number];
      continue;
    }
    if (failed(verifyStacked(*this, result.getType(), "result", number)))
      return failure();
    given.push_back(partType(result.getType()));
  }
  if (failed(verifyTypes(*this, getIteration().getArgumentTypes(), arguments, "argument")))
    return failure();
  return verifyTypes(*this, getEnd()->getOperandTypes(), given, "result");
}
