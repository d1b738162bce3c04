//===- BudgetedRematDual.cpp - the bound by prices ----------------------------===//
#include "BudgetedRematDual.h"

#include <algorithm>
#include <numeric>

using namespace plc::planner;

namespace {

// An operand of a call that may run again.
struct Operand {
  int64_t call, value;
};

// The problem as lots: which slots read each value, the operands of repeatable calls, and the free bytes of each slot.
class Lots {
public:
  explicit Lots(const BudgetedRematProblem &problem)
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

  // Results that share the time of a call.
  int64_t sharers(int64_t call) const { return std::max<int64_t>(problem.calls[call].results.size(), 1); }
  /// Whether a clone of the call may run in the slot.
  bool mayRun(int64_t call, int64_t slot) const {
    return slot > call && slot >= problem.firstClone && problem.calls[call].repeatable;
  }

  const BudgetedRematProblem &problem;
  const std::vector<int64_t> maker;
  const int64_t slots;
  std::vector<Operand> operands;
  std::vector<int64_t> first, room;       // by call: its first operand; bytes for values that its run does not touch
  std::vector<std::vector<int64_t>> uses; // by value: operands
  std::vector<std::vector<int64_t>>
      across; // by value and slot: bytes that it takes there if it lives behind the slot's call
  std::vector<std::vector<bool>> reads; // by value and slot
  const int64_t backward;               // where others' bytes are counted

private:
  void addCall(int64_t index) {
    const BudgetedRematProblem::Call &call = problem.calls[index];
    first[index] = operands.size();
    // What the budget leaves beside everything that the call itself takes.
    room[index] = problem.budgetBytes - problem.persistentBytes - call.scratchBytes;
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
    // An operand that stays live does not give up its bytes, so they count again.
    for (auto [operand, result] : call.inPlace)
      if (maker[operand] >= 0) {
        int64_t saved = std::min(problem.bytes[operand], problem.bytes[result]);
        room[index] += saved;
        across[operand][index] += saved;
      }
  }
};

// The Lagrangian multipliers: of a byte by slot, and of an operand for a clone by operand and slot.
template <typename Number>
class Prices {
public:
  Prices() = default;
  explicit Prices(const Lots &lots)
      : ofBytes(lots.slots), ofOperands(lots.operands.size() * lots.slots), slots(lots.slots) {}

  Number *ofOperand(int64_t operand) { return ofOperands.data() + operand * slots; }
  const Number *ofOperand(int64_t operand) const { return ofOperands.data() + operand * slots; }

  std::vector<Number> ofBytes, ofOperands;

private:
  int64_t slots = 0;
};

// The least cost of a value from each slot on, if it is live there or not. `Number` is double while prices are found
// and int64_t for the certified bound.
template <typename Number>
class Costs {
public:
  explicit Costs(const Lots &lots)
      : alive(lots.slots + 1), dead(lots.slots + 1), lots(lots), paid(lots.slots), again(lots.slots) {}

  void find(size_t value, const Prices<Number> &prices, Number unit) {
    constexpr Number never = Number(int64_t(1) << 60); // it cannot be made again in time
    const BudgetedRematProblem &problem = lots.problem;
    int64_t call = lots.maker[value];
    // Plain sums over slots, which compilers vectorize; this loop takes most of the time.
    auto add = [&](std::vector<Number> &sums, int64_t operand) {
      const Number *price = prices.ofOperand(operand);
      Number *to = sums.data();
      for (int64_t slot = call + 1; slot < lots.slots; ++slot)
        to[slot] += price[slot];
    };
    std::fill(paid.begin(), paid.end(), 0);
    std::fill(again.begin(), again.end(), Number(problem.calls[call].ns) * unit);
    for (int64_t use : lots.uses[value])
      add(paid, use);
    for (int64_t operand = lots.first[call]; operand < lots.first[call + 1]; ++operand)
      add(again, operand);
    std::fill(alive.begin(), alive.begin() + call + 1, 0);
    std::fill(dead.begin(), dead.begin() + call + 1, 0);
    alive.back() = dead.back() = 0;
    // Each other micro-batch in flight pays for the value at every slot, if it holds it at the begin of B.
    Number others = Number(problem.inFlight - 1) *
                    std::accumulate(prices.ofBytes.begin(), prices.ofBytes.end(), Number(0)) *
                    Number(problem.bytes[value]);
    // The dynamic program, backwards. Alive: stay live or be freed, less what clones in the slot pay. Dead: stay dead,
    // or be recomputed here.
    for (int64_t slot = lots.slots - 1; slot > call; --slot) {
      Number held = prices.ofBytes[slot] * Number(lots.across[value][slot]);
      Number there = std::min(alive[slot + 1] + held, dead[slot + 1]) - paid[slot];
      alive[slot] = there + (slot == lots.backward ? others : 0);
      // A value that the slot reads must be live there or be made there.
      dead[slot] = lots.reads[value][slot] ? never : dead[slot + 1];
      if (lots.mayRun(call, slot))
        dead[slot] = std::min(dead[slot], again[slot] / Number(lots.sharers(call)) + there);
    }
  }

