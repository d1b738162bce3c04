//===- PlanPartition.cpp - cut each model into stages ---------------------===//
#include "Base/FlatProgram.h"
#include "Base/Programs.h"
#include "Base/Spec.h"
#include "BucketStages.h"
#include "BuildWorkload.h"
#include "CutModel.h"
#include "GatherShards.h"
#include "JoinedBackward.h"
#include "Remat/RematModel.h"
#include "ShardStages.h"
#include "StageBuilder.h"

#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Planning/Passes.h"
#include "plc/Search/Search.h"
#include "plc/Search/StageTasks.h"
#include "plc/Support/Errors.h"

#include "mlir/IR/Diagnostics.h"

#include <map>
#include <set>

namespace plc::plan {
#define GEN_PASS_DEF_PLANPARTITION
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

// Moves the sum of two contributions to the stage that makes both, so that their sum crosses a cut as one value. Sums
// form a tree, in program order: every maximal subtree with its leaves in one stage ends up there.
void placeSums(FlatProgram &flat, ArrayRef<int32_t> stageOfUnit) {
  for (FlatCall &call : flat.calls) {
    // A gradient from outside the stages has no maker to move to.
    if (!call.sum || llvm::any_of(call.args, [&](int64_t v) { return flat.values[v].origin != FlatValue::Result; }))
      continue;
    auto unitOf = [&](int64_t value) { return flat.calls[flat.values[value].call].unit; };
    int32_t stage = stageOfUnit[unitOf(call.args[0])];
    if (llvm::all_of(call.args, [&](int64_t value) { return stageOfUnit[unitOf(value)] == stage; }))
      call.unit = unitOf(call.args[0]);
  }
}

// Decides stages, ranks and recomputation, either by a `plan.spec` or by its options, and builds the program.
struct PlanPartitionPass : plc::plan::impl::PlanPartitionBase<PlanPartitionPass> {
  using PlanPartitionBase::PlanPartitionBase;

  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::partition);
    if (failed(checkOptions()))
      return signalPassFailure();
    if (getOperation().getOps<ein::ModelOp>().empty()) {
      getOperation().emitError("module has no 'ein.model' to cut: this pass runs once");
      return signalPassFailure();
    }
    for (auto model : llvm::make_early_inc_range(getOperation().getOps<ein::ModelOp>()))
      if (failed(cut(model)))
        return signalPassFailure();
    for (auto body : llvm::make_early_inc_range(getOperation().getOps<ein::FuncOp>()))
      body.erase();
  }

