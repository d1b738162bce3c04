//===- Remat.cpp - recomputation by segments, and its bounds --------------===//
#include "plc/Planner/Remat/Remat.h"
#include "plc/Planner/Base/Format.h"
#include "plc/Planner/Cuts/Partition.h"

#include "Base/Total.h"

#include <algorithm>
#include <cmath>

using namespace plc::planner;

namespace {

// By value: a call of its stage but outside its maker's segment reads it.
std::vector<bool> crossing(const RematProblem &problem) {
  std::vector<bool> crosses(problem.values.size());
  for (const auto &call : problem.calls)
    for (int64_t value : call.args)
      if (!problem.isGiven(value, call.stage))
        crosses[value] = crosses[value] || problem.calls[problem.values[value].maker].segment != call.segment;
  return crosses;
}

} // namespace

Status RematProblem::check() const {
  int64_t count = values.size();
  std::vector<bool> made(count);
  Total bytes, ns;
  for (int64_t value = 0; value < count; ++value) {
    // A value without a maker is given from outside, so it is there before the first call.
    made[value] = values[value].maker < 0;
    if (values[value].bytes < 0)
      return numbered("value ", value) + " has " + std::to_string(values[value].bytes) + " bytes";
    bytes.add(values[value].bytes);
  }
  // One pass in order proves that every operand is made before it is read, and by one maker.
  for (size_t call = 0; call < calls.size(); ++call) {
    if (calls[call].layer >= mostLayers)
      return numbered("call ", call) + " is of " + numbered("layer ", calls[call].layer) + ", at most " +
             std::to_string(mostLayers - 1);
    if (calls[call].ns < 0)
      return numbered("call ", call) + " takes " + std::to_string(calls[call].ns) + " ns";
    ns.add(calls[call].ns);
    for (int64_t value : calls[call].args)
      if (value < 0 || value >= count || !made[value])
        return numbered("call ", call) + " reads " + numbered("value ", value) + ", which is not made before it";
    for (int64_t value : calls[call].results) {
      if (value < 0 || value >= count || values[value].maker != int64_t(call) || made[value])
        return numbered("call ", call) + " makes " + numbered("value ", value) + ", which has another maker";
      made[value] = true;
    }
  }
  for (const BackwardCall &call : backward)
    for (int64_t value : call.args)
      if (value < 0 || value >= count || !made[value])
        return "backward reads " + numbered("value ", value) + ", which nothing makes";
  if (Status fault = bytes.check("bytes of values"))
    return fault;
  return ns.check("times of calls");
}

