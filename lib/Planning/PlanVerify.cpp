//===- PlanVerify.cpp - prove that the action lists compute the program ---===//
#include "Programs.h"
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
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>())
      if (failed(prove(program)))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  // Each proof relies on those before it.
  LogicalResult prove(ProgramOp program) {
    if (failed(requireRoutes(program)) || failed(requireSchedule(program)))
      return failure();
    auto &slots = getChildAnalysis<TaskSlots>(program);
    const RouteTable &routes = slots.getRoutes();
    if (failed(proveClones(program, slots)) || failed(proveRuns(program, routes)) ||
        failed(proveMessages(program, routes)) || failed(proveNoDeadlock(program, routes)))
      return failure();
    for (auto rank : program.getBody().getOps<RankOp>())
      if (failed(proveMemory(program, rank, slots, memoryLimitBytes)))
        return failure();
    return success();
  }
};

} // namespace
