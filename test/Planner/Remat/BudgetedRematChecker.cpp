//===- BudgetedRematChecker.cpp - a second opinion on retention ---------------===//
#include "BudgetedRematChecker.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

using namespace plc::planner;
using Call = BudgetedRematProblem::Call;

namespace {

struct Instance {
  int64_t value, offset;
};

class Player {
public:
  Player(const BudgetedRematProblem &problem, const BudgetedRemat &answer) : problem(problem) {
    for (int64_t call = 0, clone = 0; call < int64_t(problem.calls.size()); ++call) {
      for (; clone < int64_t(answer.clones.size()) && answer.clones[clone].before == call; ++clone)
        runs.push_back({answer.clones[clone].call, call});
      runs.push_back({call, call});
    }
    for (size_t run = 0; run < runs.size(); ++run) {
      for (int64_t value : callOf(run).args)
        events[value].push_back({run, false});
      for (int64_t value : callOf(run).results) {
        events[value].push_back({run, true});
        made.insert(value);
      }
    }
  }

  size_t numRuns() const { return runs.size(); }

  std::optional<std::string> play(const std::vector<int64_t> &offsets, int64_t arenaBytes) {
    std::map<int64_t, int64_t> memory; // live values and where they lie
    int64_t kept = 0, most = 0, offset = 0;
    TaskKind kind = TaskKind::F;
    for (size_t run = 0; run < runs.size(); ++run) {
      const Call &call = callOf(run);
      // Others may run where B begins, and where W does if that is not at once.
      TaskKind next = problem.calls[runs[run].place].kind;
      if (kind != next && (kind == TaskKind::F || problem.splitsBackward))
        kept = std::max(kept, sum(memory));
      kind = next;
      for (int64_t value : call.args)
        if (made.contains(value) && !memory.contains(value))
          return "run " + std::to_string(run) + " reads value " + std::to_string(value) + ", which is not there";
      int64_t taken = 0;
      for (auto [operand, result] : call.inPlace)
        if (made.contains(operand) && !isReadAfter(operand, run))
          taken += std::min(problem.bytes[operand], problem.bytes[result]);
      for (int64_t value : call.results) {
        if (offset == int64_t(offsets.size()))
          return "there are too few offsets";
        memory[value] = offsets[offset++];
      }
      if (std::optional<std::string> fault = checkPlaces(memory, arenaBytes))
        return "run " + std::to_string(run) + ": " + *fault;
      most = std::max(most, sum(memory) + call.scratchBytes - taken);
      std::erase_if(memory, [&](const auto &each) { return !isReadAfter(each.first, run); });
    }
    most += problem.persistentBytes + (problem.inFlight - 1) * kept;
    if (most > problem.budgetBytes)
      return "holds " + std::to_string(most) + " bytes of " + std::to_string(problem.budgetBytes);
    return std::nullopt;
  }

private:
  struct Run {
    int64_t call, place;
  };

  const Call &callOf(size_t run) const { return problem.calls[runs[run].call]; }

  int64_t sum(const std::map<int64_t, int64_t> &memory) const {
    int64_t bytes = 0;
    for (auto [value, offset] : memory)
      bytes += problem.bytes[value];
    return bytes;
  }

  // Whether the value of this moment is read again before it is made anew.
  bool isReadAfter(int64_t value, size_t run) const {
    for (auto [when, makes] : events.at(value))
      if (when > run)
        return !makes;
    return false;
  }

  std::optional<std::string> checkPlaces(const std::map<int64_t, int64_t> &memory, int64_t arenaBytes) const {
    std::map<int64_t, int64_t> ends;
    for (auto [value, offset] : memory) {
      if (problem.bytes[value] == 0)
        continue;
      if (offset < 0 || offset + problem.bytes[value] > arenaBytes)
        return "value " + std::to_string(value) + " lies outside the arena";
      if (!ends.emplace(offset, offset + problem.bytes[value]).second)
        return "value " + std::to_string(value) + " lies where another one begins";
    }
    int64_t end = 0;
    for (auto [from, to] : ends) {
      if (from < end)
        return "two values share byte " + std::to_string(from);
      end = to;
    }
    return std::nullopt;
  }

  const BudgetedRematProblem &problem;
  std::vector<Run> runs;
  std::map<int64_t, std::vector<std::pair<size_t, bool>>> events; // a run's reads stand before what it makes
  std::set<int64_t> made;
};

} // namespace

std::optional<std::string> plc::planner::checkBudgetedRemat(const BudgetedRematProblem &problem,
                                                            const BudgetedRemat &answer,
                                                            const std::vector<int64_t> &offsets, int64_t arenaBytes,
                                                            int64_t bound) {
  int64_t last = 0, ns = 0;
  for (const BudgetedRemat::Clone &clone : answer.clones) {
    if (clone.call < 0 || clone.before >= int64_t(problem.calls.size()) || clone.before <= clone.call)
      return "a clone stands before its original";
    if (clone.before < problem.firstClone)
      return "a clone runs too early";
    if (clone.before < last)
      return "clones are out of order";
    if (!problem.calls[clone.call].repeatable)
      return "call " + std::to_string(clone.call) + " runs again";
    last = clone.before;
    ns += problem.calls[clone.call].ns;
  }
  if (bound > ns)
    return "the bound is " + std::to_string(bound) + " but clones take " + std::to_string(ns);
  return Player(problem, answer).play(offsets, arenaBytes);
}

std::optional<int64_t> plc::planner::leastAddedNs(const BudgetedRematProblem &problem) {
  using Node = std::pair<int64_t, std::set<int64_t>>; // calls that have run, values that live
  std::set<int64_t> made;
  for (const Call &call : problem.calls)
    made.insert(call.results.begin(), call.results.end());
  std::map<Node, int64_t> best;
  std::priority_queue<std::pair<int64_t, Node>, std::vector<std::pair<int64_t, Node>>, std::greater<>> open;
  auto offer = [&](int64_t ns, Node node) {
    auto [it, inserted] = best.try_emplace(node, ns);
    if (inserted || ns < it->second) {
      it->second = ns;
      open.emplace(ns, std::move(node));
    }
  };
  auto run = [&](int64_t ns, const Node &node, int64_t index) {
    const Call &call = problem.calls[index];
    for (int64_t value : call.args)
      if (made.contains(value) && !node.second.contains(value))
        return;
    int64_t bytes = problem.persistentBytes + call.scratchBytes, next = node.first + (index == node.first);
    Node after{next, node.second};
    after.second.insert(call.results.begin(), call.results.end());
    for (int64_t value : after.second)
      bytes += problem.bytes[value];
    if (bytes <= problem.budgetBytes)
      offer(ns, after);
    for (auto [operand, result] : call.inPlace)
      if (after.second.erase(operand))
        bytes -= std::min(problem.bytes[operand], problem.bytes[result]);
    if (bytes <= problem.budgetBytes)
      offer(ns, after);
  };
  offer(0, {0, {}});
  while (!open.empty()) {
    auto [ns, node] = open.top();
    open.pop();
    if (best[node] < ns)
      continue;
    if (node.first == int64_t(problem.calls.size()))
      return ns;
    run(ns, node, node.first);
    for (int64_t call = 0; call < node.first && node.first >= problem.firstClone; ++call)
      if (problem.calls[call].repeatable)
        run(ns + problem.calls[call].ns, node, call);
    for (int64_t value : node.second) {
      Node less = node;
      less.second.erase(value);
      offer(ns, less);
    }
  }
  return std::nullopt;
}
