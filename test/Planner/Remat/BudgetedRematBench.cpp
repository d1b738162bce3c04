//===- BudgetedRematBench.cpp - how good retention is, and how fast -----------===//
// RetentionBench small COUNT | chains | networks | floors | large | layered: what bench/recomputation.py runs. Times
// are of this process; gaps are (answer - bound) / (time of all calls + bound). RetentionBench instances MOST: networks
// of at most so many calls (80) with their budgets and answers, a line of JSON each, for bench/recomputation_milp.py.
#include "BudgetedRematChecker.h"
#include "BudgetedRematExact.h"
#include "BudgetedRematProblems.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <span>
#include <string_view>

using namespace plc::planner;

namespace {

double seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

// A second opinion; ends the program if there is a fault.
void check(const BudgetedRematProblem &problem, const BudgetedRemat &answer, int64_t bound) {
  PackProblem pack = problem.blocksOf(answer);
  Packing packing;
  Status fault = firstFitBySize(pack, packing);
  std::optional<std::string> wrong = fault ? std::optional<std::string>(*fault)
                                           : checkBudgetedRemat(problem, answer, packing.offsets, packing.bytes, bound);
  if (!wrong)
    return;
  std::printf("wrong: %s\n", wrong->c_str());
  std::exit(1);
}

int runSmall(int64_t count) {
  int64_t solved = 0, exact = 0, above = 0, searched = 0, equal = 0, none = 0;
  double worst = 0;
  for (int64_t seed = 0; seed < count; ++seed) {
    BudgetedRematProblem problem = randomBudgetedRemat(seed, 6 + seed % 7);
    int64_t most = problem.peakOf({}).bytes;
    for (problem.budgetBytes = problem.workingSet().bytes; problem.budgetBytes <= most; ++problem.budgetBytes) {
      std::optional<int64_t> least = leastAddedNs(problem), bound = budgetedRematBound(problem);
      BudgetedRemat answer;
      bool found = false;
      bool fails = solveBudgetedRematExactly(problem, 5'000'000, answer, found).has_value();
      exact += found ? least && problem.addedNs(answer) == *least : fails && !least;
      above += least && (!bound || *bound > *least);
      ++solved;
      if (found)
        check(problem, answer, *bound);
    }
    // What the search for plans counts: no scratch, no value in the place of another, and B behind F.
    problem = randomBudgetedRemat(seed, 4 + seed % 3);
    for (BudgetedRematProblem::Call &call : problem.calls) {
      call.scratchBytes = 0;
      call.inPlace.clear();
    }
    addBackward(problem);
    most = problem.peakOf({}).bytes;
    for (problem.budgetBytes = problem.workingSet().bytes; problem.budgetBytes <= most; ++problem.budgetBytes) {
      std::optional<int64_t> least = leastAddedNs(problem);
      std::optional<BudgetedRemat> answer = searchBudgetedRemat(problem);
      ++searched;
      none += least && !answer;
      equal += answer ? problem.addedNs(*answer) == *least : !least;
      if (!answer)
        continue;
      check(problem, *answer, budgetedRematBound(problem).value_or(INT64_MAX));
      worst = std::max(worst, double(problem.addedNs(*answer) - *least) / double(problem.baseNs() + *least));
    }
  }
  std::printf(
      "%ld graphs, %ld budgets: exact search equal on %ld, bound above the optimum on %ld; with B behind them, %ld "
      "budgets: search for plans equal on %ld (%.2f %%), without an answer on %ld, worst gap %.2f %%\n",
      long(count), long(solved), long(exact), long(above), long(searched), long(equal),
      100.0 * double(equal) / double(searched), long(none), 100 * worst);
  return exact == solved && above == 0 ? 0 : 1;
}

// Whether nothing is cheaper, by a search that may take long.
const char *isLeast(const BudgetedRematProblem &problem, const BudgetedRemat &answer) {
  BudgetedRemat least;
  bool found = false;
  if (solveBudgetedRematExactly(problem, 1'000'000, least, found) || !found)
    return "; not known to be the least";
  return problem.addedNs(least) == problem.addedNs(answer) ? "; the least" : "; not the least";
}

// The budget that is this part of the peak, but at least 2 % above the least working set.
int64_t budgetOf(const BudgetedRematProblem &problem, double part) {
  return std::max<int64_t>(int64_t(part * double(problem.peakOf({}).bytes)), problem.workingSet().bytes * 102 / 100);
}

void runBudgets(const char *name, BudgetedRematProblem problem, std::span<const double> parts) {
  int64_t most = problem.peakOf({}).bytes, base = problem.baseNs(), last = INT64_MAX;
  std::printf("%s: %zu calls, peak %ld, floor at least %ld\n", name, problem.calls.size(), long(most),
              long(problem.workingSet().bytes));
  for (double part : parts) {
    problem.budgetBytes = budgetOf(problem, part);
    if (problem.budgetBytes >= last)
      break;
    last = problem.budgetBytes;
    double start = seconds();
    std::optional<BudgetedRemat> answer = searchBudgetedRemat(problem);
    double solving = seconds() - start;
    int64_t bound = budgetedRematBound(problem).value_or(0);
    if (!answer) {
      std::printf("  %.2f of the peak: no plan, bound %.2f %%, %.2f s\n", part, 100.0 * double(bound) / double(base),
                  solving);
      continue;
    }
    int64_t ns = problem.addedNs(*answer);
    check(problem, *answer, bound);
    const char *least = problem.calls.size() > 80 ? "" : isLeast(problem, *answer);
    PackProblem pack = problem.blocksOf(*answer);
    Packing packing;
    firstFitBySize(pack, packing);
    std::printf("  %.2f of the peak: added %.2f %%, bound %.2f %%, gap %.2f %%, %.2f s; arena %.4f of what lives%s\n",
                part, 100.0 * double(ns) / double(base), 100.0 * double(bound) / double(base),
                100.0 * double(ns - bound) / double(base + bound), solving,
                double(packing.bytes) / double(std::max<int64_t>(pack.bound(), 1)), least);
    std::fflush(stdout);
  }
}

struct Network {
  const char *name;
  BudgetedRematProblem problem;
};

std::vector<Network> networks() {
  return {{"VGG", vgg(5, 2)},
          {"VGG", vgg(5, 3)},
          {"U-Net", uNet(3)},
          {"U-Net", uNet(5)},
          {"ResNet", resNet(3, 1, false)},
          {"ResNet", resNet(4, 2, false)},
          {"ResNet", resNet(4, 4, true)},
          {"MobileNet", mobileNet(3, 1)},
          {"MobileNet", mobileNet(4, 4)},
          {"transformer", transformer(2)},
          {"transformer", transformer(3)},
          {"transformer", transformer(6)},
          {"transformer", transformer(14)}};
}

constexpr double parts[] = {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3};

std::string jsonOf(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string jsonOf(const std::vector<std::pair<int64_t, int64_t>> &pairs) {
  std::string text;
  for (auto [first, second] : pairs)
    text += (text.empty() ? "" : ", ") + jsonOf({first, second});
  return "[" + text + "]";
}

void printInstance(const Network &network, double part, const BudgetedRemat &answer) {
  const BudgetedRematProblem &problem = network.problem;
  std::string calls;
  for (const BudgetedRematProblem::Call &call : problem.calls)
    calls += std::string(calls.empty() ? "" : ", ") + "{\"kind\": " + std::to_string(int(call.kind)) +
             ", \"ns\": " + std::to_string(call.ns) + ", \"scratch\": " + std::to_string(call.scratchBytes) +
             ", \"repeatable\": " + (call.repeatable ? "true" : "false") + ", \"args\": " + jsonOf(call.args) +
             ", \"results\": " + jsonOf(call.results) + ", \"in_place\": " + jsonOf(call.inPlace) + "}";
  std::vector<std::pair<int64_t, int64_t>> clones;
  for (const BudgetedRemat::Clone &clone : answer.clones)
    clones.emplace_back(clone.call, clone.before);
  std::printf(
      "{\"name\": \"%s\", \"part\": %.2f, \"budget\": %ld, \"static\": %ld, \"in_flight\": %ld, \"splits\": %s, "
      "\"first_clone\": %ld, \"bytes\": %s, \"calls\": [%s], \"clones\": %s, \"bound\": %ld}\n",
      network.name, part, long(problem.budgetBytes), long(problem.persistentBytes), long(problem.inFlight),
      problem.splitsBackward ? "true" : "false", long(problem.firstClone), jsonOf(problem.bytes).c_str(), calls.c_str(),
      jsonOf(clones).c_str(), long(budgetedRematBound(problem).value_or(0)));
}

void printInstances(size_t most) {
  for (Network &network : networks())
    for (double part : parts) {
      if (network.problem.calls.size() > most)
        break;
      network.problem.budgetBytes = budgetOf(network.problem, part);
      if (std::optional<BudgetedRemat> answer = searchBudgetedRemat(network.problem))
        printInstance(network, part, *answer);
    }
}

// The least bytes that the search takes: of its plan that lacks the fewest where none fits.
void runFloors() {
  for (auto [name, problem] : networks()) {
    int64_t floor = 0;
    problem.budgetBytes = 1;
    searchBudgetedRemat(problem, 15'000'000, &floor);
    int64_t set = problem.workingSet().bytes;
    std::printf("%s: %zu calls, working set %ld, least bytes of a plan %ld (%.1f %% more)\n", name,
                problem.calls.size(), long(set), long(floor), 100.0 * double(floor - set) / double(set));
    std::fflush(stdout);
  }
}

int runChains() {
  int64_t budgets = 0, equal = 0;
  for (int64_t steps : {5, 10, 15, 20}) {
    BudgetedRematProblem problem = uniformChain(steps);
    for (problem.budgetBytes = 2; problem.budgetBytes <= steps; ++problem.budgetBytes) {
      BudgetedRemat answer;
      bool found = false;
      ++budgets;
      equal += !solveBudgetedRematExactly(problem, 5'000'000, answer, found) && found &&
               problem.addedNs(answer) == revolveAdded(steps, problem.budgetBytes - 1);
    }
  }
  std::printf("uniform chains of 5 to 20 steps: %ld of %ld budgets equal Revolve\n", long(equal), long(budgets));
  return equal == budgets ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "small")
    return runSmall(argc > 2 ? std::atol(argv[2]) : 100);
  if (what == "chains")
    return runChains();
  if (what == "networks")
    for (const auto &[name, problem] : networks())
      runBudgets(name, problem, parts);
  else if (what == "instances")
    printInstances(argc > 2 ? std::atol(argv[2]) : 80);
  else if (what == "floors")
    runFloors();
  else if (what == "large")
    runBudgets("transformer", transformer(104), std::array{0.5});
  else if (what == "layered")
    runBudgets("layered graph", layeredGraph(1, 1000), std::array{0.9, 0.8});
  else
    return std::printf("RetentionBench small COUNT | chains | networks | floors | large | layered | instances\n"), 2;
  return 0;
}
