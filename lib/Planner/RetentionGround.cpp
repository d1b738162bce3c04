//===- RetentionGround.cpp - what no clone changes ------------------------===//
#include "RetentionGround.h"

#include <algorithm>

using namespace plc::planner;

RetentionGround::RetentionGround(const RetentionProblem &problem)
    : problem(problem), maker(problem.makers()), isFixed(problem.bytes.size()), fixedOwn(problem.calls.size()),
      fixedClone(problem.calls.size()) {
  for (size_t value = 0; value < isFixed.size(); ++value)
    isFixed[value] = maker[value] >= 0 && !problem.calls[maker[value]].repeatable;
  std::vector<int64_t> dies = maker;
  for (size_t call = 0; call < problem.calls.size(); ++call)
    for (int64_t value : problem.calls[call].args) {
      isFixed[value] = isFixed[value] && !problem.calls[call].repeatable;
      dies[value] = call;
    }
  std::vector<int64_t> begins(problem.calls.size() + 1), ends(begins); // bytes, by call
  for (size_t value = 0; value < isFixed.size(); ++value)
    if (isFixed[value]) {
      begins[maker[value]] += problem.bytes[value];
      ends[dies[value]] += problem.bytes[value];
    }
  int64_t now = 0;
  for (size_t call = 0; call < problem.calls.size(); ++call) {
    fixedClone[call] = now;
    now += begins[call];
    fixedOwn[call] = now;
    now -= ends[call];
    for (auto [operand, result] : problem.calls[call].inPlace)
      if (isFixed[operand] && dies[operand] == int64_t(call))
        fixedOwn[call] -= std::min(problem.bytes[operand], problem.bytes[result]);
  }
}

size_t RetentionGround::numLoose() const {
  size_t count = 0;
  for (size_t value = 0; value < isFixed.size(); ++value)
    count += maker[value] >= 0 && !isFixed[value];
  return count;
}

int64_t RetentionGround::heldBytes(const Retention &answer) const {
  if (problem.inFlight == 1)
    return 0;
  if (!held || held->first.clones != answer.clones)
    held = {answer, problem.heldBytes(answer)};
  return held->second;
}
