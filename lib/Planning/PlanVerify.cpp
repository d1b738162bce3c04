//===- PlanVerify.cpp - prove that the action lists compute the program ---===//
#include "Proof.h"

#include "plc/Planning/Passes.h"

namespace plc::plan {
#define GEN_PASS_DEF_PLANVERIFY
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc::plan;

namespace {

struct PlanVerifyPass : plc::plan::impl::PlanVerifyBase<PlanVerifyPass> {
  using PlanVerifyBase::PlanVerifyBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    // Each proof relies on those before it.
    if (failed(proveRuns(program)) || failed(proveMessages(program)) || failed(proveNoDeadlock(program)))
      return signalPassFailure();
    for (auto rank : program.getBody().getOps<RankOp>())
      if (failed(proveMemory(program, rank, memoryLimitBytes)))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
