//===- EinMicroBatch.cpp - check the batch rule and cut the batch ----------===//
#include "BatchAxes.h"
#include "Bodies.h"
#include "plc/Algebra/Passes.h"
#include "plc/Dialect/Errors.h"

#include "mlir/IR/Builders.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINMICROBATCH
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

struct EinMicroBatch : algebra::impl::EinMicroBatchBase<EinMicroBatch> {
  using EinMicroBatchBase::EinMicroBatchBase;

  LogicalResult checkCount(ein::ModelOp model) {
    int64_t batch = model.getBatch();
    if (microBatches < 1)
      return emitOptionError(model, "number of micro-batches is ") << int64_t(microBatches) << " but must be at least 1";
    if (microBatches == 1)
      return success();
    if (batch == 0)
      return emitOptionError(model, "model '") << model.getSymName() << "' has no 'batch', so it cannot be cut in "
                                        << int64_t(microBatches) << " micro-batches";
    if (microBatches > batch)
      return emitOptionError(model, "batch has ")
             << batch << " samples but " << int64_t(microBatches) << " micro-batches need more";
    if (batch % microBatches != 0)
      return emitOptionError(model, "batch has ")
             << batch << " samples, which " << int64_t(microBatches)
             << " micro-batches do not divide; ragged micro-batches are not supported yet";
    return success();
  }

  // Inputs and outputs are cut along axis 0 for now.
  LogicalResult checkAxes(ein::ModelOp model) {
    auto check = [&](StringRef what, ArrayAttr names, ArrayRef<int64_t> axes) -> LogicalResult {
      for (auto [name, axis] : llvm::zip(names.getAsValueRange<StringAttr>(), axes))
        if (axis > 0 && microBatches > 1)
          return emitOptionError(model, what) << " '" << name << "' has the batch on axis " << axis
                                       << " but more than one micro-batch needs it on axis 0";
      return success();
    };
    return success(succeeded(check("argument", model.getArgNames(), model.getArgBatch())) &&
                   succeeded(check("result", model.getResultNames(), model.getResultBatch())));
  }

  void runOnOperation() override {
    ein::ModelOp model = modelOf(getOperation());
    if (!model || failed(checkCount(model)) || failed(checkAxes(model)))
      return signalPassFailure();
    if (model.getMicroBatches() != 0) {
      model.emitError("model '") << model.getSymName() << "' is already cut in " << model.getMicroBatches()
                                 << " micro-batches";
      return signalPassFailure();
    }
    if (model.getBatch() != 0) {
      BatchAxes axes(model);
      if (failed(axes.check()) || failed(checkBatchRule(model, axes, microBatches)))
        return signalPassFailure();
      axes.setExtent(model.getBatch() / microBatches);
    }
    model.setMicroBatches(microBatches);
  }
};

} // namespace
