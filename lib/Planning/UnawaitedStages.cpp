//===- UnawaitedStages.cpp - whose backward pass nobody waits for -----------===//
#include "UnawaitedStages.h"

#include <set>

using namespace mlir;
using namespace plc::plan;

std::vector<bool> plc::plan::findUnawaited(const FlatProgram &flat, ArrayRef<int64_t> stageOfUnit,
                                           ArrayRef<int64_t> rankOf) {
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
  // Ascending, so that who waits for a stage is known before those that it waits for.
  for (auto [stage, source] : waits)
    awaited[source] = awaited[source] || awaited[stage] || rankOf[source] != rankOf[stage];
  for (size_t stage = 0; stage < rankOf.size(); ++stage)
    unawaited[stage] = unawaited[stage] && !awaited[stage];
  return unawaited;
}
