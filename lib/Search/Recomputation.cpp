//===- Recomputation.cpp - what a plan saves for the backward pass --------===//
#include "Searcher.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

using namespace plc::search;

namespace {

/// Up to so many forward calls all sets of a unit are tried: 4,096 sets take about a millisecond.
constexpr size_t mostForAllSets = 12;

class OptionFinder {
public:
  OptionFinder(const Workload &workload, int32_t unit) : workload(workload), unit(unit) {
    isNeeded.assign(workload.values.size(), false);
    for (const Call &call : workload.calls)
      if (call.kind != TaskKind::F)
        for (int32_t value : call.reads)
          isNeeded[size_t(value)] = true;
    for (int32_t call : workload.callsOf[size_t(unit)])
      if (!workload.calls[size_t(call)].makes.empty())
        calls.push_back(call);
  }

  std::vector<SavedOption> run() {
    std::vector<size_t> open; // calls that may run again
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
    } else { // none, all, each alone, and all before or behind each
      addIf([](size_t) { return false; });
      for (size_t each = 0; each < open.size(); ++each) {
        addIf([&](size_t k) { return k == each; });
        addIf([&](size_t k) { return k <= each; });
        addIf([&](size_t k) { return k >= each; });
      }
    }
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
  // From the last call on: what a call that runs again reads is needed, too.
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
  std::vector<bool> isNeeded; // by value
  std::vector<int32_t> calls;
  std::vector<SavedOption> all;
};

} // namespace

std::vector<SavedOption> plc::search::savedOptionsOf(const Workload &workload, int32_t unit) {
  return OptionFinder(workload, unit).run();
}

// Units of equal calls have equal options.
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
      for (int32_t value : plain.reads) // relative to the unit, or from outside
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

// On these ranks each unit has the option that costs the least at the rank's price of a byte; after so many units of a rank at the
// other, lower price.
void Searcher::applyPrices(Candidate &each, const std::vector<char> &ranks, const PriceParts *parts) {
  std::vector<int64_t> now(each.plan.rankOf.size(), 0), inFlight(now);
  for (const std::vector<Task> &row : each.plan.order)
    for (const Task &task : row) {
      now[size_t(task.stage)] += task.kind == TaskKind::F ? 1 : task.kind == TaskKind::B ? -1 : 0;
      inFlight[size_t(task.stage)] = std::max(inFlight[size_t(task.stage)], now[size_t(task.stage)]);
    }
  std::vector<int64_t> units(ranks.size(), 0); // of each rank, so far
  for (size_t unit = 0; unit < each.plan.stageOf.size(); ++unit) {
    auto stage = size_t(each.plan.stageOf[unit]), rank = size_t(each.plan.rankOf[stage]);
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

// Near the least bytes all that is recomputed runs again for each call, whether it needs to or not: the dearest calls first run again
// less often, or not, where that fits.
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
        break;
      Candidate next = each;
      next.plan.recompute[call] = less;
      next.tasks = nullptr;
      if (orderAnew(next) && assess(next) && next.cost < each.cost)
        each = std::move(next);
    }
}

// Units that are alike change their option at one and the same price: so of each rank that fits at the higher price the fewest units pay it,
// by bisection, all ranks at once.
void Searcher::divide(Candidate &each, const std::vector<char> &open, const std::vector<double> &low,
                      const std::vector<double> &high, Candidate &found) {
  size_t ranks = open.size();
  std::vector<int64_t> few(ranks, 0), many(ranks, 0);
  PriceParts parts{std::vector<int64_t>(ranks, 0), std::vector<double>(ranks, 0.0)};
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
      parts.units[rank] = isOpen(rank) ? (few[rank] + many[rank]) / 2 : many[rank];
    }
    applyPrices(each, open, &parts);
    if (!orderAnew(each) || !assess(each))
      return;
    if (each.cost < found.cost)
      found = each;
    for (size_t rank = 0; rank < ranks; ++rank)
      if (isOpen(rank))
        (each.result.bytes[rank] <= machine.limitOf(rank) ? many : few)[rank] = parts.units[rank];
  }
}

// The least prices with which the ranks fit, each by bisection of its logarithm, all ranks at once.
bool Searcher::repair(Candidate &each, int steps) {
  constexpr double cheapest = -12, dearest = 3; // powers of ten: no call saves less time per byte, none more
  size_t ranks = each.plan.order.size();
  std::vector<double> low(ranks, cheapest), high(ranks, dearest);
  std::vector<char> open(ranks, 0);
  for (size_t rank = 0; rank < ranks; ++rank)
    open[rank] = each.result.bytes[rank] > machine.limitOf(rank) || each.price[rank] > 0;
  if (std::count(open.begin(), open.end(), 1) == 0)
    return true;
  Candidate found;
  for (int step = 0; step <= steps; ++step) {
    for (size_t rank = 0; rank < ranks; ++rank)
      if (open[rank])
        each.price[rank] = std::pow(10, step == 0 ? high[rank] : (low[rank] + high[rank]) / 2);
    applyPrices(each, open);
    if (!orderAnew(each) || !assess(each))
      break;
    if (each.cost < found.cost)
      found = each;
    for (size_t rank = 0; rank < ranks && step; ++rank)
      if (open[rank])
        (each.result.bytes[rank] <= machine.limitOf(rank) ? high : low)[rank] = std::log10(each.price[rank]);
  }
  divide(each, open, low, high, found);
  // Near the least bytes a clone for each unit, or call, takes fewer than one that lives until the last of them.
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
