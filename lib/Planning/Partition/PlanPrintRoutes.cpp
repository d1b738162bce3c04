//===- PlanPrintRoutes.cpp - list routes by source and by destination -----===//
#include "Base/Programs.h"
#include "plc/Planning/Passes.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Base/Format.h"

namespace plc::plan {
#define GEN_PASS_DEF_PLANPRINTROUTES
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

enum class End { source, destination };

/// Under each stage, the routes that have this end there: a line each with the other end.
void printRoutes(ProgramOp program, End end, llvm::raw_ostream &os) {
  for (auto stage : program.getBody().getOps<StageOp>()) {
    os << (end == End::source ? "  from " : "  to ") << stage.getSymName() << "\n";
    for (auto route : program.getBody().getOps<RouteOp>()) {
      StringRef here = route.getSource(), there = route.getDestination();
      if (end == End::destination)
        std::swap(here, there);
      if (here != stage.getSymName())
        continue;
      os << "    " << route.getSymName() << (end == End::source ? " to " : " from ") << there << ": "
         << route.getCarries() << ", " << planner::formatBytes(carriedBytes(route)) << " per "
         << (route.getPer() == Per::step ? "step" : "micro-batch") << "\n";
    }
  }
}

struct PlanPrintRoutesPass : plc::plan::impl::PlanPrintRoutesBase<PlanPrintRoutesPass> {
  explicit PlanPrintRoutesPass(llvm::raw_ostream &out) : out(out) {}

  void runOnOperation() override {
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
    // One write, so that no other output comes between.
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (auto program : getOperation().getOps<ProgramOp>()) {
      stream << "routes of '" << program.getSymName() << "'\n";
      printRoutes(program, End::source, stream);
      printRoutes(program, End::destination, stream);
    }
    out << text;
  }

private:
  llvm::raw_ostream &out;
};

} // namespace

std::unique_ptr<Pass> plc::plan::createPlanPrintRoutes(llvm::raw_ostream &out) {
  return std::make_unique<PlanPrintRoutesPass>(out);
}
