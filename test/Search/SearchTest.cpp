//===- SearchTest.cpp - the search for plans ------------------------------===//
#include "plc/Search/Search.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace plc::search;
namespace planner = plc::planner;

namespace {

/// Layers one behind the other. F of each makes what the next one and W read; B reads the gradient and what F made.
///
///   F: x[i] = f(x[i-1])     B: g[i-1] = b(g[i], x[i])     W: reads g[i] and x[i-1]
class Chain {
public:
  explicit Chain(int64_t microBatches) { workload.microBatches = microBatches; }

  void addLayer(int64_t nsF, int64_t nsB, int64_t nsW, int64_t bytes) { layers.push_back({nsF, nsB, nsW, bytes}); }

  Workload build() {
    std::vector<int32_t> made; // by layer
    for (size_t i = 0; i < layers.size(); ++i) {
      workload.units.push_back("layer" + std::to_string(i));
      made.push_back(call(i, TaskKind::F, layers[i].nsF, i ? std::vector<int32_t>{made[i - 1]} : std::vector<int32_t>(),
                          layers[i].bytes));
      workload.calls.back().mayRecompute = true;
    }
    int32_t gradient = -1;
    for (size_t i = layers.size(); i-- > 0;) {
      std::vector<int32_t> reads = {made[i]};
      if (gradient >= 0)
        reads.push_back(gradient);
      int32_t before = gradient;
      gradient = call(i, TaskKind::B, layers[i].nsB, reads, 64);
      auto b = int32_t(workload.calls.size()) - 1;
      std::vector<int32_t> ofW = before >= 0 ? std::vector<int32_t>{before} : std::vector<int32_t>();
      if (i)
        ofW.push_back(made[i - 1]);
      call(i, TaskKind::W, layers[i].nsW, ofW, 0);
      workload.calls.back().behind = b;
    }
    workload.derive();
    return workload;
  }

private:
  struct Layer {
    int64_t nsF, nsB, nsW, bytes;
  };

  int32_t call(size_t unit, TaskKind kind, int64_t ns, const std::vector<int32_t> &reads, int64_t bytes) {
    auto number = int32_t(workload.calls.size());
    Call &made = workload.calls.emplace_back(Call{int32_t(unit), kind, ns});
    made.reads = reads;
    if (!bytes)
      return -1;
    made.makes = {int32_t(workload.values.size())};
    workload.values.push_back({bytes, number});
    return made.makes.front();
  }

  Workload workload;
  std::vector<Layer> layers;
};

Workload randomChain(std::mt19937 &random, int64_t layers, int64_t microBatches) {
  auto upTo = [&](int64_t most) { return int64_t(random() % uint64_t(most)) + 1; };
  Chain chain(microBatches);
  for (int64_t i = 0; i < layers; ++i)
    chain.addLayer(upTo(1000), upTo(1500), upTo(1000), 64 * upTo(20));
  return chain.build();
}

/// Messages and wakes take no time.
Machine freeMachine(int64_t ranks) {
  Machine machine;
  machine.ranks = ranks;
  machine.cluster.machines.push_back({"here", ranks, 0});
  return machine;
}

Machine withBudget(Machine machine, int64_t bytes) {
  machine.limitBytes.assign(size_t(machine.ranks), bytes);
  return machine;
}

Limits limitsFor(int64_t ranks, int64_t effort = 300'000) {
  Limits limits;
  limits.rankCounts = {ranks};
  limits.effort = effort;
  return limits;
}

int64_t mostBytes(const Found &found) {
  return *std::max_element(found.result.bytes.begin(), found.result.bytes.end());
}

} // namespace

