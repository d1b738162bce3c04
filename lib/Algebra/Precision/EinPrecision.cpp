//===- EinPrecision.cpp - chooses the precision of every real -------------===//
#include "Base/Bodies.h"

#include "plc/Algebra/Passes.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Support/ChoiceOption.h"

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

  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::precision);
    Type element = irTypeOf(rowOf(compute.getValue()).real, &getContext());
    if (failed(requireEquations(getOperation())))
      return signalPassFailure();
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](ein::RealType) { return element; });
    // Types, attributes and signatures alike; locations hold no types.
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    // Casts between reals may convert nothing now.
    getOperation().walk([](ein::CastOp cast) {
      if (cast.getInput().getType() != cast.getType())
        return;
      cast.replaceAllUsesWith(cast.getInput());
      cast.erase();
    });
  }
};

} // namespace
