//===- RetentionOfRank.cpp - stages that share the bytes of a rank ----------===//
#include "plc/Planner/Retention.h"

#include <algorithm>
#include <numeric>

using namespace plc::planner;

// For each stage what the others hold of their micro-batches in flight.
static std::vector<int64_t> heldBeside(const RankRetention &rank, const std::vector<Retention> &answers) {
  std::vector<int64_t> held;
  for (size_t stage = 0; stage < answers.size(); ++stage)
    held.push_back(rank.stages[stage]->inFlight * rank.stages[stage]->heldBytes(answers[stage]));
  int64_t total = std::accumulate(held.begin(), held.end(), int64_t(0));
  for (int64_t &bytes : held)
    bytes = total - bytes;
  return held;
}

RankRetention::Peak RankRetention::peakOf(const std::vector<Retention> &answers) const {
  Peak peak;
  std::vector<int64_t> beside = heldBeside(*this, answers);
  for (size_t stage = 0; stage < stages.size(); ++stage)
    if (int64_t bytes = stages[stage]->peakOf(answers[stage]).bytes + beside[stage]; bytes > peak.bytes)
      peak = {bytes, stage};
  return peak;
}

void RankRetention::divide(const std::vector<Retention> &answers) {
  std::vector<int64_t> beside = heldBeside(*this, answers);
  for (size_t stage = 0; stage < stages.size(); ++stage)
    stages[stage]->budgetBytes = std::max<int64_t>(budgetBytes - beside[stage], 0);
}

Fault plc::planner::solveRankRetention(RankRetention &rank, std::vector<Retention> &answers, size_t &failed) {
  size_t count = rank.stages.size();
  answers.assign(count, {});
  failed = 0;
  if (count == 1) {
    rank.stages[0]->budgetBytes = rank.budgetBytes;
    return solveRetention(*rank.stages[0], answers[0]);
  }
  std::vector<int64_t> least, most;
  for (RetentionProblem *stage : rank.stages) {
    least.push_back(stage->workingSet().bytes);
    most.push_back(std::max(stage->peakOf({}).bytes, least.back()));
  }
  if (rank.peakOf(answers).bytes <= rank.budgetBytes)
    return std::nullopt;
  // With `low` parts some stage has no answer, or the rank keeps its budget; with `high` parts it does not.
  constexpr int64_t parts = 256;
  int64_t low = 0, high = parts;
  std::vector<Retention> found;
  Fault fault;
  for (int64_t part = parts / 2; low < high; part = (low + high) / 2) {
    std::vector<Retention> trial(count);
    bool solved = true;
    for (size_t stage = 0; stage < count && solved; ++stage) {
      rank.stages[stage]->budgetBytes = least[stage] + (most[stage] - least[stage]) / parts * part;
      if (Fault why = solveRetention(*rank.stages[stage], trial[stage])) {
        solved = false;
        fault = why;
        failed = stage;
      }
    }
    answers = trial; // also of a failure, which is told by what was tried last
    RankRetention::Peak peak = solved ? rank.peakOf(trial) : RankRetention::Peak();
    if (peak.bytes > rank.budgetBytes) {
      high = part;
      failed = peak.stage;
      fault.reset();
      continue;
    }
    low = part + 1;
    if (solved)
      found = std::move(trial);
  }
  if (!found.empty()) {
    answers = std::move(found);
    return std::nullopt;
  }
  if (!fault) {
    rank.divide(answers);
    RetentionProblem &stage = *rank.stages[failed];
    fault = stage.doesNotFit(stage.peakOf(answers[failed]));
  }
  return fault;
}
