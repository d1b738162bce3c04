//===- RetentionChain.cpp - checkpoints of a chain, by dynamic programming ===//
#include "RetentionMoves.h"

#include <algorithm>

using namespace plc::planner;

namespace {

// Calls of F up to a cut, where a single value goes on to later calls of F; B of a segment begins in slot `backward`.
struct Segment {
  int64_t begin = 0, end = 0, backward = 0;
  int64_t ns = 0;     ///< of a run
  int64_t inside = 0; ///< bytes that B reads, but for the cut's
  int64_t cut = 0;    ///< bytes of the value that goes on
};

class Chain {
public:
  explicit Chain(const RetentionState &state) : problem(state.problem), maker(state.maker) {
    findSegments();
    group(96);
  }

  // Segments begin their B in reverse order; else this is no chain.
  bool isOne() const {
    bool reversed = true;
    for (size_t i = 1; i < segments.size(); ++i)
      reversed &= segments[i].backward <= segments[i - 1].backward;
    return segments.size() > 1 && reversed;
  }

  // least[i][j][m]: of segments i..j, all to run, from what goes into i, in m units of bytes.
  void solve(int64_t units) {
    int64_t count = segments.size(), total = 1;
    for (const Segment &each : segments)
      total += each.inside + each.cut;
    unit = std::max<int64_t>(1, (total + units - 1) / units);
    width = units + 1;
    table.assign(count * count * width, {});
    for (int64_t length = 1; length <= count; ++length)
      for (int64_t i = 0, j = length - 1; j < count; ++i, ++j)
        for (int64_t m = 0; m < width; ++m)
          at(i, j, m) = best(i, j, m);
  }

  // Segments and the slots before which they run again.
  std::vector<std::pair<int64_t, int64_t>> plan(int64_t units) {
    runs.clear();
    hasPlan = at(0, segments.size() - 1, units).ns < never;
    if (hasPlan)
      walk(0, segments.size() - 1, units, /*isFirst=*/true);
    return runs;
  }

  int64_t plannedNs(int64_t units) { return at(0, segments.size() - 1, units).ns; }

  bool hasPlan = false;
  std::vector<Segment> segments;

private:
  static constexpr int64_t never = int64_t(1) << 60;
  struct Choice {
    int64_t ns = never, split = -1; ///< -1: the first segment keeps all, else what goes into `split` is kept
  };

  int64_t unitsOf(int64_t bytes) const { return (bytes + unit - 1) / unit; }
  Choice &at(int64_t i, int64_t j, int64_t m) { return table[(i * int64_t(segments.size()) + j) * width + m]; }

  Choice best(int64_t i, int64_t j, int64_t m) {
    Choice choice;
    int64_t all = unitsOf(segments[i].inside + (i < j ? segments[i].cut : 0));
    if (all <= m)
      choice = {segments[i].ns + (i < j ? at(i + 1, j, m - all).ns : 0), -1};
    int64_t ns = 0;
    for (int64_t split = i + 1; split <= j; ++split) {
      ns += segments[split - 1].ns;
      int64_t kept = unitsOf(segments[split - 1].cut);
      if (kept > m)
        continue;
      int64_t whole = ns + at(split, j, m - kept).ns + at(i, split - 1, m).ns;
      if (whole < choice.ns)
        choice = {whole, split};
    }
    return choice;
  }

  void walk(int64_t i, int64_t j, int64_t m, bool isFirst) {
    Choice choice = at(i, j, m);
    int64_t last = choice.split < 0 ? i + 1 : choice.split;
    for (int64_t segment = i; segment < last && !isFirst; ++segment)
      runs.emplace_back(segment, segments[j].backward);
    if (choice.split < 0) {
      if (i < j)
        walk(i + 1, j, m - unitsOf(segments[i].inside + segments[i].cut), isFirst);
      return;
    }
    walk(choice.split, j, m - unitsOf(segments[choice.split - 1].cut), isFirst);
    walk(i, choice.split - 1, m, false);
  }

