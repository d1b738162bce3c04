//===- Key.cpp - the hash of a program's numerics --------------------------===//
#include "plc/Numerics/Key.h"
#include "plc/Dialect/Ein/PositionalText.h"
#include "plc/Numerics/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

namespace plc::numerics {
#define GEN_PASS_DEF_VERIFYNUMERICS
#include "lib/Numerics/Passes.h.inc"
} // namespace plc::numerics

using namespace mlir;

std::string plc::numerics::numericsKey(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ein::PositionalText scope;
  // Local scope: names of attributes and types do not depend on what else the module holds.
  module.print(stream, OpPrintingFlags().enableDebugInfo(false).useLocalScope());
  auto hash = llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  return llvm::toHex(hash, /*LowerCase=*/true);
}

namespace {

struct VerifyNumerics : plc::numerics::impl::VerifyNumericsBase<VerifyNumerics> {
  using VerifyNumericsBase::VerifyNumericsBase;

  void runOnOperation() override {
    std::string found = plc::numerics::numericsKey(getOperation());
    if (key.empty()) {
      emitRemark(getOperation().getLoc(), "numerics key is '") << found << "'";
    } else if (found != key) {
      emitError(getOperation().getLoc(), "numerics key is '") << found << "' but expected '" << key << "'";
      signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
