//===- RetentionFloor.cpp - the least bytes, from the last run on ----------===//
#include "plc/Planner/Retention.h"

#include <algorithm>
#include <queue>
#include <tuple>

using namespace plc::planner;

namespace {

using Values = std::vector<int32_t>; // ascending

// What a run needs of the values that come and go. Others are made once and read by such calls alone, as most gradients are:
// these live as long as they are read, whatever runs again, so only their bytes are known, by call.
class Runs {
public:
  explicit Runs(const RetentionProblem &problem)
      : problem(problem), maker(problem.makers()), last(maker), isFixed(problem.bytes.size()),
        waits{problem.firstBackward(), problem.firstAwaitedW()} {
    findFixed();
    for (const RetentionProblem::Call &call : problem.calls) {
      args.push_back(comeAndGo(call.args));
      results.push_back(comeAndGo(call.results));
    }
    addFixed();
    int64_t held = 0;
    for (int64_t call : waits)
      held = std::max(held, heldAtLeast(call));
    around = problem.staticBytes + (problem.inFlight - 1) * held;
  }

  const RetentionProblem &problem;
  std::vector<int64_t> maker, last; ///< the calls that make and that last read each value
  std::vector<Values> args, results;

  /// What lives before a run of a call if `live` does behind it; `bytes` is what lives while it runs.
  Values before(const Values &live, int64_t call, int64_t &bytes) const {
    Values all;
    all.reserve(live.size() + args[call].size());
    // One pass over three ascending lists; no call reads what it makes.
    auto arg = args[call].begin(), lastArg = args[call].end();
    auto made = results[call].begin(), lastMade = results[call].end();
    for (int32_t value : live) {
      for (; arg != lastArg && *arg < value; ++arg)
        all.push_back(*arg);
      while (made != lastMade && *made < value)
        ++made;
      if (made == lastMade || *made != value)
        all.push_back(value);
      if (arg != lastArg && *arg == value)
        ++arg;
    }
    all.insert(all.end(), arg, lastArg);
    bytes = bytesOf(all) + bytesOf(results[call]) + problem.calls[call].scratchBytes;
    for (auto [operand, result] : problem.calls[call].inPlace)
      if (maker[operand] >= 0 && !isFixed[operand] && !std::binary_search(live.begin(), live.end(), operand))
        bytes -= std::min(problem.bytes[operand], problem.bytes[result]);
    return all;
  }
  /// What lives beside that while a call runs for the first time, and while clones do that run before it.
  int64_t besideOwn(int64_t call) const { return around + fixedAt[call]; }
  int64_t besideClones(int64_t call) const { return around + fixedBefore[call]; }
  /// What all micro-batches in flight hold before a call where others run, if that is one; else nothing.
  int64_t held(int64_t call, int64_t bytes) const {
    bool othersRun = call == waits[0] || call == waits[1];
    return othersRun ? problem.staticBytes + problem.inFlight * (fixedBefore[call] + bytes) : 0;
  }
  int64_t bytesOf(const Values &values) const {
    int64_t sum = 0;
    for (int32_t value : values)
      sum += problem.bytes[value];
    return sum;
  }
  bool mayRepeat(int64_t call) const { return problem.calls[call].repeatable; }
  /// What comes and goes, is read at `call` or behind it, and was made before it by what does not run again.
  Values awaited(int64_t call) const {
    Values values;
    for (int32_t value : once)
      if (maker[value] < call && last[value] >= call)
        values.push_back(value);
    return values;
  }

private:
  bool isOnce(int64_t value) const { return maker[value] >= 0 && !mayRepeat(maker[value]); }

  void findFixed() {
    for (size_t value = 0; value < isFixed.size(); ++value)
      isFixed[value] = isOnce(value);
    for (size_t call = 0; call < problem.calls.size(); ++call)
      for (int64_t value : problem.calls[call].args) {
        last[value] = call;
        isFixed[value] = isFixed[value] && !mayRepeat(call);
      }
  }

  Values comeAndGo(const std::vector<int64_t> &values) const {
    Values some;
    for (int64_t value : values)
      if (maker[value] >= 0 && !isFixed[value])
        some.push_back(value);
    std::sort(some.begin(), some.end());
    some.erase(std::unique(some.begin(), some.end()), some.end());
    return some;
  }

  void addFixed() {
    int64_t count = problem.calls.size();
    std::vector<int64_t> more(count + 1), less(count + 1);
    for (size_t value = 0; value < last.size(); ++value)
      if (isFixed[value]) {
        more[maker[value]] += problem.bytes[value];
        less[last[value]] += problem.bytes[value];
      } else if (isOnce(value)) {
        once.push_back(value);
      }
    fixedBefore.assign(count + 1, 0);
    for (int64_t call = 0; call < count; ++call) {
      fixedAt.push_back(fixedBefore[call] + more[call]);
      fixedBefore[call + 1] = fixedAt[call] - less[call];
      for (auto [operand, result] : problem.calls[call].inPlace)
        if (isFixed[operand] && last[operand] == call)
          fixedAt[call] -= std::min(problem.bytes[operand], problem.bytes[result]);
    }
  }

  int64_t heldAtLeast(int64_t call) const { return fixedBefore[call] + bytesOf(awaited(call)); }

  std::vector<bool> isFixed;
  Values once;                               // that is not fixed, though made by what does not run again
  std::vector<int64_t> fixedAt, fixedBefore; // bytes while a call runs for the first time, and before that
  const int64_t waits[2];                    // the calls before which other micro-batches run
  int64_t around = 0;                        // static bytes, and the least that other micro-batches hold
};

// In values of states, some 10 ns each. All networks of bench/recomputation.py but the largest take less.
constexpr int64_t eachWindow = 10'000, allWindows = 500'000, wholeEffort = 2'000'000;
constexpr int64_t windowCalls = 4;

// The way from before call `end` back to before call `begin` whose largest run takes least.
class Search {
public:
  Search(const Runs &runs, int64_t begin, int64_t end, RetentionProblem::Peak &least)
      : runs(runs), begin(begin), end(end), least(least), closed(end - begin + 1) {}

