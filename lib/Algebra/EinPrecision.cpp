//===- EinPrecision.cpp - choose the precision of every real ---------------===//
#include "Bodies.h"

#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Algebra/Passes.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Support/Precisions.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINPRECISION
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using algebra::requireEquations;

namespace {

struct EinPrecision : algebra::impl::EinPrecisionBase<EinPrecision> {
  using EinPrecisionBase::EinPrecisionBase;

  // The element type of every real, or null after an error.
  Type chosen() {
    if (std::optional<ElementType> type = parseElementType(compute.getValue()); type && isComputeType(*type))
      return irTypeOf(*type, &getContext());
    if (llvm::is_contained(plannedPrecisions, StringRef(compute.getValue())))
      getOperation().emitError("precision '") << compute << "' is not supported yet; use 'f32' or 'f64'";
    else
      getOperation().emitError("unknown precision '") << compute << "' but expected 'f32' or 'f64'";
    return {};
  }

  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::precision);
    Type element = chosen();
    if (!element || failed(requireEquations(getOperation())))
      return signalPassFailure();
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](ein::RealType) { return element; });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    getOperation().walk([](ein::CastOp cast) {
      if (cast.getInput().getType() != cast.getType())
        return;
      cast.replaceAllUsesWith(cast.getInput());
      cast.erase();
    });
  }
};

} // namespace
