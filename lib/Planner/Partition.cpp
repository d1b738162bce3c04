//===- Partition.cpp - the problem of cutting a graph ---------------------===//
#include "plc/Planner/Format.h"
#include "plc/Planner/Partition.h"

#include "CutBound.h"
#include "Total.h"

#include "plc/Support/ExitCodes.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace plc::planner;

namespace {

bool within(int64_t part, int64_t begin, int64_t end) { return begin <= part && part < end; }

// "stage 2", or "rank 0 (stages 0, 2)" if it has several.
std::string describeRank(const PartitionProblem &problem, int64_t rank) {
  std::vector<std::string> stages;
  for (int64_t stage = 0; stage < problem.stages; ++stage)
    if (problem.rankOf(stage) == rank)
      stages.push_back(std::to_string(stage));
  if (stages.size() == 1)
    return "stage " + stages[0];
  std::string list = stages[0];
  for (size_t i = 1; i < stages.size(); ++i)
    list += ", " + stages[i];
  return "rank " + std::to_string(rank) + " (stages " + list + ")";
}

// Of a rank's parts the one that alone needs most.
std::string largestPart(const PartitionProblem &problem, const std::vector<int64_t> &stageOf, int64_t rank) {
  std::vector<int64_t> alone(problem.parts.size());
  auto held = [&](int64_t part, int64_t bytes) { alone[part] += problem.inFlight[stageOf[part]] * bytes; };
  for (size_t part = 0; part < alone.size(); ++part) {
    alone[part] += problem.parts[part].scratchBytes;
    held(part, problem.parts[part].keptBytes);
  }
  for (const auto &tensor : problem.tensors)
    for (int64_t part : tensor.consumers)
      if (part != tensor.producer)
        held(part, tensor.bytes);
  for (const auto &resident : problem.residents)
    for (int64_t part : resident.users)
      alone[part] += part == resident.users.front() ? resident.ownerBytes : resident.copyBytes;
  int64_t largest = -1;
  for (size_t part = 0; part < alone.size(); ++part)
    if (problem.rankOf(stageOf[part]) == rank && (largest < 0 || alone[part] > alone[largest]))
      largest = part;
  return ", largest part '" + problem.parts[largest].name + "' " + formatBytes(alone[largest]);
}

} // namespace

Reason plc::planner::noPlanFits(const std::string &why) { return Reason(plc::noPlanPrefix + why, /*isNoPlan=*/true); }

std::string plc::planner::formatBytes(int64_t bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return text;
}