  /// Raises `least` to what every way takes; true if it finds one that takes no more. Some way leads through a state of the
  /// queue, so none takes less than the first of these.
  bool run(int64_t effort) {
    reach(runs.awaited(end), {least.bytes, end, end, -1, -1});
    while (looked <= effort) {
      Entry entry = queue.top();
      queue.pop();
      if (!entry.isClosed && isCovered(entry.state))
        continue;
      const State &state = states[entry.state];
      if (state.bytes > least.bytes)
        least = {state.bytes, state.place};
      if (state.slot == begin) {
        found = entry.state;
        return true;
      }
      if (!entry.isClosed)
        undoOwn(entry);
      else
        undoClones(entry);
    }
    return false;
  }

  int64_t spent() const { return looked; }

  Retention answer() const {
    Retention answer;
    for (int64_t at = found; states[at].next >= 0; at = states[at].next)
      if (const State &state = states[at]; state.slot == states[state.next].slot)
        answer.clones.push_back({state.call, state.slot});
    return answer;
  }

private:
  // Before the runs of the calls from `slot` on, and of some clones before the first of these.
  struct State {
    int64_t bytes; ///< the most that any run behind it takes,
    int64_t slot;
    int64_t place;      ///< and the slot of that run
    int64_t call, next; ///< the run that leads to the state behind it, and that, by number
    Values live{};
    uint64_t sign = 0; ///< of its values: a value has one bit, which it shares
    int64_t liveBytes = 0;
  };
  // The least bytes first; among these what is nearest to the begin, then what lives in least.
  struct Entry {
    int64_t bytes, slot, liveBytes;
    size_t state;
    bool isClosed; ///< the own run of the call before it is undone already, clones are not

    // The queue's top is the largest.
    bool operator<(const Entry &other) const {
      auto key = [](const Entry &e) { return std::tie(e.bytes, e.slot, e.liveBytes, e.state); };
      return key(*this) > key(other);
    }
  };

  void reach(Values live, State state) {
    for (int32_t value : live)
      state.sign |= uint64_t(1) << (value & 63);
    looked += live.size() + 1;
    state.liveBytes = runs.bytesOf(live);
    state.live = std::move(live);
    queue.push({state.bytes, state.slot, state.liveBytes, states.size(), false});
    states.push_back(std::move(state));
  }

  // Whether another state of the slot takes no more and needs no other values.
  bool isCovered(size_t at) {
    const State &state = states[at];
    std::vector<size_t> &others = closed[state.slot - begin];
    auto covers = [&](size_t index) {
      const State &other = states[index];
      return !(other.sign & ~state.sign) &&
             std::includes(state.live.begin(), state.live.end(), other.live.begin(), other.live.end());
    };
    looked += others.size() / 8;
    if (std::any_of(others.begin(), others.end(), covers))
      return true;
    others.push_back(at);
    return false;
  }

  // The state before the run of a call in a slot, if state `at` is behind it and `beside` lives beside all that it knows of;
  // before the next slot all micro-batches hold `held`.
  void undo(size_t at, int64_t call, int64_t slot, int64_t beside, int64_t held) {
    int64_t now = 0, bytes = states[at].bytes, place = states[at].place;
    Values live = runs.before(states[at].live, call, now);
    if (held > bytes)
      std::tie(bytes, place) = std::pair(held, slot + 1);
    if (now + beside > bytes)
      std::tie(bytes, place) = std::pair(now + beside, slot);
    reach(std::move(live), {bytes, slot, place, call, int64_t(at)});
  }

  void undoOwn(const Entry &entry) {
    int64_t slot = entry.slot, call = slot - 1;
    if (slot < int64_t(runs.problem.calls.size()) && slot >= runs.problem.firstClone)
      queue.push({entry.bytes, slot, entry.liveBytes, entry.state, true});
    undo(entry.state, call, call, runs.besideOwn(call), runs.held(slot, entry.liveBytes));
  }

  // The maker of anything that lives may have run last.
  void undoClones(const Entry &entry) {
    std::vector<int64_t> calls;
    for (int32_t value : states[entry.state].live)
      if (int64_t call = runs.maker[value]; runs.mayRepeat(call))
        calls.push_back(call);
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    for (int64_t call : calls)
      undo(entry.state, call, entry.slot, runs.besideClones(entry.slot), 0);
  }

  const Runs &runs;
  const int64_t begin, end;
  RetentionProblem::Peak &least;
  std::vector<std::vector<size_t>> closed; // states by slot
  std::vector<State> states;
  std::priority_queue<Entry> queue;
  int64_t looked = 0, found = -1;
};

} // namespace

RetentionFloor plc::planner::retentionFloor(const RetentionProblem &problem, int64_t atLeast) {
  Runs runs(problem);
  RetentionFloor floor{{atLeast, -1}, std::nullopt};
  if (RetentionProblem::Peak peak = problem.workingSet(); peak.bytes > atLeast)
    floor.least = peak;
  int64_t effort = allWindows;
  for (int64_t end = problem.calls.size(); end > 0 && effort > 0; --end) {
    Search window(runs, std::max<int64_t>(end - windowCalls, 0), end, floor.least);
    window.run(std::min(effort, eachWindow));
    effort -= window.spent();
  }
  Search whole(runs, 0, problem.calls.size(), floor.least);
  if (whole.run(wholeEffort))
    floor.answer = whole.answer();
  return floor;
}
