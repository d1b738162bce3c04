//===- PlanRemat.cpp - keep some values, compute others again -------------===//
#include "CloneCalls.h"
#include "Programs.h"
#include "RematModel.h"
#include "ScheduleModel.h"

#include "plc/Support/Errors.h"
#include "plc/Planning/Passes.h"

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
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    RematChoice choice{{policy, interval, {layers.begin(), layers.end()}, memoryFraction, minInterval, grain},
                       attention,
                       ffn,
                       microBatches};
    for (auto program : getOperation().getOps<ProgramOp>())
      if (failed(apply(program, choice)))
        return signalPassFailure();
  }

private:
  LogicalResult apply(ProgramOp program, const RematChoice &choice) {
    if (failed(check(program, choice)))
      return failure();
    planner::RematProblem problem = buildRematProblem(program, choice);
    planner::Fault fault = problem.check();
    if (!fault)
      fault = planner::chooseSegments(choice.mode, problem);
    if (fault)
      return emitOptionError(program, *fault);
    program.setRemat(nameOfChoice(policy.getValue()));
    if (!choice.isOn())
      return success();
    int64_t nextId = 0, nextCall = 0;
    for (auto stage : program.getBody().getOps<StageOp>()) {
      TaskOp forward = stage.getTask(Role::F);
      SmallVector<int64_t> segments;
      if (forward)
        for ([[maybe_unused]] auto call : forward.getBody().getOps<CallOp>())
          segments.push_back(problem.calls[nextCall++].segment);
      cloneCalls(stage, segments, nextId);
    }
    if (choice.runs == planner::RecomputingRuns::exceptLast)
      keepLast(program);
    return predict(program);
  }

  LogicalResult check(ProgramOp program, const RematChoice &choice) {
    if (planner::Fault fault = choice.check())
      return emitOptionError(program, *fault);
    if (bytesPerNs <= 0)
      return emitOptionError(program, "bytes-per-ns is ") << bytesPerNs.getValue() << " but must be positive";
    if (program.getRemat())
      return program.emitError("program '") << program.getSymName() << "' has checkpoints already";
    if (failed(requireRoutes(program)))
      return failure();
    return choice.runs == planner::RecomputingRuns::exceptLast ? requireSchedule(program) : success();
  }

  void keepLast(ProgramOp program) {
    SymbolTable symbols(program);
    for (auto rank : program.getBody().getOps<RankOp>())
      for (auto run : rank.getBody().getOps<RunOp>())
        if (run.getMb() == program.getMicroBatches() - 1 && run.getRole() != Role::F &&
            !symbols.lookup<StageOp>(run.getStage()).getBody().getOps<CheckpointOp>().empty())
          run.setKeep(true);
  }

  // Clones take time. Each run of a task is counted with its clones, also one that keeps.
  LogicalResult predict(ProgramOp program) {
    if (program.getBody().getOps<RankOp>().empty())
      return success();
    planner::ScheduleProblem problem = buildScheduleProblem(program, getChildAnalysis<RouteTable>(program), bytesPerNs);
    std::vector<std::vector<RunOp>> runs;
    planner::Schedule schedule = readSchedule(program, runs);
    planner::Simulation simulation;
    planner::Fault fault = problem.verify(schedule);
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
