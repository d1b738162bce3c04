//===- KnownCuts.cpp - cuts that were found before ------------------------===//
#include "plc/Planner/KnownCuts.h"

using namespace plc::planner;

KnownCuts::Key KnownCuts::describe(const PartitionProblem &problem, bool hasLimit) {
  Key key;
  auto add = [&](auto... numbers) { (key.push_back(int64_t(numbers)), ...); };
  auto addAll = [&](const std::vector<int64_t> &numbers) {
    add(numbers.size());
    key.insert(key.end(), numbers.begin(), numbers.end());
  };
  add(hasLimit, problem.stages, problem.isChain, problem.parts.size());
  for (const PartitionProblem::Part &part : problem.parts)
    add(part.ns);
  add(problem.tensors.size());
  for (const PartitionProblem::Tensor &tensor : problem.tensors) {
    add(tensor.producer, tensor.ns, tensor.forward);
    addAll(tensor.consumers);
  }
  addAll(problem.place);
  addAll(problem.speed);
  if (!hasLimit)
    return key;
  add(problem.limitBytes);
  addAll(problem.inFlight);
  for (const PartitionProblem::Part &part : problem.parts)
    add(part.keptBytes, part.scratchBytes);
  for (const PartitionProblem::Tensor &tensor : problem.tensors)
    add(tensor.bytes);
  add(problem.residents.size());
  for (const PartitionProblem::Resident &resident : problem.residents) {
    add(resident.ownerBytes, resident.copyBytes);
    addAll(resident.users);
  }
  return key;
}

Fault KnownCuts::solve(const PartitionProblem &problem, Partition &answer) {
  if (Fault fault = problem.check())
    return fault;
  auto [it, isNew] = cuts.try_emplace(describe(problem, problem.limitBytes != 0));
  if (isNew)
    (void)solvePartition(problem, it->second); // fails where its answer does
  answer = it->second;
  return problem.verify(answer);
}

int64_t KnownCuts::bound(const PartitionProblem &problem) {
  auto [it, isNew] = bounds.try_emplace(describe(problem, /*hasLimit=*/false));
  if (isNew)
    it->second = problem.bound();
  return it->second;
}
