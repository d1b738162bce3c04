//===- RetentionExact.cpp - a shortest path over sets of live values ------===//
#include "plc/Planner/Retention.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

using namespace plc::planner;

namespace {

using Live = uint64_t; // a bit for each value that a call makes

struct Node {
  int64_t next; ///< the call that has not run yet
  Live live;
  bool operator==(const Node &) const = default;
};

struct Hash {
  size_t operator()(const Node &node) const { return (node.live * 0x9e3779b97f4a7c15u) ^ uint64_t(node.next) << 48; }
};

struct Reached {
  int64_t ns;
  Node from;
  int64_t ran; ///< the call that led here; -1 if a value was let go
};

class Search {
public:
  Search(const RetentionProblem &problem, int64_t states)
      : problem(problem), states(states), capacity(problem.budgetBytes - problem.staticBytes) {
    std::vector<int64_t> maker = problem.makers();
    auto maskOf = [&](const std::vector<int64_t> &values) {
      Live mask = 0;
      for (int64_t value : values)
        mask |= maker[value] < 0 ? 0 : Live(1) << value;
      return mask;
    };
    for (const auto &call : problem.calls) {
      args.push_back(maskOf(call.args));
      results.push_back(maskOf(call.results));
    }
    // What any call from here on may still need: all that its operands are made of.
    needed.assign(problem.calls.size() + 1, 0);
    for (size_t call = problem.calls.size(); call-- > 0;)
      needed[call] = needed[call + 1] | args[call];
    for (Live &mask : needed)
      for (size_t call = problem.calls.size(); call-- > 0;)
        mask |= mask & results[call] ? args[call] : 0;
  }

  /// Whether the search came to an end; the answer is optimal, or there is none.
  bool run(bool &any, Retention &answer) {
    reach({0, 0}, 0, {0, 0}, -1);
    while (!queue.empty()) {
      auto [ns, node] = queue.top();
      queue.pop();
      if (reached.at(node).ns < ns)
        continue;
      if (node.next == int64_t(problem.calls.size())) {
        any = true;
        write(node, answer);
        return true;
      }
      expand(node, ns);
      if (int64_t(reached.size()) > states)
        return false;
    }
    any = false;
    return true;
  }

private:
  int64_t bytesOf(Live live) const {
    int64_t bytes = 0;
    for (; live; live &= live - 1)
      bytes += problem.bytes[__builtin_ctzll(live)];
    return bytes;
  }

  void reach(const Node &node, int64_t ns, const Node &from, int64_t ran) {
    auto [it, inserted] = reached.try_emplace(node, Reached{ns, from, ran});
    if (!inserted && it->second.ns <= ns)
      return;
    it->second = {ns, from, ran};
    queue.emplace(ns, node);
  }

  void expand(const Node &node, int64_t ns) {
    for (Live rest = node.live; rest; rest &= rest - 1)
      reach({node.next, node.live & ~(rest & -rest)}, ns, node, -1);
    runCall(node, node.next, ns);
    if (node.next < problem.firstClone)
      return;
    for (int64_t call = 0; call < node.next; ++call)
      if (problem.calls[call].repeatable && (results[call] & ~node.live & needed[node.next]))
        runCall(node, call, ns + problem.calls[call].ns);
  }

  // A result takes the place of an operand that is let go, or does not.
  void runCall(const Node &node, int64_t call, int64_t ns) {
    if (args[call] & ~node.live)
      return;
    int64_t next = node.next + (call == node.next), most = bytesOf(node.live | results[call]);
    most += problem.calls[call].scratchBytes;
    if (most <= capacity)
      reach({next, (node.live | results[call]) & needed[next]}, ns, node, call);
    Live gone = 0;
    for (auto [operand, result] : problem.calls[call].inPlace) {
      gone |= Live(1) << operand & args[call];
      most -= args[call] >> operand & 1 ? std::min(problem.bytes[operand], problem.bytes[result]) : 0;
    }
    if (gone && most <= capacity)
      reach({next, (node.live & ~gone) | (results[call] & needed[next])}, ns, node, call);
  }

  void write(Node node, Retention &answer) const {
    for (; node != Node{0, 0}; node = reached.at(node).from)
      if (const Reached &step = reached.at(node); step.ran >= 0 && step.from.next == node.next)
        answer.clones.push_back({step.ran, node.next});
    std::reverse(answer.clones.begin(), answer.clones.end());
  }

  struct Later {
    bool operator()(const std::pair<int64_t, Node> &a, const std::pair<int64_t, Node> &b) const {
      return std::tie(a.first, b.second.next) > std::tie(b.first, a.second.next);
    }
  };

  const RetentionProblem &problem;
  const int64_t states, capacity;
  std::vector<Live> args, results, needed;
  std::unordered_map<Node, Reached, Hash> reached;
  std::priority_queue<std::pair<int64_t, Node>, std::vector<std::pair<int64_t, Node>>, Later> queue;
};

} // namespace

Fault plc::planner::solveRetentionExactly(const RetentionProblem &problem, int64_t states, Retention &answer,
                                          bool &found) {
  found = false;
  if (Fault fault = problem.check())
    return fault;
  bool isSmall = problem.bytes.size() <= 62 &&
                 (problem.inFlight == 1 || (problem.firstBackward() == 0 && !problem.splitsBackward));
  bool any = false;
  answer = {};
  if (!isSmall || !Search(problem, states).run(any, answer))
    return std::nullopt;
  found = any;
  return any ? problem.verify(answer) : Fault(problem.doesNotFit(problem.peakOf({})));
}
