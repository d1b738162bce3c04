//===- RetentionPrices.cpp - what is kept where a byte has a price --------===//
#include "RetentionPrices.h"
#include "RetentionMoves.h"

#include <algorithm>
#include <limits>

using namespace plc::planner;

namespace {

// A slot has two rows: its clones run in row 2 x slot, its own call in the next.
int64_t cloneRow(int64_t slot) { return 2 * slot; }
int64_t ownRow(int64_t slot) { return 2 * slot + 1; }

// Each call's operands, and each value's reads by own calls.
struct Reads {
  explicit Reads(const RetentionState &state)
      : args(state.numSlots()), rows(state.maker.size()), isOperand(state.maker.size()) {
    for (int64_t call = 0; call < state.numSlots(); ++call)
      for (int64_t value : state.problem.calls[call].args)
        if (state.maker[value] >= 0 && (rows[value].empty() || rows[value].back() != ownRow(call))) {
          rows[value].push_back(ownRow(call));
          args[call].push_back(value);
          isOperand[value] = isOperand[value] || state.problem.calls[call].repeatable;
        }
  }

  std::vector<std::vector<int64_t>> args, rows;
  std::vector<bool> isOperand; // of what may run again
};

// What serves all reads for least under prices.
class Lots {
public:
  Lots(const RetentionProblem &problem, const Reads &reads)
      : problem(problem), reads(reads), slots(problem.calls.size()), upTo(2 * slots + 1), make(slots),
        beside(problem.bytes.size()) {}

  Retention serve(const std::vector<double> &price) {
    for (int64_t row = 0; row < 2 * slots; ++row)
      upTo[row + 1] = upTo[row] + price[row];
    for (int64_t call = 0; call < slots; ++call)
      for (int64_t value : problem.calls[call].results)
        if (reads.isOperand[value])
          priceBeside(value, call);
    wanted = reads.rows;
    Retention answer;
    for (int64_t call = slots; call-- > 0;)
      if (problem.calls[call].repeatable)
        for (int64_t value : problem.calls[call].results)
          serveValue(value, call, answer);
    std::sort(answer.clones.begin(), answer.clones.end(),
              [](const auto &a, const auto &b) { return std::pair(a.before, a.call) < std::pair(b.before, b.call); });
    answer.clones.erase(std::unique(answer.clones.begin(), answer.clones.end()), answer.clones.end());
    return answer;
  }

private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  // Of a value's bytes in rows begin .. end - 1.
  double hold(int64_t value, int64_t begin, int64_t end) const {
    return double(problem.bytes[value]) * (upTo[end] - upTo[begin]);
  }

  // What a clone of the call costs in each slot, with what its operands cost there.
  void priceClones(int64_t call) {
    const RetentionProblem::Call &each = problem.calls[call];
    for (int64_t slot = call + 1; slot < slots; ++slot) {
      make[slot] = each.repeatable && slot >= problem.firstClone ? double(each.ns) : never;
      if (make[slot] < never)
        for (int64_t value : reads.args[call])
          make[slot] += beside[value][slot];
    }
  }

  // What it costs that the value is there for the clones of each slot, beside what its own reads cost anyhow.
  void priceBeside(int64_t value, int64_t call) {
    priceClones(call);
    std::vector<double> &cost = beside[value];
    cost.resize(slots);
    int64_t from = call;
    auto arrive = [&](int64_t to) {
      double now = 0;
      for (int64_t slot = from + 1; slot <= to; ++slot) {
        cost[slot] = std::min(now, make[slot]) + hold(value, cloneRow(slot), ownRow(slot));
        now = cost[slot] + hold(value, ownRow(slot), ownRow(slot) + 1);
      }
      return now;
    };
    for (int64_t read : reads.rows[value]) {
      int64_t to = read / 2;
      double whole = arrive(to), again = never; // the least that makes it in a later slot
      for (int64_t slot = to; slot > from; --slot) {
        cost[slot] = std::max(0., cost[slot] + std::min(hold(value, ownRow(slot), read + 1), again) - whole);
        again = std::min(again, make[slot] + hold(value, cloneRow(slot), read + 1));
      }
      from = to;
    }
    arrive(slots - 1);
  }