  std::vector<Number> alive, dead;

private:
  const Lots &lots;
  std::vector<Number> paid, again; // by slot: by clones that read the value, and for one that makes it
};

/// Maximizes the bound over prices by a deflected subgradient method.
class Subgradient {
public:
  Subgradient(const Lots &lots, int64_t nearNs)
      : best(lots), lots(lots), problem(lots.problem), now(lots), way(lots), lack(lots), costs(lots), lives(lots.slots),
        runs(lots.slots), bestNs(0), nearNs(nearNs) {
    // Bytes are counted in units of a mean value, so that shortfalls of bytes and of operands have one scale.
    unitBytes = 1;
    for (int64_t bytes : problem.bytes)
      unitBytes += double(bytes) / double(problem.bytes.size());
  }

  Prices<double> best;

  // Polyak's step aims a little above the best known bound. Its factor `size` starts at 1 and shrinks when 30 rounds
  // gain less than 0.01 %. None of these numbers is recorded as tuned.
  void climb(int64_t rounds) {
    for (int64_t round = 0, idle = 0; round < rounds; ++round) {
      double ns = relax();
      idle = ns > bestNs * (1 + 1e-4) ? 0 : idle + 1;
      if (ns > bestNs) {
        bestNs = ns;
        best = now;
      }
      if (idle == 30) { // too far: restart from the best prices in smaller steps
        idle = 0;
        size *= 0.7;
        now = best;
        clear(way);
        ns = relax();
      }
      // The target lies above the best bound, but never at 0.
      step(std::max({1.05 * bestNs, 1.1 * double(nearNs), 1.}) - ns);
    }
  }

private:
  static void clear(Prices<double> &prices) {
    std::fill(prices.ofBytes.begin(), prices.ofBytes.end(), 0);
    std::fill(prices.ofOperands.begin(), prices.ofOperands.end(), 0);
  }

  // Returns the bound at the present prices, and sets `lack`: the shortfall of bytes and operands in its choice.
  double relax() {
    clear(lack);
    double ns = 0, held = 0;
    for (size_t value = 0; value < lots.maker.size(); ++value)
      if (lots.maker[value] >= 0) {
        costs.find(value, now, 1);
        int64_t begin = lots.maker[value] + 1;
        ns += std::min(costs.alive[begin], costs.dead[begin]);
        held += choose(value);
      }
    for (int64_t slot = 0; slot < lots.slots; ++slot) {
      ns -= now.ofBytes[slot] * double(lots.room[slot]);
      lack.ofBytes[slot] += (held * double(problem.inFlight - 1) - double(lots.room[slot])) / unitBytes;
    }
    return ns;
  }

  // Follows the least cost of a value forwards, adds its shortfalls, and returns its bytes that are live at the begin
  // of B.
  double choose(size_t value) {
    const std::vector<double> &alive = costs.alive, &dead = costs.dead;
    int64_t call = lots.maker[value];
    double held = 0;
    bool isAlive = alive[call + 1] <= dead[call + 1];
    for (int64_t slot = call + 1; slot < lots.slots; ++slot) {
      bool isRun = !isAlive && (lots.reads[value][slot] || dead[slot] < dead[slot + 1]);
      held += isAlive && slot == lots.backward ? double(problem.bytes[value]) : 0;
      runs[slot] = isRun ? 1 / double(lots.sharers(call)) : 0;
      lives[slot] = isAlive || isRun ? 1 : 0;
      double bytes = double(lots.across[value][slot]);
      isAlive = (isAlive || isRun) && alive[slot + 1] + now.ofBytes[slot] * bytes < dead[slot + 1];
      lack.ofBytes[slot] += isAlive ? bytes / unitBytes : 0;
    }
    for (int64_t operand = lots.first[call]; operand < lots.first[call + 1]; ++operand)
      add(lack.ofOperand(operand), runs, 1, call + 1);
    for (int64_t use : lots.uses[value])
      add(lack.ofOperand(use), lives, -1, call + 1);
    return held;
  }

