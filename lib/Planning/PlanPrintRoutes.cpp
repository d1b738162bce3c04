//===- PlanPrintRoutes.cpp - routes by source and by destination ----------===//
#include "Programs.h"
#include "plc/Planning/Passes.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Partition.h"

namespace plc::plan {
#define GEN_PASS_DEF_PLANPRINTROUTES
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

struct PlanPrintRoutesPass : plc::plan::impl::PlanPrintRoutesBase<PlanPrintRoutesPass> {
  void runOnOperation() override {
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>()) {
      llvm::outs() << "routes of '" << program.getSymName() << "'\n";
      print(program, /*bySource=*/true);
      print(program, /*bySource=*/false);
    }
  }

private:
  void print(ProgramOp program, bool bySource) {
    for (auto stage : program.getBody().getOps<StageOp>()) {
      llvm::outs() << (bySource ? "  from " : "  to ") << stage.getSymName() << "\n";
      for (auto route : program.getBody().getOps<RouteOp>())
        if ((bySource ? route.getSource() : route.getDestination()) == stage.getSymName())
          llvm::outs() << "    " << route.getSymName() << (bySource ? " to " : " from ")
                       << (bySource ? route.getDestination() : route.getSource()) << ": " << route.getCarries() << ", "
                       << planner::formatBytes(byteSize(route.getType())) << " per "
                       << (route.getPer() == Per::step ? "step" : "micro-batch") << "\n";
    }
  }
};

} // namespace
