//===- PlanRemat.cpp - choose which residuals are kept --------------------===//
#include "Programs.h"
#include "plc/Planning/Passes.h"

namespace plc::plan {
#define GEN_PASS_DEF_PLANREMAT
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc::plan;

namespace {

struct PlanRematPass : plc::plan::impl::PlanRematBase<PlanRematPass> {
  using PlanRematBase::PlanRematBase;

  void runOnOperation() override {
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>()) {
      if (policy != "none") {
        program.emitError("checkpoint policy '") << policy << "' is not supported; there is 'none'";
        return signalPassFailure();
      }
      program.setRemat(policy);
    }
  }
};

} // namespace
