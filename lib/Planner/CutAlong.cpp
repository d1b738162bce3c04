//===- CutAlong.cpp - the best cut along the ideals of a graph ------------===//
#include "CutBound.h"
#include "Ideals.h"
#include "PartEnds.h"

#include <algorithm>
#include <utility>

using namespace plc::planner;

namespace {

using Load = PartitionProblem::Load;
constexpr int64_t noCap = INT64_MAX / 1000;
// Segments, states that they continue, and comparisons of states before a bottleneck is given up. Where ranks are shared, most
// are comparisons: with few states it is tried again along one order, which nothing else cuts as well; of a graph all bottlenecks
// together have fewer, for few searches end there, and orders and moves find cuts as good.
constexpr int64_t mostWork = 200'000'000, mostSharedGraphWork = 30'000'000;

// Cuts of the parts of an ideal into some stages: what is still to be known of them.
struct State {
  int64_t worst = 0, worstStage = 0; // ns of the slowest rank so far, and of the slowest stage
  std::vector<Load> loads; // of each rank with stages to come; zero for the others; none if ranks are not shared
  int64_t before = 0;      // the ideal that the last stage begins at
  size_t index = 0;        // the state of `before` that this one continues

  bool dominates(const State &other) const {
    if (worst > other.worst || worstStage > other.worstStage)
      return false;
    for (size_t rank = 0; rank < loads.size(); ++rank)
      if (const Load &a = loads[rank], &b = other.loads[rank];
          a.ns > b.ns || a.heldBytes > b.heldBytes || a.scratchBytes > b.scratchBytes)
        return false;
    return true;
  }
};

// front[I][s - first[I]]: how s stages may cover the parts of ideal I. For a chain, whose ideals are prefixes:
//
//          I = 1     2     3     4     5
//   s = 1    [01)  [02)  [03)  ...
//   s = 2      .     *     *   ...
class Cutter {
public:
  Cutter(const PartitionProblem &problem, const Ideals &ideals, size_t states, bool byMemory)
      : problem(problem), ideals(ideals), byMemory(byMemory), limitBytes(byMemory ? 0 : problem.limitBytes),
        isOneOrder(ideals.steps.size() == problem.parts.size() + 1), segment(problem), allowedStates(states) {
    for (int64_t s = 0; s < problem.stages; ++s) {
      bool shared = false, later = false;
      for (int64_t other = 0; other < problem.stages; ++other) {
        shared |= other != s && problem.rankOf(other) == problem.rankOf(s);
        later |= other > s && problem.rankOf(other) == problem.rankOf(s);
      }
      anyShared |= shared;
      isOpen.push_back(later);
    }
    for (int64_t rank = 0; rank < problem.numRanks(); ++rank)
      topSpeed = std::max(topSpeed, problem.speedOf(rank));
    leastInFlight = *std::min_element(problem.inFlight.begin(), problem.inFlight.end());
  }

  // Whether there is a cut whose slowest rank takes at most `cap`, or holds at most so much; the best one if so.
  bool run(int64_t cap, Partition &answer) {
    this->cap = cap;
    earlierWork += std::exchange(work, 0);
    allowedWork = !anyShared || isOneOrder ? mostWork : mostSharedGraphWork - earlierWork;
    dropped = false;
    findWindows();
    int64_t all = ideals.steps.size() - 1;
    State start;
    start.loads.resize(anyShared ? problem.numRanks() : 0);
    if (first[0] > 0)
      return false;
    front[0][0].push_back(start);
    for (ideal = 0; ideal < all && !isExhausted(); ++ideal)
      if (std::any_of(front[ideal].begin(), front[ideal].end(), [](const auto &each) { return !each.empty(); }))
        extend();
    if (front[all].empty() || front[all].back().empty() || isExhausted())
      return false;
    answer = trace(all);
    answer.exact = !dropped;
    return true;
  }

  // Whether the last run ended because it took too long.
  bool isExhausted() const { return work >= allowedWork; }

  // Whether the next run may end where the last one took too long, because it compares fewer states.
  bool narrow() { return anyShared && isOneOrder && std::exchange(allowedStates, fewStates) != fewStates; }

