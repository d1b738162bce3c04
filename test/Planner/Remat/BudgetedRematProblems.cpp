//===- BudgetedRematProblems.cpp - problems of retention, by number -----------===//
#include "BudgetedRematProblems.h"

#include <algorithm>
#include <map>
#include <random>

using namespace plc::planner;
using Call = BudgetedRematProblem::Call;

namespace {

class Numbers {
public:
  explicit Numbers(uint64_t seed) : random(seed) {}
  int64_t upTo(int64_t most) { return int64_t(random() % uint64_t(most + 1)); }

private:
  std::mt19937_64 random;
};

void addOnce(std::vector<int64_t> &values, int64_t value) {
  if (std::find(values.begin(), values.end(), value) == values.end())
    values.push_back(value);
}

int64_t make(BudgetedRematProblem &problem, Call &call, int64_t bytes) {
  call.results.push_back(problem.bytes.size());
  problem.bytes.push_back(bytes);
  return call.results.back();
}

} // namespace

void plc::planner::addBackward(BudgetedRematProblem &problem) {
  std::map<int64_t, int64_t> gradients;
  problem.firstClone = problem.calls.size();
  for (int64_t index = int64_t(problem.calls.size()) - 1; index >= 0; --index) {
    Call forward = problem.calls[index];
    Call call{TaskKind::B, forward.ns * 2};
    call.repeatable = false;
    call.args = forward.args;
    for (int64_t value : forward.results)
      if (auto it = gradients.find(value); it != gradients.end())
        addOnce(call.args, it->second);
    for (int64_t value : forward.args) {
      auto it = gradients.find(value);
      int64_t sum = make(problem, call, problem.bytes[value]);
      if (it != gradients.end()) // one more contribution
        addOnce(call.args, it->second);
      gradients[value] = sum;
    }
    problem.calls.push_back(call);
  }
}

BudgetedRematProblem plc::planner::randomBudgetedRemat(uint64_t seed, int64_t calls) {
  Numbers numbers(seed);
  BudgetedRematProblem problem;
  for (int64_t index = 0; index < calls; ++index) {
    Call call;
    call.ns = 1 + numbers.upTo(19);
    call.repeatable = numbers.upTo(9) > 0;
    call.scratchBytes = numbers.upTo(5) == 0 ? numbers.upTo(4) : 0;
    int64_t count = problem.bytes.size();
    for (int64_t arg = std::min<int64_t>(count, 1 + numbers.upTo(2)); arg > 0; --arg)
      addOnce(call.args, numbers.upTo(2) ? std::max<int64_t>(0, count - 1 - numbers.upTo(2)) : numbers.upTo(count - 1));
    for (int64_t result = calls <= 9 && numbers.upTo(5) == 0 ? 2 : 1; result > 0; --result)
      make(problem, call, 1 + numbers.upTo(9));
    if (!call.args.empty() && numbers.upTo(4) == 0)
      call.inPlace.emplace_back(call.args[0], call.results[0]);
    problem.calls.push_back(call);
  }
  return problem;
}

BudgetedRematProblem plc::planner::uniformChain(int64_t steps) {
  BudgetedRematProblem problem;
  for (int64_t step = 1; step < steps; ++step) {
    Call call{TaskKind::F, 1};
    make(problem, call, 1);
    if (step > 1) {
      call.args = {step - 2};
      call.inPlace = {{step - 2, step - 1}};
    }
    problem.calls.push_back(call);
  }
  int64_t gradient = -1;
  for (int64_t step = steps - 1; step >= 0; --step) {
    Call call{TaskKind::B, 1};
    call.repeatable = false;
    if (step > 0)
      call.args.push_back(step - 1);
    int64_t next = make(problem, call, 1);
    if (gradient >= 0) {
      call.args.push_back(gradient);
      call.inPlace.emplace_back(gradient, next);
    }
    gradient = next;
    problem.calls.push_back(call);
  }
  return problem;
}

// The first run of steps 0 .. steps-2 is not counted.
int64_t plc::planner::revolveAdded(int64_t steps, int64_t states) {
  std::vector<std::vector<int64_t>> runs(states + 1, std::vector<int64_t>(steps + 1));
  for (int64_t count = 1; count <= states; ++count)
    for (int64_t length = 2; length <= steps; ++length) {
      int64_t &least = runs[count][length] = length * (length - 1) / 2;
      for (int64_t first = 1; count > 1 && first < length; ++first)
        least = std::min(least, first + runs[count - 1][length - first] + runs[count][first]);
    }
  return runs[states][steps] - (steps - 1);
}

BudgetedRematProblem plc::planner::transformer(int64_t layers) {
  constexpr int64_t unit = 4096;
  BudgetedRematProblem problem;
  auto add = [&](int64_t ns, int64_t units, std::vector<int64_t> args) {
    Call call{TaskKind::F, ns};
    call.args = std::move(args);
    int64_t value = make(problem, call, units * unit);
    problem.calls.push_back(call);
    return value;
  };
  int64_t x = add(5, 8, {});
  for (int64_t layer = 0; layer < layers; ++layer) {
    int64_t norm = add(20, 8, {x});
    int64_t q = add(100, 8, {norm}), k = add(100, 8, {norm}), v = add(100, 8, {norm});
    int64_t scores = add(60, 16, {q, k}), weights = add(50, 16, {scores}), mixed = add(60, 8, {weights, v});
    int64_t attended = add(110, 8, {mixed, x});
    int64_t second = add(20, 8, {attended}), wide = add(400, 32, {second}), bent = add(80, 32, {wide});
    x = add(410, 8, {bent, attended});
  }
  add(300, 8, {x});
  addBackward(problem);
  return problem;
}

BudgetedRematProblem plc::planner::layeredGraph(uint64_t seed, int64_t calls) {
  Numbers numbers(seed);
  BudgetedRematProblem problem;
  std::vector<int64_t> before, last;
  while (int64_t(problem.calls.size()) < calls / 2) {
    std::vector<int64_t> layer;
    for (int64_t width = 1 + numbers.upTo(7); width > 0; --width) {
      Call call{TaskKind::F, 10 + numbers.upTo(990)};
      for (int64_t arg = 0; arg < 3; ++arg) {
        const std::vector<int64_t> &from = numbers.upTo(2) ? last : before;
        if (!from.empty())
          addOnce(call.args, from[numbers.upTo(from.size() - 1)]);
      }
      layer.push_back(make(problem, call, 64 * (1 + numbers.upTo(255))));
      problem.calls.push_back(call);
    }
    before = std::move(last);
    last = std::move(layer);
  }
  addBackward(problem);
  return problem;
}
