//===- BudgetedRematBound.cpp - lower bounds of recomputing time --------------===//
#include "Base/Flow.h"
#include "BudgetedRematDual.h"

#include "plc/Planner/Remat/BudgetedRemat.h"

#include <algorithm>
#include <cmath>

using namespace plc::planner;

namespace {

// A moment: a call runs, or a task begins. Live values take bytes; a value that calls before `end` need and that is not
// live is recomputed. Bounds the recomputing time after the moment.
//
// The choice live/recomputed is a closure problem, and a price of a byte relaxes the capacity. At a fixed price the
// cheapest choice is a minimum cut. A line is a choice as a function of the price: its time, and its bytes above
// capacity.
class Moment {
public:
  struct Line {
    int64_t ns, excess;
  };

  // The moment at which `call` runs (`runs`), or the one before it at which `copies` micro-batches hold what is live.
  Moment(const BudgetedRematProblem &problem, const std::vector<int64_t> &maker, int64_t call, bool runs,
         int64_t copies, int64_t end)
      : problem(problem), copies(copies), capacity(problem.budgetBytes - problem.persistentBytes) {
    std::vector<bool> free(problem.bytes.size());
    int64_t made = runs ? call + 1 : call;
    if (runs)
      holdOperands(call, maker, free);
    // Nodes 2, 3, ..: the calls so far, each with its results behind it.
    valueNode.assign(problem.bytes.size(), -1);
    callNode.assign(made, -1);
    for (int64_t each = 0; each < made; ++each) {
      callNode[each] = nodes++;
      for (int64_t value : problem.calls[each].results)
        valueNode[value] = free[value] ? -1 : nodes++;
    }
    for (int64_t each = 0; each < made; ++each)
      addCall(each);
    std::vector<bool> wanted(problem.bytes.size());
    for (int64_t each = made; each < end; ++each)
      for (int64_t value : problem.calls[each].args)
        if (valueNode[value] >= 0 && !wanted[value]) {
          wanted[value] = true;
          neededBytes += copies * problem.bytes[value];
          addEdge(0, valueNode[value], forever, 0);
        }
  }

  /// Bytes above capacity if all that is needed later is live. Unless this is positive, nothing need be recomputed.
  int64_t excess() const { return neededBytes - capacity; }

  /// Bytes above capacity of the leanest choice; positive if no choice fits.
  int64_t missing = 0;

  /// The price of a byte, in ns, at the best bound.
  double bestPrice = 0;

  /// The largest relaxation over prices; nothing if no choice fits. Any choice that fits limits it from above. So if
  /// the cheapest choice at `price` fits and takes at most `least`, this moment cannot improve `least`, and `least` is
  /// returned.
  std::optional<int64_t> bound(double price, int64_t least) {
    if (excess() <= 0)
      return 0;
    // Capacities are set at each price; the graph stays.
    network.emplace(nodes);
    for (const Edge &edge : edges)
      network->addEdge(edge.from, edge.to, 0);
    if (Line line = price > 0 ? cheapest(price) : Line{0, 1}; line.excess <= 0 && line.ns <= least)
      return least;
    int64_t bytes = 0;
    Line high = cheapest(0), low = cut(1, 0, bytes);
    int64_t best = lowerBound;
    missing = low.excess;
    if (missing > 0)
      return std::nullopt;
    // The cheapest choice without a price fits already: no price raises the bound.
    if (high.excess <= 0)
      return best;
    // Cutting planes: the next price is where the last two lines meet. The cut there is on both lines, and then
    // optimal, or it is a new line below. 40 rounds are a safety limit; rounding may keep the lines from meeting
    // exactly.
    for (int round = 0; round < 40; ++round) {
      double price = double(low.ns - high.ns) / double(high.excess - low.excess);
      Line line = cheapest(price);
      if (lowerBound > best) {
        best = lowerBound;
        bestPrice = price;
      }
      double meets = double(high.ns) + price * double(high.excess), is = double(line.ns) + price * double(line.excess);
      if (is >= meets * (1 - 1e-9) || line.excess == high.excess || line.excess == low.excess)
        break;
      (line.excess > 0 ? high : low) = line;
    }
    return best;
  }

private:
  void holdOperands(int64_t call, const std::vector<int64_t> &maker, std::vector<bool> &free) {
    const BudgetedRematProblem::Call &each = problem.calls[call];
    capacity -= each.scratchBytes;
    for (int64_t value : each.args) {
      capacity -= maker[value] < 0 || free[value] ? 0 : problem.bytes[value];
      free[value] = true;
    }
    for (int64_t value : each.results) {
      capacity -= problem.bytes[value];
      free[value] = true;
    }
    // Bytes that a result takes over count once. The operand is then gone, and later readers pay for it: that cost is
    // left out, so the bound stays valid.
    for (auto [operand, result] : each.inPlace)
      capacity += maker[operand] < 0 ? 0 : std::min(problem.bytes[operand], problem.bytes[result]);
  }

