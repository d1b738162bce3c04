//===- RetentionRest.cpp - what a state of a window still pays -------------===//
#include "RetentionRest.h"

#include <algorithm>

using namespace plc::planner;

RetentionRest::RetentionRest(const RetentionScope &scope, const RetentionToGo *toGo) : scope(scope) {
  for (int64_t call = scope.window.begin; call <= scope.window.end; ++call)
    made.push_back(scope.madeBefore(call));
  for (int64_t call = scope.window.begin; call < scope.window.end; ++call)
    addMoment(call);
  auto isFuller = [&](const Moment &a, const Moment &b) {
    return scope.bytesOf(a.waiting) - a.free > scope.bytesOf(b.waiting) - b.free;
  };
  std::stable_sort(moments.begin(), moments.end(), isFuller);
  moments.resize(std::min<size_t>(moments.size(), 24), Moment{});
  if (!toGo)
    return;
  unit = toGo->unit;
  for (int64_t slot = 0; slot <= scope.window.end; ++slot)
    addSlot(slot, *toGo);
}

void RetentionRest::addSlot(int64_t slot, const RetentionToGo &toGo) {
  Slot added{toGo.others[slot], 0, std::vector<int64_t>(scope.values.size())};
  std::vector<bool> hasBit(scope.maker.size());
  for (size_t bit = 0; bit < scope.values.size(); ++bit) {
    int64_t value = scope.values[bit];
    hasBit[value] = true;
    if (scope.maker[value] >= slot)
      continue;
    int64_t alive = toGo.alive[value][slot], dead = toGo.dead[value][slot];
    bool isRequired = dead >= RetentionToGo::never;
    added.required |= isRequired ? Live(1) << bit : 0;
    added.ticks += isRequired ? alive : dead;
    added.gains[bit] = isRequired ? 0 : dead - alive;
  }
  for (size_t value = 0; value < hasBit.size(); ++value)
    if (!hasBit[value] && scope.maker[value] >= 0 && scope.maker[value] < slot)
      added.ticks += std::min(toGo.alive[value][slot], toGo.dead[value][slot]);
  slots.push_back(std::move(added));
}

int64_t RetentionRest::pricedNs(int64_t next, Live live) const {
  const Slot &slot = slots[next];
  if (slot.required & ~live)
    return never;
  int64_t ticks = slot.ticks;
  for (; live; live &= live - 1)
    ticks -= slot.gains[__builtin_ctzll(live)];
  return ticks <= 0 ? 0 : (ticks + unit - 1) / unit;
}

void RetentionRest::addMoment(int64_t call) {
  const RetentionScope::Local &local = scope.calls[call];
  Moment moment{call, scope.freeOwn[call - scope.window.begin] - scope.problem.calls[call].scratchBytes, 0, {}};
  moment.waiting = scope.readFrom(call + 1) & made[call - scope.window.begin] & ~local.args & ~local.results;
  moment.free -= scope.bytesOf(local.args | local.results) - scope.savedBytes(call, local.args);
  if (scope.bytesOf(moment.waiting) <= moment.free)
    return;
  for (Live rest = moment.waiting; rest; rest &= rest - 1) {
    int64_t value = __builtin_ctzll(rest), maker = scope.maker[scope.values[value]];
    // Results of one call share its time, as one run makes all of them.
    int64_t ns = scope.calls[maker].mayRepeat
                     ? scope.problem.calls[maker].ns / __builtin_popcountll(scope.calls[maker].results)
                     : never / 64;
    moment.items.push_back({rest & -rest, scope.bytes[value], ns});
  }
  std::stable_sort(moment.items.begin(), moment.items.end(), [](const Item &a, const Item &b) {
    return double(a.ns) * double(b.bytes) < double(b.ns) * double(a.bytes);
  });
  moments.push_back(std::move(moment));
}

int64_t RetentionRest::knapsack(const Moment &moment, Live waiting) const {
  int64_t excess = scope.bytesOf(waiting) - moment.free, ns = 0;
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

int64_t RetentionRest::ns(int64_t next, Live live) const {
  Live missing = scope.readFrom(next) & made[next - scope.window.begin] & ~live, again = 0;
  int64_t ns = 0;
  while (Live rest = missing & ~again) {
    int64_t call = scope.maker[scope.values[__builtin_ctzll(rest)]];
    if (!scope.calls[call].mayRepeat)
      return never;
    ns += scope.problem.calls[call].ns;
    again |= scope.calls[call].results;
    missing |= scope.calls[call].args & ~live;
  }
  // What is made again is paid, whether it lives at a moment or not.
  int64_t most = 0;
  for (const Moment &moment : moments)
    if (moment.call >= next)
      most = std::max(most, knapsack(moment, moment.waiting & ~again));
  ns = std::min(ns + most, never);
  return slots.empty() ? ns : std::max(ns, pricedNs(next, live));
}
