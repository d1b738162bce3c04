//===- PlanPartition.cpp - cut each model into stages ---------------------===//
#include "BucketStages.h"
#include "BuildWorkload.h"
#include "CutModel.h"
#include "CutProblem.h"
#include "ExplainCuts.h"
#include "FlatProgram.h"
#include "JoinedBackward.h"
#include "PartitionRemarks.h"
#include "Programs.h"
#include "RematModel.h"
#include "Spec.h"
#include "StageBuilder.h"

#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Support/Errors.h"
#include "plc/Support/StateName.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Partition.h"
#include "plc/Planner/Schedules.h"
#include "plc/Planning/KnownAnswers.h"

#include "mlir/IR/Diagnostics.h"

#include <map>
#include <numeric>
#include <set>

namespace plc::plan {
#define GEN_PASS_DEF_PLANPARTITION
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::PartitionProblem;

namespace {

// A sum of two contributions to a gradient that one stage makes is made there, so that it crosses as one value: of the
// tree over all contributions each maximal subtree with its leaves in one stage.
void placeSums(FlatProgram &flat, ArrayRef<int64_t> stageOfUnit) {
  for (FlatCall &call : flat.calls) {
    if (!call.sum || llvm::any_of(call.args, [&](int64_t v) { return flat.values[v].origin != FlatValue::Result; }))
      continue;
    auto unitOf = [&](int64_t value) { return flat.calls[flat.values[value].call].unit; };
    int64_t stage = stageOfUnit[unitOf(call.args[0])];
    if (llvm::all_of(call.args, [&](int64_t value) { return stageOfUnit[unitOf(value)] == stage; }))
      call.unit = unitOf(call.args[0]);
  }
}

struct PlanPartitionPass : plc::plan::impl::PlanPartitionBase<PlanPartitionPass> {
  using PlanPartitionBase::PlanPartitionBase;

  std::shared_ptr<KnownAnswers> known = std::make_shared<KnownAnswers>();

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
  bool keepsAll = false; ///< of the model that is cut, whatever its policy may compute again
  /// The model that is cut, with W apart from B, where its policy may compute again what both read.
  std::optional<FlatProgram> apart;

  static constexpr const char *placeKey = "parallelism.place";

  LogicalResult checkOptions() {
    Operation *module = getOperation();
    if (stages <= 0)
      return emitOptionError(module, "stages is ") << stages.getValue() << " but must be positive";
    if (rowOf(policy.getValue()).obeys(planner::ByteBudget))
      return emitOptionError(module, "policy is '")
             << nameOfChoice(policy.getValue()) << "' but that is decided by a 'plan.spec', which plc-compile chooses";
    if (bytesPerNs <= 0)
      return emitOptionError(module, "bytes-per-ns is ") << bytesPerNs.getValue() << " but must be positive";
    if (moments < 0 || moments > 2)
      return emitOptionError(module, "moments is ") << moments.getValue() << " but must be 0 to 2";
    if (!balance.empty() && int64_t(balance.size()) != stages)
      return emitOptionError(module, "balance has ")
             << balance.size() << " entries but there are " << stages.getValue() << " stages";
    if (!place.empty() && int64_t(place.size()) != stages)
      return emitOptionError(module, "place has ")
             << place.size() << " entries but there are " << stages.getValue() << " stages";
    if (!inFlight.empty() && int64_t(inFlight.size()) != stages)
      return emitOptionError(module, "in-flight has ")
             << inFlight.size() << " entries but there are " << stages.getValue() << " stages";
    int64_t ranks = 0;
    for (int64_t rank : place) {
      if (rank < 0 || rank >= stages)
        return emitKeyError(module, placeKey, "place names rank ")
               << rank << " but with " << stages.getValue() << " stages ranks are 0 to " << stages.getValue() - 1;
      ranks = std::max(ranks, rank + 1);
    }
    for (int64_t rank = 0; rank < ranks; ++rank)
      if (!llvm::is_contained(place, rank))
        return emitKeyError(module, placeKey, "place leaves out rank ") << rank << " of " << ranks;
    return success();
  }

  // What runs keep from run to run is in one place, so a model of states has one replica.
  Share shareOf(ein::ModelOp model) {
    bool hasStates = llvm::any_of(model.getArgNames().getAsValueRange<StringAttr>(),
                                  [](StringRef name) { return !stateOf(name).empty(); });
    int64_t count = hasStates ? 1 : int64_t(replicas);
    return {std::max<int64_t>(model.getMicroBatches(), 1) / count, int64_t(model.getLanes().value_or(1)) / count, count,
            moments};
  }

