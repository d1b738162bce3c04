//===- PlanRemat.cpp - clone what forward calls discard -------------------===//
#include "Base/Programs.h"
#include "CloneCalls.h"
#include "RecomputationBounds.h"
#include "Schedule/ScheduleModel.h"

#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Planning/Passes.h"
#include "plc/Support/Errors.h"

#include "mlir/IR/Remarks.h"

namespace plc::plan {
#define GEN_PASS_DEF_PLANREMAT
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

struct PlanRematPass : plc::plan::impl::PlanRematBase<PlanRematPass> {
  using PlanRematBase::PlanRematBase;

  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::remat);
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>())
      if (failed(apply(program)))
        return signalPassFailure();
  }

private:
  LogicalResult apply(ProgramOp program) {
    if (failed(check(program)))
      return failure();
    // Ids of clones are unique in the program, not only in their stage.
    int64_t nextId = 0;
    for (auto stage : program.getBody().getOps<StageOp>()) {
      int64_t first = nextId;
      cloneCalls(stage, nextId);
      if (nextId == first)
        continue;
      remark::passed(stage.getLoc(),
                     remark::RemarkOpts::name("Cloned").category(getArgument()).function(program.getSymName()))
          << remark::add("stage {0} repeats {1} calls of F and keeps {2} values from F", stage.getSymName(),
                         nextId - first, llvm::range_size(stage.getBody().getOps<CheckpointOp>()));
    }
    if (program.getKeepsLast())
      keepLast(program);
    // Bounds under a budget need the number of micro-batches in flight, so they wait for the schedule.
    bool isScheduled = !program.getBody().getOps<RankOp>().empty();
    if (!program.getKeptBytes()) { // of a chosen plan
      RecomputationFigures figures = recomputationOf(program, RouteTable(program));
      program.setKeptBytes(figures.keptBytes);
      program.setRecomputeNs(figures.ns);
      program.setKeptBoundBytes(0);
      program.setRecomputeBoundNs(0);
    }
    // Computed anew from the program as it stands, because the proof computes them from the same.
    if (isScheduled && program.getRecomputeBoundNs()) {
      RecomputationBounds bounds = boundsOfRecomputation(program, RouteTable(program), *keepKinds);
      program.setKeptBoundBytes(bounds.keptBytes);
      program.setRecomputeBoundNs(bounds.ns);
    }
    return nextId && isScheduled ? predict(program) : success();
  }

  LogicalResult check(ProgramOp program) {
    if (bytesPerNs <= 0)
      return emitOptionError(program, "bytes-per-ns is ") << bytesPerNs.getValue() << " but must be positive";
    // Cloning twice would clone clones.
    bool cloned = false;
    program.walk([&](CallOp call) { cloned |= call.getRecompute().has_value(); });
    if (cloned)
      return program.emitError("program '") << program.getSymName() << "' has clones already";
    if (failed(requireRoutes(program)) || failed(checkPlaces(program)))
      return failure();
    return program.getKeepsLast() ? requireSchedule(program) : success();
  }

  // Hand-written IR may name calls that do not exist.
  LogicalResult checkPlaces(ProgramOp program) {
    for (auto stage : program.getBody().getOps<StageOp>()) {
      TaskOp forward = stage.getTask(Role::F);
      int64_t count = forward ? llvm::range_size(forward.getBody().getOps<CallOp>()) : 0;
      WalkResult walk = stage.walk([&](CallOp call) {
        for (int64_t index : call.getAgain().value_or(ArrayRef<int64_t>()))
          if (index < 0 || index >= count) {
            call.emitOpError("has call ") << index << " of F run again before it, but F has " << count << " calls";
            return WalkResult::interrupt();
          }
        return WalkResult::advance();
      });
      if (walk.wasInterrupted())
        return failure();
    }
    return success();
  }

  // Marks the backward runs of the last micro-batch, in stages that have clones: such a run leaves the clones out.
  void keepLast(ProgramOp program) {
    SymbolTable symbols(program);
    for (auto rank : program.getBody().getOps<RankOp>())
      for (auto run : rank.getBody().getOps<RunOp>())
        if (run.getMb() == program.getRunsOfReplica() - 1 && run.getRole() != Role::F &&
            !symbols.lookup<StageOp>(run.getStage()).getBody().getOps<CheckpointOp>().empty())
          run.setKeep(true);
  }

  // Predicts the step with clones. Every run is counted with its clones, also one that keeps: a task has one time.
  LogicalResult predict(ProgramOp program) {
    planner::ScheduleProblem problem = buildScheduleProblem(program, getChildAnalysis<RouteTable>(program), bytesPerNs);
    std::vector<std::vector<RunOp>> runs;
    planner::Schedule schedule = readSchedule(program, runs);
    planner::Simulation simulation;
    planner::Status fault = problem.verify(schedule);
    if (!fault)
      fault = planner::simulate(problem, schedule, simulation);
    if (fault)
      return program.emitError("ranks do not run the program: ") << *fault;
    program.setStepNs(simulation.makespan);
    program.setStepBoundNs(problem.bound());
    return success();
  }
};

} // namespace