// The slowest rank of a cut beside that of the best of all cuts: stages of their own ranks, and of two ranks in turn.
TEST(Search, CutsAreNearlyTheBest) {
  std::mt19937_64 random(5);
  int equal = 0, rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    size_t units = 4 + random() % 7, stages = 2 + random() % 3;
    Chain chain(4);
    for (size_t unit = 0; unit < units; ++unit)
      chain.addLayer(100 + int64_t(random() % 900), 100 + int64_t(random() % 900), int64_t(random() % 900), 64);
    Workload workload = chain.build();
    std::vector<int32_t> rankOf;
    for (size_t stage = 0; stage < stages; ++stage)
      rankOf.push_back(int32_t(round % 4 ? stage : stage % 2));
    auto slowest = [&](const std::vector<int32_t> &stageOf) {
      std::vector<int64_t> ns(stages);
      for (size_t unit = 0; unit < units; ++unit)
        ns[size_t(rankOf[size_t(stageOf[unit])])] +=
            std::accumulate(workload.unitNs[unit].begin(), workload.unitNs[unit].end(), int64_t(0));
      return *std::max_element(ns.begin(), ns.end());
    };
    std::vector<int32_t> cut = cutUnits(workload, Machine(), rankOf), stageOf(units);
    int64_t best = slowest(cut);
    for (size_t borders = 0; borders < size_t(1) << (units - 1); ++borders) {
      for (size_t unit = 1; unit < units; ++unit)
        stageOf[unit] = stageOf[unit - 1] + int32_t(borders >> (unit - 1) & 1);
      if (stageOf.back() + 1 == int32_t(stages))
        best = std::min(best, slowest(stageOf));
    }
    equal += slowest(cut) == best;
    EXPECT_LE(double(slowest(cut)), (round % 4 ? 1.07 : 1.12) * double(best)) << "round " << round;
  }
  EXPECT_GE(equal * 100, rounds * 80) << equal;
}

TEST(Search, OneRankTakesAllWork) {
  std::mt19937 random(1);
  Workload workload = randomChain(random, 5, 4);
  SearchReport report;
  std::optional<Found> found = search({workload}, freeMachine(1), limitsFor(1), report);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->result.stepNs, workload.workNs());
}

TEST(Search, BoundIsNone) {
  std::mt19937 random(2);
  for (int64_t ranks : {2, 3, 4}) {
    std::vector<Workload> workloads = {randomChain(random, 9, 8)};
    SearchReport report;
    std::optional<Found> found = search(workloads, freeMachine(ranks), limitsFor(ranks), report);
    ASSERT_TRUE(found);
    EXPECT_GE(found->result.stepNs, lowerBound(workloads, freeMachine(ranks)));
  }
}

// No plan is worse than those of the families that a user can name, but for a hundredth: a named order searches fewer
// plans, and so its cuts more closely.
TEST(Search, IsNoWorseThanFamilies) {
  std::mt19937 random(3);
  for (int round = 0; round < 4; ++round) {
    int64_t ranks = 2 + round % 3;
    std::vector<Workload> workloads;
    std::mt19937 layers = random;
    for (int64_t runs : {2, 8}) {
      std::mt19937 same = layers;
      workloads.push_back(randomChain(same, 8, runs));
      random = same;
    }
    SearchReport report;
    std::optional<Found> free = search(workloads, freeMachine(ranks), limitsFor(ranks, 4'000'000), report);
    ASSERT_TRUE(free);
    for (size_t kind = 0; kind < plc::Choice<planner::ScheduleKind>::rows().size(); ++kind) {
      Limits named = limitsFor(ranks);
      named.schedule = planner::ScheduleKind(kind);
      if (plc::rowOf(*named.schedule).follows != planner::OrderSource::shape)
        continue;
      SearchReport ofNamed;
      std::optional<Found> found = search(workloads, freeMachine(ranks), named, ofNamed);
      ASSERT_TRUE(found) << plc::nameOfChoice(*named.schedule);
      EXPECT_LE(free->result.stepNs * 100, found->result.stepNs * 101) << plc::nameOfChoice(*named.schedule);
    }
  }
}

TEST(Search, BudgetThatBindsNothingChangesNothing) {
  std::mt19937 random(4);
  std::vector<Workload> workloads = {randomChain(random, 8, 8)};
  SearchReport report;
  std::optional<Found> free = search(workloads, freeMachine(3), limitsFor(3), report);
  std::optional<Found> wide = search(workloads, withBudget(freeMachine(3), int64_t(1) << 40), limitsFor(3), report);
  ASSERT_TRUE(free && wide);
  EXPECT_EQ(free->plan, wide->plan);
}

