//===- Recomputation.cpp - which activations a plan saves -----------------===//
#include "Searcher.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

using namespace plc::search;

namespace {

/// Up to so many forward calls of a unit all subsets are tried: 4,096 subsets take about a millisecond.
constexpr size_t mostForAllSets = 12;

/// Finds the Pareto front of saved bytes and recomputing time of one unit alone. Variables: which forward calls are
/// dropped, that is, recomputed. Exact up to `mostForAllSets` calls; above that a few families of subsets.
class OptionFinder {
public:
  OptionFinder(const Workload &workload, int32_t unit) : workload(workload), unit(unit) {
    isNeeded.assign(workload.values.size(), false);
    for (const Call &call : workload.calls)
      if (call.kind != TaskKind::F)
        for (int32_t value : call.reads)
          isNeeded[size_t(value)] = true;
    for (int32_t call : workload.callsOf[size_t(unit)])
      // A call without results saves nothing.
      if (!workload.calls[size_t(call)].makes.empty())
        calls.push_back(call);
  }

  std::vector<SavedOption> run() {
    std::vector<size_t> open; // calls that may be recomputed
    for (size_t i = 0; i < calls.size(); ++i)
      if (workload.calls[size_t(calls[i])].mayRecompute)
        open.push_back(i);
    std::vector<char> drops(calls.size(), 0);
    auto addIf = [&](auto isDropped) {
      for (size_t k = 0; k < open.size(); ++k)
        drops[open[k]] = isDropped(k);
      add(drops);
    };
    if (open.size() <= mostForAllSets) {
      for (size_t set = 0; set < size_t(1) << open.size(); ++set)
        addIf([&](size_t k) { return set >> k & 1; });
    } else { // none, each alone, and all before or behind each
      addIf([](size_t) { return false; });
      for (size_t each = 0; each < open.size(); ++each) {
        addIf([&](size_t k) { return k == each; });
        addIf([&](size_t k) { return k <= each; });
        addIf([&](size_t k) { return k >= each; });
      }
    }
    // Sorted by time, an option is on the front if it saves fewer bytes than all before it.
    std::sort(all.begin(), all.end(), [](const SavedOption &a, const SavedOption &b) {
      return std::tie(a.ns, a.bytes, a.dropped) < std::tie(b.ns, b.bytes, b.dropped);
    });
    std::vector<SavedOption> front;
    for (SavedOption &each : all)
      if (front.empty() || each.bytes < front.back().bytes)
        front.push_back(std::move(each));
    return front;
  }

private:
  // Adds the option of one subset. From the last call on: a dropped call that is needed makes its operands needed, too.
  void add(const std::vector<char> &drops) {
    SavedOption option;
    std::set<int32_t> reread;
    auto isRead = [&](int32_t value) { return isNeeded[size_t(value)] || reread.contains(value); };
    for (size_t i = calls.size(); i-- > 0;) {
      const Call &call = workload.calls[size_t(calls[i])];
      bool isUsed = std::any_of(call.makes.begin(), call.makes.end(), isRead);
      if (isUsed && drops[i]) {
        option.ns += call.ns;
        option.dropped.push_back(calls[i]);
        reread.insert(call.reads.begin(), call.reads.end());
      } else if (isUsed) {
        for (int32_t value : call.makes)
          option.bytes +=
              !workload.values[size_t(value)].isOutput && isRead(value) ? workload.values[size_t(value)].bytes : 0;
      }
    }
    all.push_back(std::move(option));
  }

  const Workload &workload;
  int32_t unit;
  std::vector<bool> isNeeded; // by value: some backward call reads it
  std::vector<int32_t> calls;
  std::vector<SavedOption> all;
};

} // namespace

std::vector<SavedOption> plc::search::savedOptionsOf(const Workload &workload, int32_t unit) {
  return OptionFinder(workload, unit).run();
}

