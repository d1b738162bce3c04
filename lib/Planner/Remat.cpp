//===- Remat.cpp - the closure of what backward reads ---------------------===//
#include "plc/Planner/Remat.h"

#include <algorithm>

using namespace plc::planner;

namespace {

// Values that a call outside their maker's segment reads.
std::vector<bool> crossing(const RematProblem &problem) {
  std::vector<bool> crosses(problem.values.size());
  for (const auto &call : problem.calls)
    for (int64_t value : call.args)
      if (int64_t maker = problem.values[value].maker; maker >= 0)
        crosses[value] = crosses[value] || problem.calls[maker].segment != call.segment;
  return crosses;
}

std::string name(const char *what, int64_t number) { return what + std::to_string(number); }

} // namespace

Fault RematProblem::check() const {
  int64_t count = values.size();
  std::vector<bool> made(count);
  for (int64_t value = 0; value < count; ++value)
    made[value] = values[value].maker < 0;
  for (size_t call = 0; call < calls.size(); ++call) {
    for (int64_t value : calls[call].args)
      if (value < 0 || value >= count || !made[value])
        return name("call ", call) + " reads " + name("value ", value) + ", which is not made before it";
    for (int64_t value : calls[call].results) {
      if (value < 0 || value >= count || values[value].maker != int64_t(call) || made[value])
        return name("call ", call) + " makes " + name("value ", value) + ", which has another maker";
      made[value] = true;
    }
  }
  for (int64_t value : reads)
    if (value < 0 || value >= count || !made[value])
      return "backward reads " + name("value ", value) + ", which nothing makes";
  return std::nullopt;
}

Fault RematProblem::verify(const Remat &answer) const {
  if (answer.kept.size() != values.size() || answer.cloned.size() != calls.size())
    return "is about " + std::to_string(answer.kept.size()) + " values and " + std::to_string(answer.cloned.size()) +
           " calls of " + std::to_string(values.size()) + " and " + std::to_string(calls.size());
  auto isThere = [&](int64_t value) {
    return values[value].maker < 0 || answer.kept[value] || answer.cloned[values[value].maker];
  };
  for (int64_t value : reads)
    if (!isThere(value))
      return "backward reads " + name("value ", value) + ", which is neither kept nor computed again";
  for (size_t call = 0; call < calls.size(); ++call) {
    if (!answer.cloned[call])
      continue;
    if (calls[call].segment < 0)
      return name("call ", call) + " is computed again but has no segment";
    for (int64_t value : calls[call].args)
      if (!isThere(value))
        return "the clone of " + name("call ", call) + " reads " + name("value ", value) +
               ", which is neither kept nor computed again";
  }
  return std::nullopt;
}

int64_t RematProblem::numLayers() const {
  int64_t layers = 0;
  for (const Call &call : calls)
    layers = std::max(layers, call.layer + 1);
  return layers;
}

int64_t RematProblem::keptBytes(const Remat &answer) const {
  int64_t bytes = 0;
  for (size_t value = 0; value < values.size(); ++value)
    bytes += answer.kept[value] && !values[value].pinned ? values[value].bytes : 0;
  return bytes;
}

Remat plc::planner::recompute(const RematProblem &problem) {
  Remat answer{std::vector<bool>(problem.values.size()), std::vector<bool>(problem.calls.size())};
  std::vector<bool> crosses = crossing(problem);
  std::vector<int64_t> needed = problem.reads;
  while (!needed.empty()) {
    int64_t value = needed.back(), maker = problem.values[value].maker;
    needed.pop_back();
    if (maker < 0)
      continue;
    if (problem.calls[maker].segment < 0 || crosses[value] || problem.values[value].pinned) {
      answer.kept[value] = true;
    } else if (!answer.cloned[maker]) {
      answer.cloned[maker] = true;
      needed.insert(needed.end(), problem.calls[maker].args.begin(), problem.calls[maker].args.end());
    }
  }
  return answer;
}