// Inside the budget, and the same plan again; less bytes never make a step shorter by more than a fiftieth.
TEST(Search, KeepsBudgets) {
  std::mt19937 random(5);
  for (int round = 0; round < 4; ++round) {
    std::vector<Workload> workloads = {randomChain(random, 8, 8)};
    Machine machine = freeMachine(2);
    SearchReport report;
    std::optional<Found> free = search(workloads, machine, limitsFor(2), report);
    ASSERT_TRUE(free);
    int64_t last = free->result.stepNs;
    for (int64_t percent : {90, 70, 50, 35}) {
      Machine less = withBudget(machine, mostBytes(*free) * percent / 100);
      std::optional<Found> found = search(workloads, less, limitsFor(2), report);
      if (!found)
        break;
      EXPECT_LE(mostBytes(*found), less.limitBytes.front());
      EXPECT_GE(found->result.stepNs * 51, last * 50);
      last = std::max(last, found->result.stepNs);
      EXPECT_EQ(found->plan, search(workloads, less, limitsFor(2), report)->plan);
    }
  }
}

// However little effort there is: where it ends before any start, a plan that a frame was tried with is the answer.
TEST(Search, AnswersWithAnyEffort) {
  std::mt19937 random(14);
  std::vector<Workload> workloads = {randomChain(random, 8, 8)};
  SearchReport report;
  std::optional<Found> free = search(workloads, freeMachine(3), limitsFor(3), report);
  ASSERT_TRUE(free);
  Machine less = withBudget(freeMachine(3), mostBytes(*free) * 6 / 10);
  int answers = 0;
  for (int64_t effort = 1; effort < 300'000; effort += effort / 8 + 1) {
    SearchReport each;
    std::optional<Found> found = search(workloads, less, limitsFor(3, effort), each);
    answers += found.has_value();
    EXPECT_TRUE(!found || mostBytes(*found) <= less.limitBytes.front());
  }
  EXPECT_GT(answers, 0);
}

// More ranks or more bytes make no step longer, but for a fiftieth, and exclude no plan. Pairs by chance; other ones
// with
// --gtest_random_seed: of 1,008 pairs of the seeds 1 to 42 fifteen are above it, the worst by 14.2 %.
TEST(Search, MoreIsNoWorse) {
  int32_t seed = GTEST_FLAG_GET(random_seed);
  std::mt19937 random(unsigned(seed ? seed : 1)); // what gtest makes of 0 is the time
  double worst = 1;
  for (int round = 0; round < 12; ++round) {
    auto upTo = [&](int64_t most) { return int64_t(random() % uint64_t(most)) + 1; };
    std::vector<Workload> workloads;
    int64_t layers = 4 + upTo(6);
    for (std::mt19937 same = random; int64_t runs : {4, 8}) {
      random = same;
      workloads.push_back(randomChain(random, layers, runs));
    }
    auto stepOf = [&](int64_t ranks, int64_t bytes) {
      Limits limits = limitsFor(1, 1'000'000);
      for (int64_t more = 2; more <= ranks; ++more)
        limits.rankCounts.push_back(more);
      SearchReport report;
      Machine machine = bytes ? withBudget(freeMachine(ranks), bytes) : freeMachine(ranks);
      std::optional<Found> found = search(workloads, machine, limits, report);
      return found ? std::pair(double(found->result.stepNs), mostBytes(*found))
                   : std::pair(double(INFINITY), int64_t(0));
    };
    auto compare = [&](double less, double more) {
      EXPECT_LE(more, less * 1.02) << "round " << round;
      worst = std::isinf(less) ? worst : std::max(worst, more / less);
    };
    int64_t ranks = upTo(4);
    auto [step, bytes] = stepOf(ranks, 0);
    compare(step, stepOf(ranks + upTo(3), 0).first);
    int64_t low = bytes * (30 + upTo(60)) / 100;
    int64_t high = low + bytes * upTo(30) / 100;
    compare(stepOf(ranks, low).first, stepOf(ranks, high).first);
  }
  RecordProperty("worst", std::to_string(worst));
}

TEST(Search, ReportsTheNearestPlan) {
  std::mt19937 random(6);
  SearchReport report;
  EXPECT_FALSE(search({randomChain(random, 4, 2)}, withBudget(freeMachine(2), 1), limitsFor(2), report));
  ASSERT_TRUE(report.nearest);
  EXPECT_GT(report.nearest->result.overBytes, 0);
}