private:
  static constexpr const char *rankMapKey = "parallelism.place";

  /// A plan without its order, and the workload that it plans.
  struct Decision {
    search::Workload workload;
    search::PlanSpec plan;
    std::vector<int32_t>
        pipeline{}; ///< by stage: the stage of the pipeline that it is a slice of; empty: each stage is one
  };

  LogicalResult checkOptions() {
    Operation *module = getOperation();
    if (stages <= 0)
      return emitOptionError(module, "stages is ") << stages.getValue() << " but must be positive";
    if (rowOf(policy.getValue()).obeys(planner::ByteBudget))
      return emitOptionError(module, "policy is '")
             << nameOfChoice(policy.getValue()) << "' but that is decided by a 'plan.spec', which plc-compile chooses";
    if (bytesPerNs <= 0)
      return emitOptionError(module, "bytes-per-ns is ") << bytesPerNs.getValue() << " but must be positive";
    if (moments < 0)
      return emitOptionError(module, "moments is ") << moments.getValue() << " but must be at least 0";
    if (!balance.empty() && int64_t(balance.size()) != stages)
      return emitOptionError(module, "balance has ")
             << balance.size() << " entries but there are " << stages.getValue() << " stages";
    if (!rankMap.empty() && int64_t(rankMap.size()) != stages)
      return emitOptionError(module, "rank map has ")
             << rankMap.size() << " entries but there are " << stages.getValue() << " stages";
    int64_t ranks = 0;
    for (int64_t rank : rankMap) {
      if (rank < 0 || rank >= stages)
        return emitKeyError(module, rankMapKey, "rank map names rank ")
               << rank << " but with " << stages.getValue() << " stages ranks are 0 to " << stages.getValue() - 1;
      ranks = std::max(ranks, rank + 1);
    }
    for (int64_t rank = 0; rank < ranks; ++rank)
      if (!llvm::is_contained(rankMap, rank))
        return emitKeyError(module, rankMapKey, "rank map leaves out rank ") << rank << " of " << ranks;
    return success();
  }

  // States live on one rank between runs, so a model with states has one replica.
  int64_t replicasOf(ein::ModelOp model) {
    return llvm::any_of(model.getArgNames(), llvm::IsaPred<ein::StateNameAttr>) ? 1 : int64_t(replicas);
  }

  LogicalResult checkReplicas(ein::ModelOp model) {
    int64_t groups = model.getAccumulationGroups().value_or(1);
    for (auto [name, count] : {std::pair("shards", int64_t(shards)), std::pair("buckets", int64_t(buckets))})
      if (count < 1)
        return emitOptionError(model, name) << " is " << count << " but must be positive";
    if (replicas < 1 || groups % replicas)
      return emitKeyError(model, "parallelism.replicas", "number of replicas is ")
             << int64_t(replicas) << " but must divide that of accumulation groups, " << groups;
    return success();
  }

  bool splitsBackward() const { return splits && rowOf(schedule.getValue()).splitsBackward; }

  bool recomputes() const {
    return policy != planner::RematPolicy::none && microBatches != planner::RecomputingRuns::never;
  }

  // The rank of each stage of a program of `count` stages, which may be fewer than the strategy has. Then the first
  // stages remain, on consecutive ranks, or where the schedule's placement puts so few.
  std::vector<int32_t> rankMapFor(int64_t count) {
    std::vector<int32_t> ranks(rankMap.begin(), rankMap.end());
    for (int64_t stage = ranks.size(); stage < count; ++stage)
      ranks.push_back(int32_t(stage));
    // A schedule that prescribes its placement, such as a V, needs it for the smaller number of stages, too.
    const planner::ScheduleFamily &family = rowOf(schedule.getValue());
    if (int64_t all = ranks.size(), used = *llvm::max_element(ranks) + 1;
        all > count && family.placement != planner::Placement::any) {
      std::vector<int64_t> placed = planner::rankMapOf(family.placement, count, (all + used - 1) / used);
      return {placed.begin(), placed.end()};
    }
    ranks.resize(count);
    // Ranks that lost all their stages must leave no gap in the numbers.
    std::set<int32_t> left(ranks.begin(), ranks.end());
    for (int32_t &rank : ranks)
      rank = int32_t(std::distance(left.begin(), left.find(rank)));
    return ranks;
  }

  // All readers of a state must be in one stage: they need its value before the update, and it lives on one rank.
  LogicalResult checkStates(ein::ModelOp model, const FlatProgram &flat, ArrayRef<int32_t> stageOf) {
    std::map<int64_t, int32_t> stages; // of states
    for (const FlatCall &call : flat.calls)
      for (int64_t value : call.args) {
        const FlatValue &info = flat.values[value];
        auto state = dyn_cast_or_null<ein::StateNameAttr>(info.name);
        if (!state)
          continue;
        int32_t stage = stages.try_emplace(value, stageOf[call.unit]).first->second;
        if (stage != stageOf[call.unit])
          return emitKeyError(model, shards > 1 ? "parallelism.shard" : "parallelism.grain", "state '")
                 << state.getPath() << "' would be read in stages " << stage << " and " << stageOf[call.unit]
                 << ", but has one place; " << (shards > 1 ? "leave sizes whole" : "cut between layers");
      }
    return success();
  }

  search::Workload workloadOf(ein::ModelOp model, const FlatProgram &flat) {
    return buildWorkload(model, flat, {.moments = moments, .averages = averages, .keepKinds = *keepKinds});
  }

  // The plan of a spec. It cuts the units before groups divide them, so `checkUnits` comes before `share`.
  FailureOr<Decision> readDecision(ein::ModelOp model, SpecOp spec, FlatProgram &flat) {
    std::optional<search::Sharing> sharing = sharingOf(spec);
    if (failed(checkUnits(spec, flat)) || (sharing && failed(share(model, flat, *sharing))))
      return failure();
    Decision decision{workloadOf(model, flat), {}};
    decision.workload.sharing = sharing;
    FailureOr<search::PlanSpec> plan = readSpec(spec, decision.workload);
    if (failed(plan))
      return failure();
    decision.plan = std::move(*plan);
    if (sharing)
      decision.pipeline = sharing->pipeline;
    return decision;
  }

  // The plan of the options. Only the cut is solved for here, by the search's dynamic program.
  FailureOr<Decision> decide(ein::ModelOp model, FlatProgram &flat) {
    if (failed(checkReplicas(model)) || failed(checkBalance(model, flat, *balance, /*mayDiffer=*/follows)))
      return failure();
    if (flat.calls.empty())
      return model.emitError("model '") << model.getSymName() << "' calls no kernel";
    // A program that follows another one may have fewer units than stages.
    int64_t units = flat.units.size(), count = follows ? std::min<int64_t>(stages, units) : int64_t(stages);
    if (count > units)
      return withKey(emitNoPlan(model), "parallelism.stages")
             << count << " stages but model '" << model.getSymName() << "' has " << units << " " << flat.unitNoun
             << "s to cut"
             << (shards > 1 && schedule == planner::ScheduleKind::file
                     ? "; of ranks that share stages a file has one for a group"
                     : "");
    Decision decision{workloadOf(model, flat), {}};
    search::PlanSpec &plan = decision.plan;
    plan.replicas = replicasOf(model);
    plan.rankOf = rankMapFor(count);
    plan.stageOf = cutUnits(flat, decision.workload, plan);
    // Both divide stages, and exclude each other: shards by rank, buckets in time. A cut also ends a segment of
    // recomputation, so a policy rules out buckets.
    if (shards > 1 && hasParts(flat)) {
      search::Sharing sharing{shards, plan.stageOf, plan.rankOf};
      if (failed(share(model, flat, sharing)))
        return failure();
      decision.workload = workloadOf(model, flat);
      decision.workload.sharing = sharing;
      plan.stageOf = sharing.stageOf;
      plan.rankOf = sharing.rankOf;
      decision.pipeline = sharing.pipeline;
    } else if (buckets > 1 && plan.replicas > 1 && hasSites(flat) && !recomputes()) {
      decision.pipeline = divideStages(flat, buckets, plan);
    }
    if (failed(recompute(model, flat, decision)))
      return failure();
    joinBackward(flat, decision);
    return decision;
  }

  std::vector<int32_t> cutUnits(const FlatProgram &flat, const search::Workload &workload,
                                const search::PlanSpec &plan) {
    std::vector<int32_t> stageOf;
    for (auto [stage, count] : llvm::enumerate(*balance))
      stageOf.insert(stageOf.end(), count, int32_t(stage));
    // A balance with another sum belongs to the model that this one follows.
    if (stageOf.size() == flat.units.size())
      return stageOf;
    return search::cutUnits(workload, search::Machine(), plan.rankOf, plan.replicas);
  }

  // Applies the policy to the stages as they are cut. Budgets come as a spec, so no policy here has one.
  LogicalResult recompute(ein::ModelOp model, const FlatProgram &flat, Decision &decision) {
    decision.plan.recompute.assign(flat.calls.size(), search::Recompute::no);
    if (!recomputes())
      return success();
    planner::RematMode mode{policy, interval, {layers.begin(), layers.end()}, memoryFraction, minInterval, grain};
    FailureOr<planner::RematProblem> problem = buildSegments(model, flat, *keepKinds, mode);
    if (failed(problem))
      return failure();
    planner::Remat answer = decideByStage(flat, decision.plan.stageOf, *problem);
    auto [calls, saved] = recomputationOf(flat, decision.workload, answer);
    decision.plan.recompute = std::move(calls);
    decision.plan.saved = std::move(saved);
    remarkRecomputation(model, flat, *problem, answer);
    return success();
  }

  // Chooses the units with a full backward. A split W keeps its operands live through all of B, so it must gain
  // something:
  //   - If no other rank waits for a stage's B, splitting gains nothing.
  //   - In a stage that recomputes, clones for both tasks live for one unit if W joins B, and for the whole stage
  //     otherwise.
  //   - The last unit of B stays split: its W follows B anyway, and the gradient leaves before it.
  void joinBackward(const FlatProgram &flat, Decision &decision) {
    search::PlanSpec &plan = decision.plan;
    plan.fullBackward.assign(flat.units.size(), false);
    if (!joinsBackward || splitsBackward())
      return;
    std::vector<bool> unawaited = findUnawaited(flat, plan.stageOf, plan.rankOf), recomputes(plan.rankOf.size());
    for (size_t unit = 0; unit < plan.fullBackward.size(); ++unit)
      plan.fullBackward[unit] = unawaited[plan.stageOf[unit]];
    if (!plan.recomputes())
      return;
    // Which stages recompute follows from the calls that the plan's tasks run, not from the policy.
    for (const auto &[stage, bodies] : llvm::enumerate(search::bodiesOf(decision.workload, plan).bodies))
      for (const std::vector<search::BodyCall> &body : bodies)
        recomputes[stage] = recomputes[stage] || llvm::any_of(body, [](const auto &call) { return call.isClone; });
    std::vector<int64_t> last(plan.rankOf.size(), -1); // unit
    for (const FlatCall &call : flat.calls)
      if (call.role == Role::B)
        last[plan.stageOf[call.unit]] = call.unit;
    // The second rule may join a W to a B that runs before the W's operands exist. Then the first rule alone is legal.
    std::vector<char> unjoined = plan.fullBackward;
    for (size_t unit = 0; unit < plan.fullBackward.size(); ++unit)
      if (int32_t stage = plan.stageOf[unit]; recomputes[stage] && last[stage] != int64_t(unit))
        plan.fullBackward[unit] = true;
    if (!search::tasksOf(decision.workload, plan, plan.ranks()).isLegal)
      plan.fullBackward = std::move(unjoined);
  }

  // Records the times of the stages as built, with sums and clones where the cuts put them, and the bound of cuts.
  LogicalResult writeFigures(ProgramOp program) {
    CutModel model(program, RouteTable(program), bytesPerNs);
    if (planner::Status fault = model.problem.check())
      return emitReason(program, *fault);
    for (auto [stage, ns] : llvm::zip(program.getBody().getOps<StageOp>(), model.problem.nsOfStages(model.stageOf)))
      stage.setNs(ns);
    int64_t bound = model.problem.bound();
    program.setCutNs(model.problem.slowestNs(model.stageOf));
    program.setCutBoundNs(bound);
    remarkCuts(program, model, bound);
    return success();
  }

  // Decides and then builds, in this order: recomputation changes roles, and sums move by stages and roles.
  LogicalResult cut(ein::ModelOp model) {
    FailureOr<FlatProgram> flat = flatten(model, {prepare, cutGrain == planner::Grain::equation});
    if (failed(flat))
      return failure();
    SpecOp spec = specOf(getOperation(), model.getSymName());
    FailureOr<Decision> decision = spec ? readDecision(model, spec, *flat) : decide(model, *flat);
    if (failed(decision))
      return failure();
    const auto &[workload, plan, pipeline] = *decision;
    applyRecomputation(workload, plan, *flat);
    placeSums(*flat, plan.stageOf);
    if (failed(checkStates(model, *flat, plan.stageOf)))
      return failure();
    FailureOr<ProgramOp> program = buildProgram(model, *flat, plan.stageOf, plan.rankOf);
    if (failed(program))
      return failure();
    gatherShards(*program);
    // A spec may recompute without a policy. In the program that is policy `budget`, whose bound differs.
    bool isPolicys = policy != planner::RematPolicy::none;
    program->setRemat(isPolicys           ? policy.getValue()
                      : plan.recomputes() ? planner::RematPolicy::budget
                                          : planner::RematPolicy::none);
    program->setKeepsLast(isPolicys && microBatches == planner::RecomputingRuns::exceptLast);
    program->setMoments(moments);
    program->setAverages(averages);
    program->setReplicas(plan.replicas);
    program->walk(
        [&](SiteOp site) { site.setGroups(workload.groups / plan.replicas); }); // only the first replica's groups
    program->setCutsKernels(workload.sharing || cutGrain == planner::Grain::equation);
    if (!pipeline.empty()) {
      program->setShards(workload.sharing ? workload.sharing->shards : 1);
      program->setPipeline(SmallVector<int64_t>(pipeline.begin(), pipeline.end()));
    }
    if (failed(writeFigures(*program)))
      return failure();
    // The program replaces the model: later passes see stages alone.
    model.erase();
    return success();
  }
};

} // namespace