  // The edges of a call. A value costs its bytes, or its maker's time, and then the maker's operands must be paid, too.
  void addCall(int64_t call) {
    const BudgetedRematProblem::Call &each = problem.calls[call];
    addEdge(callNode[call], 1, each.repeatable ? 0 : forever, each.repeatable ? each.ns : 0);
    for (int64_t value : each.args)
      if (valueNode[value] >= 0)
        addEdge(callNode[call], valueNode[value], forever, 0);
    for (int64_t value : each.results)
      // A value that does not fit by itself cannot be saved: it costs its maker in any case.
      if (valueNode[value] >= 0 && each.repeatable && copies * problem.bytes[value] > capacity)
        addEdge(valueNode[value], callNode[call], forever, 0);
      else if (valueNode[value] >= 0)
        addEdge(valueNode[value], callNode[call], copies * problem.bytes[value], 0, true);
  }

  void addEdge(int64_t from, int64_t to, int64_t amount, int64_t ns, bool isBytes = false) {
    edges.push_back({from, to, amount, ns, isBytes});
  }

  // The cheapest line at a price. Sets `lowerBound`, which holds exactly: it is computed in integers of 1 / `unit` ns,
  // whatever the price is rounded to.
  Line cheapest(double price) {
    int64_t total = 1, paid;
    for (const Edge &edge : edges)
      total += edge.ns;
    int64_t unit = std::max<int64_t>(1, int64_t(std::min(0x1p20, 0x1p50 / double(total))));
    double most = 0x1p58 / double(std::max<int64_t>(neededBytes, 1));
    int64_t perByte = int64_t(std::min(price * double(unit), most));
    Line line = cut(perByte, unit, paid);
    __int128 value = __int128(paid) - __int128(perByte) * capacity;
    lowerBound = value <= 0 ? 0 : int64_t((value + unit - 1) / unit);
    return line;
  }

  // The line with the least `perByte` x bytes + `perNs` x time, by a minimum cut, and that sum.
  Line cut(int64_t perByte, int64_t perNs, int64_t &paid) {
    for (size_t edge = 0; edge < edges.size(); ++edge) {
      const Edge &each = edges[edge];
      int64_t price = each.isBytes ? clamp(perByte, each.amount) : each.ns * perNs;
      network->setCapacity(edge, each.amount == forever ? forever : price);
    }
    std::vector<bool> side;
    paid = network->minimumCut(0, 1, side);
    Line line{0, -capacity};
    for (const Edge &each : edges)
      if (side[each.from] && !side[each.to]) {
        line.ns += each.isBytes ? 0 : each.ns;
        line.excess += each.isBytes ? each.amount : 0;
      }
    return line;
  }

  // Saturates a product. A price that is too low only lowers the bound.
  static int64_t clamp(int64_t price, int64_t bytes) {
    return bytes > 0 && price > forever / 4 / bytes ? forever / 4 : price * bytes;
  }

  struct Edge {
    int64_t from, to, amount, ns;
    bool isBytes;
  };
  static constexpr int64_t forever = int64_t(1) << 60;

