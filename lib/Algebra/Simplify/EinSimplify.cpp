//===- EinSimplify.cpp - one form for every equation, none dead -----------===//
#include "Base/Bodies.h"
#include "plc/Algebra/Passes.h"

#include "llvm/ADT/StringSet.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINSIMPLIFY
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

ein::ModelOp algebra::modelOf(ModuleOp module) {
  auto models = module.getOps<ein::ModelOp>();
  if (models.empty()) {
    module.emitError("module has no 'ein.model': this pass comes before '--plan-partition'");
    return {};
  }
  ein::ModelOp first = *models.begin();
  if (llvm::hasSingleElement(models))
    return first;
  InFlightDiagnostic error = (*std::next(models.begin())).emitError("module has a second 'ein.model'");
  error.attachNote(first.getLoc()) << "the first is here";
  return {};
}

LogicalResult algebra::requireEquations(ModuleOp module) {
  if (module.getOps<ein::ModelOp>().empty() && module.getOps<ein::FuncOp>().empty())
    return module.emitError("module has no 'ein.func' or 'ein.model': this pass comes before '--plan-partition'");
  return success();
}

void algebra::eraseUncalled(ModuleOp module) {
  llvm::StringSet<> called;
  module.walk([&](ein::CallOp call) { called.insert(call.getCallee()); });
  for (ein::FuncOp body : llvm::make_early_inc_range(module.getOps<ein::FuncOp>()))
    if (!called.contains(body.getSymName()))
      body.erase();
}

namespace {

struct EinSimplify : algebra::impl::EinSimplifyBase<EinSimplify> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireEquations(module)))
      return signalPassFailure();
    for (ein::ModelOp model : module.getOps<ein::ModelOp>()) {
      // Outlining comes first, so that all equations are in bodies. Pruning before simplification saves work on results
      // that no call needs.
      eraseDead(model.getBody());
      outlineEquations(model);
    }
    pruneBodies(module, getArgument());
    for (ein::FuncOp body : module.getOps<ein::FuncOp>())
      simplifyBody(body);
    if (!module.getOps<ein::ModelOp>().empty())
      eraseUncalled(module);
  }
};

} // namespace
