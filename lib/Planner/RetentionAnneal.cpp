//===- RetentionAnneal.cpp - annealing over what runs again ---------------===//
#include "RetentionMoves.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace plc::planner;

namespace {

class Annealer {
public:
  Annealer(RetentionState &state, int64_t steps, int64_t boundNs, uint64_t seed)
      : state(state), steps(steps), boundNs(boundNs), random(seed) {}

  void run() {
    if (state.numSlots() < 2)
      return;
    excess = state.excess();
    remember();
    price = startingPrice();
    double hot = std::max<double>(1, 0.02 * double(std::max(state.addedNs(), state.problem.baseNs() / 20)));
    for (step = 0; step < steps && !(hasBest && bestNs <= boundNs); ++step) {
      temperature = hot * std::pow(1e-3, double(step) / double(steps));
      tryMove();
      above += excess > 0;
      if (step % 256 == 255)
        adaptPrice();
    }
    if (hasBest || leastExcess < INT64_MAX)
      state.load(best);
  }

private:
  // Of a byte above the budget in one slot: what all bytes of a call cost in that many slots.
  double startingPrice() const {
    double bytes = 1, ns = double(state.problem.baseNs());
    for (int64_t slot = 0; slot < state.numSlots(); ++slot)
      bytes += double(state.bytesAt(slot));
    return ns / bytes;
  }

  void adaptPrice() {
    price *= above > 160 ? 1.3 : above < 64 ? 1 / 1.3 : 1;
    above = 0;
  }

  int64_t below(int64_t count) { return int64_t(random() % uint64_t(count)); }

  void tryMove() {
    int64_t ns = state.addedNs();
    int64_t kind = below(16);
    bool moved = kind < 7 ? tryDrop() : kind < 13 ? tryKeep() : tryShift();
    if (!moved) {
      state.undo();
      return;
    }
    int64_t now = state.excess();
    double change = double(state.addedNs() - ns) + price * double(now - excess);
    if (change > 0 && double(random() >> 11) * 0x1p-53 >= std::exp(-change / temperature)) {
      state.undo();
      return;
    }
    state.commit();
    excess = now;
    if (excess > 0 || !hasBest || state.addedNs() < bestNs)
      remember();
  }

  // The best answer in the budget, or the nearest to it.
  void remember() {
    if (excess > 0 && (hasBest || excess >= leastExcess))
      return;
    hasBest = excess == 0;
    leastExcess = excess;
    bestNs = state.addedNs();
    best = state.answer();
  }

  bool tryDrop() {
    int64_t slot = excess > 0 && below(2) ? state.peakSlot() : below(state.numSlots());
    for (int tries = 0; tries < 12; ++tries) {
      int64_t value = below(state.problem.bytes.size());
      if (state.maker[value] >= 0 && state.lifeAcross(value, slot).value >= 0)
        return drop(state, value, slot);
    }
    return false;
  }

  // A clone; false if none is found.
  bool pick(int64_t &call, int64_t &slot) {
    if (state.numClones() == 0)
      return false;
    slot = below(state.numSlots());
    for (int64_t tries = 0; state.clonesIn(slot).empty() && tries < state.numSlots(); ++tries)
      slot = (slot + 1) % state.numSlots();
    const std::vector<int64_t> &clones = state.clonesIn(slot);
    call = clones[below(clones.size())];
    return true;
  }

  bool tryKeep() {
    int64_t call, slot;
    if (!pick(call, slot))
      return false;
    keep(state, call, slot);
    return true;
  }

  // The clone runs earlier, so that what it reads lives shorter, or later, so that what it makes does.
  bool tryShift() {
    int64_t call, slot;
    if (!pick(call, slot))
      return false;
    int64_t reach = 1 + below(8), to = below(2) ? slot + reach : slot - reach;
    if (to <= call || to < state.problem.firstClone || to >= state.numSlots() || state.has(call, to))
      return false;
    state.toggle(call, to);
    if (!state.isUseful(call, to))
      return false;
    keep(state, call, slot);
    return true;
  }

  RetentionState &state;
  const int64_t steps, boundNs;
  std::mt19937_64 random;
  Retention best;
  bool hasBest = false;
  double price = 0, temperature = 0;
  int64_t step = 0, excess = 0, above = 0, bestNs = 0, leastExcess = INT64_MAX;
};

} // namespace

void plc::planner::anneal(RetentionState &state, int64_t steps, int64_t boundNs, uint64_t seed) {
  Annealer(state, steps, boundNs, seed).run();
}
