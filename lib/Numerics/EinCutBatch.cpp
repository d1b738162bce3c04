//===- EinCutBatch.cpp - gives types the size of a micro-batch ------------===//
#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Numerics/Key.h"
#include "plc/Numerics/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

namespace plc::numerics {
#define GEN_PASS_DEF_EINCUTBATCH
#include "lib/Numerics/Passes.h.inc"
} // namespace plc::numerics

using namespace mlir;
using namespace plc;

namespace {

// Records the key first, since it belongs to the whole batch; then cuts. A remark tells which sum makes the key depend
// on the number of micro-batches.
struct EinCutBatch : numerics::impl::EinCutBatchBase<EinCutBatch> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    ein::setNumericsKey(module, numerics::numericsKey(module));
    for (auto model : module.getOps<ein::ModelOp>()) {
      if (Operation *op = ein::isUncut(model) ? numerics::findDependenceOnCut(model) : nullptr)
        remark::missed(op->getLoc(), remark::RemarkOpts::name("DependsOnCut").category(getArgument()))
            << remark::add("the numerics key has the number of micro-batches: {0}",
                           isa<ein::ModelOp>(op) ? "accumulation groups have unequally many samples"
                                                 : "what follows from this sum over the batch is added for each");
      ein::cutBatch(model);
    }
  }
};

} // namespace
