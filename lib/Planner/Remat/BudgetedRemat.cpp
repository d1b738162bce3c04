//===- BudgetedRemat.cpp - live bytes of recomputation under a budget ---------===//
#include "plc/Planner/Remat/BudgetedRemat.h"
#include "plc/Planner/Base/Format.h"
#include "plc/Planner/Cuts/Partition.h"

#include "Base/Total.h"

#include <algorithm>
#include <span>

using namespace plc::planner;

namespace {

// All runs in execution order, originals and clones, and the values whose last read is at each run.
struct Timeline {
  std::vector<int64_t> runs;
  std::vector<int64_t> places; // by run: its call, or for a clone the call that it stands before

  /// The values that no later run reads before they are made again.
  std::span<const int64_t> dying(int64_t run) const {
    return std::span(dead).subspan(begin[run + 1], begin[run] - begin[run + 1]);
  }

  std::vector<int64_t> dead, begin; // values from the last run on; the first index of each run in `dead`
};

Timeline timelineOf(const BudgetedRematProblem &problem, const BudgetedRemat &answer) {
  Timeline line;
  auto clone = answer.clones.begin();
  for (int64_t call = 0; call < int64_t(problem.calls.size()); ++call) {
    for (; clone != answer.clones.end() && clone->before == call; ++clone) {
      line.runs.push_back(clone->call);
      line.places.push_back(call);
    }
    line.runs.push_back(call);
    line.places.push_back(call);
  }
  // Backwards in time: a value that no later run awaits dies at the run that reads or makes it.
  std::vector<int64_t> maker = problem.makers();
  std::vector<bool> awaited(problem.bytes.size());
  line.begin.resize(line.runs.size() + 1);
  for (size_t run = line.runs.size(); run-- > 0;) {
    line.begin[run + 1] = line.dead.size();
    const BudgetedRematProblem::Call &call = problem.calls[line.runs[run]];
    // Results first, as the walk runs backwards: before its maker a value is not awaited.
    for (int64_t value : call.results) {
      if (!awaited[value])
        line.dead.push_back(value);
      awaited[value] = false;
    }
    for (int64_t value : call.args)
      // Values given from outside are part of the persistent bytes.
      if (maker[value] >= 0 && !awaited[value]) {
        line.dead.push_back(value);
        awaited[value] = true;
      }
  }
  line.begin[0] = line.dead.size();
  return line;
}

bool contains(std::span<const int64_t> values, int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// The live bytes while a run computes; `now` becomes the live bytes after it.
int64_t execute(const BudgetedRematProblem &problem, const BudgetedRematProblem::Call &call,
                std::span<const int64_t> dying, int64_t &now) {
  int64_t most = 0;
  for (int64_t value : call.results)
    now += problem.bytes[value];
  most = now + call.scratchBytes;
  // In place, the result may take over the bytes of an operand that dies here, up to the smaller of the two.
  for (auto [operand, result] : call.inPlace)
    most -= contains(dying, operand) ? std::min(problem.bytes[operand], problem.bytes[result]) : 0;
  for (int64_t value : dying)
    now -= problem.bytes[value];
  return most;
}

} // namespace

Status BudgetedRematProblem::check() const {
  int64_t count = bytes.size();
  for (int64_t value = 0; value < count; ++value)
    if (bytes[value] < 0)
      return numbered("value ", value) + " has " + std::to_string(bytes[value]) + " bytes";
  if (inFlight < 1 || persistentBytes < 0 || budgetBytes < 0)
    return "has " + std::to_string(inFlight) + " micro-batches in flight, " + std::to_string(persistentBytes) +
           " persistent bytes and a budget of " + std::to_string(budgetBytes);
  Total total, times;
  total.add(persistentBytes);
  for (int64_t each : bytes)
    total.add(each, inFlight);
  std::vector<int64_t> maker = makers(), madeBy(count, -1);
  TaskKind kind = TaskKind::F;
  for (int64_t call = 0; call < int64_t(calls.size()); ++call) {
    const Call &each = calls[call];
    // Calls come in the order F, B, W; clones are placed by it.
    if (each.kind < kind)
      return numbered("call ", call) + " stands behind a later task's";
    kind = each.kind;
    if (each.ns < 0 || each.scratchBytes < 0)
      return numbered("call ", call) + " takes " + std::to_string(each.ns) + " ns and " +
             std::to_string(each.scratchBytes) + " bytes";
    // A bound on what an answer may add up: each call may run again before every later call.
    total.add(each.scratchBytes);
    times.add(each.ns, int64_t(calls.size()) + 1);
    for (int64_t value : each.args)
      if (value < 0 || value >= count || (maker[value] >= 0 && madeBy[value] < 0))
        return numbered("call ", call) + " reads " + numbered("value ", value) + ", which is not made before it";
    for (int64_t value : each.results) {
      if (value < 0 || value >= count || madeBy[value] >= 0)
        return numbered("call ", call) + " makes " + numbered("value ", value) + ", which has another maker";
      madeBy[value] = call;
    }
    for (auto [operand, result] : each.inPlace)
      if (!contains(each.args, operand) || !contains(each.results, result))
        return numbered("call ", call) + " has " + numbered("value ", result) + " take the place of " +
               numbered("value ", operand) + ", but does not make the one and read the other";
  }
  if (Status fault = total.check("persistent bytes, scratch and values of all micro-batches in flight"))
    return fault;
  return times.check("times of calls and of all that may run again");
}

// Checks order and permission of every clone, then the peak. Operands need no check: a read extends their lifetime.
Status BudgetedRematProblem::verify(const BudgetedRemat &answer) const {
  int64_t before = 0;
  for (const BudgetedRemat::Clone &clone : answer.clones) {
    if (clone.call < 0 || clone.before >= int64_t(calls.size()) || clone.call >= clone.before)
      return "a clone of " + numbered("call ", clone.call) + " runs before " + numbered("call ", clone.before) +
             ", which does not stand behind it";
    if (clone.before < firstClone)
      return "a clone runs before " + numbered("call ", clone.before) + " but the first may before " +
             numbered("call ", firstClone);
    if (clone.before < before)
      return "a clone before " + numbered("call ", clone.before) + " stands behind one before " +
             numbered("call ", before);
    if (!calls[clone.call].repeatable)
      return numbered("call ", clone.call) + " may not run again";
    before = clone.before;
  }
  Peak peak = peakOf(answer);
  return peak.bytes > budgetBytes ? Status(doesNotFit(peak)) : std::nullopt;
}

// The peak of one micro-batch, and the bytes that it holds while others compute: `held`, the most at the begin of B or
// W.
static BudgetedRematProblem::Peak execute(const BudgetedRematProblem &problem, const BudgetedRemat &answer,
                                          int64_t &held) {
  Timeline line = timelineOf(problem, answer);
  int64_t now = 0, backward = problem.firstBackward(), awaited = problem.firstAwaitedW();
  held = 0;
  BudgetedRematProblem::Peak peak;
  for (size_t run = 0; run < line.runs.size(); ++run) {
    // Other micro-batches wait at the first run of B, and of W if it is split.
    for (int64_t begin : {backward, awaited})
      if (line.places[run] == begin && (run == 0 || line.places[run - 1] < begin))
        held = std::max(held, now);
    int64_t most = execute(problem, problem.calls[line.runs[run]], line.dying(run), now);
    // At equal bytes the earliest run is named, so reports do not depend on later calls.
    if (peak.call < 0 || most > peak.bytes)
      peak = {most, line.places[run]};
  }
  return peak;
}

BudgetedRematProblem::Peak BudgetedRematProblem::peakOf(const BudgetedRemat &answer) const {
  int64_t held = 0;
  Peak peak = execute(*this, answer, held);
  // All other micro-batches in flight may hold their most at the peak of this one.
  peak.bytes += persistentBytes + (inFlight - 1) * held;
  return peak;
}

int64_t BudgetedRematProblem::heldBytes(const BudgetedRemat &answer) const {
  int64_t held = 0;
  execute(*this, answer, held);
  return held;
}

PackProblem BudgetedRematProblem::blocksOf(const BudgetedRemat &answer) const {
  Timeline line = timelineOf(*this, answer);
  PackProblem pack;
  pack.alignment = 1;
  std::vector<int64_t> block(bytes.size(), -1); // of the last run
  for (int64_t run = 0; run < int64_t(line.runs.size()); ++run) {
    for (int64_t value : calls[line.runs[run]].results) {
      block[value] = pack.blocks.size();
      // Each run of a maker is a block of its own: a recomputed value may lie at another offset.
      pack.blocks.push_back({bytes[value], run, run + 1});
    }
    for (int64_t value : line.dying(run))
      pack.blocks[block[value]].end = run + 1;
  }
  return pack;
}

int64_t BudgetedRematProblem::addedNs(const BudgetedRemat &answer) const {
  int64_t ns = 0;
  for (const BudgetedRemat::Clone &clone : answer.clones)
    ns += calls[clone.call].ns;
  return ns;
}

int64_t BudgetedRematProblem::baseNs() const {
  int64_t ns = 0;
  for (const Call &call : calls)
    ns += call.ns;
  return ns;
}

int64_t BudgetedRematProblem::firstBackward() const {
  auto isForward = [](const Call &call) { return call.kind == TaskKind::F; };
  return std::find_if_not(calls.begin(), calls.end(), isForward) - calls.begin();
}

int64_t BudgetedRematProblem::firstAwaitedW() const {
  auto isW = [&](const Call &call) { return splitsBackward && call.kind == TaskKind::W; };
  return std::find_if(calls.begin(), calls.end(), isW) - calls.begin();
}

std::vector<int64_t> BudgetedRematProblem::makers() const {
  std::vector<int64_t> maker(bytes.size(), -1);
  for (size_t call = 0; call < calls.size(); ++call)
    for (int64_t value : calls[call].results)
      if (value >= 0 && value < int64_t(bytes.size()))
        maker[value] = call;
  return maker;
}

// A lower bound on the peak of every answer: at each call its operands, results and scratch are live, and so are values
// that cannot be recomputed. Recomputation at best drops everything else.
BudgetedRematProblem::Peak BudgetedRematProblem::workingSet() const {
  std::vector<int64_t> maker = makers(), last = maker;
  for (size_t index = 0; index < calls.size(); ++index)
    for (int64_t value : calls[index].args)
      last[value] = index;
  // Results that cannot be recomputed live from their maker to their last read: the change of their bytes at each call.
  std::vector<int64_t> change(calls.size() + 1);
  auto isOnce = [&](int64_t value) { return maker[value] >= 0 && !calls[maker[value]].repeatable; };
  for (size_t value = 0; value < bytes.size(); ++value)
    if (isOnce(value)) {
      change[maker[value]] += bytes[value];
      change[last[value] + 1] -= bytes[value];
    }
  Peak most{persistentBytes, -1};
  int64_t once = 0;
  for (size_t index = 0; index < calls.size(); ++index) {
    const Call &call = calls[index];
    once += change[index];
    int64_t now = persistentBytes + call.scratchBytes + once;
    for (int64_t value : call.results)
      now += isOnce(value) ? 0 : bytes[value];
    // An operand that occurs twice lies in memory once.
    std::vector<int64_t> args = call.args;
    std::sort(args.begin(), args.end());
    args.erase(std::unique(args.begin(), args.end()), args.end());
    for (int64_t value : args)
      now += maker[value] < 0 || isOnce(value) ? 0 : bytes[value];
    // For a bound, every operand that may be taken over is.
    for (auto [operand, result] : call.inPlace)
      now -= maker[operand] < 0 ? 0 : std::min(bytes[operand], bytes[result]);
    if (most.call < 0 || now > most.bytes)
      most = {now, int64_t(index)};
  }
  return most;
}

Reason BudgetedRematProblem::doesNotFit(const Peak &peak) const {
  std::string at = peak.call < 0 ? "the persistent buffers" : calls[peak.call].name;
  if (at.empty())
    at = numbered("call ", peak.call);
  return noPlanFits("in this order with these kernels, " + at + " needs " + formatBytes(peak.bytes) + ", budget " +
                    formatBytes(budgetBytes) + formatShortfall(peak.bytes, budgetBytes));
}