  // What all runs looked at.
  int64_t workOfAll() const { return earlierWork + work; }

private:
  // By what stages before and behind can hold at the cap, if all of it is work, how many may cover each ideal.
  void findWindows() {
    int64_t stages = problem.stages, count = ideals.steps.size(), parts = problem.parts.size(),
            total = ideals.ns.back(), cap = byMemory ? noCap : this->cap;
    auto capacities = [&](auto stageAt) {
      std::vector<int64_t> sums{0};
      std::vector<bool> seen(problem.numRanks());
      for (int64_t s = 0; s < stages; ++s) {
        int64_t rank = problem.rankOf(stageAt(s));
        sums.push_back(std::min(
            noCap, sums.back() + (seen[rank] ? 0 : cap / 100 * problem.speedOf(rank) + problem.speedOf(rank))));
        seen[rank] = true;
      }
      return sums;
    };
    std::vector<int64_t> before = capacities([](int64_t s) { return s; });
    std::vector<int64_t> behind = capacities([&](int64_t s) { return stages - 1 - s; });
    first.assign(count, 0);
    front.assign(count, {});
    for (int64_t i = 0; i < count; ++i) {
      int64_t least = i ? 1 : 0, most = i + 1 < count ? stages - 1 : stages;
      if (i + 1 == count)
        least = stages;
      if (!i)
        most = 0;
      while (least <= most && (before[least] < ideals.ns[i] || stages - least > parts - ideals.size[i]))
        ++least;
      while (least <= most && (behind[stages - most] < total - ideals.ns[i] || most > ideals.size[i]))
        --most;
      first[i] = least;
      front[i].resize(std::max<int64_t>(most - least + 1, 0));
    }
  }

  void extend() {
    segment.start(problem.residents.empty() ? std::vector<bool>() : ideals.members(ideal));
    walk(ideal, -1, {});
  }

  // Of the parts of a segment: the most scratch, and the bytes of a micro-batch that they keep.
  struct Bytes {
    int64_t scratch = 0, kept = 0;

    Bytes with(const PartitionProblem::Part &part) const {
      return {std::max(scratch, part.scratchBytes), kept + part.keptBytes};
    }
  };

  // Each larger ideal once: its further parts are added in the order of their positions.
  void walk(int64_t to, int64_t position, const Bytes &bytes) {
    for (auto [part, next] : ideals.steps[to]) {
      if (ideals.position[part] < position)
        continue;
      const auto &info = problem.parts[part];
      Bytes grown = bytes.with(info);
      int64_t held = grown.kept * leastInFlight;
      if (byMemory ? held > cap
                   : (segment.workNs + info.ns) * 100 / topSpeed > cap || (limitBytes && held > limitBytes))
        continue;
      if (++work >= allowedWork)
        return;
      segment.add(part);
      for (size_t i = 0; i < front[ideal].size(); ++i)
        if (!front[ideal][i].empty())
          join(first[ideal] + i, next, front[ideal][i], grown);
      walk(next, ideals.position[part], grown);
      segment.remove(part);
    }
  }

  Load loadOf(int64_t s, const Bytes &bytes) const {
    int64_t held = segment.onceBytes + problem.inFlight[s] * segment.keptBytes;
    Load load{problem.timeOn(problem.rankOf(s), segment.workNs) + segment.receiveNs, held, bytes.scratch};
    if (byMemory)
      return {load.bytes(), 0, 0};
    // Without a limit, bytes make no state better than another.
    return limitBytes ? load : Load{load.ns, 0, 0};
  }

  // What is added to the ideal becomes stage s.
  void join(int64_t s, int64_t to, const std::vector<State> &before, const Bytes &bytes) {
    int64_t place = s + 1 - first[to];
    if (place < 0 || place >= int64_t(front[to].size()))
      return;
    work += before.size();
    std::vector<State> &states = front[to][place];
    // Of one state it is known without the load that it is no better.
    if (!anyShared && !states.empty() && states.front().worst <= before.front().worst)
      return;
    int64_t rank = problem.rankOf(s);
    Load load = loadOf(s, bytes);
    State state; // its loads are allocated once
    for (size_t index = 0; index < before.size(); ++index) {
      const State &old = before[index];
      Load total = anyShared ? old.loads[rank] + load : load;
      if (total.ns > cap || (limitBytes && total.bytes() > limitBytes))
        continue;
      state = {std::max(old.worst, total.ns), std::max(old.worstStage, load.ns), std::move(state.loads), ideal, index};
      if (!anyShared && !states.empty() && states.front().worst <= state.worst)
        continue;
      state.loads = old.loads;
      if (anyShared)
        state.loads[rank] = isOpen[s] ? total : Load();
      insert(states, state);
    }
  }