// The options of a unit. Units with equal calls share one computation, since models repeat layers.
const std::vector<SavedOption> &Searcher::optionsOf(int32_t workload, int32_t unit) {
  std::vector<std::vector<SavedOption>> &mine = options[size_t(workload)];
  if (!mine.empty())
    return mine[size_t(unit)];
  const Workload &each = workloads[size_t(workload)];
  mine.resize(each.units.size());
  std::map<std::vector<int64_t>, size_t> known;
  for (size_t u = 0; u < mine.size(); ++u) {
    const std::vector<int32_t> &calls = each.callsOf[u];
    std::vector<int64_t> key;
    for (int32_t call : calls) {
      const Call &plain = each.calls[size_t(call)];
      key.insert(key.end(), {plain.ns, plain.mayRecompute, int64_t(plain.reads.size())});
      for (int32_t value : plain.reads) // relative to the unit, or -1 from outside: layers then have equal keys
        key.push_back(
            each.values[size_t(value)].maker >= calls.front() ? each.values[size_t(value)].maker - calls.front() : -1);
      for (int32_t value : plain.makes)
        key.push_back(-each.values[size_t(value)].bytes);
    }
    auto [it, isNew] = known.try_emplace(std::move(key), u);
    if (isNew) {
      mine[u] = savedOptionsOf(each, int32_t(u));
      continue;
    }
    mine[u] = mine[it->second];
    // The same option, with the calls of this unit.
    const std::vector<int32_t> &like = each.callsOf[it->second];
    for (SavedOption &option : mine[u])
      for (int32_t &call : option.dropped)
        call = calls[size_t(std::find(like.begin(), like.end(), call) - like.begin())];
  }
  return mine[size_t(unit)];
}

void Searcher::setOption(Candidate &each, int32_t unit, const SavedOption &option) {
  for (int32_t call : workloadOf(each).callsOf[size_t(unit)])
    each.plan.recompute[size_t(call)] = Recompute::no;
  for (int32_t call : option.dropped)
    each.plan.recompute[size_t(call)] = Recompute::once;
}

// Sets the option of each unit on these ranks to the one with the least time + price x bytes, where bytes count once
// for each micro-batch in flight. This is a Lagrangian relaxation: with a price, units decide independently. With
// `parts` the later units of a rank pay its lower price.
void Searcher::applyPrices(Candidate &each, const std::vector<char> &ranks, const PriceParts *parts) {
  std::vector<int64_t> now(each.plan.rankOf.size(), 0), inFlight(now);
  for (const std::vector<Task> &row : each.plan.order)
    // In flight in a stage: from F to B, counted over the order.
    for (const Task &task : row) {
      now[size_t(task.stage)] += task.kind == TaskKind::F ? 1 : task.kind == TaskKind::B ? -1 : 0;
      inFlight[size_t(task.stage)] = std::max(inFlight[size_t(task.stage)], now[size_t(task.stage)]);
    }
  std::vector<int64_t> units(ranks.size(), 0); // of each rank, so far
  for (size_t unit = 0; unit < each.plan.stageOf.size(); ++unit) {
    auto stage = size_t(each.plan.stageOf[unit]), rank = size_t(each.plan.rankOf[stage]);
    // Other ranks keep their options.
    if (!ranks[rank])
      continue;
    double price = parts && units[rank]++ >= parts->units[rank] ? parts->lower[rank] : each.price[rank];
    const SavedOption *best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const SavedOption &option : optionsOf(each.plan.workload, int32_t(unit)))
      if (double cost = double(option.ns) + price * double(inFlight[stage]) * double(option.bytes); cost < least) {
        least = cost;
        best = &option;
      }
    if (best)
      setOption(each, int32_t(unit), *best);
  }
  each.tasks = nullptr;
}

// Near the least memory, all recomputed calls have a clone for each user, needed or not. From the dearest call on, this
// takes clones back as far as the plan still fits and gets cheaper.
void Searcher::thin(Candidate &each) {
  if (each.result.overBytes || !isOn("thin"))
    return;
  const Workload &workload = workloadOf(each);
  std::vector<size_t> calls;
  for (size_t call = 0; call < workload.calls.size(); ++call)
    if (each.plan.recompute[call] != Recompute::no)
      calls.push_back(call);
  std::stable_sort(calls.begin(), calls.end(),
                   [&](size_t a, size_t b) { return workload.calls[a].ns > workload.calls[b].ns; });
  for (size_t call : calls)
    for (Recompute less : {Recompute::no, Recompute::once, Recompute::perUnit}) {
      if (less >= each.plan.recompute[call] || isOver())
        // The alternatives rise: what is not less than the present one ends the loop.
        break;
      Candidate next = each;
      next.plan.recompute[call] = less;
      next.tasks = nullptr;
      if (orderAnew(next) && assess(next) && next.cost < each.cost)
        each = std::move(next);
    }
}

