//===- EinMicroBatch.cpp - check the batch rule and mark the batch --------===//
#include "Base/Bodies.h"
#include "BatchAxes.h"
#include "plc/Algebra/Base/EntryPrograms.h"
#include "plc/Algebra/Passes.h"
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Support/Errors.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"

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

  // The number of micro-batches must fit the samples of one batch.
  LogicalResult checkCount(ein::ModelOp model) {
    int64_t batch = model.getBatch() / std::max<int64_t>(1, batches);
    if (microBatches < 1)
      return emitKeyError(model, microBatchesKey, "number of micro-batches is ")
             << int64_t(microBatches) << " but must be at least 1";
    if (microBatches == 1)
      return success();
    if (batch == 0)
      return emitKeyError(model, microBatchesKey, "model '")
             << model.getSymName() << "' has no 'batch', so it cannot be cut in " << int64_t(microBatches)
             << " micro-batches";
    if (microBatches > batch)
      return emitKeyError(model, microBatchesKey, "batch has ")
             << batch << " samples but " << int64_t(microBatches) << " micro-batches need more";
    return success();
  }

  // Accumulation needs a loss to divide, and equal batches.
  LogicalResult checkBatches(ein::ModelOp model) {
    if (batches < 1)
      return emitKeyError(model, batchesKey, "number of batches of a step is ")
             << int64_t(batches) << " but must be at least 1";
    if (batches == 1)
      return success();
    if (model.getBatch() == 0)
      return emitKeyError(model, batchesKey, "model '")
             << model.getSymName() << "' has no 'batch', so it cannot accumulate " << int64_t(batches) << " of them";
    if (!hasLoss(model))
      return emitKeyError(model, batchesKey, "model '")
             << model.getSymName() << "' has no output 'loss', so it cannot accumulate " << int64_t(batches)
             << " batches";
    if (model.getBatch() % batches)
      return model.emitError("the ") << model.getBatch() << " samples of a step are not those of " << int64_t(batches)
                                     << " batches";
    if (batches > mostMicroBatches / microBatches)
      return emitKeyError(model, batchesKey, "a step of ")
             << int64_t(batches) << " batches in " << int64_t(microBatches) << " micro-batches each has more than "
             << mostMicroBatches;
    return success();
  }

  // Groups must have equal numbers of micro-batches.
  LogicalResult checkGroups(ein::ModelOp model) {
    if (groups < 1 || groups > microBatches || microBatches % groups)
      return emitKeyError(model, "gradient.lanes", "number of accumulation groups is ")
             << int64_t(groups) << " but must divide that of micro-batches, " << int64_t(microBatches);
    return success();
  }

  // Not tuned: far above any useful schedule, it only bounds the size of plans and tables.
  static constexpr int64_t mostMicroBatches = 65536;
  static constexpr const char *microBatchesKey = "parallelism.micro_batches";
  static constexpr const char *batchesKey = "gradient.accumulation_steps";

  int64_t ofStep() const { return microBatches * batches; }

  // Records the numbers of micro-batches and groups in the model.
  void count(ein::ModelOp model) {
    ein::MicroBatches cut{int64_t(model.getBatch()), ofStep()};
    model.setMicroBatches(cut.count);
    if (groups > 1)
      model.setAccumulationGroups(int64_t(groups));
    remark::passed(model.getLoc(), remark::RemarkOpts::name("Cut").category(getArgument()).function(model.getSymName()))
        << remark::add("cut {0} samples in {1} micro-batches of {2}{3}", cut.batch, cut.count, cut.mostSamples(),
                       cut.isRagged() ? " or one fewer" : "");
  }

  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::microBatch);
    ein::ModelOp model = modelOf(getOperation());
    if (!model || failed(checkCount(model)) || failed(checkBatches(model)) || failed(checkGroups(model)))
      return signalPassFailure();
    if (model.getMicroBatches() != 0) {
      model.emitError("model '") << model.getSymName() << "' is already cut in " << model.getMicroBatches()
                                 << " micro-batches";
      return signalPassFailure();
    }
    if (model.getBatch() == 0) // and so one micro-batch
      return model.setMicroBatches(1);
    BatchAxes axes(model);
    if (failed(axes.check()))
      return signalPassFailure();
    FailureOr<SmallVector<Operation *>> quotients = checkBatchRule(model, axes, ofStep());
    if (failed(quotients))
      return signalPassFailure();
    // A divisor of the whole inputs has no gradient for them. One micro-batch needs none, so `grad(x)` remains possible
    // there.
    if (ofStep() > 1 || !ofInputs)
      divideByWhole(model, axes, *quotients);
    for (auto body : getOperation().getOps<ein::FuncOp>())
      eraseDead(body.getBody());
    // The axes are found anew after each rewrite.
    sumSamplesLast(model, BatchAxes(model));
    BatchAxes(model).mark();
    count(model);
  }
};

} // namespace
