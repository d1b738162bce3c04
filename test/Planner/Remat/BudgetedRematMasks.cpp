//===- BudgetedRematMasks.cpp - sets of live values as bits ---------------------===//
#include "BudgetedRematMasks.h"

#include <algorithm>

using namespace plc::planner;

BudgetedRematMasks::BudgetedRematMasks(const BudgetedRematProblem &problem) : problem(problem) {
  numberValues();
  if (isTooLarge())
    return;
  setMasks();
  setFree();
}

void BudgetedRematMasks::numberValues() {
  std::vector<int64_t> makers = problem.makers();
  isFixed.resize(makers.size());
  numbers.assign(makers.size(), -1);
  for (size_t value = 0; value < makers.size(); ++value)
    isFixed[value] = makers[value] >= 0 && !problem.calls[makers[value]].repeatable;
  for (const BudgetedRematProblem::Call &call : problem.calls)
    for (int64_t value : call.args)
      isFixed[value] = isFixed[value] && !call.repeatable;
  for (size_t value = 0; value < makers.size(); ++value)
    if (makers[value] >= 0 && !isFixed[value]) {
      numbers[value] = values.size();
      values.push_back(value);
      bytes.push_back(problem.bytes[value]);
      maker.push_back(makers[value]);
    }
}

Live BudgetedRematMasks::maskOf(const std::vector<int64_t> &list) const {
  Live mask = 0;
  for (int64_t value : list)
    mask |= numbers[value] >= 0 ? Live(1) << numbers[value] : 0;
  return mask;
}

void BudgetedRematMasks::setMasks() {
  size_t count = problem.calls.size();
  for (size_t call = 0; call < count; ++call) {
    calls.push_back({maskOf(problem.calls[call].args), maskOf(problem.calls[call].results)});
    if (problem.calls[call].repeatable && calls[call].results)
      repeatable.push_back(call);
  }
  read.assign(count + 1, 0);
  made.assign(count + 1, 0);
  for (size_t call = count; call-- > 0;)
    read[call] = read[call + 1] | calls[call].args;
  for (size_t call = 0; call < count; ++call)
    made[call + 1] = made[call] | calls[call].results;
  needed = read;
  for (Live &mask : needed)
    for (size_t call = repeatable.size(); call-- > 0;)
      mask |= mask & calls[repeatable[call]].results ? calls[repeatable[call]].args : 0;
}

void BudgetedRematMasks::setFree() {
  std::vector<int64_t> makers = problem.makers(), dies = makers;
  for (size_t call = 0; call < calls.size(); ++call)
    for (int64_t value : problem.calls[call].args)
      dies[value] = call;
  std::vector<int64_t> begins(calls.size()), ends(calls.size()); // bytes of fixed lifetimes, by call
  for (size_t value = 0; value < isFixed.size(); ++value)
    if (isFixed[value]) {
      begins[makers[value]] += problem.bytes[value];
      ends[dies[value]] += problem.bytes[value];
    }
  int64_t free = problem.budgetBytes - problem.persistentBytes;
  for (size_t call = 0; call < calls.size(); ++call) {
    calls[call].freeClone = free;
    free -= begins[call];
    calls[call].freeOwn = free;
    free += ends[call];
    for (auto [operand, result] : problem.calls[call].inPlace)
      if (isFixed[operand] && dies[operand] == int64_t(call))
        calls[call].freeOwn += std::min(problem.bytes[operand], problem.bytes[result]);
  }
}

int64_t BudgetedRematMasks::savedBytes(int64_t call, Live gone) const {
  int64_t saved = 0;
  for (auto [operand, result] : problem.calls[call].inPlace)
    if (int64_t number = numbers[operand]; number >= 0 && (gone >> number & 1))
      saved += std::min(problem.bytes[operand], problem.bytes[result]);
  return saved;
}
