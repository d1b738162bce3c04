//===- Partition.cpp - the problem of cutting a chain ---------------------===//
#include "plc/Planner/Partition.h"

#include "plc/Support/ExitCodes.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace plc::planner;

namespace {

bool within(int64_t part, int64_t begin, int64_t end) { return begin <= part && part < end; }

bool anyWithin(const std::vector<int64_t> &parts, int64_t begin, int64_t end) {
  return std::any_of(parts.begin(), parts.end(), [&](int64_t part) { return within(part, begin, end); });
}

bool received(const PartitionProblem::Tensor &tensor, int64_t begin, int64_t end) {
  return !within(tensor.producer, begin, end) && anyWithin(tensor.consumers, begin, end);
}

// Calls visit(stage, begin, end) for each stage of a cut.
template <typename Visit>
void forEachStage(const std::vector<int64_t> &counts, Visit visit) {
  int64_t begin = 0;
  for (size_t stage = 0; stage < counts.size(); begin += counts[stage++])
    visit(int64_t(stage), begin, begin + counts[stage]);
}

std::vector<PartitionProblem::Load> loadsOfRanks(const PartitionProblem &problem, const std::vector<int64_t> &counts) {
  std::vector<PartitionProblem::Load> loads(problem.numRanks());
  forEachStage(counts, [&](int64_t stage, int64_t begin, int64_t end) {
    auto &load = loads[problem.rankOf(stage)];
    load = load + problem.loadOf(stage, begin, end);
  });
  return loads;
}

// "stage 2", or "rank 0 (stages 0, 2)" if it has several.
std::string describeRank(const PartitionProblem &problem, const std::vector<int64_t> &counts, int64_t rank) {
  std::vector<std::string> stages;
  forEachStage(counts, [&](int64_t stage, int64_t, int64_t) {
    if (problem.rankOf(stage) == rank)
      stages.push_back(std::to_string(stage));
  });
  if (stages.size() == 1)
    return "stage " + stages[0];
  std::string list = stages[0];
  for (size_t i = 1; i < stages.size(); ++i)
    list += ", " + stages[i];
  return "rank " + std::to_string(rank) + " (stages " + list + ")";
}

// Of a rank's parts the one that alone needs most.
std::string largestPart(const PartitionProblem &problem, const std::vector<int64_t> &counts, int64_t rank) {
  int64_t largest = 0, most = -1;
  forEachStage(counts, [&](int64_t stage, int64_t begin, int64_t end) {
    for (int64_t part = begin; problem.rankOf(stage) == rank && part < end; ++part)
      if (int64_t alone = problem.bytesOf(part, part + 1, problem.inFlight[stage]); alone > most) {
        largest = part;
        most = alone;
      }
  });
  return ", largest part '" + problem.parts[largest].name + "' " + formatBytes(most);
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

int64_t PartitionProblem::timeOf(int64_t begin, int64_t end) const {
  int64_t ns = 0;
  for (int64_t part = begin; part < end; ++part)
    ns += parts[part].ns;
  for (const Tensor &tensor : tensors)
    if (received(tensor, begin, end))
      ns += tensor.ns;
  return ns;
}

int64_t PartitionProblem::bytesOf(int64_t begin, int64_t end, int64_t inFlight) const {
  int64_t once = 0, kept = 0, scratch = 0;
  for (int64_t part = begin; part < end; ++part) {
    kept += parts[part].keptBytes;
    scratch = std::max(scratch, parts[part].scratchBytes);
  }
  for (const Tensor &tensor : tensors)
    if (received(tensor, begin, end))
      kept += tensor.bytes;
  for (const Resident &resident : residents)
    if (anyWithin(resident.users, begin, end))
      once += within(resident.users.front(), begin, end) ? resident.ownerBytes : resident.copyBytes;
  return once + inFlight * kept + scratch;
}

PartitionProblem::Load PartitionProblem::Load::operator+(const Load &other) const {
  return {ns + other.ns, heldBytes + other.heldBytes, std::max(scratchBytes, other.scratchBytes)};
}

PartitionProblem::Load PartitionProblem::loadOf(int64_t stage, int64_t begin, int64_t end) const {
  int64_t scratch = 0;
  for (int64_t part = begin; part < end; ++part)
    scratch = std::max(scratch, parts[part].scratchBytes);
  return {timeOf(begin, end), bytesOf(begin, end, inFlight[stage]) - scratch, scratch};
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
  for (int64_t rank = 0; !place.empty() && rank < numRanks(); ++rank)
    if (std::find(place.begin(), place.end(), rank) == place.end() || place.front() < 0)
      return "place leaves out rank " + std::to_string(rank);
  for (const Part &part : parts)
    if (part.ns < 0 || part.keptBytes < 0 || part.scratchBytes < 0)
      return "part '" + part.name + "' has a negative cost";
  auto outside = [&](int64_t part) { return !within(part, 0, count); };
  for (const Tensor &tensor : tensors)
    if (outside(tensor.producer) || std::any_of(tensor.consumers.begin(), tensor.consumers.end(), outside))
      return "a tensor names a part beyond the " + std::to_string(count) + " there are";
  for (const Resident &resident : residents)
    if (resident.users.empty() || std::any_of(resident.users.begin(), resident.users.end(), outside))
      return "a resident has no user, or one beyond the " + std::to_string(count) + " there are";
  return std::nullopt;
}

Fault PartitionProblem::verify(const Partition &answer) const {
  if (int64_t(answer.counts.size()) != stages)
    return "has " + std::to_string(answer.counts.size()) + " counts but " + std::to_string(stages) + " stages";
  for (int64_t stage = 0; stage < stages; ++stage)
    if (answer.counts[stage] <= 0)
      return "stage " + std::to_string(stage) + " has " + std::to_string(answer.counts[stage]) + " parts";
  int64_t sum = std::accumulate(answer.counts.begin(), answer.counts.end(), int64_t(0));
  if (sum != int64_t(parts.size()))
    return "stages have " + std::to_string(sum) + " parts but there are " + std::to_string(parts.size());
  std::vector<Load> loads = loadsOfRanks(*this, answer.counts);
  int64_t slowest = 0;
  for (int64_t rank = 0; rank < numRanks(); ++rank) {
    slowest = std::max(slowest, loads[rank].ns);
    if (limitBytes && loads[rank].bytes() > limitBytes)
      return noPlanFits(describeRank(*this, answer.counts, rank) + " needs " + formatBytes(loads[rank].bytes()) +
                        ", limit " + formatBytes(limitBytes) + largestPart(*this, answer.counts, rank));
  }
  if (slowest != answer.slowestNs)
    return "the slowest rank takes " + std::to_string(slowest) + " ns, not " + std::to_string(answer.slowestNs);
  return std::nullopt;
}

int64_t PartitionProblem::bound() const {
  int64_t total = 0, largest = 0;
  for (const Part &part : parts) {
    total += part.ns;
    largest = std::max(largest, part.ns);
  }
  int64_t ranks = numRanks();
  return std::max((total + ranks - 1) / ranks, largest);
}

Fault plc::planner::fixPartition(const PartitionProblem &problem, const std::vector<int64_t> &counts,
                                 Partition &answer) {
  if (Fault fault = problem.check())
    return fault;
  answer.counts = counts;
  answer.slowestNs = 0;
  bool positive = std::all_of(counts.begin(), counts.end(), [](int64_t count) { return count > 0; });
  int64_t sum = std::accumulate(counts.begin(), counts.end(), int64_t(0));
  if (positive && int64_t(counts.size()) == problem.stages && sum == int64_t(problem.parts.size()))
    for (const PartitionProblem::Load &load : loadsOfRanks(problem, counts))
      answer.slowestNs = std::max(answer.slowestNs, load.ns);
  return problem.verify(answer);
}
