//===- RetentionWindow.cpp - a shortest path over sets of live values ------===//
#include "RetentionWindow.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>

using namespace plc::planner;

namespace {

using Live = uint64_t; // a bit for each value that may come and go

struct Node {
  int64_t next; ///< the call that has not run yet
  Live live;
  bool operator==(const Node &) const = default;
};

struct Hash {
  size_t operator()(const Node &node) const { return (node.live * 0x9e3779b97f4a7c15u) ^ uint64_t(node.next) << 48; }
};

// The values that a window may change, and what of them lives at its ends.
class Universe {
public:
  static constexpr size_t room = 62;

  Universe(const RetentionProblem &problem, const Retention &answer, RetentionWindow window)
      : maker(problem.makers()), numbers(problem.bytes.size(), -1) {
    std::vector<bool> seen(problem.bytes.size()), seenBehind(problem.bytes.size());
    auto run = [&](const RetentionProblem::Call &call, int64_t place) {
      if (place < window.begin)
        return;
      for (int64_t value : call.args)
        if (maker[value] >= 0) {
          if (!seen[value])
            first.push_back(value);
          if (!seenBehind[value] && place >= window.end)
            last.push_back(value);
          see(value, place, window, seen, seenBehind);
        }
      for (int64_t value : call.results)
        see(value, place, window, seen, seenBehind);
    };
    auto clone = answer.clones.begin();
    for (int64_t call = 0; call < int64_t(problem.calls.size()); ++call) {
      for (; clone != answer.clones.end() && clone->before == call; ++clone)
        run(problem.calls[clone->call], call);
      run(problem.calls[call], call);
    }
  }

  // And what they are made of, as long as there is room.
  void grow(const RetentionProblem &problem) {
    for (size_t at = 0; at < values.size(); ++at) {
      const RetentionProblem::Call &call = problem.calls[maker[values[at]]];
      std::vector<int64_t> more;
      for (const std::vector<int64_t> *list : {&call.args, &call.results})
        for (int64_t value : *list)
          if (maker[value] >= 0 && numbers[value] < 0 && std::find(more.begin(), more.end(), value) == more.end())
            more.push_back(value);
      if (call.repeatable && values.size() + more.size() <= room)
        for (int64_t value : more)
          add(value);
    }
  }

  // Of values that are looked at; false if not all are.
  bool maskOf(const std::vector<int64_t> &list, Live &mask) const {
    bool all = true;
    for (int64_t value : list)
      if (numbers[value] >= 0)
        mask |= Live(1) << numbers[value];
      else
        all &= maker[value] < 0;
    return all;
  }

  std::vector<int64_t> maker, values, numbers;
  std::vector<int64_t> first, last; ///< what lives where the window begins, and what is read behind it

private:
  void add(int64_t value) {
    numbers[value] = values.size();
    values.push_back(value);
  }

  void see(int64_t value, int64_t place, RetentionWindow window, std::vector<bool> &seen,
           std::vector<bool> &seenBehind) {
    seen[value] = true;
    if (place >= window.end)
      seenBehind[value] = true;
    else if (numbers[value] < 0)
      add(value);
  }
};

class Search {
public:
  Search(const RetentionProblem &problem, RetentionWindow window, const Universe &universe, int64_t capacity,
         const WindowEffort &effort)
      : problem(problem), window(window), universe(universe), effort(effort), capacity(capacity),
        calls(problem.calls.size()) {
    for (int64_t index = 0; index < window.end; ++index) {
      Local &call = calls[index];
      bool all = universe.maskOf(problem.calls[index].args, call.args);
      all &= universe.maskOf(problem.calls[index].results, call.results);
      call.mayRepeat = all && problem.calls[index].repeatable && call.results;
      if (call.mayRepeat)
        repeatable.push_back(index);
    }
    universe.maskOf(universe.last, goal);
    for (int64_t value : universe.values)
      bytes.push_back(problem.bytes[value]);
    // What calls from here on read, and with all that it is made of.
    read.assign(window.end - window.begin + 1, goal);
    for (int64_t call = window.end; call-- > window.begin;)
      read[call - window.begin] |= read[call - window.begin + 1] | calls[call].args;
    needed = read;
    for (Live &mask : needed)
      for (size_t call = repeatable.size(); call-- > 0;)
        mask |= mask & calls[repeatable[call]].results ? calls[repeatable[call]].args : 0;
  }

