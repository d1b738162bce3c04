//===- RetentionMoves.cpp - greedy dropping, and what is kept again -------===//
#include "RetentionMoves.h"

#include <algorithm>

using namespace plc::planner;

namespace {

// A clone whose results nobody reads goes, and what it alone read with it.
void tidy(RetentionState &state, int64_t call, int64_t slot) {
  if (slot > call && state.has(call, slot) && !state.isUseful(call, slot))
    keep(state, call, slot);
}

// Runs a call again in a slot, and before it what it reads and what did not live across `hot`.
bool runAgain(RetentionState &state, int64_t call, int64_t slot, int64_t hot) {
  if (call < 0 || call >= slot || slot < state.problem.firstClone || !state.problem.calls[call].repeatable)
    return false;
  if (state.has(call, slot))
    return true;
  std::vector<int64_t> absent;
  for (int64_t value : state.problem.calls[call].args)
    if (state.maker[value] >= 0 && state.lifeAcross(value, hot).value < 0)
      absent.push_back(value);
  state.toggle(call, slot);
  for (int64_t value : absent)
    if (state.lifeAcross(value, hot).value >= 0)
      runAgain(state, state.maker[value], slot, hot); // otherwise it lives
  return true;
}

} // namespace

bool plc::planner::drop(RetentionState &state, int64_t value, int64_t slot) {
  RetentionState::Life life = state.lifeAcross(value, slot);
  int64_t call = state.maker[value];
  if (life.value < 0 || !runAgain(state, call, life.to, slot))
    return false;
  tidy(state, call, life.from);
  return true;
}

void plc::planner::keep(RetentionState &state, int64_t call, int64_t slot) {
  // The slots from which the clone's operands live for it.
  std::vector<std::pair<int64_t, int64_t>> sources;
  for (int64_t value : state.problem.calls[call].args)
    if (int64_t maker = state.maker[value]; maker >= 0) {
      sources.emplace_back(maker, slot);
      if (RetentionState::Life life = state.lifeAcross(value, slot); life.value >= 0)
        sources.emplace_back(maker, life.from);
    }
  state.toggle(call, slot);
  for (auto [maker, from] : sources)
    tidy(state, maker, from);
}

void plc::planner::polish(RetentionState &state) {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Retention::Clone> clones = state.answer().clones;
    std::stable_sort(clones.begin(), clones.end(), [&](const auto &a, const auto &b) {
      return state.problem.calls[a.call].ns > state.problem.calls[b.call].ns;
    });
    for (const Retention::Clone &clone : clones) {
      if (!state.has(clone.call, clone.before))
        continue;
      keep(state, clone.call, clone.before);
      if (state.excess() > 0) {
        state.undo();
        continue;
      }
      state.commit();
      changed = true;
    }
  }
}

void plc::planner::dropGreedily(RetentionState &state) {
  struct Candidate {
    int64_t value;
    double price; // time for each byte
    bool operator<(const Candidate &other) const { return price < other.price; }
  };
  // On large problems several drops for each look at all of them.
  size_t batch = 1 + state.problem.bytes.size() / 256;
  for (int64_t excess = state.excess(); excess > 0;) {
    int64_t slot = state.peakSlot(), ns = state.addedNs();
    std::vector<Candidate> candidates;
    for (int64_t value = 0; value < int64_t(state.problem.bytes.size()); ++value) {
      if (state.maker[value] < 0 || state.lifeAcross(value, slot).to <= slot)
        continue;
      int64_t peak = state.bytesAt(slot);
      if (drop(state, value, slot)) {
        int64_t gain = excess - state.excess();
        if (gain > 0 && state.bytesAt(slot) < peak)
          candidates.push_back({value, double(std::max<int64_t>(state.addedNs() - ns, 0)) / double(gain)});
      }
      state.undo();
    }
    std::stable_sort(candidates.begin(), candidates.end());
    candidates.resize(std::min(candidates.size(), batch));
    int64_t before = excess;
    for (const Candidate &candidate : candidates) {
      if (excess == 0 || !drop(state, candidate.value, slot) || state.excess() >= excess) {
        state.undo();
        continue;
      }
      state.commit();
      excess = state.excess();
    }
    if (excess == before)
      return;
  }
}
