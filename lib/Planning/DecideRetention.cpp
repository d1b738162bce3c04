//===- DecideRetention.cpp - recomputation under a budget -------------------===//
#include "DecideRetention.h"

#include "Programs.h"
#include "RetentionModel.h"

#include "plc/Planner/Partition.h"

#include <map>

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

LogicalResult refuse(StageOp stage, const StageRetention &model, int64_t lacking, const planner::Reason &reason,
                     int64_t limitBytes, int64_t budgetBytes) {
  CallOp call = lacking < 0 ? nullptr : model.callOf(lacking);
  InFlightDiagnostic error =
      withKey(emitReason(call ? call.getOperation() : stage.getOperation(), reason), "memory.budget");
  Diagnostic &note = error.attachNote(stage.getLoc());
  note << "on rank " << stage.getRank() << ", whose parameters, gradients, inputs and outputs take "
       << planner::formatBytes(model.problem.staticBytes);
  if (budgetBytes < limitBytes)
    note << "; of memory.budget, " << planner::formatBytes(limitBytes) << ", "
         << planner::formatBytes(limitBytes - budgetBytes) << " are kept for what only addresses know, such as gaps";
  return error;
}

} // namespace

LogicalResult plc::plan::decideRetention(ProgramOp program, const RetentionLimits &limits, planner::KnownRanks &known,
                                         SmallVectorImpl<int64_t> *refused, std::vector<int64_t> *addedNs) {
  SmallVector<StageOp> stages(program.getBody().getOps<StageOp>());
  RetentionContext context(program, limits.keepKinds);
  std::vector<StageRetention> models;
  models.reserve(stages.size());
  std::map<int64_t, std::vector<size_t>> stagesOf; // of a rank
  for (auto [index, stage] : llvm::enumerate(stages)) {
    models.emplace_back(context, stage, limits.inFlight[index]);
    models.back().problem.splitsBackward = limits.splitsBackward;
    stagesOf[stage.getRank()].push_back(index);
  }
  int64_t keptBytes = 0, ns = 0, boundNs = 0;
  std::vector<planner::RankRetention> ranks;
  for (auto &[index, here] : stagesOf) {
    planner::RankRetention &rank = ranks.emplace_back();
    int64_t reserved = index < int64_t(limits.reserved.size()) ? limits.reserved[index] : 0;
    rank.budgetBytes = std::max<int64_t>(limits.bytes - reserved, 0);
    for (size_t stage : here)
      rank.stages.push_back(&models[stage].problem);
  }
  known.share(ranks);
  if (addedNs)
    addedNs->assign(stages.size(), 0);
  // Where some rank has no answer, nobody asks for the others'.
  bool isHopeless = false;
  for (const planner::RankRetention &rank : ranks)
    isHopeless |= known.isHopeless(rank);
  for (auto [each, rank] : llvm::zip(stagesOf, ranks)) {
    auto &[index, here] = each;
    if (isHopeless && !known.isHopeless(rank))
      continue;
    std::vector<planner::Retention> answers;
    planner::RankLack lack;
    if (planner::Fault fault = known.solve(rank, answers, lack)) {
      if (!refused)
        return refuse(stages[here[lack.stage]], models[here[lack.stage]], lack.peak.call, *fault, limits.bytes,
                      rank.budgetBytes);
      refused->push_back(index);
      continue;
    }
    for (auto [stage, answer] : llvm::zip(here, answers)) {
      StageRetention &model = models[stage];
      model.write(answer);
      keptBytes += model.keptBytes(answer);
      int64_t added = model.problem.addedNs(answer);
      ns += added;
      if (addedNs)
        (*addedNs)[stage] = added;
      model.problem.budgetBytes = rank.budgetBytes;
      boundNs += addedNs ? 0 : known.bound(model.problem);
    }
  }
  program.setKeptBytes(keptBytes);
  program.setKeptBoundBytes(0);
  program.setRecomputeNs(ns);
  program.setRecomputeBoundNs(boundNs);
  return success();
}
