//===- PlanVerify.cpp - prove that action lists compute the program -------===//
#include "Base/Programs.h"
#include "Proof.h"

#include "plc/Analysis/ProgramDigest.h"
#include "plc/Planning/Passes.h"

namespace plc::plan {
#define GEN_PASS_DEF_PLANVERIFY
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc;
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
  LogicalResult prove(ProgramOp program) {
    if (bytesPerNs <= 0)
      return emitOptionError(program, "bytes-per-ns is ") << bytesPerNs.getValue() << " but must be positive";
    if (failed(requireRoutes(program)) || failed(requireSchedule(program)) || failed(requireReplicas(program)))
      return failure();
    // First the dataflow: whether the program still computes what it computed before it was cut.
    for (auto recorded : getOperation().getOps<NumericsOp>())
      if (recorded.getProgram() == program.getSymName() && failed(analysis::verifyDigest(recorded)))
        return failure();
    auto &slots = getChildAnalysis<TaskSlots>(program);
    if (failed(requireChannels(program, slots.getRoutes())))
      return failure();
    FailureOr<module::EntryPlan> table = buildActionTable(program, slots);
    return success(succeeded(table) && succeeded(proveActionTable(*table, program, slots, memoryLimitBytes)) &&
                   succeeded(proveFigures(program, slots.getRoutes(), bytesPerNs, *keepKinds)));
  }
};

} // namespace