  void findSegments() {
    int64_t backward = problem.firstBackward(), count = problem.calls.size();
    // The last call of F that reads a value, and the first behind F.
    std::vector<int64_t> lastRead(problem.bytes.size(), -1), firstLater(problem.bytes.size(), count);
    for (int64_t call = 0; call < count; ++call)
      for (int64_t value : problem.calls[call].args)
        if (call < backward)
          lastRead[value] = call;
        else
          firstLater[value] = std::min(firstLater[value], call);
    std::vector<int64_t> open;
    Segment now;
    now.backward = count;
    for (int64_t call = 0; call < backward; ++call) {
      const RetentionProblem::Call &each = problem.calls[call];
      now.ns += each.repeatable ? each.ns : never / 1024;
      // What the last call makes for B alone goes on to B: a segment without calls.
      bool goesToB = call + 1 == backward && each.results.size() == 1 && firstLater[each.results[0]] < count;
      if (!goesToB)
        open.insert(open.end(), each.results.begin(), each.results.end());
      for (int64_t value : each.args)
        now.backward = std::min(now.backward, firstLater[value]);
      std::erase_if(open, [&](int64_t value) {
        bool goesOn = lastRead[value] > call;
        bool isOwn = maker[value] >= now.begin; // or it is the cut's before
        now.inside += isOwn && !goesOn && firstLater[value] < count ? problem.bytes[value] : 0;
        now.backward = goesOn ? now.backward : std::min(now.backward, firstLater[value]);
        return !goesOn;
      });
      if (open.size() > 1 && call + 1 < backward)
        continue;
      now.end = call + 1;
      now.cut = goesToB ? problem.bytes[each.results[0]] : open.empty() ? 0 : problem.bytes[open[0]];
      segments.push_back(now);
      if (goesToB)
        segments.push_back({backward, backward, firstLater[each.results[0]], 0, 0, 0});
      // The next one's input is counted as this one's cut.
      now = {call + 1, 0, count, 0, 0, 0};
    }
  }

  // Neighbours become one while there are too many.
  void group(size_t most) {
    size_t size = (segments.size() + most - 1) / most;
    std::vector<Segment> groups;
    for (size_t i = 0; i < segments.size(); ++i) {
      if (i % size == 0) {
        groups.push_back(segments[i]);
        continue;
      }
      Segment &last = groups.back(), &next = segments[i];
      last = {last.begin,
              next.end,
              std::min(last.backward, next.backward),
              last.ns + next.ns,
              last.inside + last.cut + next.inside,
              next.cut};
    }
    segments = std::move(groups);
  }

  const RetentionProblem &problem;
  const std::vector<int64_t> &maker;
  int64_t unit = 1, width = 1;
  std::vector<Choice> table;
  std::vector<std::pair<int64_t, int64_t>> runs;
};

void runAsPlanned(RetentionState &state, const Chain &chain, const std::vector<std::pair<int64_t, int64_t>> &runs) {
  state.load({});
  for (auto [segment, slot] : runs)
    for (int64_t call = chain.segments[segment].begin; call < chain.segments[segment].end; ++call)
      if (slot < state.numSlots() && slot >= state.problem.firstClone && state.problem.calls[call].repeatable &&
          !state.has(call, slot))
        state.toggle(call, slot);
  std::vector<Retention::Clone> clones = state.answer().clones;
  for (size_t clone = clones.size(); clone-- > 0;)
    if (auto [call, slot] = clones[clone]; state.has(call, slot) && !state.isUseful(call, slot))
      keep(state, call, slot);
  state.commit();
}

} // namespace

bool plc::planner::checkpointChain(RetentionState &state) {
  Chain chain(state);
  if (!chain.isOne())
    return false;
  constexpr int64_t units = 256;
  chain.solve(units);
  // Units are an estimate of what a plan really holds: the best of those that fit.
  Retention best;
  int64_t leastNs = -1;
  for (int64_t m = 0, ns = -1; m <= units; ++m) {
    auto runs = chain.plan(m);
    if (!chain.hasPlan || chain.plannedNs(m) == ns)
      continue;
    ns = chain.plannedNs(m);
    runAsPlanned(state, chain, runs);
    if (state.excess() > 0 || (leastNs >= 0 && state.addedNs() >= leastNs))
      continue;
    leastNs = state.addedNs();
    best = state.answer();
  }
  state.load(best);
  polish(state);
  return leastNs >= 0;
}
