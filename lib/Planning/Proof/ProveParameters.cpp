//===- ProveParameters.cpp - owners, gradient sites, steps ----------------===//
#include "Proof.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <set>

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using module::ActionInfo;

namespace {

// Collects parameters and sites over all stages, then checks each parameter's owner and sites, routes per step, and
// steps.
class ParameterProof {
public:
  explicit ParameterProof(TableOfProgram &both)
      : both(both), program(both.program), kernels(both.program->getParentOfType<ModuleOp>()) {}

  LogicalResult run() {
    for (auto stage : program.getBody().getOps<StageOp>())
      if (failed(collect(stage)))
        return failure();
    for (auto &[name, param] : params)
      if (failed(checkOwner(name, param)) || failed(checkSites(name, param)) || failed(checkShards(name, param)))
        return failure();
    for (auto route : program.getBody().getOps<RouteOp>())
      if (failed(checkEnds(route)))
        return failure();
    return checkSteps();
  }

private:
  // One accumulation group of a site: its handle, the call that adds to it, and the ranks that have it.
  struct Site {
    SiteOp handle;
    CallOp filledBy;
    std::set<int64_t> ranks{};
  };
  struct Param {
    ParamOp handle, owner;
    std::map<int64_t, std::vector<Site>> sites{}; // by index, then by group
  };

  LogicalResult collect(StageOp stage) {
    for (Operation &op : stage.getBody().front()) {
      if (auto handle = dyn_cast<ParamOp>(op); handle && failed(addParam(handle)))
        return failure();
      // A site may have handles on several ranks: the one that fills it, and the owner that receives it.
      if (auto handle = dyn_cast<SiteOp>(op))
        for (Site &group : groupsOf(handle))
          group.ranks.insert(stage.getRank());
    }
    WalkResult walk = stage.walk(
        [&](CallOp call) { return failed(addCall(call)) ? WalkResult::interrupt() : WalkResult::advance(); });
    return failure(walk.wasInterrupted());
  }

  MutableArrayRef<Site> groupsOf(SiteOp handle) {
    std::vector<Site> &all = params[handle.getParam()].sites[handle.getIndex()];
    all.resize(program.getAccumulationGroups());
    MutableArrayRef<Site> groups = MutableArrayRef(all).slice(handle.getGroup(), handle.getGroups());
    // The first handle serves as the location of errors.
    for (Site &group : groups)
      if (!group.handle)
        group.handle = handle;
    return groups;
  }

  // The name of a site in messages; a program with one group does not name it.
  std::string nameOf(int64_t index, int64_t group) {
    return "site " + std::to_string(index) +
           (program.getAccumulationGroups() == 1 ? "" : ", group " + std::to_string(group));
  }

  LogicalResult addParam(ParamOp handle) {
    Param &param = params[handle.getParam()];
    if (!param.handle)
      param.handle = handle;
    // Other ranks hold copies, which get the new value after the step.
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
      // Sites are the operands behind the inputs, and nothing else; an update has none.
      if (updates ? bool(handle) : bool(handle) != (int64_t(index) >= inputs))
        return call.emitOpError("has ") << (handle ? "a gradient site" : "no gradient site") << " as operand #" << index
                                        << " of '" << call.getKernel() << "', of which " << inputs << " are no "
                                        << "accumulators";
      if (!handle)
        continue;
      for (auto [group, site] : llvm::enumerate(groupsOf(handle))) {
        // One call per site, so that the order of additions does not depend on the order of tasks.
        if (site.filledBy) {
          InFlightDiagnostic error = call.emitOpError("adds to ")
                                     << nameOf(handle.getIndex(), handle.getGroup() + group) << " of '"
                                     << handle.getParam() << "', as another call does";
          error.attachNote(site.filledBy.getLoc()) << "which adds to it here";
          return error;
        }
        site.filledBy = call;
      }
    }
    return success();
  }

  LogicalResult checkOwner(StringRef name, const Param &param) {
    ParamOp handle = param.handle;
    if (!handle)
      return anySite(param).emitOpError("is of '") << name << "', which no stage has";
    return param.owner ? success() : handle.emitOpError("is '") << name << "', which no stage owns";
  }