Edges PartitionProblem::orders() const {
  Edges edges;
  for (size_t part = 1; isChain && part < parts.size(); ++part)
    edges.emplace_back(part - 1, part);
  if (isChain)
    return edges;
  for (const Tensor &tensor : tensors)
    for (int64_t part : tensor.consumers)
      if (tensor.forward && part != tensor.producer)
        edges.emplace_back(tensor.producer, part);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<PartitionProblem::Load> PartitionProblem::loadsOf(const std::vector<int64_t> &stageOf) const {
  std::vector<Load> loads(stages);
  for (size_t part = 0; part < parts.size(); ++part) {
    Load &load = loads[stageOf[part]];
    load.ns += parts[part].ns;
    load.heldBytes += inFlight[stageOf[part]] * parts[part].keptBytes;
    load.scratchBytes = std::max(load.scratchBytes, parts[part].scratchBytes);
  }
  for (int64_t stage = 0; stage < stages; ++stage)
    loads[stage].ns = timeOn(rankOf(stage), loads[stage].ns);
  // Stages of some parts, each once, ascending.
  std::vector<int64_t> there;
  auto find = [&](const std::vector<int64_t> &ends) {
    there.clear();
    for (int64_t part : ends)
      there.push_back(stageOf[part]);
    std::sort(there.begin(), there.end());
    there.erase(std::unique(there.begin(), there.end()), there.end());
  };
  for (const Tensor &tensor : tensors) {
    find(tensor.consumers);
    for (int64_t stage : there)
      if (stage != stageOf[tensor.producer]) {
        loads[stage].ns += tensor.ns;
        loads[stage].heldBytes += inFlight[stage] * tensor.bytes;
      }
  }
  for (const Resident &resident : residents) {
    find(resident.users);
    for (int64_t stage : there)
      loads[stage].heldBytes += stage == there.front() ? resident.ownerBytes : resident.copyBytes;
  }
  return loads;
}

std::vector<PartitionProblem::Load> PartitionProblem::sumByRank(const std::vector<Load> &loads) const {
  std::vector<Load> sums(numRanks());
  for (int64_t stage = 0; stage < stages; ++stage)
    sums[rankOf(stage)] = sums[rankOf(stage)] + loads[stage];
  return sums;
}

int64_t PartitionProblem::numRanks() const {
  return place.empty() ? stages : *std::max_element(place.begin(), place.end()) + 1;
}

Fault PartitionProblem::check() const {
  int64_t count = parts.size();
  if (stages <= 0)
    return "has " + std::to_string(stages) + " stages but needs 1 or more";
  if (stages > count)
    return noPlanFits(std::to_string(stages) + " stages but only " + std::to_string(count) + " parts to cut");
  if (int64_t(inFlight.size()) != stages)
    return "has " + std::to_string(inFlight.size()) + " in-flight counts but " + std::to_string(stages) + " stages";
  if (!place.empty() && int64_t(place.size()) != stages)
    return "places " + std::to_string(place.size()) + " of " + std::to_string(stages) + " stages";
  for (int64_t rank : place)
    if (!within(rank, 0, stages))
      return "place names rank " + std::to_string(rank) + " for " + std::to_string(stages) + " stages";
  for (int64_t rank = 0; !place.empty() && rank < numRanks(); ++rank)
    if (std::find(place.begin(), place.end(), rank) == place.end())
      return "place leaves out rank " + std::to_string(rank);
  if (!speed.empty() && int64_t(speed.size()) != numRanks())
    return "has " + std::to_string(speed.size()) + " speeds but " + std::to_string(numRanks()) + " ranks";
  for (int64_t each : speed)
    if (each <= 0 || each > 1000000)
      return "has speed " + std::to_string(each) + " but needs 1 to 1000000";
  for (int64_t stage = 0; stage < stages; ++stage)
    if (inFlight[stage] < 0)
      return "stage " + std::to_string(stage) + " has " + std::to_string(inFlight[stage]) + " micro-batches in flight";
  if (limitBytes < 0)
    return "the limit is " + std::to_string(limitBytes) + " bytes";
  for (const Part &part : parts)
    if (part.ns < 0 || part.keptBytes < 0 || part.scratchBytes < 0)
      return "part '" + part.name + "' has a negative cost";
  auto outside = [&](int64_t part) { return !within(part, 0, count); };
  for (const Tensor &tensor : tensors)
    if (outside(tensor.producer) || std::any_of(tensor.consumers.begin(), tensor.consumers.end(), outside))
      return "a tensor names a part beyond the " + std::to_string(count) + " there are";
    else if (tensor.ns < 0 || tensor.bytes < 0)
      return "a tensor of part '" + parts[tensor.producer].name + "' has a negative cost";
  for (const Resident &resident : residents)
    if (resident.users.empty() || std::any_of(resident.users.begin(), resident.users.end(), outside))
      return "a resident has no user, or one beyond the " + std::to_string(count) + " there are";
    else if (resident.ownerBytes < 0 || resident.copyBytes < 0)
      return "a resident of part '" + parts[resident.users.front()].name + "' has negative bytes";
  if (Fault fault = checkTotals())
    return fault;
  if (std::vector<int64_t> cycle = findCycle(count, orders()); !cycle.empty())
    return "part '" + parts[cycle.front()].name + "' comes before and after part '" + parts[cycle.back()].name + "'";
  return std::nullopt;
}

Fault PartitionProblem::checkTotals() const {
  int64_t most = *std::max_element(inFlight.begin(), inFlight.end()); // a stage may receive everything
  int64_t scale = speed.empty() ? 1 : 100;                            // of speeds, in percent
  Total ns, bytes;
  for (const Part &part : parts) {
    ns.add(part.ns, scale);
    bytes.add(part.keptBytes, most);
    bytes.add(part.scratchBytes);
  }
  for (const Tensor &tensor : tensors) {
    ns.add(tensor.ns, scale * stages);
    bytes.add(tensor.bytes, most);
    bytes.add(tensor.bytes, stages);
  }
  for (const Resident &resident : residents) {
    bytes.add(resident.ownerBytes);
    bytes.add(resident.copyBytes, stages);
  }
  if (Fault fault = ns.check(speed.empty() ? "times" : "hundredths of times"))
    return fault;
  return bytes.check("bytes");
}

Fault PartitionProblem::verify(const Partition &answer) const {
  if (answer.stageOf.size() != parts.size())
    return "has stages of " + std::to_string(answer.stageOf.size()) + " parts but there are " +
           std::to_string(parts.size());
  std::vector<int64_t> counts(stages);
  for (size_t part = 0; part < parts.size(); ++part) {
    if (!within(answer.stageOf[part], 0, stages))
      return "part '" + parts[part].name + "' is in stage " + std::to_string(answer.stageOf[part]) + " of " +
             std::to_string(stages);
    ++counts[answer.stageOf[part]];
  }
  for (int64_t stage = 0; stage < stages; ++stage)
    if (!counts[stage])
      return "stage " + std::to_string(stage) + " has 0 parts";
  for (auto [before, after] : orders())
    if (answer.stageOf[before] > answer.stageOf[after])
      return "part '" + parts[after].name + "' in stage " + std::to_string(answer.stageOf[after]) +
             " reads what part '" + parts[before].name + "' makes in stage " + std::to_string(answer.stageOf[before]);
  std::vector<Load> loads = sumByRank(loadsOf(answer.stageOf));
  int64_t slowest = 0;
  for (int64_t rank = 0; rank < numRanks(); ++rank) {
    slowest = std::max(slowest, loads[rank].ns);
    if (limitBytes && loads[rank].bytes() > limitBytes)
      return noPlanFits(describeRank(*this, rank) + " needs " + formatBytes(loads[rank].bytes()) + ", limit " +
                        formatBytes(limitBytes) + largestPart(*this, answer.stageOf, rank) +
                        formatMissing(loads[rank].bytes(), limitBytes));
  }
  if (slowest != answer.slowestNs)
    return "the slowest rank takes " + std::to_string(slowest) + " ns, not " + std::to_string(answer.slowestNs);
  return std::nullopt;
}

Fault plc::planner::fixPartition(const PartitionProblem &problem, const std::vector<int64_t> &counts,
                                 Partition &answer) {
  if (Fault fault = problem.check())
    return fault;
  if (int64_t(counts.size()) != problem.stages)
    return "has " + std::to_string(counts.size()) + " counts but " + std::to_string(problem.stages) + " stages";
  answer = {};
  for (size_t stage = 0; stage < counts.size(); ++stage) {
    if (counts[stage] <= 0)
      return "stage " + std::to_string(stage) + " has " + std::to_string(counts[stage]) + " parts";
    answer.stageOf.insert(answer.stageOf.end(), counts[stage], stage);
    if (answer.stageOf.size() > problem.parts.size())
      break;
  }
  int64_t sum = std::accumulate(counts.begin(), counts.end(), int64_t(0));
  if (sum != int64_t(problem.parts.size()))
    return "stages have " + std::to_string(sum) + " parts but there are " + std::to_string(problem.parts.size());
  for (const PartitionProblem::Load &load : problem.sumByRank(problem.loadsOf(answer.stageOf)))
    answer.slowestNs = std::max(answer.slowestNs, load.ns);
  answer.exact = answer.slowestNs == quickBound(problem);
  return problem.verify(answer);
}