  // The states that no other dominates; of equals the first.
  void insert(std::vector<State> &states, const State &state) {
    auto worse = [](const State &a, const State &b) {
      return std::pair(a.worst, a.worstStage) < std::pair(b.worst, b.worstStage);
    };
    auto [equal, behind] = std::equal_range(states.begin(), states.end(), state, worse);
    auto better = std::find_if(states.begin(), behind, [&](const State &other) { return other.dominates(state); });
    work += better - states.begin();
    if (better != behind)
      return;
    work += states.end() - equal;
    states.erase(std::remove_if(equal, states.end(), [&](const State &other) { return state.dominates(other); }),
                 states.end());
    states.insert(std::upper_bound(states.begin(), states.end(), state, worse), state);
    if (states.size() > allowedStates) {
      states.pop_back();
      dropped = true;
    }
  }

  Partition trace(int64_t all) const {
    Partition answer{std::vector<int64_t>(problem.parts.size()), 0, false};
    int64_t to = all;
    size_t index = 0;
    for (int64_t s = problem.stages; s-- > 0;) {
      const State &state = front[to][s + 1 - first[to]][index];
      std::vector<bool> covered = ideals.members(to), earlier = ideals.members(state.before);
      for (size_t part = 0; part < covered.size(); ++part)
        if (covered[part] && !earlier[part])
          answer.stageOf[part] = s;
      index = state.index;
      to = state.before;
    }
    return answer;
  }

  const PartitionProblem &problem;
  const Ideals &ideals;
  bool byMemory;
  int64_t limitBytes, cap = 0, work = 0, earlierWork = 0, allowedWork = mostWork, topSpeed = 1, leastInFlight = 1;
  bool isOneOrder, anyShared = false, dropped = false;
  PartSegment segment;
  size_t allowedStates;
  std::vector<bool> isOpen; // a later stage lies on the stage's rank
  int64_t ideal = 0;        // that is extended now
  std::vector<int64_t> first;
  std::vector<std::vector<std::vector<State>>> front;
};

} // namespace

int64_t plc::planner::cutAlong(const PartitionProblem &problem, const Ideals &ideals, Partition &answer,
                               size_t states) {
  int64_t kept = 0; // on each rank, were it the same on all; some rank keeps as much at least
  for (const PartitionProblem::Part &part : problem.parts)
    kept += part.keptBytes;
  kept = kept / problem.numRanks() * *std::min_element(problem.inFlight.begin(), problem.inFlight.end());
  bool mayFit = !problem.limitBytes || kept <= problem.limitBytes;
  int64_t bound = quickBound(problem);
  Cutter byTime(problem, ideals, states, false);
  for (int64_t cap :
       {bound + bound / 64, bound + bound / 32, bound + bound / 16, bound + bound / 8, 2 * bound, noCap}) {
    do
      if (mayFit && byTime.run(std::min(cap, noCap), answer))
        return byTime.workOfAll();
    while (byTime.isExhausted() && byTime.narrow());
    if (byTime.isExhausted())
      break;
  }
  bool found = false;
  int64_t work = byTime.workOfAll();
  if (problem.limitBytes) {
    kept = std::min(kept, noCap / 8);
    Cutter byBytes(problem, ideals, states, true);
    for (int64_t cap : {kept + kept / 8, 2 * kept, 8 * kept, noCap})
      if (!found && !byBytes.isExhausted())
        found = byBytes.run(cap, answer);
    work += byBytes.workOfAll();
  }
  if (!found) // too large a search: as many parts in each stage
    for (size_t part = 0; part < ideals.position.size(); ++part)
      answer.stageOf[part] = ideals.position[part] * problem.stages / int64_t(ideals.position.size());
  answer.exact = false;
  return work;
}
