//===- Workload.cpp - facts that follow from a workload's calls -----------===//
#include "plc/Search/Workload.h"

#include <algorithm>
#include <set>

using namespace plc::search;

// One pass over the calls. Values cross units in program order, so a unit knows the units before and behind it, which
// limit the stages that it may be in.
void Workload::derive() {
  unitNs.assign(units.size(), {});
  callsOf.assign(units.size(), {});
  joined.assign(calls.size(), {});
  firstOfFullBackward.clear();
  std::vector<std::set<int32_t>> earlier(units.size());
  hasBackward = false;
  double owned = 0, updated = 0;
  for (const Parameter &each : parameters)
    if (!each.sites.empty()) {
      owned += double(each.bytes);
      updated += double(each.bytes * (1 + groups) + each.beside);
    }
  ownedShare = updated > 0 ? owned / updated : 0;
  for (size_t index = 0; index < calls.size(); ++index) {
    const Call &call = calls[index];
    hasBackward |= call.kind != TaskKind::F;
    unitNs[size_t(call.unit)][size_t(call.kind)] += call.ns;
    if (call.kind == TaskKind::F)
      callsOf[size_t(call.unit)].push_back(int32_t(index));
    // Where each W would run in a full backward: behind that call, or before all others.
    if (call.kind == TaskKind::W)
      (call.behind < 0 ? firstOfFullBackward : joined[size_t(call.behind)]).push_back(int32_t(index));
    // Which of two units comes first goes by number, since a sum may run in the stage of either unit whose gradient it
    // adds.
    for (int32_t value : call.reads)
      if (int32_t unit = calls[size_t(values[size_t(value)].maker)].unit; unit != call.unit)
        earlier[size_t(std::max(unit, call.unit))].insert(std::min(unit, call.unit));
  }
  before.assign(units.size(), {});
  behind.assign(units.size(), {});
  for (size_t unit = 0; unit < units.size(); ++unit)
    for (int32_t other : earlier[unit]) {
      before[unit].push_back(other);
      behind[size_t(other)].push_back(int32_t(unit));
    }
}

int64_t Workload::workNs() const {
  int64_t ns = 0;
  for (const Call &call : calls)
    ns += call.ns;
  return ns * microBatches;
}
