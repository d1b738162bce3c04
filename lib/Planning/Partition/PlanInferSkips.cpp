//===- PlanInferSkips.cpp - route each value that crosses a cut -----------===//
#include "Base/Programs.h"
#include "RouteBuilder.h"
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Planning/Passes.h"

#include "plc/Analysis/RouteTable.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace plc::plan {
#define GEN_PASS_DEF_PLANINFERSKIPS
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

#define DEBUG_TYPE "plan-infer-skips"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

// A route's name for people: path and role of the call that makes the value.
std::string nameOf(const RouteTable &routes, Value value) {
  auto call = routes.resolve(value).getDefiningOp<CallOp>();
  if (!call)
    return "value";
  return (call.getPath() + "." + stringifyRole(cast<TaskOp>(call->getParentOp()).getRole())).str();
}

// Replaces each use of another stage's result by a stash, a route and a pop, so that values travel directly from source
// to destination. Stages in between hold nothing.
class Router {
public:
  Router(ProgramOp program, const RouteTable &before)
      : program(program), before(before), routes(program, DEBUG_TYPE), stages(routes.getStages()) {}

  void run() {
    for (StageOp source : stages) {
      Operation *yield = source.getBody().front().getTerminator();
      for (StageOp destination : stages)
        for (OpResult result : source.getResults())
          route(source, destination, result, yield->getOperand(result.getResultNumber()));
    }
    // Owners change when replicas are made, so with several replicas `--plan-replicate` adds these routes.
    if (program.isTraining() && program.getReplicas() == 1)
      routes.routeParameters();
    for (StageOp &stage : stages)
      dropResults(stage);
  }

private:
  void route(StageOp source, StageOp destination, OpResult result, Value made) {
    auto inside = [&](OpOperand &use) { return destination->isProperAncestor(use.getOwner()); };
    if (source == destination || llvm::none_of(result.getUses(), inside))
      return;
    // Names of routes are for people and must be unique for each destination, so equal ones are numbered.
    std::string carries = nameOf(before, made);
    if (int64_t before = carried[{destination, carries}]++)
      carries += "#" + std::to_string(before);
    RouteOp route = routes.declare(source, destination, Per::micro_batch, carries, result.getType());
    PopOp pop = routes.connect(route, source, destination, made, nullptr);
    result.replaceUsesWithIf(pop.getResult(), inside);
  }

  // Once all uses are routed, stages need no results. An operation cannot lose results, so a stage moves to a new one.
  void dropResults(StageOp &stage) {
    if (stage.getNumResults() == 0)
      return;
    OpBuilder builder(stage);
    // The body moves, it is not copied: analyses of its operations stay right.
    auto bare = StageOp::create(builder, stage.getLoc(), TypeRange(), ValueRange(), stage->getAttrs());
    bare.getBody().takeBody(stage.getBody());
    bare.getBody().front().getTerminator()->setOperands({});
    stage.erase();
    stage = bare;
  }

  ProgramOp program;
  const RouteTable &before; // names the values; does not know the routes made here
  RouteBuilder routes;
  SmallVector<StageOp> stages;
  std::map<std::pair<Operation *, std::string>, int64_t> carried; // values of one name to one stage
};

struct PlanInferSkipsPass : plc::plan::impl::PlanInferSkipsBase<PlanInferSkipsPass> {
  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::skips);
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>()) {
      if (!program.getBody().getOps<RouteOp>().empty()) {
        program.emitError("program '") << program.getSymName() << "' has routes already";
        return signalPassFailure();
      }
      Router(program, getChildAnalysis<RouteTable>(program)).run();
    }
  }
};

} // namespace
