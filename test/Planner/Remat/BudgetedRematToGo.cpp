//===- BudgetedRematToGo.cpp - what the exact search still pays -----------------===//
#include "BudgetedRematToGo.h"

#include <algorithm>

using namespace plc::planner;

BudgetedRematToGo::BudgetedRematToGo(const BudgetedRematMasks &masks) : masks(masks) {
  constexpr size_t most = 24;
  for (size_t call = 0; call < masks.calls.size(); ++call)
    addMoment(call);
  auto isFuller = [&](const Moment &a, const Moment &b) {
    return masks.bytesOf(a.waiting) - a.free > masks.bytesOf(b.waiting) - b.free;
  };
  std::stable_sort(moments.begin(), moments.end(), isFuller);
  moments.resize(std::min(moments.size(), most), Moment{});
}

void BudgetedRematToGo::addMoment(int64_t index) {
  const BudgetedRematMasks::Call &call = masks.calls[index];
  Live touched = call.args | call.results;
  Moment moment{index, call.freeOwn - masks.problem.calls[index].scratchBytes, 0, {}};
  moment.waiting = masks.read[index + 1] & masks.made[index] & ~touched;
  moment.free -= masks.bytesOf(touched) - masks.savedBytes(index, call.args);
  if (masks.bytesOf(moment.waiting) <= moment.free)
    return;
  for (Live rest = moment.waiting; rest; rest &= rest - 1) {
    int64_t bit = __builtin_ctzll(rest), maker = masks.maker[bit];
    // Results of one call share its time, as one run makes all of them.
    int64_t ns = masks.problem.calls[maker].repeatable
                     ? masks.problem.calls[maker].ns / __builtin_popcountll(masks.calls[maker].results)
                     : never / 64;
    moment.items.push_back({rest & -rest, masks.bytes[bit], ns});
  }
  std::stable_sort(moment.items.begin(), moment.items.end(), [](const Item &a, const Item &b) {
    return double(a.ns) * double(b.bytes) < double(b.ns) * double(a.bytes);
  });
  moments.push_back(std::move(moment));
}

int64_t BudgetedRematToGo::knapsack(const Moment &moment, Live waiting) const {
  int64_t excess = masks.bytesOf(waiting) - moment.free, ns = 0;
  for (const Item &item : moment.items) {
    if (excess <= 0)
      break;
    if (!(item.bit & waiting))
      continue;
    ns += item.bytes <= excess ? item.ns : int64_t(double(item.ns) * double(excess) / double(item.bytes));
    excess -= item.bytes;
  }
  return excess > 0 ? never : ns;
}

int64_t BudgetedRematToGo::ns(int64_t next, Live live) const {
  Live missing = masks.read[next] & masks.made[next] & ~live, again = 0;
  int64_t ns = 0;
  while (Live rest = missing & ~again) {
    int64_t call = masks.maker[__builtin_ctzll(rest)];
    if (!masks.problem.calls[call].repeatable)
      return never;
    ns += masks.problem.calls[call].ns;
    again |= masks.calls[call].results;
    missing |= masks.calls[call].args & ~live;
  }
  // What is made again is paid, whether it lives at a moment or not.
  int64_t most = 0;
  for (const Moment &moment : moments)
    if (moment.call >= next)
      most = std::max(most, knapsack(moment, moment.waiting & ~again));
  return std::min(ns + most, never);
}
