//===- VerifyNumerics.cpp - checks that no phase changed an equation ------===//
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
      if (failed(analysis::verifyDigest(recorded)))
        signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  // Compares the key with the expected one, or prints it if none is given.
  void verifyKey(ModuleOp module) {
    std::string found = numerics::numericsKey(module);
    if (key.empty()) {
      module.emitRemark("numerics key is '") << found << "'";
    } else if (found != key) {
      module.emitError("numerics key is '") << found << "' but expected '" << key << "'";
      signalPassFailure();
    }
  }
};

} // namespace
