//===- Savings.cpp - stages that compute again what they cannot keep ------===//
#include "plc/Planner/Partition.h"

#include <algorithm>

using namespace plc::planner;

int64_t PartitionProblem::shareOf(int64_t stage) const {
  if (place.empty())
    return limitBytes;
  int64_t sharers = 0;
  for (int64_t other = 0; other < stages; ++other)
    sharers += rankOf(other) == rankOf(stage);
  return limitBytes / sharers;
}

// Between two prices the parts whose values change there do so one after the other, so time and bytes are as good as in
// proportion.
PartitionProblem::Load PartitionProblem::save(int64_t stage, const Load &least, int64_t workNs,
                                              const std::vector<Saving> &sums, int64_t againBytes) const {
  int64_t share = limitBytes && !sums.empty() ? shareOf(stage) : least.bytes();
  if (least.bytes() <= share)
    return least;
  Load load = least;
  load.scratchBytes += againBytes;
  int64_t lacking = load.bytes() - share, flying = std::max<int64_t>(inFlight[stage], 1);
  Saving below, chosen;
  for (const Saving &each : sums) {
    int64_t saved = flying * each.bytes;
    if (saved >= lacking) {
      int64_t before = flying * below.bytes;
      double part = double(lacking - before) / double(saved - before);
      chosen = {lacking, below.ns + int64_t(part * double(std::max<int64_t>(each.ns - below.ns, 0)))};
      break;
    }
    if (each.bytes > below.bytes)
      below = each;
    chosen = {flying * below.bytes, below.ns};
  }
  if (!savingPercent.empty())
    chosen.ns = chosen.ns * savingPercent[stage] / 100;
  load.heldBytes -= chosen.bytes;
  load.ns += timeOn(rankOf(stage), workNs + chosen.ns) - timeOn(rankOf(stage), workNs);
  return load;
}

void PartitionProblem::saveAll(const std::vector<int64_t> &stageOf, const std::vector<int64_t> &work,
                               std::vector<Load> &loads) const {
  std::vector<std::vector<Saving>> sums(stages, std::vector<Saving>(prices));
  std::vector<int64_t> again(stages);
  for (size_t part = 0; part < parts.size(); ++part) {
    int64_t stage = stageOf[part];
    for (size_t price = 0; price < parts[part].savings.size(); ++price) {
      sums[stage][price].bytes += parts[part].savings[price].bytes;
      sums[stage][price].ns += parts[part].savings[price].ns;
    }
    again[stage] = std::max(again[stage], parts[part].mostSaved());
  }
  for (int64_t stage = 0; stage < stages; ++stage)
    loads[stage] = save(stage, loads[stage], work[stage], sums[stage], again[stage]);
}

int64_t PartitionProblem::Part::mostSaved() const {
  int64_t most = 0;
  for (const Saving &each : savings)
    most = std::max(most, each.bytes);
  return most;
}
