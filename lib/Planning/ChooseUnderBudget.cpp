//===- ChooseUnderBudget.cpp - cuts that a budget's recomputation fits ----===//
#include "ChooseUnderBudget.h"

#include "plc/Planner/CutsBeside.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

using namespace plc::plan;
using plc::planner::Partition;
using plc::planner::PartitionProblem;

namespace {

class CutChoice {
public:
  CutChoice(const BudgetedModel &about, TryCut tryCut)
      : about(about), tryCut(tryCut), refused(about.cuts.refused[about.name]) {}

  void choose(PartitionProblem problem, const Partition &least, Partition &answer) {
    auto [chosen, isNew] = about.cuts.stageOf.try_emplace(about.name, answer.stageOf);
    std::optional<std::vector<int64_t>> firstRefused;
    if (!refused.empty())
      firstRefused = refused.front();
    Partition cut = answer;
    PartitionProblem unlimited = problem;
    unlimited.limitBytes = 0;
    if (isNew) {
      problem.savingPercent.assign(problem.stages, 100);
      if (std::optional<std::vector<int64_t>> addedNs = tryCuts(problem, least, cut)) {
        chosen->second = balanceSaved(std::move(problem), std::move(cut), std::move(*addedNs));
      } else {
        about.cuts.isExhausted = true;
        if (firstRefused)
          chosen->second = *firstRefused;
        else if (!least.stageOf.empty())
          chosen->second = least.stageOf;
        else if (!about.known.solve(unlimited, cut))
          chosen->second = cut.stageOf;
      }
    }
    answer = {chosen->second, 0, false};
    for (const PartitionProblem::Load &load : unlimited.sumByRank(unlimited.loadsOf(answer.stageOf)))
      answer.slowestNs = std::max(answer.slowestNs, load.ns);
  }

private:
  // The first cut that is not refused and of which each rank has an answer, as `tryCut` tells: that which the estimate has
  // chosen, that of the fewest bytes, or one beside those that did not fit, as long as by the estimate it nearly does.
  std::optional<std::vector<int64_t>> tryCuts(PartitionProblem problem, Partition least, Partition &cut) {
    if (least.stageOf.empty() && !refused.empty()) {
      problem.limitBytes = 1; // then the fault comes with the cut that takes the fewest
      (void)about.known.solve(problem, least);
    }
    problem.limitBytes = about.limitBytes;
    std::optional<Partition> next = cut;
    for (bool isFirst = true; next; isFirst = false) {
      if (!next->stageOf.empty() && !llvm::is_contained(refused, next->stageOf)) {
        if (std::optional<std::vector<int64_t>> addedNs = tryCut(problem, *next)) {
          cut = std::move(*next);
          return addedNs;
        }
        refused.push_back(std::move(next->stageOf));
      }
      if (isFirst)
        next = least;
      else if (refused.size() < about.cuts.most)
        next = plc::planner::cutBeside(problem, refused, about.limitBytes + about.limitBytes / 8);
      else
        next.reset();
    }
    return std::nullopt;
  }

  // What savings take is an estimate until stages are solved, and then known for each: the next cut counts with it. Of three cuts at
  // most, the one whose slowest rank is the fastest.
  std::vector<int64_t> balanceSaved(PartitionProblem problem, Partition cut, std::vector<int64_t> addedNs) {
    PartitionProblem unlimited = problem;
    unlimited.limitBytes = 0;
    std::vector<int64_t> best;
    int64_t leastNs = std::numeric_limits<int64_t>::max();
    for (int left = 2;; --left) {
      std::vector<PartitionProblem::Load> loads = unlimited.loadsOf(cut.stageOf), saved = problem.loadsOf(cut.stageOf);
      for (int64_t stage = 0; stage < problem.stages; ++stage) {
        int64_t estimate = saved[stage].ns - loads[stage].ns, is = addedNs[stage];
        int64_t &percent = problem.savingPercent[stage];
        if (estimate > loads[stage].ns / 100)
          percent = std::clamp<int64_t>(percent * is / estimate, 25, 400);
        loads[stage].ns += is;
      }
      int64_t slowestNs = 0;
      for (const PartitionProblem::Load &load : problem.sumByRank(loads))
        slowestNs = std::max(slowestNs, load.ns);
      if (slowestNs < leastNs) {
        leastNs = slowestNs;
        best = cut.stageOf;
      }
      Partition next;
      // The estimate was right, or nothing better is expected.
      if (!left || about.known.solve(problem, next) || next.slowestNs * 128 >= leastNs * 127 ||
          llvm::is_contained(refused, next.stageOf))
        return best;
      std::optional<std::vector<int64_t>> added = tryCut(problem, next);
      if (!added)
        return best;
      cut = std::move(next);
      addedNs = std::move(*added);
    }
  }

  const BudgetedModel &about;
  TryCut tryCut;
  std::vector<std::vector<int64_t>> &refused;
};

} // namespace

void plc::plan::chooseUnderBudget(const PartitionProblem &problem, const Partition &least, const BudgetedModel &model,
                                  TryCut tryCut, Partition &answer) {
  CutChoice(model, tryCut).choose(problem, least, answer);
}
