//===- RetentionDual.cpp - what prices of bytes and operands prove --------===//
#include "RetentionDual.h"

#include <algorithm>
#include <numeric>

using namespace plc::planner;

namespace {

// An operand of a call that may run again.
struct Operand {
  int64_t call, value;
};

// What is read where, and what room there is.
class Lots {
public:
  explicit Lots(const RetentionProblem &problem)
      : problem(problem), maker(problem.makers()), slots(problem.calls.size()), first(slots + 1), room(slots),
        uses(maker.size()), across(maker.size()), reads(maker.size()),
        backward(problem.inFlight > 1 ? problem.firstBackward() : slots) {
    for (size_t value = 0; value < maker.size(); ++value) {
      across[value].assign(slots, problem.bytes[value]);
      reads[value].assign(slots, false);
    }
    for (int64_t call = 0; call < slots; ++call)
      addCall(call);
    first[slots] = operands.size();
  }

  // The operands of a call are those from `first[call]` on.
  int64_t sharers(int64_t call) const { return std::max<int64_t>(problem.calls[call].results.size(), 1); }
  bool mayRun(int64_t call, int64_t slot) const {
    return slot > call && slot >= problem.firstClone && problem.calls[call].repeatable;
  }

  const RetentionProblem &problem;
  const std::vector<int64_t> maker;
  const int64_t slots;
  std::vector<Operand> operands;
  std::vector<int64_t> first, room;       // by call: operands, and bytes for what its run does not touch
  std::vector<std::vector<int64_t>> uses; // by value: operands
  std::vector<std::vector<int64_t>>
      across; // by value and slot: bytes that it takes there if it lives behind the slot's call
  std::vector<std::vector<bool>> reads; // by value and slot
  const int64_t backward;               // where others' bytes are counted

private:
  void addCall(int64_t index) {
    const RetentionProblem::Call &call = problem.calls[index];
    first[index] = operands.size();
    room[index] = problem.budgetBytes - problem.staticBytes - call.scratchBytes;
    for (int64_t value : call.results)
      room[index] -= problem.bytes[value];
    for (int64_t value : call.args) {
      if (maker[value] < 0 || reads[value][index])
        continue;
      reads[value][index] = true;
      across[value][index] = 0;
      room[index] -= problem.bytes[value];
      if (!call.repeatable || call.results.empty())
        continue;
      uses[value].push_back(operands.size());
      operands.push_back({index, value});
    }
    // Who lives on does not give its place away.
    for (auto [operand, result] : call.inPlace)
      if (maker[operand] >= 0) {
        int64_t saved = std::min(problem.bytes[operand], problem.bytes[result]);
        room[index] += saved;
        across[operand][index] += saved;
      }
  }
};

// Of a byte by slot, and of an operand for a clone by operand and slot.
template <typename Number>
struct Prices {
  std::vector<Number> ofBytes;
  std::vector<std::vector<Number>> ofOperands;
};

// The least that a value costs from the beginning of each slot on.
template <typename Number>
void costOf(const Lots &lots, size_t value, const Prices<Number> &prices, Number unit, std::vector<Number> &alive,
            std::vector<Number> &dead) {
  constexpr Number never = Number(RetentionToGo::never);
  const RetentionProblem &problem = lots.problem;
  int64_t call = lots.maker[value];
  alive.assign(lots.slots + 1, 0);
  dead.assign(lots.slots + 1, 0);
  Number others = Number(problem.inFlight - 1) *
                  std::accumulate(prices.ofBytes.begin(), prices.ofBytes.end(), Number(0)) *
                  Number(problem.bytes[value]);
  for (int64_t slot = lots.slots - 1; slot > call; --slot) {
    Number paid = 0, again = Number(problem.calls[call].ns) * unit;
    for (int64_t use : lots.uses[value])
      paid += prices.ofOperands[use][slot];
    for (int64_t operand = lots.first[call]; operand < lots.first[call + 1]; ++operand)
      again += prices.ofOperands[operand][slot];
    Number held = prices.ofBytes[slot] * Number(lots.across[value][slot]);
    Number there = std::min(alive[slot + 1] + held, dead[slot + 1]) - paid;
    alive[slot] = there + (slot == lots.backward ? others : 0);
    dead[slot] = lots.reads[value][slot] ? never : dead[slot + 1];
    if (lots.mayRun(call, slot))
      dead[slot] = std::min(dead[slot], again / Number(lots.sharers(call)) + there);
  }
}

class Subgradient {
public:
  Subgradient(const Lots &lots, int64_t nearNs) : lots(lots), problem(lots.problem), bestNs(0), nearNs(nearNs) {
    // Bytes are counted in values, so that both kinds of prices are of a kind.
    unitBytes = 1;
    for (int64_t bytes : problem.bytes)
      unitBytes += double(bytes) / double(problem.bytes.size());
    now.ofBytes.assign(lots.slots, 0);
    now.ofOperands.assign(lots.operands.size(), std::vector<double>(lots.slots));
    best = way = now;
  }