// F = B = W = 1, 4 ranks, 8 micro-batches, two stages on each rank in a V. 1F1B saves the activations of 8 stages on
// the first rank; half of these are enough for 59 units, which is optimal: Qi et al., "Pipeline Parallelism with
// Controllable Memory".
TEST(Search, FindsOrdersInAVWithHalfTheActivations) {
  Chain chain(8);
  for (int layer = 0; layer < 8; ++layer)
    chain.addLayer(1000, 1000, 1000, 1 << 20);
  Limits limits = limitsFor(4, 4'000'000);
  limits.rankOf = {0, 1, 2, 3, 3, 2, 1, 0};
  limits.mayRecompute = false;
  SearchReport report;
  constexpr int64_t perStage = 2 << 20; // what a stage makes, and what it has received
  constexpr int64_t room = 1 << 16;     // gradients
  std::optional<Found> found = search({chain.build()}, withBudget(freeMachine(4), 4 * perStage + room), limits, report);
  ASSERT_TRUE(found);
  EXPECT_LE(found->result.stepNs, 59'000);
}

// About as fast as without, in fewer bytes.
TEST(Search, TakesFewerBytesAmongEquals) {
  std::mt19937 random(7);
  int64_t bytes = 0, bytesWithout = 0;
  for (int round = 0; round < 6; ++round) {
    std::vector<Workload> workloads = {randomChain(random, 8, 64)};
    Limits limits = limitsFor(4, 1'000'000);
    SearchReport report;
    std::optional<Found> found = search(workloads, freeMachine(4), limits, report);
    limits.without = {"fewer bytes"};
    std::optional<Found> without = search(workloads, freeMachine(4), limits, report);
    ASSERT_TRUE(found && without);
    EXPECT_LE(double(found->result.stepNs), 1.0025 * double(without->result.stepNs));
    bytes += mostBytes(*found);
    bytesWithout += mostBytes(*without);
  }
  EXPECT_LT(bytes * 10, bytesWithout * 9);
}

// Checkpoints of a chain fit where fewer values fit than units have in common.
TEST(Search, BeginsWithChainsAtTheFloor) {
  Chain chain(1);
  for (int layer = 0; layer < 16; ++layer)
    chain.addLayer(1000, 1000, 1000, 64 << 10);
  std::vector<Workload> workloads = {chain.build()};
  auto least = [&](std::set<std::string> without) {
    Limits limits = limitsFor(1, 20'000);
    limits.without = std::move(without);
    int64_t low = 0, high = 64 << 20;
    while (low + 1024 < high) {
      SearchReport report;
      int64_t middle = (low + high) / 2;
      (search(workloads, withBudget(freeMachine(1), middle), limits, report) ? high : low) = middle;
    }
    return high;
  };
  EXPECT_LT(least({}) * 10, least({"chains"}) * 9);
}

// A clone stands before the first call that needs it; `perUnit` makes one for each unit, before its calls, `perCall`
// for each call.
TEST(StageTasks, ClonesBeforeFirstUse) {
  Chain chain(1);
  for (int layer = 0; layer < 3; ++layer)
    chain.addLayer(1, 1, 1, 64);
  Workload workload = chain.build();
  for (Call &call : workload.calls)
    if (call.kind == TaskKind::W && call.unit == 1)
      call.reads.push_back(workload.calls[1].makes.front());
  PlanSpec plan;
  plan.stageOf = {0, 0, 0};
  plan.rankOf = {0};
  plan.fullBackward = {true, true, true};
  plan.recompute.assign(workload.calls.size(), Recompute::no);
  plan.recompute[1] = Recompute::once; // read by B and W of layer 1, and by W of layer 2
  auto clonesOf = [&](int32_t call) {
    std::vector<BodyCall> body = bodiesOf(workload, plan).bodies[0][int(TaskKind::B)];
    return std::count_if(body.begin(), body.end(), [&](BodyCall each) { return each.isClone && each.call == call; });
  };
  EXPECT_EQ(clonesOf(1), 1);
  int64_t once = tasksOf(workload, plan, 1).stages[0][int(TaskKind::B)].ns;
  plan.recompute[1] = Recompute::perUnit;
  EXPECT_EQ(clonesOf(1), 2);
  EXPECT_EQ(tasksOf(workload, plan, 1).stages[0][int(TaskKind::B)].ns, once + 1);
  plan.recompute[1] = Recompute::perCall;
  EXPECT_EQ(clonesOf(1), 3);
}