  void add(double *to, const std::vector<double> &numbers, double times, int64_t first) const {
    const double *from = numbers.data();
    for (int64_t slot = first; slot < lots.slots; ++slot)
      to[slot] += times * from[slot];
  }

  // Deflects the direction by the shortfall, with 0.7 of the old one (not tuned). Adds up its squared length where
  // prices may follow it, in four sums so that compilers may vectorize the loop.
  static void turn(const double *lack, const double *prices, double *way, int64_t count, double (&squares)[4]) {
    auto one = [&](int64_t at, double &square) {
      way[at] = lack[at] + 0.7 * way[at];
      square += prices[at] > 0 || way[at] > 0 ? way[at] * way[at] : 0;
    };
    int64_t at = 0;
    for (; at + 4 <= count; at += 4)
      for (int64_t lane = 0; lane < 4; ++lane)
        one(at + lane, squares[lane]);
    for (; at < count; ++at)
      one(at, squares[0]);
  }

  static void follow(const double *way, double length, double *prices, int64_t count) {
    for (int64_t at = 0; at < count; ++at)
      prices[at] = std::max(0., prices[at] + length * way[at]);
  }

  // A step of Polyak: length = size x distance to the target / squared length of the direction.
  void step(double missingNs) {
    double squares[4] = {1e-12};
    turn(lack.ofBytes.data(), now.ofBytes.data(), way.ofBytes.data(), lots.slots, squares);
    int64_t count = int64_t(lots.operands.size()) * lots.slots;
    turn(lack.ofOperands.data(), now.ofOperands.data(), way.ofOperands.data(), count, squares);
    double length = size * missingNs / (squares[0] + squares[1] + squares[2] + squares[3]);
    follow(way.ofBytes.data(), length / unitBytes, now.ofBytes.data(), lots.slots);
    follow(way.ofOperands.data(), length, now.ofOperands.data(), count);
  }

  const Lots &lots;
  const BudgetedRematProblem &problem;
  Prices<double> now, way, lack;
  Costs<double> costs;
  std::vector<double> lives, runs; // of one value, by slot: whether it is live; its share of a clone
  double bestNs, nearNs, unitBytes, size = 1;
};

// Rounds prices to integer ticks of 1 / `unit` ns, such that no sum overflows. All prices become 0 if that is
// impossible.
Prices<int64_t> roundPrices(const Lots &lots, const Prices<double> &prices, int64_t &unit) {
  double most = double(lots.problem.baseNs()) * double(lots.slots), bytes = 1;
  for (int64_t each : lots.problem.bytes)
    bytes += double(each);
  bytes = std::max(bytes, double(lots.problem.budgetBytes));
  for (double each : prices.ofBytes)
    most += each * bytes * double(lots.problem.inFlight);
  most = std::accumulate(prices.ofOperands.begin(), prices.ofOperands.end(), most);
  unit = std::clamp<int64_t>(int64_t(0x1p57 / (most + 1)), 1, int64_t(1) << 30);
  Prices<int64_t> rounded(lots);
  bool fits = most < 0x1p57;
  auto round = [&](double price) { return fits ? int64_t(price * double(unit)) : 0; };
  std::transform(prices.ofBytes.begin(), prices.ofBytes.end(), rounded.ofBytes.begin(), round);
  std::transform(prices.ofOperands.begin(), prices.ofOperands.end(), rounded.ofOperands.begin(), round);
  return rounded;
}

} // namespace

int64_t plc::planner::boundByPrices(const BudgetedRematProblem &problem, int64_t rounds, int64_t nearNs) {
  Lots lots(problem);
  Subgradient subgradient(lots, nearNs);
  subgradient.climb(rounds);
  int64_t unit = 1, ticks = 0;
  // The bound is evaluated again in integers, so rounding errors cannot make it too high.
  Prices<int64_t> prices = roundPrices(lots, subgradient.best, unit);
  Costs<int64_t> costs(lots);
  for (size_t value = 0; value < lots.maker.size(); ++value)
    if (int64_t call = lots.maker[value]; call >= 0) {
      costs.find(value, prices, unit);
      ticks += std::min(costs.alive[call + 1], costs.dead[call + 1]);
    }
  for (int64_t slot = 0; slot < lots.slots; ++slot)
    ticks -= prices.ofBytes[slot] * lots.room[slot];
  return ticks <= 0 ? 0 : (ticks + unit - 1) / unit;
}