  // From each read to the next, own calls' and clones', the value is held or made again on the way.
  void serveValue(int64_t value, int64_t call, Retention &answer) {
    std::vector<int64_t> &all = wanted[value];
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    priceClones(call);
    int64_t from = ownRow(call);
    for (int64_t to : all) {
      int64_t best = -1;
      double least = hold(value, from + 1, to + 1);
      for (int64_t slot = from / 2 + 1; cloneRow(slot) <= to; ++slot)
        if (double cost = make[slot] + hold(value, cloneRow(slot), to + 1); cost < least) {
          least = cost;
          best = slot;
        }
      if (best >= 0) {
        answer.clones.push_back({call, best});
        for (int64_t arg : reads.args[call])
          wanted[arg].push_back(cloneRow(best));
      }
      from = to;
    }
  }

  const RetentionProblem &problem;
  const Reads &reads;
  const int64_t slots;
  std::vector<double> upTo; // prices of the rows before each
  std::vector<double> make;
  std::vector<std::vector<double>> beside;
  std::vector<std::vector<int64_t>> wanted; // rows, of each value
};

// Bytes of each row.
class RowBytes {
public:
  RowBytes(const RetentionProblem &problem, const Reads &reads)
      : problem(problem), reads(reads), begins{problem.firstBackward(), problem.firstAwaitedW()} {}

  std::vector<int64_t> bytes;
  int64_t heldSlot = -1; ///< at whose beginning the most bytes of other micro-batches wait; -1 if there are none

  void weigh(const Retention &answer) {
    listRuns(answer);
    bytes.assign(2 * problem.calls.size(), -1);
    int64_t now = 0, held = -1;
    heldSlot = -1;
    for (size_t run = 0; run < runs.size(); ++run) {
      auto [index, row] = runs[run];
      const RetentionProblem::Call &call = problem.calls[index];
      bool isFirst = bytes[row] < 0 && bytes[cloneRow(row / 2)] < 0;
      if (isFirst)
        bytes[cloneRow(row / 2)] = now;
      if (isFirst && problem.inFlight > 1 && now > held && (row / 2 == begins[0] || row / 2 == begins[1])) {
        held = now;
        heldSlot = row / 2;
      }
      for (int64_t value : call.results)
        now += problem.bytes[value];
      int64_t most = now + call.scratchBytes;
      for (auto [operand, result] : call.inPlace)
        if (std::find(dying[run].begin(), dying[run].end(), operand) != dying[run].end())
          most -= std::min(problem.bytes[operand], problem.bytes[result]);
      bytes[row] = std::max(bytes[row], most);
      for (int64_t value : dying[run])
        now -= problem.bytes[value];
    }
    for (int64_t &each : bytes)
      each += problem.staticBytes + (problem.inFlight - 1) * std::max<int64_t>(held, 0);
  }

private:
  void listRuns(const Retention &answer) {
    runs.clear();
    auto clone = answer.clones.begin();
    for (int64_t call = 0; call < int64_t(problem.calls.size()); ++call) {
      for (; clone != answer.clones.end() && clone->before == call; ++clone)
        runs.emplace_back(clone->call, cloneRow(call));
      runs.emplace_back(call, ownRow(call));
    }
    dying.assign(runs.size(), {});
    std::vector<bool> awaited(problem.bytes.size());
    for (size_t run = runs.size(); run-- > 0;) {
      for (int64_t value : problem.calls[runs[run].first].results) {
        if (!awaited[value])
          dying[run].push_back(value);
        awaited[value] = false;
      }
      for (int64_t value : reads.args[runs[run].first])
        if (!awaited[value]) {
          awaited[value] = true;
          dying[run].push_back(value);
        }
    }
  }

