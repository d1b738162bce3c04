//===- RecordNumerics.cpp - records what programs compute -----------------===//
#include "plc/Analysis/ProgramDigest.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Numerics/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::numerics {
#define GEN_PASS_DEF_RECORDNUMERICS
#include "lib/Numerics/Passes.h.inc"
} // namespace plc::numerics

using namespace mlir;
using namespace plc;

namespace {

struct RecordNumerics : numerics::impl::RecordNumericsBase<RecordNumerics> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto old : llvm::make_early_inc_range(module.getOps<plan::NumericsOp>()))
      old.erase();
    for (auto model : module.getOps<ein::ModelOp>()) {
      // Before the model: later passes replace the model where it stands.
      OpBuilder builder(model);
      plan::NumericsOp::create(builder, model.getLoc(), model.getSymName(), analysis::digestOf(model));
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
