//===- Partition.cpp - the problem of cutting a chain ---------------------===//
#include "plc/Planner/Partition.h"

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

} // namespace

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

int64_t PartitionProblem::bytesOf(int64_t begin, int64_t end, int64_t flying) const {
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
  return once + flying * kept + scratch;
}

Fault PartitionProblem::check() const {
  int64_t count = parts.size();
  if (stages <= 0)
    return "has " + std::to_string(stages) + " stages";
  if (stages > count)
    return "no plan fits: " + std::to_string(stages) + " stages but only " + std::to_string(count) + " parts to cut";
  if (int64_t(inFlight.size()) != stages)
    return "has " + std::to_string(inFlight.size()) + " in-flight counts but " + std::to_string(stages) + " stages";
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
  int64_t begin = 0, slowest = 0;
  for (int64_t stage = 0; stage < stages; ++stage) {
    int64_t end = begin + answer.counts[stage];
    slowest = std::max(slowest, timeOf(begin, end));
    int64_t bytes = bytesOf(begin, end, inFlight[stage]);
    if (limitBytes && bytes > limitBytes) {
      auto alone = [&](int64_t part) { return bytesOf(part, part + 1, inFlight[stage]); };
      int64_t largest = begin;
      for (int64_t part = begin; part < end; ++part)
        if (alone(part) > alone(largest))
          largest = part;
      return "no plan fits: stage " + std::to_string(stage) + " needs " + formatBytes(bytes) + ", limit " +
             formatBytes(limitBytes) + ", largest part '" + parts[largest].name + "' " +
             formatBytes(alone(largest));
    }
    begin = end;
  }
  if (slowest != answer.slowestNs)
    return "the slowest stage takes " + std::to_string(slowest) + " ns, not " + std::to_string(answer.slowestNs);
  return std::nullopt;
}

int64_t PartitionProblem::bound() const {
  int64_t total = 0, largest = 0;
  for (const Part &part : parts) {
    total += part.ns;
    largest = std::max(largest, part.ns);
  }
  return std::max((total + stages - 1) / stages, largest);
}

Fault plc::planner::fixPartition(const PartitionProblem &problem, const std::vector<int64_t> &counts,
                                 Partition &answer) {
  if (Fault fault = problem.check())
    return fault;
  answer.counts = counts;
  answer.slowestNs = 0;
  int64_t begin = 0;
  for (int64_t count : counts) {
    if (count > 0 && begin + count <= int64_t(problem.parts.size()))
      answer.slowestNs = std::max(answer.slowestNs, problem.timeOf(begin, begin + count));
    begin += count;
  }
  return problem.verify(answer);
}