  const RetentionProblem &problem;
  const Reads &reads;
  const int64_t begins[2];
  std::vector<std::pair<int64_t, int64_t>> runs; // calls and rows
  std::vector<std::vector<int64_t>> dying;
};

// Answers that no other one beats in both time and excess.
class Front {
public:
  void offer(const RetentionState &state) {
    int64_t ns = state.addedNs(), excess = state.excess();
    for (const Candidate &each : all)
      if (each.ns <= ns && each.excess <= excess)
        return;
    std::erase_if(all, [&](const Candidate &each) { return each.ns >= ns && each.excess >= excess; });
    all.push_back({ns, excess, state.answer()});
  }

  /// Of what fits, or nothing that anybody would take.
  int64_t leastNs(int64_t otherwise) const {
    for (const Candidate &each : all)
      if (each.excess == 0)
        return each.ns;
    return otherwise;
  }

  std::vector<Retention> nearest(size_t most) {
    std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.excess < b.excess; });
    std::vector<Retention> answers;
    for (size_t at = 0; at < std::min(all.size(), most); ++at)
      answers.push_back(std::move(all[at].answer));
    return answers;
  }

private:
  struct Candidate {
    int64_t ns, excess;
    Retention answer;
  };
  std::vector<Candidate> all;
};

class Subgradient {
public:
  Subgradient(const RetentionProblem &problem, const Reads &reads)
      : problem(problem), lots(problem, reads), rows(problem, reads), price(2 * problem.calls.size()),
        above(price.size()) {}

  void begin(double part) {
    keptPart = part;
    step = 1;
    std::fill(price.begin(), price.end(), 0);
    std::fill(above.begin(), above.end(), 0);
  }

  // What these prices choose.
  Retention choose() {
    std::vector<double> all = price;
    // Bytes that other micro-batches hold, too, are paid in every row.
    if (rows.heldSlot >= 0)
      for (double each : price)
        all[cloneRow(rows.heldSlot)] += double(problem.inFlight - 1) * each;
    Retention answer = lots.serve(all);
    rows.weigh(answer);
    return answer;
  }

  // Prices that rise and fall by what the answer exceeds, so far that the relaxation would come near the least known time.
  void change(int64_t addedNs, int64_t leastNs) {
    double relaxed = double(addedNs), square = 1;
    for (size_t row = 0; row < price.size(); ++row) {
      double now = double(rows.bytes[row] - problem.budgetBytes);
      relaxed += price[row] * now;
      above[row] = keptPart * above[row] + (1 - keptPart) * now;
      square += above[row] > 0 || price[row] > 0 ? above[row] * above[row] : 0;
    }
    double way = step * std::max(1.02 * double(leastNs) - relaxed, 0.01 * double(leastNs)) / square;
    for (size_t row = 0; row < price.size(); ++row)
      price[row] = std::max(0., price[row] + way * above[row]);
    step *= 0.99;
  }

private:
  const RetentionProblem &problem;
  Lots lots;
  RowBytes rows;
  std::vector<double> price, above;
  double keptPart = 0, step = 1;
};

} // namespace

std::vector<Retention> plc::planner::priceBytes(RetentionState &state, int64_t rounds, int64_t boundNs) {
  Reads reads(state);
  Subgradient subgradient(state.problem, reads);
  Front front;
  front.offer(state);
  auto least = [&] { return front.leastNs(std::max<int64_t>(state.problem.baseNs() / 2, 1)); };
  for (int64_t round = 0; round < rounds && least() > boundNs; ++round) {
    if (round == 0 || round == rounds / 2)
      subgradient.begin(round == 0 ? 0 : 0.8);
    state.load(subgradient.choose());
    int64_t ns = state.addedNs();
    dropGreedily(state);
    if (state.excess() == 0)
      polish(state);
    front.offer(state);
    subgradient.change(ns, least());
  }
  return front.nearest(4);
}