  WindowEnd run(std::vector<Retention::Clone> &clones) {
    Live live = 0;
    universe.maskOf(universe.first, live);
    Node start{window.begin, live & needed[0]};
    reach(start, 0, start, -1);
    while (!queue.empty()) {
      Entry entry = queue.top();
      queue.pop();
      if (reached.at(entry.node).ns < entry.ns)
        continue;
      if (entry.node.next == window.end && !(goal & ~entry.node.live)) {
        write(start, entry.node, clones);
        return WindowEnd::Found;
      }
      expand(entry.node, entry.ns);
      if (int64_t(reached.size()) > effort.states || pushed > pushesOf(effort))
        return WindowEnd::TooLarge;
    }
    return WindowEnd::None;
  }

  int64_t numStates() const { return reached.size(); }

private:
  struct Local {
    Live args = 0, results = 0;
    bool mayRepeat = false;
  };
  struct Reached {
    int64_t ns;
    Node from;
    int64_t ran; ///< the call that led here
  };
  struct Entry {
    int64_t first, second, ns; ///< by which states are ordered; the time so far
    Node node;
    bool operator<(const Entry &other) const { // the queue's top is the largest
      return std::tie(first, second) > std::tie(other.first, other.second);
    }
  };
  // A value that may go for a run, and what that gains while it runs.
  struct Victim {
    Live bit;
    int64_t bytes;
  };
  static int64_t pushesOf(const WindowEffort &effort) { return 4 * effort.states; }
  static constexpr int64_t never = int64_t(1) << 60;

  int64_t bytesOf(Live live) const {
    int64_t sum = 0;
    for (; live; live &= live - 1)
      sum += bytes[__builtin_ctzll(live)];
    return sum;
  }

  // The least time that a state still takes: each maker of what is missing runs once.
  int64_t remainingNs(const Node &node) const {
    Live missing = read[node.next - window.begin] & ~node.live, done = 0;
    int64_t ns = 0;
    while (Live rest = missing & ~done) {
      int64_t value = __builtin_ctzll(rest), call = universe.maker[universe.values[value]];
      if (call >= node.next) {
        done |= rest & -rest;
        continue;
      }
      if (!calls[call].mayRepeat)
        return never;
      ns += problem.calls[call].ns;
      done |= calls[call].results | (rest & -rest);
      missing |= calls[call].args & ~node.live;
    }
    return ns;
  }

  void reach(const Node &node, int64_t ns, const Node &from, int64_t ran) {
    auto it = reached.find(node);
    if (it != reached.end() && it->second.ns <= ns)
      return;
    int64_t rest = remainingNs(node);
    if (rest == never)
      return;
    reached.insert_or_assign(node, Reached{ns, from, ran});
    ++pushed;
    if (effort.goal == WindowGoal::Any)
      queue.push({-node.next, ns + rest, ns, node});
    else
      queue.push({ns + rest, -node.next, ns, node});
  }

  void expand(const Node &node, int64_t ns) {
    if (node.next < window.end)
      runCall(node, node.next, ns);
    // Behind the window's last call nothing runs again in it.
    if (node.next < problem.firstClone || node.next >= window.end)
      return;
    for (int64_t call : repeatable) {
      if (call >= node.next)
        break;
      if (calls[call].results & ~node.live & needed[node.next - window.begin])
        runCall(node, call, ns + problem.calls[call].ns);
    }
  }

