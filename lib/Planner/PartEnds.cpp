//===- PartEnds.cpp - what a stage of some parts takes --------------------===//
#include "PartEnds.h"

#include <algorithm>

using namespace plc::planner;

PartEnds::PartEnds(const PartitionProblem &problem)
    : produced(problem.parts.size()), consumed(problem.parts.size()), used(problem.parts.size()) {
  auto addOnce = [](std::vector<int64_t> &list, int64_t item) {
    if (list.empty() || list.back() != item)
      list.push_back(item);
  };
  for (size_t tensor = 0; tensor < problem.tensors.size(); ++tensor) {
    produced[problem.tensors[tensor].producer].push_back(tensor);
    for (int64_t part : problem.tensors[tensor].consumers)
      addOnce(consumed[part], tensor);
  }
  for (size_t resident = 0; resident < problem.residents.size(); ++resident)
    for (int64_t part : problem.residents[resident].users)
      addOnce(used[part], resident);
}

PartSegment::PartSegment(const PartitionProblem &problem)
    : problem(problem), ends(problem), readers(problem.tensors.size()), users(problem.residents.size()),
      made(problem.tensors.size()) {}

void PartSegment::start(std::vector<bool> others) { before = std::move(others); }

void PartSegment::receive(int64_t tensor, int64_t sign) {
  receiveNs += sign * problem.tensors[tensor].ns;
  keptBytes += sign * problem.tensors[tensor].bytes;
}

int64_t PartSegment::bytesOf(int64_t resident) const {
  const auto &info = problem.residents[resident];
  bool owned = std::none_of(info.users.begin(), info.users.end(), [&](int64_t part) { return before[part]; });
  return owned ? info.ownerBytes : info.copyBytes;
}

void PartSegment::add(int64_t part) {
  workNs += problem.parts[part].ns;
  keptBytes += problem.parts[part].keptBytes;
  for (int64_t tensor : ends.produced[part]) {
    if (readers[tensor])
      receive(tensor, -1);
    made[tensor] = true;
  }
  for (int64_t tensor : ends.consumed[part])
    if (readers[tensor]++ == 0 && !made[tensor])
      receive(tensor, 1);
  for (int64_t resident : ends.used[part])
    if (users[resident]++ == 0)
      onceBytes += bytesOf(resident);
}

void PartSegment::remove(int64_t part) {
  for (int64_t resident : ends.used[part])
    if (--users[resident] == 0)
      onceBytes -= bytesOf(resident);
  for (int64_t tensor : ends.consumed[part])
    if (--readers[tensor] == 0 && !made[tensor])
      receive(tensor, -1);
  for (int64_t tensor : ends.produced[part]) {
    made[tensor] = false;
    if (readers[tensor])
      receive(tensor, 1);
  }
  keptBytes -= problem.parts[part].keptBytes;
  workNs -= problem.parts[part].ns;
}