  const BudgetedRematProblem &problem;
  const int64_t copies;
  int64_t capacity, neededBytes = 0, lowerBound = 0, nodes = 2; // the source and the sink
  std::vector<int64_t> valueNode, callNode;
  std::vector<Edge> edges;
  std::optional<FlowNetwork> network;
};

// `Moment::excess` of all calls in one sweep. O(calls + values).
std::vector<int64_t> excessAtCalls(const BudgetedRematProblem &problem, const std::vector<int64_t> &maker) {
  int64_t count = problem.calls.size();
  std::vector<int64_t> last(problem.bytes.size(), -1), excess(count), change(count + 1), seen(problem.bytes.size(), -1);
  for (int64_t call = 0; call < count; ++call)
    for (int64_t value : problem.calls[call].args)
      last[value] = call;
  for (size_t value = 0; value < last.size(); ++value)
    if (maker[value] >= 0 && last[value] > maker[value]) {
      change[maker[value]] += problem.bytes[value];
      change[last[value]] -= problem.bytes[value];
    }
  for (int64_t call = 0, needed = 0; call < count; ++call) {
    const BudgetedRematProblem::Call &each = problem.calls[call];
    needed += change[call];
    int64_t now = needed + each.scratchBytes - (problem.budgetBytes - problem.persistentBytes);
    // What the call reads and makes is live, whether it is needed later or not.
    auto hold = [&](int64_t value) {
      bool isNeeded = maker[value] >= 0 && maker[value] <= call && last[value] > call;
      now += maker[value] < 0 || seen[value] == call || isNeeded ? 0 : problem.bytes[value];
      seen[value] = call;
    };
    std::for_each(each.args.begin(), each.args.end(), hold);
    std::for_each(each.results.begin(), each.results.end(), hold);
    for (auto [operand, result] : each.inPlace)
      now -= maker[operand] < 0 ? 0 : std::min(problem.bytes[operand], problem.bytes[result]);
    excess[call] = now;
  }
  return excess;
}

// Limits of `boundByPrices`: rounds, and calls x (calls + operands) x rounds. With fewer rounds prices prove no more
// than moments. With more work, above some 120 calls, they took longer than all else and gained little.
constexpr int64_t priceRounds = 1000, mostPriceWork = 30'000'000;

// Limits `MomentPath`: about twice the cuts of all pairs of moments, times the calls. Not tuned: on small problems all
// hot moments are paired, on large ones a few.
constexpr int64_t mostPathWork = 200'000;

// Adds up bounds of moments that follow each other. Recomputation after one moment for calls up to the next one is done
// before the recomputation after that one. So their bounds add, and the best sum is a longest path over moments. Gains
// where bytes are few and a value is recomputed more than once.
class MomentPath {
public:
  MomentPath(const BudgetedRematProblem &problem, const std::vector<int64_t> &maker, std::vector<int64_t> hotCalls)
      : problem(problem), maker(maker), calls(std::move(hotCalls)), count(problem.calls.size()) {
    std::sort(calls.begin(), calls.end());
  }

  int64_t bound() const {
    std::vector<size_t> nearest;
    for (int64_t call : calls)
      nearest.push_back(std::lower_bound(calls.begin(), calls.end(), firstEnd(call) - 1) - calls.begin());
    // Otherwise no two moments that lack bytes follow each other.
    if (calls.empty() || *std::min_element(nearest.begin(), nearest.end()) == calls.size())
      return 0;
    std::vector<int64_t> behind(calls.size() + 1);
    for (size_t at = calls.size(); at-- > 0;) {
      behind[at] = behind[at + 1];
      for (size_t next = std::max(nearest[at], at + 1); next <= calls.size(); ++next) {
        int64_t end = next < calls.size() ? calls[next] + 1 : count;
        Moment moment(problem, maker, calls[at], true, 1, end);
        if (moment.excess() > 0)
          behind[at] = std::max(behind[at], moment.bound(0, 0).value_or(0) + behind[next]);
      }
    }
    return behind[0];
  }

private:
  // The first `end` for which the moment of a call can lack bytes, by the operands alone; behind all calls if there is
  // none.
  int64_t firstEnd(int64_t call) const {
    int64_t needed = problem.persistentBytes;
    std::vector<bool> seen(problem.bytes.size());
    auto need = [&](int64_t value) {
      needed += maker[value] < 0 || seen[value] ? 0 : problem.bytes[value];
      seen[value] = true;
    };
    const BudgetedRematProblem::Call &runs = problem.calls[call];
    needed += runs.scratchBytes;
    std::for_each(runs.args.begin(), runs.args.end(), need);
    std::for_each(runs.results.begin(), runs.results.end(), need);
    int64_t each = call + 1;
    for (; each < count && needed <= problem.budgetBytes; ++each)
      for (int64_t value : problem.calls[each].args)
        if (maker[value] <= call)
          need(value);
    return needed <= problem.budgetBytes ? count + 1 : each;
  }

