//===- PlanSchedule.cpp - order the tasks on each rank --------------------===//
#include "Base/Programs.h"
#include "Base/Spec.h"
#include "ScheduleModel.h"

#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Planner/Schedule/SharedStages.h"
#include "plc/Planner/Schedule/TaskRows.h"
#include "plc/Planning/Passes.h"
#include "plc/Support/Errors.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MemoryBuffer.h"

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
    ein::setPhase(getOperation(), PhaseKind::schedule);
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>())
      if (failed(order(program)))
        return signalPassFailure();
  }

private:
  static constexpr const char *fileKey = "parallelism.schedule.file";

  LogicalResult order(ProgramOp program) {
    if (bytesPerNs <= 0)
      return emitOptionError(program, "bytes-per-ns is ") << bytesPerNs.getValue() << " but must be positive";
    if (failed(requireRoutes(program)))
      return failure();
    if (!program.getBody().getOps<RankOp>().empty())
      return program.emitError("program '") << program.getSymName() << "' is scheduled already";
    // A spec's order comes first: it was searched together with everything else of the plan.
    planner::ScheduleProblem problem = buildScheduleProblem(program, getChildAnalysis<RouteTable>(program), bytesPerNs);
    planner::Schedule answer;
    bool isText = rowOf(schedule.getValue()).follows == planner::OrderSource::text;
    SpecOp spec = specOf(getOperation(), program.getSymName());
    LogicalResult isOrdered = spec     ? takeOrder(spec, problem, answer)
                              : isText ? readOrder(program, problem, answer)
                                       : solve(program, problem, answer);
    if (failed(isOrdered))
      return failure();
    // Simulating finds deadlocks of orders that users wrote, and gives the step that is recorded.
    planner::Simulation simulation;
    if (planner::Status fault = planner::simulate(problem, answer, simulation))
      return emitNoPlan(program) << *fault;
    write(program, answer);
    program.setSchedule(schedule.getValue());
    program.setStepNs(simulation.makespan);
    int64_t bound = problem.bound();
    program.setStepBoundNs(bound);
    remark::passed(program.getLoc(),
                   remark::RemarkOpts::name("Ordered").category(getArgument()).function(program.getSymName()))
        << remark::add("ordered by {0}: a step takes {1} ns, and at least {2} ns in any order; ranks idle {3:P1} of it",
                       nameOfChoice(schedule.getValue()), simulation.makespan, bound, simulation.bubble);
    return success();
  }

  LogicalResult solve(ProgramOp program, const planner::ScheduleProblem &problem, planner::Schedule &answer) {
    if (planner::Status fault = planner::solve(rowOf(schedule.getValue()), problem, answer))
      return emitNoPlan(program) << *fault;
    return success();
  }

  // Takes the order of a spec, and removes the spec. A row may name tasks without calls, which the program does not
  // have.
  LogicalResult takeOrder(SpecOp spec, const planner::ScheduleProblem &problem, planner::Schedule &answer) {
    for (StringRef row : spec.getOrder().getAsValueRange<StringAttr>()) {
      std::vector<planner::ScheduledTask> tasks = *planner::readTasks(row);
      llvm::erase_if(tasks, [&](const planner::ScheduledTask &task) {
        return task.stage < int64_t(problem.stages.size()) && !problem.stages[task.stage].has[int(task.kind)];
      });
      answer.ranks.push_back(std::move(tasks));
    }
    // A spec may be written by hand, so its order is checked as an order of a user.
    if (planner::Status fault = problem.verify(answer))
      return withKey(spec.emitOpError("has an order that is none: "), planKey) << *fault;
    spec.erase();
    return success();
  }

  // Reads the order from a schedule file. Errors of its text point into the file, other errors at the key.
  LogicalResult readOrder(ProgramOp program, const planner::ScheduleProblem &problem, planner::Schedule &answer) {
    if (file.empty())
      return emitOptionError(program, "schedule is 'file' but no 'file' is given");
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      return emitKeyError(program, fileKey, "cannot read schedule '")
             << file.getValue() << "': " << buffer.getError().message();
    planner::ScheduleFile table;
    if (auto error = table.read((*buffer)->getBuffer()))
      return withExitCode(
          mlir::emitError(FileLineColLoc::get(&getContext(), file, error->line, error->column), error->text), BadUsage);
    planner::Status fault = planner::orderByFile(table, problem, answer);
    if (fault)
      return emitKeyError(program, fileKey, "schedule '") << file.getValue() << "': " << *fault;
    return success();
  }

  // P runs first on each rank: whatever order follows, its results are there.
  void write(ProgramOp program, const planner::Schedule &answer) {
    OpBuilder builder(program.getContext());
    SmallVector<StageOp> stages(program.getBody().getOps<StageOp>());
    for (auto [index, jobs] : llvm::enumerate(answer.ranks)) {
      builder.setInsertionPointToEnd(&program.getBody().front());
      auto rank = RankOp::create(builder, program.getLoc(), index, DenseI64ArrayAttr());
      builder.createBlock(&rank.getBody());
      for (StageOp stage : stages)
        if (size_t(stage.getRank()) == index && stage.getTask(Role::P))
          RunOp::create(builder, stage.getLoc(), stage.getSymName(), Role::P, /*mb=*/-1, /*keep=*/false, nullptr);
      LDBG() << "rank " << index << ": " << llvm::join(llvm::map_range(jobs, planner::describe), ", ");
      for (const planner::ScheduledTask &job : jobs)
        RunOp::create(builder, stages[job.stage].getLoc(), stages[job.stage].getSymName(), Role(job.kind),
                      job.microBatch, /*keep=*/false, nullptr);
    }
  }
};

} // namespace
