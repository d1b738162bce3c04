//===- RetentionScope.cpp - what a search over a window looks at ----------===//
#include "RetentionScope.h"

#include <algorithm>

using namespace plc::planner;

RetentionScope::RetentionScope(const RetentionGround &ground, const Retention &answer, RetentionWindow window)
    : ground(ground), problem(ground.problem), window(window), maker(ground.maker), numbers(problem.bytes.size(), -1) {
  findTouched(answer);
  if (isTooLarge())
    return;
  grow();
  setCalls();
  setFree(answer);
}

void RetentionScope::look(int64_t value) {
  if (numbers[value] >= 0)
    return;
  numbers[value] = values.size();
  values.push_back(value);
  bytes.push_back(problem.bytes[value]);
}

void RetentionScope::findTouched(const Retention &answer) {
  std::vector<bool> seen(problem.bytes.size()), seenBehind(problem.bytes.size());
  auto see = [&](int64_t value, int64_t place, bool reads) {
    if (maker[value] < 0 || ground.isFixed[value])
      return;
    if (reads && !seen[value])
      first.push_back(value);
    seen[value] = true;
    if (place < window.end) {
      look(value);
      return;
    }
    if (reads && !seenBehind[value])
      last.push_back(value);
    seenBehind[value] = true;
  };
  auto run = [&](int64_t call, int64_t place) {
    for (int64_t value : problem.calls[call].args)
      see(value, place, true);
    for (int64_t value : problem.calls[call].results)
      see(value, place, false);
  };
  auto isBefore = [](const Retention::Clone &clone, int64_t call) { return clone.before < call; };
  auto clone = std::lower_bound(answer.clones.begin(), answer.clones.end(), window.begin, isBefore);
  for (int64_t call = window.begin; call < int64_t(problem.calls.size()); ++call) {
    for (; clone != answer.clones.end() && clone->before == call; ++clone)
      run(clone->call, call);
    run(call, call);
  }
}

// What the values are made of, as long as there is room.
void RetentionScope::grow() {
  for (size_t at = 0; at < values.size(); ++at) {
    const RetentionProblem::Call &call = problem.calls[maker[values[at]]];
    std::vector<int64_t> more;
    for (const std::vector<int64_t> *list : {&call.args, &call.results})
      for (int64_t value : *list)
        if (maker[value] >= 0 && numbers[value] < 0 && std::find(more.begin(), more.end(), value) == more.end())
          more.push_back(value);
    if (call.repeatable && values.size() + more.size() <= room)
      for (int64_t value : more)
        look(value);
  }
}

// Of values that have a bit; false if not all that are made have one.
bool RetentionScope::maskOf(const std::vector<int64_t> &list, Live &mask) const {
  bool all = true;
  for (int64_t value : list)
    if (numbers[value] >= 0)
      mask |= Live(1) << numbers[value];
    else
      all &= maker[value] < 0;
  return all;
}

void RetentionScope::setCall(int64_t index) {
  Local &call = calls[index];
  bool all = maskOf(problem.calls[index].args, call.args);
  all &= maskOf(problem.calls[index].results, call.results);
  call.mayRepeat = all && problem.calls[index].repeatable && call.results;
  if (call.mayRepeat)
    repeatable.push_back(index);
}

void RetentionScope::setCalls() {
  calls.resize(window.end);
  std::vector<int64_t> before;
  for (int64_t value : values)
    if (maker[value] < window.begin)
      before.push_back(maker[value]);
  std::sort(before.begin(), before.end());
  before.erase(std::unique(before.begin(), before.end()), before.end());
  for (int64_t index : before)
    setCall(index);
  for (int64_t index = window.begin; index < window.end; ++index)
    setCall(index);
  maskOf(first, atBegin);
  maskOf(last, atEnd);
  read.assign(window.end - window.begin + 1, atEnd);
  for (int64_t call = window.end; call-- > window.begin;)
    read[call - window.begin] |= read[call - window.begin + 1] | calls[call].args;
  needed = read;
  for (Live &mask : needed)
    for (size_t call = repeatable.size(); call-- > 0;)
      mask |= mask & calls[repeatable[call]].results ? calls[repeatable[call]].args : 0;
}

void RetentionScope::setFree(const Retention &answer) {
  int64_t capacity = problem.budgetBytes - problem.staticBytes - (problem.inFlight - 1) * ground.heldBytes(answer);
  // What only passes takes its bytes all the time.
  for (int64_t value : last)
    capacity -= numbers[value] < 0 ? problem.bytes[value] : 0;
  for (int64_t call = window.begin; call < window.end; ++call) {
    freeOwn.push_back(capacity - ground.fixedOwn[call]);
    freeClone.push_back(capacity - ground.fixedClone[call]);
  }
}

int64_t RetentionScope::savedBytes(int64_t call, Live gone) const {
  int64_t saved = 0;
  for (auto [operand, result] : problem.calls[call].inPlace)
    if (int64_t number = numbers[operand]; number >= 0 && (gone >> number & 1))
      saved += std::min(problem.bytes[operand], problem.bytes[result]);
  return saved;
}

Live RetentionScope::madeBefore(int64_t call) const {
  Live made = 0;
  for (size_t value = 0; value < values.size(); ++value)
    made |= maker[values[value]] < call ? Live(1) << value : 0;
  return made;
}
