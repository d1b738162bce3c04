//===- BudgetedRematExact.cpp - a shortest path over sets of live values --------===//
#include "BudgetedRematExact.h"

#include "BudgetedRematToGo.h"

#include "plc/Planner/Base/Format.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>

using namespace plc::planner;

namespace {

struct Node {
  int64_t next; ///< the call that has not run yet
  Live live;
  bool operator==(const Node &) const = default;
};

struct Hash {
  size_t operator()(const Node &node) const { return (node.live * 0x9e3779b97f4a7c15u) ^ uint64_t(node.next) << 48; }
};

enum class End { found, none, tooLarge };

class Search {
public:
  Search(const BudgetedRematMasks &masks, int64_t mostStates)
      : masks(masks), problem(masks.problem), toGo(masks), mostStates(mostStates) {}

  End run(BudgetedRemat &answer) {
    reach(start, 0, start, -1);
    while (!queue.empty()) {
      Entry entry = queue.top();
      queue.pop();
      if (reached.at(entry.node).ns < entry.ns)
        continue;
      if (entry.node.next == int64_t(problem.calls.size())) {
        write(entry.node, answer.clones);
        return End::found;
      }
      expand(entry.node, entry.ns);
      if (isExhausted())
        return End::tooLarge;
    }
    return End::none;
  }

private:
  struct Reached {
    int64_t ns;
    Node from;
    int64_t ran; ///< the call that led here
  };
  struct Entry {
    int64_t least, ns; ///< in the end, and so far
    Node node;
    bool operator<(const Entry &other) const { // the queue's top is the largest
      return std::tuple(least, -node.next, ns) > std::tuple(other.least, -other.node.next, other.ns);
    }
  };
  // A value that may go for a run, and what that gains while it runs.
  struct Victim {
    Live bit;
    int64_t bytes;
  };

  bool isExhausted() const { return std::max<int64_t>(reached.size(), looked / 8) > mostStates; }

  void reach(const Node &node, int64_t ns, const Node &from, int64_t ran) {
    ++looked;
    auto it = reached.find(node);
    if (it != reached.end() && it->second.ns <= ns)
      return;
    int64_t least = ns + toGo.ns(node.next, node.live);
    if (least >= BudgetedRematToGo::never)
      return;
    reached.insert_or_assign(node, Reached{ns, from, ran});
    queue.push({least, ns, node});
  }

  void expand(const Node &node, int64_t ns) {
    const BudgetedRematMasks::Call &next = masks.calls[node.next];
    runCall(node, node.next, ns, next.freeOwn);
    if (node.next < problem.firstClone)
      return;
    for (int64_t call : masks.repeatable) {
      if (call >= node.next)
        break;
      if (masks.calls[call].results & ~node.live & masks.needed[node.next])
        runCall(node, call, ns + problem.calls[call].ns, next.freeClone);
    }
  }

  void runCall(const Node &node, int64_t call, int64_t ns, int64_t free) {
    const BudgetedRematMasks::Call &runs = masks.calls[call];
    if (runs.args & ~node.live)
      return;
    int64_t next = node.next + (call == node.next);
    Node after{next, (node.live | runs.results) & masks.needed[next]};
    Live during = (node.live & after.live) | runs.args | runs.results;
    int64_t excess = masks.bytesOf(during) + problem.calls[call].scratchBytes - free;
    // Operands that no call reads behind this run make room for results.
    excess -= masks.savedBytes(call, node.live & ~after.live);
    if (excess <= 0) {
      reach(after, ns, node, call);
      return;
    }
    // Values go only where a run needs their bytes, and then no more of them than it needs.
    std::vector<Victim> victims;
    int64_t most = 0;
    for (Live left = node.live & after.live; left; left &= left - 1) {
      Live bit = left & -left;
      int64_t bytes = bit & runs.args      ? masks.savedBytes(call, bit)
                      : bit & runs.results ? 0
                                           : masks.bytes[__builtin_ctzll(left)];
      if (bytes)
        victims.push_back({bit, bytes});
      most += bytes;
    }
    std::sort(victims.begin(), victims.end(), [](const Victim &a, const Victim &b) { return a.bytes > b.bytes; });
    evict({victims, node, call, ns}, 0, excess, most, after);
  }

  struct Eviction {
    const std::vector<Victim> &victims; ///< as they are tried
    const Node &from;
    int64_t call, ns; ///< that runs, and the time with it
  };

  // All sets of victims that gain `excess` bytes and of which none may stay, unless they cost too much.
  void evict(const Eviction &eviction, size_t first, int64_t excess, int64_t most, Node node) {
    if (excess <= 0) {
      reach(node, eviction.ns, eviction.from, eviction.call);
      return;
    }
    ++looked;
    if (first > 0 && eviction.ns + toGo.ns(node.next, node.live) >= BudgetedRematToGo::never)
      return;
    for (; first < eviction.victims.size() && most >= excess && !isExhausted(); ++first) {
      const Victim &victim = eviction.victims[first];
      most -= victim.bytes;
      evict(eviction, first + 1, excess - victim.bytes, most, {node.next, node.live & ~victim.bit});
    }
  }

  void write(Node node, std::vector<BudgetedRemat::Clone> &clones) const {
    for (; node != start; node = reached.at(node).from)
      if (const Reached &step = reached.at(node); step.from.next == node.next)
        clones.push_back({step.ran, node.next});
    std::reverse(clones.begin(), clones.end());
  }

  static constexpr Node start{0, 0};

  const BudgetedRematMasks &masks;
  const BudgetedRematProblem &problem;
  const BudgetedRematToGo toGo;
  const int64_t mostStates;
  int64_t looked = 0;
  std::unordered_map<Node, Reached, Hash> reached;
  std::priority_queue<Entry> queue;
};

} // namespace

Status plc::planner::solveBudgetedRematExactly(const BudgetedRematProblem &problem, int64_t states,
                                               BudgetedRemat &answer, bool &found) {
  answer = {};
  if (Status fault = problem.check())
    return fault;
  found = problem.peakOf(answer).bytes <= problem.budgetBytes;
  if (found)
    return std::nullopt;
  if (BudgetedRematProblem::Peak least; !budgetedRematBound(problem, &least))
    return problem.doesNotFit(least);
  bool holdsOthers = problem.inFlight > 1 && (problem.firstBackward() > 0 || problem.splitsBackward);
  BudgetedRematMasks masks(problem);
  if (holdsOthers || masks.isTooLarge())
    return std::nullopt;
  End end = Search(masks, states).run(answer);
  if (end == End::none)
    return noPlanFits("in this order with these kernels, whatever runs again, budget " +
                      formatBytes(problem.budgetBytes));
  found = end == End::found;
  return found ? problem.verify(answer) : std::nullopt;
}
