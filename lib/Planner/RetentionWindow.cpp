//===- RetentionWindow.cpp - a shortest path over sets of live values ------===//
#include "RetentionRest.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

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

class Search {
public:
  Search(const RetentionScope &scope, const WindowEffort &effort)
      : scope(scope), problem(scope.problem), effort(effort), rest(scope, effort.toGo),
        isBeam(effort.goal == WindowGoal::Beam) {}

  WindowEnd run(std::vector<Retention::Clone> &clones) {
    Node start{scope.window.begin, scope.atBegin & scope.neededFrom(scope.window.begin)};
    reach(start, 0, start, -1);
    if (isBeam)
      return follow(start, clones);
    while (!queue.empty()) {
      Entry entry = queue.top();
      queue.pop();
      if (reached.at(entry.node).ns < entry.ns)
        continue;
      if (isEnd(entry.node)) {
        write(start, entry.node, clones);
        return WindowEnd::Found;
      }
      expand(entry.node, entry.ns);
      if (isExhausted())
        return WindowEnd::TooLarge;
    }
    return WindowEnd::None;
  }

  int64_t spent() const { return std::max<int64_t>(reached.size(), looked / 8); }

private:
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
    int64_t bytes, loss; ///< the latter in a beam, as prices say
  };
  // What is worth least for its bytes; the largest first, where nothing is known.
  static bool isSooner(const Victim &a, const Victim &b) {
    double left = double(a.loss) * double(b.bytes), right = double(b.loss) * double(a.bytes);
    return left != right ? left < right : a.bytes > b.bytes;
  }

  bool isEnd(const Node &node) const { return node.next == scope.window.end && !(scope.atEnd & ~node.live); }

  // The states that promise least, of those that no shorter way led to since.
  void cut(std::vector<Entry> &entries) const {
    std::erase_if(entries, [&](const Entry &entry) { return reached.at(entry.node).ns < entry.ns; });
    std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
      return std::tie(a.first, a.ns, a.node.live) < std::tie(b.first, b.ns, b.node.live);
    });
    if (int64_t(entries.size()) > effort.beamWidth)
      entries.erase(entries.begin() + effort.beamWidth, entries.end());
  }

  // What the guide goes through is followed, too.
  void reachGuide() {
    std::vector<std::pair<int64_t, int64_t>> runs; // calls and slots
    auto clone = effort.guide->clones.begin();
    for (int64_t call = scope.window.begin; call < scope.window.end; ++call) {
      for (; clone != effort.guide->clones.end() && clone->before == call; ++clone)
        runs.emplace_back(clone->call, call);
      runs.emplace_back(call, call);
    }
    std::vector<Live> live(runs.size() + 1, scope.atEnd);
    for (size_t run = runs.size(); run-- > 0;) {
      const RetentionScope::Local &local = scope.calls[runs[run].first];
      live[run] = (live[run + 1] & ~local.results) | local.args;
    }
    Node from{scope.window.begin, live[0]};
    int64_t ns = 0;
    for (size_t run = 0; run < runs.size(); ++run) {
      auto [call, slot] = runs[run];
      ns += call == slot ? 0 : problem.calls[call].ns;
      Node to{slot + (call == slot), live[run + 1]};
      reach(to, ns, from, call);
      if (!reached.contains(to))
        break; // prices promise nothing better from here on
      from = to;
    }
    for (const Entry &entry : std::exchange(ahead, {}))
      guided[entry.node.next].push_back(entry);
  }

  WindowEnd follow(const Node &start, std::vector<Retention::Clone> &clones) {
    std::vector<Entry> entries = std::exchange(ahead, {});
    guided.resize(scope.window.end + 1);
    if (effort.guide)
      reachGuide();
    for (level = scope.window.begin; level < scope.window.end; ++level) {
      cut(entries);
      entries.insert(entries.end(), guided[level].begin(), guided[level].end());
      followLevel(std::move(entries));
      entries = std::exchange(ahead, {});
    }
    cut(entries);
    for (const Entry &entry : entries)
      if (isEnd(entry.node)) {
        write(start, entry.node, clones);
        return WindowEnd::Found;
      }
    return WindowEnd::TooLarge;
  }

  // One clone further each time, as long as that promises as little as what has left the level already.
  void followLevel(std::vector<Entry> entries) {
    while (!entries.empty() && !isExhausted()) {
      cut(ahead);
      if (int64_t(ahead.size()) == effort.beamWidth && ahead.back().first <= entries.front().first)
        break;
      for (const Entry &entry : entries)
        expand(entry.node, entry.ns);
      entries = std::exchange(beside, {});
      cut(entries);
    }
  }

  static constexpr int64_t beamWays = 2;

  int64_t limit() const { return std::min(effort.belowNs, RetentionRest::never); }
  bool isExhausted() const { return spent() > effort.states; }

  int64_t restOf(const Node &node) const {
    return isBeam ? rest.pricedNs(node.next, node.live) : rest.ns(node.next, node.live);
  }

  void reach(const Node &node, int64_t ns, const Node &from, int64_t ran) {
    ++looked;
    auto it = reached.find(node);
    if (it != reached.end() && it->second.ns <= ns)
      return;
    int64_t least = ns + restOf(node);
    if (least >= limit())
      return;
    reached.insert_or_assign(node, Reached{ns, from, ran});
    if (effort.goal == WindowGoal::Any)
      queue.push({-node.next, least, ns, node});
    else if (isBeam)
      (node.next > level ? ahead : beside).push_back({least, ns, ns, node});
    else
      queue.push({least, -node.next, ns, node});
  }

  void expand(const Node &node, int64_t ns) {
    // Behind the window's last call nothing runs again in it.
    if (node.next == scope.window.end)
      return;
    int64_t place = node.next - scope.window.begin;
    runCall(node, node.next, ns, scope.freeOwn[place]);
    if (node.next < problem.firstClone)
      return;
    for (int64_t call : scope.repeatable) {
      if (call >= node.next)
        break;
      if (scope.calls[call].results & ~node.live & scope.neededFrom(node.next))
        runCall(node, call, ns + problem.calls[call].ns, scope.freeClone[place]);
    }
  }

  void runCall(const Node &node, int64_t call, int64_t ns, int64_t free) {
    const RetentionScope::Local &local = scope.calls[call];
    if (local.args & ~node.live)
      return;
    int64_t next = node.next + (call == node.next);
    Node after{next, (node.live | local.results) & scope.neededFrom(next)};
    Live during = (node.live & after.live) | local.args | local.results;
    int64_t excess = scope.bytesOf(during) + problem.calls[call].scratchBytes - free;
    // Operands that nobody reads behind this run make room for results.
    excess -= scope.savedBytes(call, node.live & ~after.live);
    if (excess <= 0) {
      reach(after, ns, node, call);
      return;
    }
    std::vector<Victim> victims;
    int64_t most = 0;
    for (Live left = node.live & after.live; left; left &= left - 1) {
      Live bit = left & -left;
      int64_t bytes = bit & local.args      ? scope.savedBytes(call, bit)
                      : bit & local.results ? 0
                                            : scope.bytes[__builtin_ctzll(left)];
      if (bytes)
        victims.push_back({bit, bytes, isBeam ? rest.lossOf(after.next, __builtin_ctzll(left)) : 0});
      most += bytes;
    }
    std::sort(victims.begin(), victims.end(), isSooner);
    ways = isBeam ? beamWays : INT64_MAX;
    Eviction eviction{victims, node, call, ns};
    evict(eviction, 0, excess, most, after);
  }

  struct Eviction {
    const std::vector<Victim> &victims; ///< as they are tried
    const Node &from;
    int64_t call, ns; ///< that runs, and the time with it
  };

  // All sets of victims that gain `excess` bytes and of which none may stay, unless they cost too much.
  void evict(const Eviction &eviction, size_t first, int64_t excess, int64_t most, Node node) {
    if (excess <= 0) {
      --ways;
      reach(node, eviction.ns, eviction.from, eviction.call);
      return;
    }
    ++looked;
    if (first > 0 && eviction.ns + restOf(node) >= limit())
      return;
    for (; first < eviction.victims.size() && most >= excess && ways > 0 && !isExhausted(); ++first) {
      const Victim &victim = eviction.victims[first];
      most -= victim.bytes;
      evict(eviction, first + 1, excess - victim.bytes, most, {node.next, node.live & ~victim.bit});
    }
  }

  void write(const Node &start, Node node, std::vector<Retention::Clone> &clones) const {
    for (; node != start; node = reached.at(node).from)
      if (const Reached &step = reached.at(node); step.from.next == node.next)
        clones.push_back({step.ran, node.next});
    std::reverse(clones.begin(), clones.end());
  }

  const RetentionScope &scope;
  const RetentionProblem &problem;
  const WindowEffort &effort;
  const RetentionRest rest;
  int64_t looked = 0, ways = 0; // the latter to make room for a run that are still tried
  std::unordered_map<Node, Reached, Hash> reached;
  const bool isBeam;
  std::priority_queue<Entry> queue;
  int64_t level = -1;                     // of a beam: the next call of the states that it follows,
  std::vector<Entry> ahead, beside;       // what it has reached behind that call's own run, and before,
  std::vector<std::vector<Entry>> guided; // and what its guide goes through, by next call
};

} // namespace

WindowEnd plc::planner::searchWindow(const RetentionGround &ground, Retention &answer, RetentionWindow window,
                                     WindowEffort &effort) {
  RetentionScope scope(ground, answer, window);
  if (scope.isTooLarge())
    return WindowEnd::TooLarge;
  std::vector<Retention::Clone> clones;
  Search search(scope, effort);
  WindowEnd end = search.run(clones);
  effort.spent = search.spent();
  if (end != WindowEnd::Found)
    return end;
  auto isBefore = [](const Retention::Clone &clone, int64_t call) { return clone.before < call; };
  auto begin = std::lower_bound(answer.clones.begin(), answer.clones.end(), window.begin, isBefore);
  auto behind = std::lower_bound(begin, answer.clones.end(), window.end, isBefore);
  begin = answer.clones.erase(begin, behind);
  answer.clones.insert(begin, clones.begin(), clones.end());
  return end;
}
