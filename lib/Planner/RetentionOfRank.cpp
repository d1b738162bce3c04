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

void KnownRanks::describe(const RetentionProblem &problem, Key &key) {
  auto add = [&](const std::vector<int64_t> &numbers) {
    key.push_back(numbers.size());
    key.insert(key.end(), numbers.begin(), numbers.end());
  };
  add(problem.bytes);
  add({problem.staticBytes, problem.inFlight, problem.splitsBackward, problem.firstClone});
  for (const RetentionProblem::Call &call : problem.calls) {
    add({int64_t(call.kind), call.ns, call.scratchBytes, call.repeatable});
    add(call.args);
    add(call.results);
    for (auto [operand, result] : call.inPlace)
      add({operand, result});
  }
}

Fault KnownRanks::solve(RankRetention &rank, std::vector<Retention> &answers, size_t &failed) {
  Key key{rank.budgetBytes};
  for (const RetentionProblem *stage : rank.stages)
    describe(*stage, key);
  auto [it, isNew] = ranks.try_emplace(std::move(key));
  Known &known = it->second;
  if (isNew) {
    known.fault = solveRankRetention(rank, known.answers, known.failed);
    for (const RetentionProblem *stage : rank.stages)
      known.budgets.push_back(stage->budgetBytes);
  }
  for (size_t stage = 0; stage < rank.stages.size(); ++stage)
    rank.stages[stage]->budgetBytes = known.budgets[stage];
  answers = known.answers;
  failed = known.failed;
  return known.fault;
}

int64_t KnownRanks::bound(const RetentionProblem &problem) {
  Key key{problem.budgetBytes};
  describe(problem, key);
  auto [it, isNew] = bounds.try_emplace(std::move(key));
  if (isNew)
    it->second = retentionBound(problem).value_or(0);
  return it->second;
}