  LogicalResult checkReplicas(ein::ModelOp model) {
    int64_t lanes = model.getLanes().value_or(1);
    for (auto [name, count] : {std::pair("shards", int64_t(shards)), std::pair("buckets", int64_t(buckets))})
      if (count < 1)
        return emitOptionError(model, name) << " is " << count << " but must be positive";
    if (replicas < 1 || lanes % replicas)
      return emitKeyError(model, "parallelism.replicas", "number of replicas is ")
             << int64_t(replicas) << " but must divide that of lanes, " << lanes;
    return success();
  }

  bool splitsBackward() const { return splits && rowOf(schedule.getValue()).splitsBackward; }

  // Whether the balance counts the layer calls of this model.
  bool isBalanced(const FlatProgram &flat) {
    return std::accumulate(balance.begin(), balance.end(), int64_t(0)) == int64_t(flat.units.size());
  }

  bool recomputes() const {
    return policy != planner::RematPolicy::none && microBatches != planner::RecomputingRuns::never && !keepsAll;
  }

  FailureOr<Recomputation> decideRecomputation(ein::ModelOp model, const FlatProgram &flat) {
    planner::RematMode mode;
    if (recomputes())
      mode = {policy, interval, {layers.begin(), layers.end()}, memoryFraction, minInterval, grain};
    FailureOr<planner::RematProblem> problem = buildSegments(model, flat, *keepKinds, mode);
    if (failed(problem))
      return failure();
    Recomputation remat{std::move(*problem), {}, microBatches == planner::RecomputingRuns::exceptLast};
    remat.answer = planner::recompute(remat.problem);
    return remat;
  }

  // W is joined to B for what both read of what is computed again. Where a policy finds that all is kept, there is no such
  // thing, and the plan is that of `none`. Under a budget the bytes of ranks decide.
  FailureOr<Recomputation> joinAndRecompute(ein::ModelOp model, FlatProgram &flat) {
    keepsAll = false;
    apart.reset();
    if (recomputes() && joinBackward && !splitsBackward()) {
      apart = flat;
      plan::joinBackward(flat, [](int64_t) { return true; });
    }
    FailureOr<Recomputation> remat = decideRecomputation(model, flat);
    if (failed(remat) || !apart || llvm::is_contained(remat->answer.cloned, true))
      return remat;
    keepsAll = true;
    flat = std::move(*apart);
    apart.reset();
    return decideRecomputation(model, flat);
  }

  // Whether each stage computes something again.
  std::vector<bool> findAgain(ProgramOp program) {
    std::vector<bool> again;
    for (auto stage : program.getBody().getOps<StageOp>())
      again.push_back(
          stage.walk([](CallOp call) { return call.getDiscard() ? WalkResult::interrupt() : WalkResult::advance(); })
              .wasInterrupted());
    return again;
  }

  // Joins W to B as if all stages computed again, until it is known which do.
  LogicalResult joinForAll(ein::ModelOp model, ArrayRef<int64_t> stageOf, ArrayRef<int64_t> ranks, FlatProgram &flat,
                           Recomputation &remat) {
    std::optional<FlatProgram> joined = joinAgain(*apart, stageOf, ranks, std::vector<bool>(ranks.size(), true));
    if (!joined)
      return success();
    flat = std::move(*joined);
    return decideAgain(model, flat, remat);
  }

  // Where nothing is computed again, W is taken apart from B. A stage that would compute again for it keeps them joined.
  void separateBackward(ein::ModelOp model, ArrayRef<int64_t> stageOf, ArrayRef<int64_t> ranks,
                        ArrayRef<StagePlan> plans, ProgramOp &program, FlatProgram &flat, Recomputation &remat) {
    std::vector<bool> again = findAgain(program);
    while (llvm::is_contained(again, false)) {
      std::optional<FlatProgram> other = joinAgain(*apart, stageOf, ranks, again);
      Recomputation otherRemat;
      if (!other || failed(decideAgain(model, *other, otherRemat)))
        return;
      FailureOr<ProgramOp> separated = build(model, *other, otherRemat, stageOf, plans);
      if (failed(separated))
        return;
      bool joinsMore = false;
      std::vector<bool> joins = findAgain(*separated);
      for (size_t stage = 0; stage < joins.size(); ++stage)
        if (joins[stage] && !again[stage])
          again[stage] = joinsMore = true;
      if (!joinsMore && separated->getRecomputeNs() <= program.getRecomputeNs()) {
        program.erase();
        program = *separated;
        flat = std::move(*other);
        remat = std::move(otherRemat);
        return;
      }
      separated->erase();
      if (!joinsMore)
        return;
    }
  }