  void runCall(const Node &node, int64_t call, int64_t ns) {
    const Local &local = calls[call];
    if (local.args & ~node.live)
      return;
    int64_t next = node.next + (call == node.next);
    Node after{next, (node.live | local.results) & needed[next - window.begin]};
    Live during = (node.live & after.live) | local.args | local.results;
    int64_t excess = bytesOf(during) + problem.calls[call].scratchBytes - capacity;
    // Operands that nobody reads behind this run make room for results.
    Live gone = node.live & ~after.live;
    for (auto [operand, result] : problem.calls[call].inPlace)
      if (universe.maker[operand] >= 0 && gone >> universe.numbers[operand] & 1)
        excess -= std::min(problem.bytes[operand], problem.bytes[result]);
    if (excess <= 0) {
      reach(after, ns, node, call);
      return;
    }
    std::vector<Victim> victims;
    for (Live rest = node.live & after.live & ~local.args & ~local.results; rest; rest &= rest - 1)
      victims.push_back({rest & -rest, bytes[__builtin_ctzll(rest)]});
    addOperands(call, node.live & after.live & local.args, victims);
    std::sort(victims.begin(), victims.end(), [](const Victim &a, const Victim &b) { return a.bytes > b.bytes; });
    int64_t rest = 0;
    for (const Victim &victim : victims)
      rest += victim.bytes;
    evict(victims, 0, excess, rest, after, [&](const Node &then) { reach(then, ns, node, call); });
  }

  void addOperands(int64_t call, Live operands, std::vector<Victim> &victims) const {
    for (; operands; operands &= operands - 1) {
      int64_t saved = 0, value = universe.values[__builtin_ctzll(operands)];
      for (auto [operand, result] : problem.calls[call].inPlace)
        saved += operand == value ? std::min(problem.bytes[operand], problem.bytes[result]) : 0;
      if (saved)
        victims.push_back({operands & -operands, saved});
    }
  }

  // All sets of victims, the largest first, that gain `excess` bytes and of which none may stay.
  template <typename Take>
  void evict(const std::vector<Victim> &victims, size_t from, int64_t excess, int64_t rest, Node node, Take take) {
    if (excess <= 0) {
      take(node);
      return;
    }
    for (; from < victims.size() && rest >= excess && pushed <= pushesOf(effort); ++from) {
      rest -= victims[from].bytes;
      evict(victims, from + 1, excess - victims[from].bytes, rest, {node.next, node.live & ~victims[from].bit}, take);
    }
  }

  void write(const Node &start, Node node, std::vector<Retention::Clone> &clones) const {
    for (; node != start; node = reached.at(node).from)
      if (const Reached &step = reached.at(node); step.from.next == node.next)
        clones.push_back({step.ran, node.next});
    std::reverse(clones.begin(), clones.end());
  }

  const RetentionProblem &problem;
  const RetentionWindow window;
  const Universe &universe;
  const WindowEffort &effort;
  const int64_t capacity;
  std::vector<Local> calls;
  std::vector<int64_t> repeatable, bytes; // calls; of values
  std::vector<Live> read, needed;         // from each call of the window on
  Live goal = 0;
  int64_t pushed = 0;
  std::unordered_map<Node, Reached, Hash> reached;
  std::priority_queue<Entry> queue;
};

} // namespace

WindowEnd plc::planner::searchWindow(const RetentionProblem &problem, Retention &answer, RetentionWindow window,
                                     WindowEffort &effort) {
  Universe universe(problem, answer, window);
  if (universe.values.size() > Universe::room)
    return WindowEnd::TooLarge;
  universe.grow(problem);
  // What only passes takes its bytes all the time.
  int64_t capacity = problem.budgetBytes - problem.staticBytes - (problem.inFlight - 1) * problem.heldBytes(answer);
  for (int64_t value : universe.last)
    if (universe.numbers[value] < 0)
      capacity -= problem.bytes[value];
  std::vector<Retention::Clone> clones;
  Search search(problem, window, universe, capacity, effort);
  WindowEnd end = search.run(clones);
  effort.spent = search.numStates();
  if (end != WindowEnd::Found)
    return end;
  auto isBefore = [](const Retention::Clone &clone, int64_t call) { return clone.before < call; };
  auto begin = std::lower_bound(answer.clones.begin(), answer.clones.end(), window.begin, isBefore);
  auto behind = std::lower_bound(begin, answer.clones.end(), window.end, isBefore);
  begin = answer.clones.erase(begin, behind);
  answer.clones.insert(begin, clones.begin(), clones.end());
  return end;
}