Status RematProblem::verify(const Remat &answer) const {
  if (answer.kept.size() != values.size() || answer.cloned.size() != calls.size())
    return "is about " + std::to_string(answer.kept.size()) + " values and " + std::to_string(answer.cloned.size()) +
           " calls of " + std::to_string(values.size()) + " and " + std::to_string(calls.size());
  // A reader finds a value that is given, saved, or made again by a clone of its maker.
  auto isThere = [&](int64_t value, int64_t stage) {
    return isGiven(value, stage) || answer.kept[value] || answer.cloned[values[value].maker];
  };
  for (const BackwardCall &call : backward)
    for (int64_t value : call.args)
      if (!isThere(value, call.stage))
        return "backward reads " + numbered("value ", value) + ", which is neither kept nor computed again";
  for (size_t call = 0; call < calls.size(); ++call) {
    if (!answer.cloned[call])
      continue;
    if (calls[call].segment < 0)
      return numbered("call ", call) + " is computed again but has no segment";
    for (int64_t value : calls[call].args)
      if (!isThere(value, calls[call].stage))
        return "the clone of " + numbered("call ", call) + " reads " + numbered("value ", value) +
               ", which is neither kept nor computed again";
  }
  // The limit comes last: only a consistent answer has a peak.
  if (int64_t peak = limitBytes ? peakBytes(answer) : 0; peak > limitBytes)
    return noPlanFits("the backward pass holds " + formatBytes(peak) + ", limit " + formatBytes(limitBytes) +
                      formatShortfall(peak, limitBytes));
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

int64_t RematProblem::peakBytes(const Remat &answer) const {
  // The order of clones (as -1 - call) and backward calls: each clone just before the first call that needs it.
  std::vector<int64_t> order;
  std::vector<bool> done(calls.size());
  auto cloneFor = [&](auto &self, const std::vector<int64_t> &args, int64_t stage) -> void {
    for (int64_t value : args) {
      int64_t maker = values[value].maker;
      if (isGiven(value, stage) || answer.kept[value] || !answer.cloned[maker] || done[maker])
        continue;
      // Operands of the clone first, since they may be clones themselves.
      done[maker] = true;
      self(self, calls[maker].args, calls[maker].stage);
      order.push_back(-1 - maker);
    }
  };
  for (size_t call = 0; call < backward.size(); ++call) {
    cloneFor(cloneFor, backward[call].args, backward[call].stage);
    order.push_back(call);
  }
  // Visits what an item reads of the values counted here: saved or recomputed ones, but no outputs.
  auto visitReads = [&](int64_t item, auto visit) {
    const std::vector<int64_t> &args = item < 0 ? calls[-1 - item].args : backward[item].args;
    int64_t stage = item < 0 ? calls[-1 - item].stage : backward[item].stage;
    for (int64_t value : args)
      if (!isGiven(value, stage) && !values[value].pinned)
        visit(value);
  };
  std::vector<int64_t> lastRead(values.size(), -1);
  for (size_t time = 0; time < order.size(); ++time)
    visitReads(order[time], [&](int64_t value) { lastRead[value] = time; });
  // A sweep over time. All saved values are live at the start of the backward pass.
  int64_t now = keptBytes(answer), peak = now;
  for (size_t time = 0; time < order.size(); ++time) {
    if (order[time] < 0)
      for (int64_t value : calls[-1 - order[time]].results)
        // A clone's result that nothing reads again is freed at once, and one that is saved is counted already.
        now += lastRead[value] >= 0 && !answer.kept[value] ? values[value].bytes : 0;
    peak = std::max(peak, now);
    visitReads(order[time], [&](int64_t value) {
      if (lastRead[value] != int64_t(time))
        return;
      now -= values[value].bytes;
      lastRead[value] = -1; // an operand that occurs twice is freed once
    });
  }
  return peak;
}

int64_t RematProblem::recomputeNs(const Remat &answer) const {
  int64_t ns = 0;
  for (size_t call = 0; call < calls.size(); ++call)
    ns += answer.cloned[call] ? calls[call].ns : 0;
  return ns;
}

// By value: a forward call of the same stage makes it, it is no output, and a backward call reads it.
std::vector<bool> RematProblem::readByBackward() const {
  std::vector<bool> read(values.size());
  for (const BackwardCall &call : backward)
    for (int64_t value : call.args)
      if (!isGiven(value, call.stage) && !values[value].pinned)
        read[value] = true;
  return read;
}

int64_t RematProblem::boundKeptBytes() const {
  std::vector<bool> read = readByBackward();
  int64_t bytes = 0;
  for (size_t value = 0; value < values.size(); ++value)
    // Whatever is recomputed: a value that B or W reads, whose maker may not be cloned, is saved.
    bytes += read[value] && !calls[values[value].maker].selected ? values[value].bytes : 0;
  return bytes;
}

// Relaxes to single clones: a clone frees its results that the backward pass reads, and needs no operands. So no answer
// with as few saved bytes takes less time.
int64_t RematProblem::boundRecomputeNs(int64_t keptBytes) const {
  std::vector<bool> read = readByBackward();
  std::vector<int64_t> freed(calls.size()); // by a clone of each call
  int64_t excess = -keptBytes;
  for (size_t value = 0; value < values.size(); ++value) {
    excess += read[value] ? values[value].bytes : 0;
    if (read[value] && calls[values[value].maker].selected)
      freed[values[value].maker] += values[value].bytes;
  }
  std::vector<int64_t> order;
  for (size_t call = 0; call < calls.size(); ++call)
    if (freed[call])
      order.push_back(call);
  // The fractional knapsack: cheapest time per byte first, the last one in part.
  auto perByte = [&](int64_t call) { return static_cast<long double>(calls[call].ns) / freed[call]; };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return perByte(a) < perByte(b); });
  int64_t ns = 0;
  for (int64_t call : order) {
    if (excess <= 0)
      break;
    ns += excess >= freed[call] ? calls[call].ns : int64_t(std::floor(perByte(call) * excess));
    excess -= freed[call];
  }
  return ns;
}

Remat plc::planner::recompute(const RematProblem &problem) {
  // Nothing is saved or cloned until a backward call needs it.
  Remat answer{std::vector<bool>(problem.values.size()), std::vector<bool>(problem.calls.size())};
  std::vector<bool> crosses = crossing(problem);
  std::vector<int64_t> needed; // values of the stage that needs them
  auto need = [&](const std::vector<int64_t> &args, int64_t stage) {
    std::copy_if(args.begin(), args.end(), std::back_inserter(needed),
                 [&](int64_t value) { return !problem.isGiven(value, stage); });
  };
  for (const auto &call : problem.backward)
    need(call.args, call.stage);
  // The closure: a needed value is saved, or its maker is cloned, which needs its operands.
  while (!needed.empty()) {
    const RematProblem::Value &value = problem.values[needed.back()];
    const RematProblem::Call &maker = problem.calls[value.maker];
    // Saved: calls outside segments, values that another segment reads, outputs, and values that a policy keeps.
    if (maker.segment < 0 || crosses[needed.back()] || value.pinned || value.keep) {
      answer.kept[needed.back()] = true;
      needed.pop_back();
      continue;
    }
    needed.pop_back();
    if (!answer.cloned[value.maker]) { // one clone serves all its readers
      answer.cloned[value.maker] = true;
      need(maker.args, maker.stage);
    }
  }
  return answer;
}
