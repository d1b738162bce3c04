//===- VerifyNumerics.cpp - no phase changed an equation ------------------===//
#include "plc/Analysis/ProgramDigest.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Numerics/Key.h"
#include "plc/Numerics/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::numerics {
#define GEN_PASS_DEF_VERIFYNUMERICS
#include "lib/Numerics/Passes.h.inc"
} // namespace plc::numerics

using namespace mlir;
using namespace plc;

namespace {

struct VerifyNumerics : numerics::impl::VerifyNumericsBase<VerifyNumerics> {
  using VerifyNumericsBase::VerifyNumericsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!key.empty() || module.getOps<plan::NumericsOp>().empty())
      verifyKey(module);
    for (auto recorded : module.getOps<plan::NumericsOp>())
      verifyDigest(module, recorded);
    markAllAnalysesPreserved();
  }

private:
  void verifyKey(ModuleOp module) {
    std::string found = numerics::numericsKey(module);
    if (key.empty()) {
      module.emitRemark("numerics key is '") << found << "'";
    } else if (found != key) {
      module.emitError("numerics key is '") << found << "' but expected '" << key << "'";
      signalPassFailure();
    }
  }

  void verifyDigest(ModuleOp module, plan::NumericsOp recorded) {
    Operation *program = module.lookupSymbol(recorded.getProgramAttr());
    std::string found = analysis::digestOf(program);
    if (found == recorded.getDigest())
      return;
    InFlightDiagnostic error = program->emitError("program '")
                               << recorded.getProgram() << "' has equations of digest '" << found << "' but expected '"
                               << recorded.getDigest() << "'";
    error.attachNote(recorded.getLoc()) << "recorded here, of the numerics program";
    signalPassFailure();
  }
};

} // namespace
