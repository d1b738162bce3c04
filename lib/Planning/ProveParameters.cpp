//===- ProveParameters.cpp - owners, gradient sites, steps ------------------===//
#include "Proof.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <set>

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using module::ActionInfo;

namespace {

class ParameterProof {
public:
  explicit ParameterProof(TableOfProgram &both)
      : both(both), program(both.program), kernels(both.program->getParentOfType<ModuleOp>()) {}

  LogicalResult run() {
    for (auto stage : program.getBody().getOps<StageOp>())
      if (failed(collect(stage)))
        return failure();
    for (auto &[name, param] : params)
      if (failed(checkOwner(name, param)) || failed(checkSites(name, param)))
        return failure();
    for (auto route : program.getBody().getOps<RouteOp>())
      if (failed(checkEnds(route)))
        return failure();
    return checkSteps();
  }

private:
  struct Site {
    SiteOp handle;
    CallOp filledBy;
    std::set<int64_t> ranks{};
  };
  struct Param {
    ParamOp handle, owner;
    std::map<int64_t, Site> sites{};
  };

  LogicalResult collect(StageOp stage) {
    for (Operation &op : stage.getBody().front()) {
      if (auto handle = dyn_cast<ParamOp>(op); handle && failed(addParam(handle)))
        return failure();
      if (auto handle = dyn_cast<SiteOp>(op))
        siteOf(handle).ranks.insert(stage.getRank());
    }
    WalkResult walk = stage.walk(
        [&](CallOp call) { return failed(addCall(call)) ? WalkResult::interrupt() : WalkResult::advance(); });
    return failure(walk.wasInterrupted());
  }

  Site &siteOf(SiteOp handle) {
    Site &site = params[handle.getParam()].sites[handle.getIndex()];
    if (!site.handle)
      site.handle = handle;
    return site;
  }

  LogicalResult addParam(ParamOp handle) {
    Param &param = params[handle.getParam()];
    if (!param.handle)
      param.handle = handle;
    if (!handle.getOwned())
      return success();
    if (param.owner) {
      InFlightDiagnostic error = handle.emitOpError("owns '") << handle.getParam() << "', as another stage does";
      error.attachNote(param.owner.getLoc()) << "which owns it here";
      return error;
    }
    param.owner = handle;
    return success();
  }

  LogicalResult addCall(CallOp call) {
    bool prepares = cast<TaskOp>(call->getParentOp()).getRole() == Role::P;
    auto kernel = kernels.lookup<KernelOp>(call.getKernelAttr().getAttr());
    int64_t inputs = kernel.getNumInputs();
    bool updates = kernel.getUpdates();
    for (auto [index, operand] : llvm::enumerate(call.getArgs())) {
      auto handle = both.slots.resolve(operand).getDefiningOp<SiteOp>();
      if (auto param = operand.getDefiningOp<ParamOp>(); param && prepares && both.trained.contains(param.getParam()))
        return call.emitOpError("prepares from parameter '") << param.getParam() << "', which a step changes";
      if (updates ? bool(handle) : bool(handle) != (int64_t(index) >= inputs))
        return call.emitOpError("has ") << (handle ? "a gradient site" : "no gradient site") << " as operand #" << index
                                        << " of '" << call.getKernel() << "', of which " << inputs << " are no "
                                        << "accumulators";
      if (!handle)
        continue;
      Site &site = siteOf(handle);
      if (site.filledBy) {
        InFlightDiagnostic error = call.emitOpError("adds to site ")
                                   << handle.getIndex() << " of '" << handle.getParam() << "', as another call does";
        error.attachNote(site.filledBy.getLoc()) << "which adds to it here";
        return error;
      }
      site.filledBy = call;
    }
    return success();
  }

  LogicalResult checkOwner(StringRef name, const Param &param) {
    ParamOp handle = param.handle;
    if (!handle)
      return SiteOp(param.sites.begin()->second.handle).emitOpError("is of '") << name << "', which no stage has";
    return param.owner ? success() : handle.emitOpError("is '") << name << "', which no stage owns";
  }

  LogicalResult checkSites(StringRef name, const Param &param) {
    int64_t rank = cast<StageOp>(ParamOp(param.owner)->getParentOp()).getRank(), next = 0;
    for (auto &[index, site] : param.sites) {
      SiteOp handle = site.handle;
      if (index != next)
        return handle.emitOpError("has index ") << index << " where site " << next << " of '" << name << "' is next";
      ++next;
      if (!site.filledBy)
        return handle.emitOpError("is site ") << index << " of '" << name << "', which no call fills";
      if (!site.ranks.count(rank))
        return handle.emitOpError("is site ")
               << index << " of '" << name << "' but never reaches its owner, rank " << rank;
    }
    return success();
  }

  // What a route carries per step has a name, and lands there.
  LogicalResult checkEnds(RouteOp route) {
    if (route.getPer() != Per::step)
      return success();
    Value from = both.slots.resolve(both.routes().stashOf(route).getValue());
    Value into = both.slots.resolve(both.routes().popOf(route).getResult());
    auto param = from.getDefiningOp<ParamOp>(), newParam = into.getDefiningOp<ParamOp>();
    auto site = from.getDefiningOp<SiteOp>(), newSite = into.getDefiningOp<SiteOp>();
    bool same = (param && newParam && param.getParam() == newParam.getParam()) ||
                (site && newSite && site.getParam() == newSite.getParam() && site.getIndex() == newSite.getIndex());
    return same ? success()
                : route.emitOpError("brings ") << describe(from, -1) << " to the place of " << describe(into, -1);
  }

  LogicalResult checkSteps() {
    int64_t expected = program.isTraining();
    for (auto [op, rank] : llvm::zip(both.ranks, both.table.ranks)) {
      int64_t steps = llvm::count_if(rank.actions, [](auto &action) { return action.op == ActionInfo::Op::Step; });
      if (op && steps != expected)
        return op.emitOpError("takes ") << steps << " steps but a rank of this program takes " << expected;
    }
    return success();
  }

  TableOfProgram &both;
  ProgramOp program;
  SymbolTable kernels;
  std::map<StringRef, Param> params;
};

} // namespace

LogicalResult plc::plan::proveParameters(TableOfProgram &both) { return ParameterProof(both).run(); }