// Equal units change their option at one and the same price, so a price alone jumps between too many and too few bytes.
// This bisects, for all ranks at once, the number of units that pay the higher price.
void Searcher::divide(Candidate &each, const std::vector<char> &open, const std::vector<double> &low,
                      const std::vector<double> &high, Candidate &found) {
  size_t ranks = open.size();
  std::vector<int64_t> few(ranks, 0), many(ranks, 0); // by rank: units that are too few, and enough
  PriceParts parts{std::vector<int64_t>(ranks, 0), std::vector<double>(ranks, 0.0)};
  // With all units at the higher price a rank fits, as the bisection of prices has found.
  for (size_t unit = 0; unit < each.plan.stageOf.size(); ++unit)
    ++many[size_t(each.plan.rankOf[size_t(each.plan.stageOf[unit])])];
  for (size_t rank = 0; rank < ranks; ++rank)
    if (open[rank]) {
      each.price[rank] = std::pow(10, high[rank]);
      parts.lower[rank] = std::pow(10, low[rank]);
    }
  auto isOpen = [&](size_t rank) { return open[rank] && many[rank] - few[rank] > 1; };
  for (bool any = isOn("divide"); any && !isOver();) {
    any = false;
    for (size_t rank = 0; rank < ranks; ++rank) {
      any |= isOpen(rank);
      // Ranks that are done keep their answer while others still bisect.
      parts.units[rank] = isOpen(rank) ? (few[rank] + many[rank]) / 2 : many[rank];
    }
    applyPrices(each, open, &parts);
    if (!orderAnew(each) || !assess(each))
      return;
    // Every plan on the way is a candidate: the best need not be the last.
    if (each.cost < found.cost)
      found = each;
    for (size_t rank = 0; rank < ranks; ++rank)
      if (isOpen(rank))
        (each.result.bytes[rank] <= machine.limitOf(rank) ? many : few)[rank] = parts.units[rank];
  }
}

// Makes a plan that exceeds its limits recompute until it fits, if it can. Bisects the logarithm of each rank's price,
// all ranks at once, since orders couple them. `each` becomes the cheapest plan met. Returns false if none ends.
bool Searcher::repair(Candidate &each, int steps) {
  constexpr double cheapest = -12, dearest = 3; // exponents of 10, in ns per byte: no call is below or above
  size_t ranks = each.plan.order.size();
  std::vector<double> low(ranks, cheapest), high(ranks, dearest);
  std::vector<char> open(ranks, 0);
  for (size_t rank = 0; rank < ranks; ++rank)
    // Ranks that fit for nothing stay as they are.
    open[rank] = each.result.bytes[rank] > machine.limitOf(rank) || each.price[rank] > 0;
  if (std::count(open.begin(), open.end(), 1) == 0)
    return true;
  Candidate found;
  for (int step = 0; step <= steps; ++step) {
    for (size_t rank = 0; rank < ranks; ++rank)
      if (open[rank])
        // The highest price first: does anything fit?
        each.price[rank] = std::pow(10, step == 0 ? high[rank] : (low[rank] + high[rank]) / 2);
    applyPrices(each, open);
    // An order that deadlocks ends the bisection; what was found so far counts.
    if (!orderAnew(each) || !assess(each))
      break;
    if (each.cost < found.cost)
      found = each;
    // Step 0 has tried the highest price and moves no end.
    for (size_t rank = 0; rank < ranks && step; ++rank)
      if (open[rank])
        (each.result.bytes[rank] <= machine.limitOf(rank) ? high : low)[rank] = std::log10(each.price[rank]);
  }
  divide(each, open, low, high, found);
  // Near the least memory, several clones hold fewer bytes than one that lives until the last of its users.
  for (Recompute more : {Recompute::perUnit, Recompute::perCall}) {
    if (!found.result.overBytes || !isOn("more clones"))
      break;
    each = found;
    for (Recompute &call : each.plan.recompute)
      call = call == Recompute::no ? call : more;
    each.tasks = nullptr;
    if (orderAnew(each) && assess(each) && each.cost < found.cost) {
      found = each;
      thin(found);
    }
  }
  each = std::move(found);
  return each.cost < std::numeric_limits<double>::infinity();
}
