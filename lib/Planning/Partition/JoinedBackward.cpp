//===- JoinedBackward.cpp - stages whose B no other rank awaits -----------===//
#include "JoinedBackward.h"

#include <set>

using namespace mlir;
using namespace plc::plan;

std::vector<bool> plc::plan::findUnawaited(const FlatProgram &flat, ArrayRef<int32_t> stageOfUnit,
                                           ArrayRef<int32_t> rankOf) {
  std::vector<bool> unawaited(rankOf.size()), awaited(rankOf.size());
  std::set<std::pair<int64_t, int64_t>> waits; // a stage, and one whose B it reads
  for (const FlatCall &call : flat.calls) {
    int64_t stage = stageOfUnit[call.unit];
    unawaited[stage] = unawaited[stage] || call.role == Role::B;
    for (int64_t value : call.args)
      if (flat.values[value].origin == FlatValue::Result)
        if (const FlatCall &maker = flat.calls[flat.values[value].call]; maker.role == Role::B)
          waits.emplace(stage, stageOfUnit[maker.unit]);
  }
  // In ascending order a stage's own flag is final before the stages that it waits for inherit it.
  for (auto [stage, source] : waits)
    awaited[source] = awaited[source] || awaited[stage] || rankOf[source] != rankOf[stage];
  for (size_t stage = 0; stage < rankOf.size(); ++stage)
    unawaited[stage] = unawaited[stage] && !awaited[stage];
  // Where equations are units, a W may read the result of another stage's W. It can join its B only if that W joins its
  // own B, and runs before. One flag that falls may make others fall, so this repeats until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (const FlatCall &call : flat.calls)
      for (int64_t value : call.args) {
        int64_t stage = stageOfUnit[call.unit], made = flat.values[value].call;
        if (call.role != Role::W || !unawaited[stage] || made < 0 || flat.calls[made].role != Role::W)
          continue;
        int64_t source = stageOfUnit[flat.calls[made].unit];
        if (source == stage || (unawaited[source] && source > stage))
          continue;
        unawaited[stage] = false;
        changed = true;
      }
  }
  return unawaited;
}