  LogicalResult decideAgain(ein::ModelOp model, const FlatProgram &flat, Recomputation &remat) {
    FailureOr<Recomputation> other = decideRecomputation(model, flat);
    if (failed(other))
      return failure();
    remat = std::move(*other);
    return success();
  }

  void writeRecomputation(const Recomputation &remat, ProgramOp program) {
    int64_t bytes = remat.problem.keptBytes(remat.answer);
    program.setRemat(policy.getValue());
    program.setKeepsLast(recomputes() && remat.lastKeeps);
    program.setKeptBytes(bytes);
    program.setKeptBoundBytes(remat.problem.boundKeptBytes());
    program.setRecomputeNs(remat.problem.recomputeNs(remat.answer));
    program.setRecomputeBoundNs(remat.problem.boundRecomputeNs(bytes));
  }

  // Of the stages as they are, with sums and clones where the cuts have put them.
  planner::Fault writeFigures(ProgramOp program) {
    CutFigures figures;
    if (planner::Fault fault = figuresOfCut(program, RouteTable(program), bytesPerNs, known->partitions, figures))
      return fault;
    for (auto [stage, ns] : llvm::zip(program.getBody().getOps<StageOp>(), figures.stageNs))
      stage.setNs(ns);
    program.setCutNs(figures.cutNs);
    program.setCutBoundNs(figures.boundNs);
    return std::nullopt;
  }

  // Of each stage, where stages are on these ranks, and parts of a pipeline if that is given; a model that was clamped has
  // fewer than the option tells of.
  std::vector<int64_t> inFlightOn(const std::vector<int64_t> &ranks, int64_t microBatches, int64_t shards = 1,
                                  const std::vector<int64_t> &pipeline = {}) {
    if (inFlight.size() != (pipeline.empty() ? ranks.size() : pipeline.back() + 1))
      return planner::inFlightOf(rowOf(schedule.getValue()), ranks, microBatches, shards, pipeline);
    std::vector<int64_t> most(ranks.size());
    for (size_t stage = 0; stage < ranks.size(); ++stage)
      most[stage] = inFlight[pipeline.empty() ? stage : pipeline[stage]];
    return most;
  }

  // The program of these stages, with what a policy without a budget recomputes.
  FailureOr<ProgramOp> build(ein::ModelOp model, FlatProgram &flat, Recomputation &remat, ArrayRef<int64_t> stageOf,
                             ArrayRef<StagePlan> plans, ArrayRef<int64_t> pipeline = {}) {
    placeSums(flat, stageOf);
    remat.answer = decideByStage(flat, stageOf, remat.problem);
    if (planner::Fault fault = remat.problem.verify(remat.answer))
      return emitReason(model, *fault);
    FailureOr<ProgramOp> program = buildProgram(model, flat, stageOf, plans);
    if (failed(program))
      return failure();
    program->setMoments(moments);
    Share share = shareOf(model);
    program->setReplicas(share.replicas);
    program->walk([&](SiteOp site) { site.setLanes(share.lanes); }); // those of the first replica
    bool isShared = shards > 1 && hasParts(flat);
    program->setCutsKernels(isShared || cutGrain == planner::Grain::equation);
    if (!pipeline.empty()) {
      program->setShards(isShared ? int64_t(shards) : 1);
      program->setPipeline(pipeline);
    }
    writeRecomputation(remat, *program);
    return program;
  }

  // The rank of each stage of a program that has so many; empty if each stage has its own. A program of fewer layers than
  // stages has the first stages, on the ranks that are left of theirs, or where the schedule places so few.
  std::vector<int64_t> placeOf(int64_t count) {
    std::vector<int64_t> ranks(place.begin(), place.end());
    if (int64_t(ranks.size()) <= count)
      return ranks;
    const planner::ScheduleFamily &family = rowOf(schedule.getValue());
    if (int64_t all = ranks.size(), used = *llvm::max_element(ranks) + 1; family.placement != planner::Placement::any)
      return planner::placeStages(family.placement, count, (all + used - 1) / used);
    ranks.resize(count);
    std::set<int64_t> left(ranks.begin(), ranks.end());
    for (int64_t &rank : ranks)
      rank = std::distance(left.begin(), left.find(rank));
    return ranks;
  }