  const BudgetedRematProblem &problem;
  const std::vector<int64_t> &maker;
  std::vector<int64_t> calls; // ascending: calls that lack bytes while they run
  const int64_t count;
};

// The larger one of the best single moment and the best path of moments.
std::optional<int64_t> boundByMoments(const BudgetedRematProblem &problem, BudgetedRematProblem::Peak *least) {
  auto fails = [&](BudgetedRematProblem::Peak peak) {
    if (least)
      *least = peak;
    return std::nullopt;
  };
  if (BudgetedRematProblem::Peak peak = problem.workingSet(); peak.bytes > problem.budgetBytes)
    return fails(peak);
  std::vector<int64_t> maker = problem.makers();
  int64_t best = 0, count = problem.calls.size();
  // Moments by their excess, since those with the most usually bound best. First come the begins of B and of a split W,
  // as the calls -1 and -2: there other micro-batches hold bytes, too.
  const int64_t beginnings[] = {problem.firstBackward(), problem.firstAwaitedW()};
  std::vector<std::pair<int64_t, int64_t>> order;
  for (int64_t each : {0, 1})
    if (problem.inFlight > 1 && beginnings[each] < count)
      order.emplace_back(INT64_MIN, -1 - each);
  std::vector<int64_t> excess = excessAtCalls(problem, maker);
  for (int64_t call = 0; call < count; ++call)
    order.emplace_back(-excess[call], call);
  std::sort(order.begin(), order.end());
  // At most 48 moments: each is a series of minimum cuts. Not tuned.
  order.resize(std::min<size_t>(order.size(), 48));
  std::vector<int64_t> hot;
  double price = 0; // of a byte: 2 % above the best moment's, so that its cheapest choice fits
  for (auto [less, call] : order) {
    if (less >= 0)
      break;
    int64_t at = call < 0 ? beginnings[-1 - call] : call;
    // On large problems fewer pairs, since each cut takes longer.
    if (call >= 0 && int64_t(hot.size() * hot.size()) * count < mostPathWork)
      hot.push_back(call);
    Moment moment(problem, maker, at, call >= 0, call < 0 ? problem.inFlight : 1, count);
    std::optional<int64_t> bound = moment.bound(price, best);
    if (!bound)
      return fails({problem.budgetBytes + moment.missing, at});
    if (*bound > best) {
      best = *bound;
      price = 1.02 * moment.bestPrice;
    }
  }
  return std::max(best, MomentPath(problem, maker, std::move(hot)).bound());
}

} // namespace

std::optional<int64_t> plc::planner::budgetedRematBound(const BudgetedRematProblem &problem,
                                                        BudgetedRematProblem::Peak *least) {
  std::optional<int64_t> bound = boundByMoments(problem, least);
  if (!bound)
    return std::nullopt;
  int64_t operands = 0, slots = problem.calls.size();
  for (const BudgetedRematProblem::Call &call : problem.calls)
    operands += call.repeatable ? call.args.size() : 0;
  bool isPriced = *bound > 0 && slots * (slots + operands) <= mostPriceWork / priceRounds;
  return isPriced ? std::max(*bound, boundByPrices(problem, priceRounds, *bound)) : bound;
}

// The key has all fields that the bound reads.
int64_t KnownRematBounds::of(const BudgetedRematProblem &problem) {
  std::vector<int64_t> key;
  auto add = [&](auto... numbers) { (key.push_back(int64_t(numbers)), ...); };
  auto addAll = [&](const std::vector<int64_t> &numbers) {
    add(numbers.size());
    key.insert(key.end(), numbers.begin(), numbers.end());
  };
  addAll(problem.bytes);
  add(problem.budgetBytes, problem.persistentBytes, problem.inFlight, problem.splitsBackward, problem.firstClone);
  for (const BudgetedRematProblem::Call &call : problem.calls) {
    add(call.kind, call.ns, call.scratchBytes, call.repeatable, call.inPlace.size());
    addAll(call.args);
    addAll(call.results);
    for (auto [operand, result] : call.inPlace)
      add(operand, result);
  }
  auto [it, isNew] = bounds.try_emplace(std::move(key));
  if (isNew)
    it->second = budgetedRematBound(problem).value_or(0);
  return it->second;
}
