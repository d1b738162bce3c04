//===- ProveFigures.cpp - recorded times, bytes and bounds ----------------===//
#include "Partition/CutModel.h"
#include "Proof.h"
#include "Remat/RecomputationBounds.h"
#include "Schedule/ScheduleModel.h"

#include "plc/Dialect/Plan/Values.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

// Compares a recorded number; one that is not recorded claims nothing.
LogicalResult proveFigure(Operation *op, StringRef name, std::optional<int64_t> said, int64_t is) {
  if (!said || *said == is)
    return success();
  return op->emitOpError("says ") << name << " " << *said << " but it is " << is;
}

LogicalResult proveCut(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs) {
  if (!program.getCutNs()) // no pass has cut it
    return success();
  CutModel model(program, routes, bytesPerNs);
  if (planner::Status fault = model.problem.check())
    return program.emitOpError("is no cut of a model: ") << *fault;
  std::vector<int64_t> ns = model.problem.nsOfStages(model.stageOf);
  std::vector<size_t> next(program.getReplicas()); // by replica: the next stage, which is like the first replica's
  // Stages of other replicas have the times of the first one's.
  for (auto stage : program.getBody().getOps<StageOp>())
    if (failed(proveFigure(stage, "ns", stage.getNs(), ns[next[stage.getReplica()]++])))
      return failure();
  return success(
      succeeded(proveFigure(program, "cut_ns", program.getCutNs(), model.problem.slowestNs(model.stageOf))) &&
      succeeded(proveFigure(program, "cut_bound_ns", program.getCutBoundNs(), model.problem.bound())));
}

// The order is verified before it is simulated, since hand-written IR may have any.
LogicalResult proveStep(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs) {
  planner::ScheduleProblem problem = buildScheduleProblem(program, routes, bytesPerNs);
  std::vector<std::vector<RunOp>> runs;
  planner::Schedule schedule = readSchedule(program, runs);
  planner::Simulation simulation;
  planner::Status fault = problem.check();
  if (!fault)
    fault = problem.verify(schedule);
  if (!fault)
    fault = planner::simulate(problem, schedule, simulation);
  if (fault)
    return program.emitOpError("has an order that is none: ") << *fault;
  return success(succeeded(proveFigure(program, "step_ns", program.getStepNs(), simulation.makespan)) &&
                 succeeded(proveFigure(program, "step_bound_ns", program.getStepBoundNs(), problem.bound())));
}

// Bounds take time, so they are computed only if the program records them.
LogicalResult proveRecomputation(ProgramOp program, const RouteTable &routes, ArrayRef<std::string> keepKinds) {
  RecomputationFigures figures = recomputationOf(program, routes);
  if (failed(proveFigure(program, "recompute_ns", program.getRecomputeNs(), figures.ns)) ||
      failed(proveFigure(program, "kept_bytes", program.getKeptBytes(), figures.keptBytes)))
    return failure();
  if (!program.getKeptBoundBytes() && !program.getRecomputeBoundNs())
    return success();
  RecomputationBounds bounds = boundsOfRecomputation(program, routes, keepKinds);
  return success(succeeded(proveFigure(program, "kept_bound_bytes", program.getKeptBoundBytes(), bounds.keptBytes)) &&
                 succeeded(proveFigure(program, "recompute_bound_ns", program.getRecomputeBoundNs(), bounds.ns)));
}

} // namespace

LogicalResult plc::plan::proveFigures(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs,
                                      ArrayRef<std::string> keepKinds) {
  return success(succeeded(proveCut(program, routes, bytesPerNs)) &&
                 succeeded(proveStep(program, routes, bytesPerNs)) &&
                 succeeded(proveRecomputation(program, routes, keepKinds)));
}