  Prices<double> best;

  void climb(int64_t rounds, int64_t enoughNs) {
    for (int64_t round = 0, idle = 0; round < rounds && bestNs < double(enoughNs); ++round) {
      double ns = relax();
      idle = ns > bestNs * (1 + 1e-4) ? 0 : idle + 1;
      if (ns > bestNs) {
        bestNs = ns;
        best = now;
      }
      if (idle == 30) { // too far: from the best prices on in smaller steps
        idle = 0;
        size *= 0.7;
        now = best;
        clear(way);
        ns = relax();
      }
      step(std::max({1.05 * bestNs, 1.1 * double(nearNs), 1.}) - ns);
    }
  }

private:
  static void clear(Prices<double> &prices) {
    std::fill(prices.ofBytes.begin(), prices.ofBytes.end(), 0);
    for (std::vector<double> &each : prices.ofOperands)
      std::fill(each.begin(), each.end(), 0);
  }

  // The bound, and what its choice lacks of bytes and operands.
  double relax() {
    clear(lack);
    lack.ofBytes.resize(lots.slots);
    lack.ofOperands.resize(lots.operands.size(), std::vector<double>(lots.slots));
    double ns = 0, held = 0;
    for (size_t value = 0; value < lots.maker.size(); ++value)
      if (lots.maker[value] >= 0) {
        costOf(lots, value, now, 1., alive, dead);
        int64_t begin = lots.maker[value] + 1;
        ns += std::min(alive[begin], dead[begin]);
        held += choose(value);
      }
    for (int64_t slot = 0; slot < lots.slots; ++slot) {
      ns -= now.ofBytes[slot] * double(lots.room[slot]);
      lack.ofBytes[slot] += (held * double(problem.inFlight - 1) - double(lots.room[slot])) / unitBytes;
    }
    return ns;
  }

  // Follows the least cost; the bytes that live where others' are counted.
  double choose(size_t value) {
    int64_t call = lots.maker[value];
    double held = 0;
    bool lives = alive[call + 1] <= dead[call + 1];
    for (int64_t slot = call + 1; slot < lots.slots; ++slot) {
      bool runs = !lives && (lots.reads[value][slot] || dead[slot] < dead[slot + 1]);
      held += lives && slot == lots.backward ? double(problem.bytes[value]) : 0;
      for (int64_t operand = lots.first[call]; runs && operand < lots.first[call + 1]; ++operand)
        lack.ofOperands[operand][slot] += 1 / double(lots.sharers(call));
      if (lives || runs)
        for (int64_t use : lots.uses[value])
          lack.ofOperands[use][slot] -= 1;
      double bytes = double(lots.across[value][slot]);
      lives = (lives || runs) && alive[slot + 1] + now.ofBytes[slot] * bytes < dead[slot + 1];
      lack.ofBytes[slot] += lives ? bytes / unitBytes : 0;
    }
    return held;
  }