  // What reads a state must see it before its update, and so where it is.
  LogicalResult checkStates(ein::ModelOp model, const FlatProgram &flat, ArrayRef<int64_t> stageOf) {
    std::map<int64_t, int64_t> stages; // of states
    for (const FlatCall &call : flat.calls)
      for (int64_t value : call.args) {
        const FlatValue &info = flat.values[value];
        StringRef state = info.origin == FlatValue::Input ? StringRef(stateOf(info.name.getValue())) : StringRef();
        if (state.empty())
          continue;
        int64_t stage = stages.try_emplace(value, stageOf[call.unit]).first->second;
        if (stage != stageOf[call.unit])
          return emitKeyError(model, shards > 1 ? "parallelism.shard" : "parallelism.grain", "state '")
                 << state << "' would be read in stages " << stage << " and " << stageOf[call.unit]
                 << ", but has one place; " << (shards > 1 ? "leave sizes whole" : "cut between layers");
      }
    return success();
  }

  // Where a model is cut, and the problem that this answers.
  struct Decision {
    FlatProgram flat;
    Recomputation remat;
    PartitionProblem problem;
    planner::Partition answer{};
    bool isShared = false; ///< by ranks of a group
  };

  // Of the stages of the pipeline, with nothing recomputed.
  LogicalResult explainSpec(ein::ModelOp model, SpecOp spec, const FlatProgram &flat) {
    FailureOr<Recomputation> remat = decideRecomputation(model, flat);
    if (failed(remat))
      return failure();
    PartitionProblem problem = buildCutProblem(flat, *remat, shareOf(model), bytesPerNs, /*splitsBackward=*/true);
    problem.stages = spec.getRanks().size();
    problem.place.assign(spec.getRanks().begin(), spec.getRanks().end());
    problem.inFlight.assign(problem.stages, 1);
    planner::Partition answer;
    answer.stageOf.assign(spec.getCut().begin(), spec.getCut().end());
    for (const PartitionProblem::Load &load : problem.sumByRank(problem.loadsOf(answer.stageOf)))
      answer.slowestNs = std::max(answer.slowestNs, load.ns);
    explainCuts(model, flat, problem, answer, int64_t(spec.getShards()), llvm::outs());
    return success();
  }

  LogicalResult apply(ein::ModelOp model, SpecOp spec) {
    FailureOr<FlatProgram> flat = flatten(model, {prepare, cutGrain == planner::Grain::equation});
    if (failed(flat))
      return failure();
    std::optional<search::Sharing> sharing = sharingOf(spec);
    if (failed(checkUnits(spec, *flat)) || (explain && failed(explainSpec(model, spec, *flat))))
      return failure();
    if (sharing && failed(share(model, *flat, *sharing)))
      return failure();
    search::Workload workload = buildWorkload(model, *flat, {.moments = moments, .keepKinds = *keepKinds});
    workload.sharing = sharing;
    FailureOr<search::PlanSpec> plan = readSpec(spec, workload);
    if (failed(plan))
      return failure();
    applyRecomputation(workload, *plan, *flat);
    SmallVector<int64_t> stageOf(plan->stageOf.begin(), plan->stageOf.end());
    placeSums(*flat, stageOf);
    if (failed(checkStates(model, *flat, stageOf)))
      return failure();
    SmallVector<StagePlan> plans;
    for (int32_t rank : plan->rankOf)
      plans.push_back({rank, 0});
    FailureOr<ProgramOp> program = buildProgram(model, *flat, stageOf, plans);
    if (failed(program))
      return failure();
    bool isPolicys = policy != planner::RematPolicy::none;
    program->setRemat(isPolicys            ? policy.getValue()
                      : plan->recomputes() ? planner::RematPolicy::budget
                                           : planner::RematPolicy::none);
    program->setKeepsLast(isPolicys && microBatches == planner::RecomputingRuns::exceptLast);
    program->setMoments(moments);
    program->setReplicas(plan->replicas);
    program->walk([&](SiteOp site) { site.setLanes(workload.lanes / plan->replicas); });
    program->setCutsKernels(sharing || cutGrain == planner::Grain::equation);
    if (sharing) {
      program->setShards(sharing->shards);
      program->setPipeline(SmallVector<int64_t>(sharing->pipeline.begin(), sharing->pipeline.end()));
    }
    if (planner::Fault fault = writeFigures(*program))
      return emitReason(model, *fault);
    model.erase();
    return success();
  }

