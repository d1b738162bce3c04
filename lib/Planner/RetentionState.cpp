//===- RetentionState.cpp - an answer that changes clone by clone ---------===//
#include "RetentionState.h"

#include <algorithm>

using namespace plc::planner;

RetentionState::RetentionState(const RetentionProblem &problem)
    : problem(problem), maker(problem.makers()), args(problem.calls.size()), events(problem.bytes.size()),
      clones(problem.calls.size()), before(problem.calls.size()), inside(problem.calls.size()),
      isStale(problem.calls.size()), isTouched(problem.calls.size()), backward(problem.firstBackward()),
      awaited(problem.firstAwaitedW()) {
  for (int64_t call = 0; call < numSlots(); ++call) {
    for (int64_t value : problem.calls[call].args)
      if (maker[value] >= 0 && std::find(args[call].begin(), args[call].end(), value) == args[call].end())
        args[call].push_back(value);
    for (int64_t value : args[call]) {
      live(value, slotOf(events[value].back()), call, 1);
      events[value].push_back(event(call, call, false));
    }
    for (int64_t value : problem.calls[call].results)
      events[value].push_back(event(call, call, true));
  }
  for (int64_t slot = 0; slot < numSlots(); ++slot)
    inside[slot] = play(slot);
}

void RetentionState::toggle(int64_t call, int64_t slot) {
  journal.emplace_back(call, slot);
  change(call, slot);
}

void RetentionState::undo() {
  for (; !journal.empty(); journal.pop_back())
    change(journal.back().first, journal.back().second);
  for (auto [slot, bytes] : touched) {
    inside[slot] = bytes;
    isStale[slot] = isTouched[slot] = false;
  }
  touched.clear();
  stale.clear();
}

void RetentionState::commit() {
  playStale();
  for (auto [slot, bytes] : touched)
    isTouched[slot] = false;
  touched.clear();
  journal.clear();
}

// What is inside a slot may be another number from now on.
void RetentionState::touch(int64_t slot) {
  if (!isTouched[slot])
    touched.emplace_back(slot, inside[slot]);
  if (!isStale[slot])
    stale.push_back(slot);
  isTouched[slot] = isStale[slot] = true;
}

void RetentionState::playStale() const {
  for (int64_t slot : stale) {
    inside[slot] = play(slot);
    isStale[slot] = false;
  }
  stale.clear();
}

bool RetentionState::has(int64_t call, int64_t slot) const {
  return std::binary_search(clones[slot].begin(), clones[slot].end(), call);
}

void RetentionState::change(int64_t call, int64_t slot) {
  auto at = std::lower_bound(clones[slot].begin(), clones[slot].end(), call);
  bool add = at == clones[slot].end() || *at != call;
  if (add)
    clones[slot].insert(at, call);
  else
    clones[slot].erase(at);
  ns += (add ? 1 : -1) * problem.calls[call].ns;
  count += add ? 1 : -1;
  for (int64_t value : args[call])
    changeEvent(value, event(slot, call, false), add);
  for (int64_t value : problem.calls[call].results)
    changeEvent(value, event(slot, call, true), add);
  touch(slot);
}

// Takes the life between the neighbours of the event away, and puts back the two beside it, or the other way round.
void RetentionState::changeEvent(int64_t value, Event event, bool add) {
  std::vector<Event> &all = events[value];
  auto at = std::lower_bound(all.begin(), all.end(), event);
  if (!add)
    at = all.erase(at);
  Event last = at[-1], next = at == all.end() ? none : *at;
  bool nextReads = next != none && !makes(next);
  int64_t sign = add ? 1 : -1, slot = slotOf(event);
  if (makes(event) && nextReads)
    live(value, slotOf(last), slot, -sign);
  if (!makes(event) && !nextReads)
    live(value, slotOf(last), slot, sign);
  if (add)
    all.insert(at, event);
  if (slotOf(last) != slot)
    touch(slotOf(last));
}

void RetentionState::live(int64_t value, int64_t from, int64_t to, int64_t sign) {
  int64_t change = sign * problem.bytes[value];
  for (int64_t slot = from + 1; slot <= to; ++slot)
    before[slot] += change;
}

RetentionState::Event RetentionState::nextEvent(int64_t value, Event event) const {
  auto at = std::upper_bound(events[value].begin(), events[value].end(), event);
  return at == events[value].end() ? none : *at;
}

// The most bytes that the runs of a slot take beside those that live when it begins.
int64_t RetentionState::play(int64_t slot) const {
  int64_t now = 0, most = 0;
  auto isRead = [&](int64_t value, int64_t call, bool makes) {
    Event next = nextEvent(value, event(slot, call, makes));
    return next != none && !RetentionState::makes(next);
  };
  auto run = [&](int64_t index) {
    const RetentionProblem::Call &call = problem.calls[index];
    int64_t dying = 0, saved = 0;
    for (int64_t value : call.results) {
      now += problem.bytes[value];
      dying += isRead(value, index, true) ? 0 : problem.bytes[value];
    }
    for (int64_t value : args[index])
      dying += isRead(value, index, false) ? 0 : problem.bytes[value];
    for (auto [operand, result] : call.inPlace)
      if (maker[operand] >= 0 && !isRead(operand, index, false))
        saved += std::min(problem.bytes[operand], problem.bytes[result]);
    most = std::max(most, now + call.scratchBytes - saved);
    now -= dying;
  };
  for (int64_t clone : clones[slot])
    run(clone);
  run(slot);
  return most;
}

int64_t RetentionState::peakBytes() const { return bytesAt(peakSlot()); }

int64_t RetentionState::peakSlot() const {
  playStale();
  int64_t peak = 0;
  for (int64_t slot = 1; slot < numSlots(); ++slot)
    if (before[slot] + inside[slot] > before[peak] + inside[peak])
      peak = slot;
  return peak;
}

int64_t RetentionState::excess() const {
  playStale();
  int64_t sum = 0, limit = problem.budgetBytes - around();
  for (int64_t slot = 0; slot < numSlots(); ++slot)
    sum += std::max<int64_t>(before[slot] + inside[slot] - limit, 0);
  return sum;
}

RetentionState::Life RetentionState::lifeAcross(int64_t value, int64_t slot) const {
  const std::vector<Event> &all = events[value];
  auto at = std::lower_bound(all.begin(), all.end(), event(slot, 0, false));
  if (at == all.begin() || at == all.end() || makes(*at))
    return {};
  return {value, slotOf(at[-1]), slotOf(*at)};
}

bool RetentionState::isUseful(int64_t call, int64_t slot) const {
  const std::vector<int64_t> &results = problem.calls[call].results;
  return std::any_of(results.begin(), results.end(), [&](int64_t value) {
    Event next = nextEvent(value, event(slot, call, true));
    return next != none && !makes(next);
  });
}

Retention RetentionState::answer() const {
  Retention answer;
  for (int64_t slot = 0; slot < numSlots(); ++slot)
    for (int64_t call : clones[slot])
      answer.clones.push_back({call, slot});
  return answer;
}

void RetentionState::load(const Retention &answer) {
  for (int64_t slot = 0; slot < numSlots(); ++slot)
    while (!clones[slot].empty())
      toggle(clones[slot].back(), slot);
  for (const Retention::Clone &clone : answer.clones)
    if (!has(clone.call, clone.before))
      toggle(clone.call, clone.before);
  commit();
}