  void step(double missingNs) {
    double square = 1e-12;
    auto turn = [&](double &to, double lack, double price) {
      to = lack + 0.7 * to;
      square += price > 0 || to > 0 ? to * to : 0;
    };
    for (int64_t slot = 0; slot < lots.slots; ++slot)
      turn(way.ofBytes[slot], lack.ofBytes[slot], now.ofBytes[slot]);
    for (size_t operand = 0; operand < lots.operands.size(); ++operand)
      for (int64_t slot = lots.operands[operand].call + 1; slot < lots.slots; ++slot)
        turn(way.ofOperands[operand][slot], lack.ofOperands[operand][slot], now.ofOperands[operand][slot]);
    double length = size * missingNs / square;
    for (int64_t slot = 0; slot < lots.slots; ++slot)
      now.ofBytes[slot] = std::max(0., now.ofBytes[slot] + length * way.ofBytes[slot] / unitBytes);
    for (size_t operand = 0; operand < lots.operands.size(); ++operand)
      for (int64_t slot = lots.operands[operand].call + 1; slot < lots.slots; ++slot)
        now.ofOperands[operand][slot] =
            std::max(0., now.ofOperands[operand][slot] + length * way.ofOperands[operand][slot]);
  }

  const Lots &lots;
  const RetentionProblem &problem;
  Prices<double> now, way, lack;
  std::vector<double> alive, dead; // of a value
  double bestNs, nearNs, unitBytes, size = 1;
};

// In ticks so small that sums of them do not overflow.
Prices<int64_t> roundPrices(const Lots &lots, const Prices<double> &prices, int64_t &unit) {
  double most = double(lots.problem.baseNs()) * double(lots.slots), bytes = 1;
  for (int64_t each : lots.problem.bytes)
    bytes += double(each);
  bytes = std::max(bytes, double(lots.problem.budgetBytes));
  for (double each : prices.ofBytes)
    most += each * bytes * double(lots.problem.inFlight);
  for (const std::vector<double> &each : prices.ofOperands)
    most = std::accumulate(each.begin(), each.end(), most);
  unit = std::clamp<int64_t>(int64_t(0x1p57 / (most + 1)), 1, int64_t(1) << 30);
  Prices<int64_t> rounded;
  bool fits = most < 0x1p57;
  auto round = [&](double price) { return fits ? int64_t(price * double(unit)) : 0; };
  for (double each : prices.ofBytes)
    rounded.ofBytes.push_back(round(each));
  for (const std::vector<double> &each : prices.ofOperands) {
    rounded.ofOperands.emplace_back();
    for (double price : each)
      rounded.ofOperands.back().push_back(round(price));
  }
  return rounded;
}

} // namespace

RetentionToGo plc::planner::priceRetention(const RetentionProblem &problem, int64_t rounds, int64_t nearNs,
                                           int64_t enoughNs) {
  Lots lots(problem);
  Subgradient subgradient(lots, nearNs);
  subgradient.climb(rounds, enoughNs);
  RetentionToGo toGo;
  Prices<int64_t> prices = roundPrices(lots, subgradient.best, toGo.unit);
  toGo.others.assign(lots.slots + 1, 0);
  toGo.alive.resize(lots.maker.size());
  toGo.dead.resize(lots.maker.size());
  for (size_t value = 0; value < lots.maker.size(); ++value)
    if (int64_t call = lots.maker[value]; call >= 0) {
      costOf(lots, value, prices, toGo.unit, toGo.alive[value], toGo.dead[value]);
      toGo.others[call] += std::min(toGo.alive[value][call + 1], toGo.dead[value][call + 1]);
    }
  for (int64_t slot = lots.slots; slot-- > 0;)
    toGo.others[slot] += toGo.others[slot + 1] - prices.ofBytes[slot] * lots.room[slot];
  return toGo;
}