  FailureOr<Decision> decide(ein::ModelOp model) {
    FailureOr<FlatProgram> flat = flatten(model, {prepare, cutGrain == planner::Grain::equation});
    if (failed(flat) || failed(checkReplicas(model)) ||
        failed(checkBalance(model, *flat, *balance, /*mayDiffer=*/follows)))
      return failure();
    FailureOr<Recomputation> remat = joinAndRecompute(model, *flat);
    if (failed(remat))
      return failure();
    if (flat->calls.empty())
      return model.emitError("model '") << model.getSymName() << "' calls no kernel";
    int64_t calls = flat->units.size();
    bool clamped = follows && stages > calls;
    int64_t stages = clamped ? calls : this->stages.getValue();
    if (stages > calls)
      return withKey(emitNoPlan(model), "parallelism.stages")
             << stages << " stages but model '" << model.getSymName() << "' has " << calls << " " << flat->unitNoun
             << "s to cut"
             << (shards > 1 && schedule == planner::ScheduleKind::file
                     ? "; of ranks that share stages a file has one for a group"
                     : "");
    Share share = shareOf(model);
    PartitionProblem problem = buildCutProblem(*flat, *remat, share, bytesPerNs, splitsBackward());
    problem.stages = stages;
    bool isShared = shards > 1 && hasParts(*flat);
    problem.place = placeOf(stages);
    problem.inFlight = inFlightOn(ranksOf(problem), share.microBatches);
    planner::Partition answer;
    planner::Fault fault = isBalanced(*flat) ? planner::fixPartition(problem, {balance.begin(), balance.end()}, answer)
                                             : known->partitions.solve(problem, answer);
    if (fault)
      return emitReason(model, *fault);
    return Decision{std::move(*flat), std::move(*remat), std::move(problem), std::move(answer), isShared};
  }

  static std::vector<int64_t> ranksOf(const PartitionProblem &problem) {
    std::vector<int64_t> ranks(problem.stages);
    for (int64_t stage = 0; stage < problem.stages; ++stage)
      ranks[stage] = problem.rankOf(stage);
    return ranks;
  }

  LogicalResult cut(ein::ModelOp model) {
    if (SpecOp spec = specOf(getOperation(), model.getSymName()))
      return apply(model, spec);
    FailureOr<Decision> decision = decide(model);
    if (failed(decision))
      return failure();
    auto &[flat, remat, problem, answer, isShared] = *decision;
    Share share = shareOf(model);
    std::vector<int64_t> ranks = ranksOf(problem);
    remarkCuts(model, flat, problem, answer);
    if (explain)
      explainCuts(model, flat, problem, answer, isShared ? int64_t(shards) : 1, llvm::outs());
    bool isBucketed = buckets > 1 && share.replicas > 1 && hasSites(flat) && !isShared && !recomputes();
    std::vector<int64_t> pipeline;
    if (isShared || isBucketed) {
      FailureOr<SharedStages> shared = isShared ? shareStages(model, flat, answer.stageOf, ranks, shards)
                                                : bucketStages(flat, answer.stageOf, ranks, buckets);
      if (failed(shared))
        return failure();
      answer.stageOf = shared->stageOf;
      pipeline = shared->pipeline;
      if (failed(decideAgain(model, flat, remat)))
        return failure();
      problem = buildCutProblem(flat, remat, share, bytesPerNs, splitsBackward());
      problem.stages = shared->rankOf.size();
      problem.place = ranks = shared->rankOf;
      problem.inFlight = inFlightOn(problem.place, share.microBatches, isShared ? int64_t(shards) : 1, pipeline);
    }
    if (failed(checkStates(model, flat, answer.stageOf)))
      return failure();
    SmallVector<StagePlan> plans;
    for (auto [stage, load] : llvm::enumerate(problem.loadsOf(answer.stageOf)))
      plans.push_back({problem.rankOf(stage), load.bytes()});
    if (!recomputes() && joinBackward && !splitsBackward()) {
      std::vector<bool> unawaited = findUnawaited(flat, answer.stageOf, ranks);
      plan::joinBackward(flat, [&](int64_t unit) { return unawaited[answer.stageOf[unit]]; });
      if (failed(decideAgain(model, flat, remat)))
        return failure();
    }
    if (apart && !isShared && failed(joinForAll(model, answer.stageOf, ranks, flat, remat)))
      return failure();
    FailureOr<ProgramOp> program = build(model, flat, remat, answer.stageOf, plans, pipeline);
    if (failed(program))
      return failure();
    if (apart && !isShared)
      separateBackward(model, answer.stageOf, ranks, plans, *program, flat, remat);
    remarkRecomputation(model, flat, remat.problem, remat.answer);
    // Behind everything that decides what runs twice.
    if (planner::Fault fault = writeFigures(*program))
      return emitReason(model, *fault);
    model.erase();
    return success();
  }
};

} // namespace

std::unique_ptr<Pass> plc::plan::createPlanPartition(PlanPartitionOptions options,
                                                     std::shared_ptr<KnownAnswers> known) {
  auto pass = std::make_unique<PlanPartitionPass>(std::move(options));
  if (known)
    pass->known = std::move(known);
  return pass;
}
