//===- PlanInferSkips.cpp - route each value that crosses a cut -----------===//
#include "Programs.h"
#include "plc/Planning/Passes.h"

#include "plc/Analysis/RouteTable.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Partition.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

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

// For people: the instance and role that make the value.
std::string nameOf(const RouteTable &routes, Value value) {
  auto call = routes.resolve(value).getDefiningOp<CallOp>();
  if (!call)
    return "value";
  return (call.getPath() + "." + stringifyRole(cast<TaskOp>(call->getParentOp()).getRole())).str();
}

class Router {
public:
  Router(ProgramOp program, const RouteTable &before)
      : program(program), before(before), builder(program.getContext()) {
    llvm::append_range(stages, program.getBody().getOps<StageOp>());
  }

  void run() {
    for (StageOp source : stages) {
      Operation *yield = source.getBody().front().getTerminator();
      for (StageOp destination : stages)
        for (OpResult result : source.getResults())
          route(source, destination, result, yield->getOperand(result.getResultNumber()));
    }
    if (program.isTraining())
      routeTied();
    for (StageOp &stage : stages)
      dropResults(stage);
  }

private:
  RouteOp declare(StageOp source, StageOp destination, Per per, const std::string &carries, Type type) {
    // Stages between the two hold nothing of the value.
    int64_t apart = llvm::find(stages, source) - llvm::find(stages, destination);
    remark::passed(program.getLoc(),
                   remark::RemarkOpts::name("Routed").category(DEBUG_TYPE).function(program.getSymName()))
        << remark::add("{0} to {1}, past {2} stages: '{3}', {4} per {5}", source.getSymName(), destination.getSymName(),
                       std::abs(apart) - 1, carries, planner::formatBytes(byteSize(type)), stringifyPer(per));
    builder.setInsertionPointToEnd(&program.getBody().front());
    return RouteOp::create(
        builder, program.getLoc(), builder.getStringAttr("r" + Twine(count++)), nullptr,
        FlatSymbolRefAttr::get(source.getSymNameAttr()), FlatSymbolRefAttr::get(destination.getSymNameAttr()),
        PerAttr::get(builder.getContext(), per), builder.getStringAttr(carries), TypeAttr::get(type));
  }

  // The stash, then the pop behind the handles of the destination.
  PopOp connect(RouteOp route, StageOp source, StageOp destination, Value value, Value into) {
    builder.setInsertionPoint(source.getBody().front().getTerminator());
    StashOp::create(builder, value.getLoc(), route.getSymName(), value);
    Block &block = destination.getBody().front();
    auto end = llvm::find_if(block, [](Operation &op) { return !isa<ParamOp, SiteOp, InputOp, PopOp>(op); });
    builder.setInsertionPoint(&block, end);
    return PopOp::create(builder, value.getLoc(), value.getType(), route.getSymName(), into);
  }

  void route(StageOp source, StageOp destination, OpResult result, Value made) {
    auto inside = [&](OpOperand &use) { return destination->isProperAncestor(use.getOwner()); };
    if (source == destination || llvm::none_of(result.getUses(), inside))
      return;
    // Names of routes are for people and must be unique for each destination, so equal ones are numbered.
    std::string carries = nameOf(before, made);
    if (int64_t before = carried[{destination, carries}]++)
      carries += "#" + std::to_string(before);
    RouteOp route = declare(source, destination, Per::micro_batch, carries, result.getType());
    PopOp pop = connect(route, source, destination, made, nullptr);
    result.replaceUsesWithIf(pop.getResult(), inside);
  }

  // The place of a site on another stage's rank, made there if need be.
  Value siteIn(StageOp stage, SiteOp like) {
    for (auto site : stage.getBody().getOps<SiteOp>())
      if (site.getParam() == like.getParam() && site.getIndex() == like.getIndex())
        return site;
    builder.setInsertionPointToStart(&stage.getBody().front());
    return SiteOp::create(builder, like.getLoc(), like.getType(), like.getParam(), like.getIndex());
  }

  void routeTied() {
    llvm::MapVector<StringRef, std::pair<StageOp, ParamOp>> owners;
    for (StageOp stage : stages)
      for (auto param : stage.getBody().getOps<ParamOp>())
        if (param.getOwned())
          owners[param.getParam()] = {stage, param};
    for (StageOp stage : stages) {
      for (auto site : llvm::to_vector(stage.getBody().getOps<SiteOp>())) {
        StageOp owner = owners.lookup(site.getParam()).first;
        if (!owner || owner.getRank() == stage.getRank())
          continue;
        std::string carries = "gradient of " + site.getParam().str() + ", site " + std::to_string(site.getIndex());
        RouteOp route = declare(stage, owner, Per::step, carries, site.getType());
        connect(route, stage, owner, site, siteIn(owner, site));
      }
    }
    // One copy per rank, whatever the number of its stages.
    DenseSet<std::pair<int64_t, StringRef>> sent;
    for (StageOp stage : stages)
      for (auto param : llvm::to_vector(stage.getBody().getOps<ParamOp>())) {
        auto [owner, original] = owners.lookup(param.getParam());
        if (!owner || owner.getRank() == stage.getRank() || !isTrained(param.getParam()) ||
            !sent.insert({stage.getRank(), param.getParam()}).second)
          continue;
        RouteOp route = declare(owner, stage, Per::step, param.getParam().str(), param.getType());
        connect(route, owner, stage, original, param);
      }
  }

  bool isTrained(StringRef param) {
    return llvm::any_of(stages, [&](StageOp stage) {
      return llvm::any_of(stage.getBody().getOps<SiteOp>(), [&](SiteOp site) { return site.getParam() == param; });
    });
  }

  void dropResults(StageOp &stage) {
    if (stage.getNumResults() == 0)
      return;
    builder.setInsertionPoint(stage);
    auto bare = StageOp::create(builder, stage.getLoc(), TypeRange(), ValueRange(), stage->getAttrs());
    bare.getBody().takeBody(stage.getBody());
    bare.getBody().front().getTerminator()->setOperands({});
    stage.erase();
    stage = bare;
  }

  ProgramOp program;
  const RouteTable &before; // without the routes that are made here
  OpBuilder builder;
  SmallVector<StageOp> stages;
  int64_t count = 0;
  std::map<std::pair<Operation *, std::string>, int64_t> carried; // values of one name to one stage
};

struct PlanInferSkipsPass : plc::plan::impl::PlanInferSkipsBase<PlanInferSkipsPass> {
  void runOnOperation() override {
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
