//===- PlanPrintRematCurve.cpp - what each byte of a budget costs ---------===//
#include "Programs.h"
#include "RetentionModel.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Partition.h"
#include "plc/Planner/Schedules.h"
#include "plc/Planning/Passes.h"

#include "llvm/Support/FormatVariadic.h"

namespace plc::plan {
#define GEN_PASS_DEF_PLANPRINTREMATCURVE
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

struct PlanPrintRematCurvePass : plc::plan::impl::PlanPrintRematCurveBase<PlanPrintRematCurvePass> {
  using PlanPrintRematCurveBase::PlanPrintRematCurveBase;

  void runOnOperation() override {
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
    if (points <= 0) {
      emitOptionError(getOperation(), "points is ") << points.getValue() << " but must be positive";
      return signalPassFailure();
    }
    for (auto program : getOperation().getOps<ProgramOp>()) {
      std::vector<int64_t> ranks;
      for (auto stage : program.getBody().getOps<StageOp>())
        ranks.push_back(stage.getRank());
      std::vector<int64_t> inFlight = planner::inFlightOf(rowOf(schedule.getValue()), ranks, program.getRunsOfReplica(),
                                                          program.getShards(), pipelineOf(program));
      for (auto [stage, flying] : llvm::zip(program.getBody().getOps<StageOp>(), inFlight))
        print(program, stage, flying, llvm::outs());
    }
  }

private:
  void print(ProgramOp program, StageOp stage, int64_t inFlight, llvm::raw_ostream &os) {
    RetentionContext context(program, /*keepKinds=*/{});
    StageRetention model(context, stage, inFlight);
    int64_t base = model.problem.baseNs();
    auto percent = [](int64_t part, int64_t whole) {
      if (!whole && part) // no percentage of nothing
        return std::string("-");
      return llvm::formatv("{0:F1} %", whole ? 100.0 * double(part) / double(whole) : 0.0).str();
    };
    os << "stage '" << stage.getSymName() << "' of '" << program.getSymName() << "', "
       << planner::formatBytes(model.problem.staticBytes) << " of them static, " << inFlight
       << " micro-batches in flight\n";
    os << llvm::formatv("{0,12} {1,12} {2,8} {3,12} {4,8}\n", "bytes", "added ns", "", "bound ns", "gap");
    os.flush(); // a stage may take minutes
    for (const planner::RetentionPoint &point : planner::solveRetentionCurve(model.problem, points)) {
      os << llvm::formatv("{0,12} {1,12} {2,8} {3,12} {4,8}\n", point.bytes, point.addedNs,
                          percent(point.addedNs, base), point.boundNs,
                          percent(point.addedNs - point.boundNs, point.boundNs));
    }
    os.flush();
  }
};

} // namespace