  static SiteOp anySite(const Param &param) {
    for (const Site &group : param.sites.begin()->second)
      if (group.handle)
        return group.handle;
    llvm_unreachable("a site is known by a handle");
  }

  // Every index and group has a handle, is filled, and is on the owner's rank. The map visits indices in order.
  LogicalResult checkSites(StringRef name, const Param &param) {
    int64_t rank = cast<StageOp>(ParamOp(param.owner)->getParentOp()).getRank(), next = 0;
    for (auto &[index, groups] : param.sites) {
      for (auto [group, site] : llvm::enumerate(groups)) {
        SiteOp handle = site.handle;
        if (!handle)
          return ParamOp(param.owner).emitOpError("is of '")
                 << name << "', of which no stage has " << nameOf(index, group);
        // The step adds sites in index order, so there may be no gap.
        if (index != next)
          return handle.emitOpError("has index ") << index << " where site " << next << " of '" << name << "' is next";
        if (!site.filledBy)
          return handle.emitOpError("is ") << nameOf(index, group) << " of '" << name << "', which no call fills";
        if (!site.ranks.count(rank))
          return handle.emitOpError("is ")
                 << nameOf(index, group) << " of '" << name << "' but never reaches its owner, rank " << rank;
      }
      ++next;
    }
    return success();
  }

  // Rules on whole tensors update all shards of a parameter, so one rank owns them.
  LogicalResult checkShards(StringRef name, const Param &param) {
    auto declared = kernels.lookup<ein::ParamOp>(name);
    if (!declared || !declared.getShard() || !declared.getWorkspace() || param.sites.empty())
      return success();
    auto rankOf = [](ParamOp owner) { return int64_t(cast<StageOp>(owner->getParentOp()).getRank()); };
    auto [first, isNew] = owners.try_emplace(declared.getWhole(), param.owner);
    if (rankOf(first->second) == rankOf(param.owner))
      return success();
    InFlightDiagnostic error = ParamOp(param.owner).emitOpError("owns '")
                               << name << "' on rank " << rankOf(param.owner) << ", but the optimizer updates it with '"
                               << first->second.getParam() << "'";
    error.attachNote(first->second.getLoc()) << "which rank " << rankOf(first->second) << " owns";
    return error;
  }

  // A per-step route must end in the buffer of the parameter or site that it carries.
  LogicalResult checkEnds(RouteOp route) {
    if (route.getPer() != Per::step)
      return success();
    Value from = both.slots.resolve(both.routes().stashOf(route).getValue());
    Value into = both.slots.resolve(both.routes().popOf(route).getResult());
    auto param = from.getDefiningOp<ParamOp>(), newParam = into.getDefiningOp<ParamOp>();
    auto site = from.getDefiningOp<SiteOp>(), newSite = into.getDefiningOp<SiteOp>();
    bool same = (param && newParam && param.getParam() == newParam.getParam()) ||
                (site && newSite && site.getParam() == newSite.getParam() && site.getIndex() == newSite.getIndex() &&
                 site.getGroup() == newSite.getGroup() && site.getGroups() == newSite.getGroups());
    if (int64_t groups = site ? site.getGroups() : 1; same && int64_t(route.getGroups()) != groups)
      return route.emitOpError("carries ")
             << route.getGroups() << " groups of " << describe(from, -1) << ", which has " << groups;
    return same ? success()
                : route.emitOpError("brings ") << describe(from, -1) << " to the place of " << describe(into, -1);
  }

  LogicalResult checkSteps() {
    int64_t expected = program.isTraining();
    for (auto [op, rank] : llvm::zip(both.ranks, both.table.ranks)) {
      int64_t steps = llvm::count_if(rank.actions, [](auto &action) { return action.op == ActionInfo::Op::Step; });
      // A rank without an operation runs nothing, which `proveRuns` judges.
      if (op && steps != expected)
        return op.emitOpError("takes ") << steps << " steps but a rank of this program takes " << expected;
    }
    return success();
  }

  TableOfProgram &both;
  ProgramOp program;
  SymbolTable kernels;
  std::map<StringRef, Param> params;
  std::map<StringRef, ParamOp> owners; // of the first shard of each whole that one rank updates
};

} // namespace

LogicalResult plc::plan::proveParameters(TableOfProgram &both) { return ParameterProof(both).run(); }
