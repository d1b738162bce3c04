//===- RetentionOfRank.cpp - stages that share the bytes of a rank ----------===//
#include "plc/Planner/Retention.h"

#include <algorithm>
#include <numeric>
#include <set>

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

// That the rank misses its budget with these answers, and where.
static Fault refuse(RankRetention &rank, const std::vector<Retention> &answers, RankLack &lack) {
  RankRetention::Peak peak = rank.peakOf(answers);
  RetentionProblem &stage = *rank.stages[peak.stage];
  stage.budgetBytes = rank.budgetBytes;
  lack = {peak.stage, {peak.bytes, stage.peakOf(answers[peak.stage]).call}};
  return stage.doesNotFit(lack.peak);
}

Fault KnownRanks::solveNew(RankRetention &rank, std::vector<Retention> &answers, RankLack &lack) {
  size_t count = rank.stages.size();
  answers.assign(count, {});
  lack = {};
  if (count == 1) {
    rank.stages[0]->budgetBytes = rank.budgetBytes;
    return solveStage(*rank.stages[0], answers[0], &lack.peak);
  }
  std::vector<int64_t> least, most;
  for (RetentionProblem *stage : rank.stages) {
    least.push_back(stage->workingSet().bytes);
    most.push_back(std::max(stage->peakOf({}).bytes, least.back()));
  }
  int64_t nearest = rank.peakOf(answers).bytes;
  if (nearest <= rank.budgetBytes)
    return std::nullopt;
  if (std::optional<RankLack> alone = lackOfStage(rank)) {
    lack = *alone;
    rank.stages[lack.stage]->budgetBytes = rank.budgetBytes;
    return rank.stages[lack.stage]->doesNotFit(lack.peak);
  }
  // With `low` parts some stage has no answer, or the rank keeps its budget; with `high` parts it does not.
  constexpr int64_t parts = 256;
  int64_t low = 0, high = parts;
  for (int64_t part = parts / 2; low < high; part = (low + high) / 2) {
    std::vector<Retention> trial(count);
    bool solved = true;
    for (size_t stage = 0; stage < count && solved; ++stage) {
      rank.stages[stage]->budgetBytes = least[stage] + (most[stage] - least[stage]) / parts * part;
      solved = !solveStage(*rank.stages[stage], trial[stage], nullptr);
    }
    int64_t bytes = solved ? rank.peakOf(trial).bytes : 0;
    // The largest part that keeps the budget; until there is one, what is nearest to it.
    if (solved && (bytes <= rank.budgetBytes || bytes < nearest)) {
      nearest = bytes;
      answers = std::move(trial);
    }
    if (bytes > rank.budgetBytes)
      high = part;
    else
      low = part + 1;
  }
  return nearest <= rank.budgetBytes ? std::nullopt : refuse(rank, answers, lack);
}

Fault plc::planner::solveRankRetention(RankRetention &rank, std::vector<Retention> &answers, RankLack &lack,
                                       const RetentionEffort &effort) {
  return KnownRanks(effort).solve(rank, answers, lack);
}

void KnownRanks::describe(const RetentionProblem &problem, Key &key) {
  auto add = [&](const std::vector<int64_t> &numbers) {
    key.push_back(numbers.size());
    key.insert(key.end(), numbers.begin(), numbers.end());
  };
  auto addEach = [&](auto... numbers) { (key.push_back(numbers), ...); };
  add(problem.bytes);
  addEach(problem.staticBytes, problem.inFlight, problem.splitsBackward, problem.firstClone);
  for (const RetentionProblem::Call &call : problem.calls) {
    addEach(int64_t(call.kind), call.ns, call.scratchBytes, call.repeatable, call.inPlace.size());
    add(call.args);
    add(call.results);
    for (auto [operand, result] : call.inPlace)
      addEach(operand, result);
  }
}

KnownRanks::Key KnownRanks::describe(const RankRetention &rank) {
  Key key{rank.budgetBytes};
  for (const RetentionProblem *stage : rank.stages)
    describe(*stage, key);
  return key;
}

void KnownRanks::share(const std::vector<RankRetention> &ranks) {
  std::set<Key> different;
  for (const RankRetention &rank : ranks)
    different.insert(describe(rank));
  effort.sharers = std::max<int64_t>(different.size(), 1) * effort.haste;
}

const RetentionFloor &KnownRanks::floorOf(const RetentionProblem &stage, int64_t budgetBytes) {
  Key key{budgetBytes};
  describe(stage, key);
  auto [it, isNew] = floors.try_emplace(std::move(key));
  if (isNew)
    it->second = retentionFloor(stage, budgetBytes);
  return it->second;
}

std::optional<RankLack> KnownRanks::lackOfStage(const RankRetention &rank) {
  for (size_t stage = 0; stage < rank.stages.size(); ++stage)
    if (rank.stages[stage]->peakOf({}).bytes > rank.budgetBytes)
      if (RetentionProblem::Peak floor = floorOf(*rank.stages[stage], rank.budgetBytes).least;
          floor.bytes > rank.budgetBytes)
        return RankLack{stage, floor};
  return std::nullopt;
}

Fault KnownRanks::solveStage(const RetentionProblem &stage, Retention &answer, RetentionProblem::Peak *lacking) {
  Key key{stage.budgetBytes, effort.sharers};
  describe(stage, key);
  auto [it, isNew] = stages.try_emplace(std::move(key));
  KnownStage &known = it->second;
  if (isNew) {
    bool keepsAll = stage.peakOf({}).bytes <= stage.budgetBytes;
    known.fault = solveRetention(stage, known.answer, effort, &known.lacking,
                                 keepsAll ? nullptr : &floorOf(stage, stage.budgetBytes));
  }
  answer = known.answer;
  if (lacking)
    *lacking = known.lacking;
  return known.fault;
}

Fault KnownRanks::solve(RankRetention &rank, std::vector<Retention> &answers, RankLack &lack) {
  Key key = describe(rank);
  key.push_back(effort.sharers);
  auto [it, isNew] = ranks.try_emplace(std::move(key));
  Known &known = it->second;
  if (isNew) {
    known.fault = solveNew(rank, known.answers, known.lack);
    for (const RetentionProblem *stage : rank.stages)
      known.budgets.push_back(stage->budgetBytes);
  }
  for (size_t stage = 0; stage < rank.stages.size(); ++stage)
    rank.stages[stage]->budgetBytes = known.budgets[stage];
  answers = known.answers;
  lack = known.lack;
  return known.fault;
}

int64_t KnownRanks::bound(const RetentionProblem &problem) {
  if (effort.haste > 1)
    return 0;
  Key key{problem.budgetBytes};
  describe(problem, key);
  auto [it, isNew] = bounds.try_emplace(std::move(key));
  if (isNew)
    it->second = retentionBound(problem).value_or(0);
  return it->second;
}
