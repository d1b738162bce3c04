//===- PlanSchedule.cpp - order the tasks on each rank --------------------===//
#include "Programs.h"
#include "ScheduleModel.h"

#include "plc/Support/Errors.h"
#include "plc/Planning/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "plan-schedule"

namespace plc::plan {
#define GEN_PASS_DEF_PLANSCHEDULE
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

struct PlanSchedulePass : plc::plan::impl::PlanScheduleBase<PlanSchedulePass> {
  using PlanScheduleBase::PlanScheduleBase;

  void runOnOperation() override {
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>())
      if (failed(order(program)))
        return signalPassFailure();
  }

private:
  LogicalResult order(ProgramOp program) {
    if (bytesPerNs <= 0)
      return emitOptionError(program, "bytes-per-ns is ") << bytesPerNs.getValue() << " but must be positive";
    if (failed(requireRoutes(program)))
      return failure();
    if (!program.getBody().getOps<RankOp>().empty())
      return program.emitError("program '") << program.getSymName() << "' is scheduled already";
    planner::ScheduleProblem problem = buildScheduleProblem(program, getChildAnalysis<RouteTable>(program), bytesPerNs);
    planner::Schedule answer;
    planner::Fault fault = planner::solve(rowOf(schedule.getValue()), problem, answer);
    planner::Simulation simulation;
    if (!fault)
      fault = planner::simulate(problem, answer, simulation);
    if (fault)
      return emitNoPlan(program) << *fault;
    write(program, answer);
    program.setSchedule(schedule.getValue());
    program.setStepNs(simulation.makespan);
    program.setStepBoundNs(problem.bound());
    remark::passed(program.getLoc(),
                   remark::RemarkOpts::name("Ordered").category(getArgument()).function(program.getSymName()))
        << remark::add("ordered by {0}: a step takes {1} ns, and at least {2} ns in any order; ranks idle {3:P1} of it",
                       nameOfChoice(schedule.getValue()), simulation.makespan, problem.bound(), simulation.bubble);
    return success();
  }

  void write(ProgramOp program, const planner::Schedule &answer) {
    OpBuilder builder(program.getContext());
    SmallVector<StageOp> stages(program.getBody().getOps<StageOp>());
    for (auto [index, jobs] : llvm::enumerate(answer.ranks)) {
      builder.setInsertionPointToEnd(&program.getBody().front());
      auto rank = RankOp::create(builder, program.getLoc(), index);
      builder.createBlock(&rank.getBody());
      LDBG() << "rank " << index << ": " << llvm::join(llvm::map_range(jobs, planner::describe), ", ");
      for (const planner::ScheduledTask &job : jobs)
        RunOp::create(builder, stages[job.stage].getLoc(), stages[job.stage].getSymName(), Role(job.kind),
                      job.microBatch, /*keep=*/false, nullptr);
    }
  }
};

} // namespace
