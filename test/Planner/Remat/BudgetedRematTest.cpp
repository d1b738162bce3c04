//===- BudgetedRematTest.cpp - retention beside an oracle, Revolve, a checker -===//
#include "BudgetedRematChecker.h"
#include "BudgetedRematExact.h"
#include "BudgetedRematProblems.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace plc::planner;
using Clone = BudgetedRemat::Clone;

namespace {

// Nothing if the second opinion agrees, with addresses as the planner gives them.
std::optional<std::string> check(const BudgetedRematProblem &problem, const BudgetedRemat &answer) {
  PackProblem pack = problem.blocksOf(answer);
  Packing packing;
  if (Status fault = firstFitBySize(pack, packing))
    return *fault;
  return checkBudgetedRemat(problem, answer, packing.offsets, packing.bytes, budgetedRematBound(problem).value_or(0));
}

// All budgets of small graphs: the exact search is the oracle's, and no bound is above it.
TEST(BudgetedRemat, IsOptimalOnSmallGraphs) {
  int64_t tight = 0;
  for (uint64_t seed = 0; seed < 9; ++seed) {
    BudgetedRematProblem problem = randomBudgetedRemat(seed, 6 + int64_t(seed % 3));
    ASSERT_EQ(problem.check(), std::nullopt);
    int64_t most = problem.peakOf({}).bytes;
    for (problem.budgetBytes = problem.workingSet().bytes - 1; problem.budgetBytes <= most; ++problem.budgetBytes) {
      std::optional<int64_t> least = leastAddedNs(problem), bound = budgetedRematBound(problem);
      BudgetedRemat answer;
      bool found = false;
      Status fault = solveBudgetedRematExactly(problem, 1'000'000, answer, found);
      ASSERT_EQ(found, least.has_value()) << seed;
      ASSERT_EQ(fault.has_value(), !found);
      if (!least)
        continue;
      EXPECT_EQ(problem.addedNs(answer), *least);
      EXPECT_EQ(check(problem, answer), std::nullopt);
      ASSERT_TRUE(bound);
      EXPECT_LE(*bound, *least);
      tight += *least > 0 && *bound == *least;
    }
  }
  EXPECT_GT(tight, 0);
}

// All budgets of small graphs: what the search for plans recomputes is never less than the least, and mostly that. A
// call of its plans runs again once, for each unit or for each call, so it does not find all answers.
TEST(BudgetedRemat, SearchIsNearTheLeast) {
  int64_t solved = 0, equal = 0, missed = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    BudgetedRematProblem problem = randomBudgetedRemat(seed, 4 + int64_t(seed % 2));
    for (BudgetedRematProblem::Call &call : problem.calls) {
      call.scratchBytes = 0;
      call.inPlace.clear();
    }
    addBackward(problem);
    int64_t most = problem.peakOf({}).bytes;
    for (problem.budgetBytes = problem.workingSet().bytes; problem.budgetBytes <= most; ++problem.budgetBytes) {
      std::optional<int64_t> least = leastAddedNs(problem);
      std::optional<BudgetedRemat> answer = searchBudgetedRemat(problem, 20'000);
      ASSERT_TRUE(least || !answer);
      missed += least && !answer;
      if (!answer)
        continue;
      EXPECT_EQ(check(problem, *answer), std::nullopt);
      EXPECT_GE(problem.addedNs(*answer), *least);
      ++solved;
      equal += problem.addedNs(*answer) == *least;
    }
  }
  EXPECT_GE(equal * 4, solved * 3) << equal << " of " << solved;
  EXPECT_LE(missed * 20, solved) << missed;
}

// In half of their bytes networks recompute little more than no plan can do without: half a percent of the time.
TEST(BudgetedRemat, SearchIsNearTheBound) {
  for (BudgetedRematProblem problem : {vgg(5, 2), uNet(3), mobileNet(3, 1), transformer(3)})
    for (int64_t percent : {70, 50}) {
      problem.budgetBytes = problem.peakOf({}).bytes * percent / 100;
      std::optional<BudgetedRemat> answer = searchBudgetedRemat(problem);
      ASSERT_TRUE(answer);
      EXPECT_EQ(check(problem, *answer), std::nullopt);
      EXPECT_LE(200 * (problem.addedNs(*answer) - budgetedRematBound(problem).value()), problem.baseNs()) << percent;
    }
}

// Near the floor all that is recomputed runs again for each call that needs it, which takes six times as long as all
// else; what need not is taken back.
TEST(BudgetedRemat, SearchTakesBackClonesNearTheFloor) {
  BudgetedRematProblem problem = uNet(5);
  problem.budgetBytes = problem.peakOf({}).bytes * 3 / 10;
  std::optional<BudgetedRemat> answer = searchBudgetedRemat(problem);
  ASSERT_TRUE(answer);
  EXPECT_LE(problem.addedNs(*answer), 2 * budgetedRematBound(problem).value());
}

// In few bytes a value is made again for each of several calls: one moment alone bounds that by 7 % of the time,
// moments one behind the other by 13 %, of 15 % that are added.
TEST(BudgetedRemat, BoundAddsMomentsOneBehindTheOther) {
  BudgetedRematProblem problem = vgg(5, 2);
  problem.budgetBytes = problem.workingSet().bytes * 102 / 100;
  int64_t bound = budgetedRematBound(problem).value(), base = problem.baseNs();
  EXPECT_GE(100 * bound, 12 * base);
  EXPECT_LE(100 * bound, 15 * base);
}

// With images that the decoder reads again in few bytes, moments say that 12 % of the time is added, prices of bytes
// and operands at all calls together that 14.9 % is, and the least known is 17 %. So the gap of what is found is small.
TEST(BudgetedRemat, BoundSeesAllCallsTogether) {
  BudgetedRematProblem problem = uNet(5);
  problem.budgetBytes = problem.peakOf({}).bytes * 3 / 10;
  int64_t bound = budgetedRematBound(problem).value(), base = problem.baseNs();
  EXPECT_GE(1000 * bound, 145 * base);
  EXPECT_LE(1000 * bound, 170 * base);
}

TEST(BudgetedRemat, IsRevolveOnUniformChains) {
  for (int64_t steps : {6, 14}) {
    BudgetedRematProblem problem = uniformChain(steps);
    ASSERT_EQ(problem.check(), std::nullopt);
    for (problem.budgetBytes = steps; problem.budgetBytes > 3; --problem.budgetBytes) {
      BudgetedRemat answer;
      bool found = false;
      ASSERT_EQ(solveBudgetedRematExactly(problem, 1'000'000, answer, found), std::nullopt);
      ASSERT_TRUE(found) << steps << " in " << problem.budgetBytes;
      EXPECT_EQ(problem.addedNs(answer), revolveAdded(steps, problem.budgetBytes - 1)) << problem.budgetBytes;
      EXPECT_EQ(check(problem, answer), std::nullopt);
    }
  }
}

// Beside the widest images the gradient of the block's input waits, and nothing makes it again: the working set counts
// that.
TEST(BudgetedRemat, CountsWhatNothingMakesAgain) {
  constexpr int64_t image = 64 * 4096 * 16;
  for (const BudgetedRematProblem &problem : {mobileNet(3, 1), mobileNet(4, 4)})
    EXPECT_EQ(problem.workingSet().bytes, (3 * 6 + 1) * image);
}

// Two values of 10 bytes live from F to B, the second is made of the first. B reads them in reverse.
BudgetedRematProblem twoValues() {
  BudgetedRematProblem problem;
  problem.bytes = {10, 10};
  problem.calls = {{TaskKind::F, 3}, {TaskKind::F, 5}, {TaskKind::B, 1}, {TaskKind::B, 1}};
  problem.calls[0].results = {0};
  problem.calls[1].args = {0};
  problem.calls[1].results = {1};
  problem.calls[2].args = {1};
  problem.calls[3].args = {0};
  problem.calls[2].repeatable = problem.calls[3].repeatable = false;
  problem.calls[1].name = "kernel 'k'";
  problem.budgetBytes = 1000;
  return problem;
}

TEST(BudgetedRemat, CountsMicroBatchesInFlight) {
  BudgetedRematProblem problem = twoValues();
  problem.persistentBytes = 7;
  problem.firstClone = 2;
  EXPECT_EQ(problem.peakOf({}).bytes, 27);
  problem.inFlight = 3;
  EXPECT_EQ(problem.peakOf({}).bytes, 67);
  // The second is made again of the first, or both are made again: one live of F to B, or none.
  EXPECT_EQ(problem.peakOf({{{1, 2}}}).bytes, 7 + 20 + 2 * 10);
  EXPECT_EQ(problem.peakOf({{{0, 2}, {1, 2}}}).bytes, 7 + 20);
  problem.budgetBytes = 30;
  EXPECT_EQ(problem.verify({{{0, 2}, {1, 2}}}), std::nullopt);
  EXPECT_EQ(*budgetedRematBound(problem), 8);
  // No state of the exact search knows what the others hold.
  BudgetedRemat answer;
  bool found = true;
  EXPECT_EQ(solveBudgetedRematExactly(problem, 1'000, answer, found), std::nullopt);
  EXPECT_FALSE(found);
}

// Each of 3 micro-batches holds the two results of B that W reads, which nothing makes again, and W reads one of F
// beside them: that is known before any answer is looked for.
TEST(BudgetedRemat, CountsWhatWaitsForW) {
  BudgetedRematProblem problem;
  problem.bytes = {10, 10, 10};
  problem.calls = {{TaskKind::F, 5, 0, true, {}, {0}},
                   {TaskKind::B, 5, 0, false, {0}, {1}},
                   {TaskKind::B, 5, 0, false, {1}, {2}},
                   {TaskKind::W, 5, 0, true, {1, 0}, {}},
                   {TaskKind::W, 5, 0, true, {2}, {}}};
  problem.firstClone = 1;
  problem.inFlight = 3;
  problem.budgetBytes = 70;
  EXPECT_EQ(problem.verify({}), std::nullopt); // B frees none of the three where W follows it
  problem.splitsBackward = true;
  EXPECT_TRUE(problem.verify({})->isNoPlan);
  EXPECT_EQ(problem.verify({{{0, 3}}}), std::nullopt);
  EXPECT_EQ(*budgetedRematBound(problem), 4); // of relaxed parts of a value
  problem.budgetBytes = 59;
  BudgetedRematProblem::Peak least;
  EXPECT_FALSE(budgetedRematBound(problem, &least));
  EXPECT_GT(least.bytes, 59);
}

TEST(BudgetedRemat, NamesWhatDoesNotFit) {
  BudgetedRematProblem problem = twoValues();
  problem.budgetBytes = 19;
  BudgetedRemat answer;
  bool found = false;
  Status fault = solveBudgetedRematExactly(problem, 1'000, answer, found);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->isNoPlan);
  EXPECT_EQ(*fault,
            "no plan fits: in this order with these kernels, kernel 'k' needs 20 B, budget 19 B: 1 bytes are missing");
  EXPECT_EQ(budgetedRematBound(problem), std::nullopt);
  problem.budgetBytes = 20;
  EXPECT_EQ(solveBudgetedRematExactly(problem, 1'000, answer, found), std::nullopt);
  EXPECT_TRUE(found);
  // Where the bound names no call.
  problem = randomBudgetedRemat(18, 10);
  problem.budgetBytes = 22;
  EXPECT_EQ(solveBudgetedRematExactly(problem, 1'000'000, answer, found),
            "no plan fits: in this order with these kernels, whatever runs again, budget 22 B");
}

TEST(BudgetedRemat, RefusesWhatIsNoProblem) {
  auto fault = [](auto change) {
    BudgetedRematProblem problem = twoValues();
    change(problem);
    return problem.check().value_or("");
  };
  EXPECT_EQ(fault([](auto &p) { p.bytes[1] = -1; }), "value 1 has -1 bytes");
  EXPECT_EQ(fault([](auto &p) { p.inFlight = 0; }),
            "has 0 micro-batches in flight, 0 persistent bytes and a budget of 1000");
  EXPECT_EQ(fault([](auto &p) { p.calls[3].kind = TaskKind::F; }), "call 3 stands behind a later task's");
  EXPECT_EQ(fault([](auto &p) { p.calls[0].ns = -3; }), "call 0 takes -3 ns and 0 bytes");
  EXPECT_EQ(fault([](auto &p) { p.calls[0].args = {1}; }), "call 0 reads value 1, which is not made before it");
  EXPECT_EQ(fault([](auto &p) { p.calls[1].results = {0}; }), "call 1 makes value 0, which has another maker");
  EXPECT_EQ(fault([](auto &p) { p.calls[1].inPlace = {{1, 0}}; }),
            "call 1 has value 0 take the place of value 1, but does not make the one and read the other");
}

TEST(BudgetedRemat, RefusesWhatIsNoAnswer) {
  BudgetedRematProblem problem = twoValues();
  auto fault = [&](std::vector<Clone> clones) { return problem.verify({clones}).value_or(""); };
  EXPECT_EQ(fault({{1, 2}}), "");
  EXPECT_EQ(fault({{1, 1}}), "a clone of call 1 runs before call 1, which does not stand behind it");
  EXPECT_EQ(fault({{0, 9}}), "a clone of call 0 runs before call 9, which does not stand behind it");
  EXPECT_EQ(fault({{0, 3}, {1, 2}}), "a clone before call 2 stands behind one before call 3");
  EXPECT_EQ(fault({{2, 3}}), "call 2 may not run again");
  problem.firstClone = 2;
  EXPECT_EQ(fault({{0, 1}}), "a clone runs before call 1 but the first may before call 2");
  problem.budgetBytes = 19;
  EXPECT_TRUE(problem.verify({})->isNoPlan);
}

// The second opinion is one.
TEST(BudgetedRematChecker, Refuses) {
  BudgetedRematProblem problem = twoValues();
  problem.firstClone = 2;
  auto fault = [&](std::vector<Clone> clones, std::vector<int64_t> offsets, int64_t bound = 0) {
    return checkBudgetedRemat(problem, {clones}, offsets, 20, bound).value_or("");
  };
  EXPECT_EQ(fault({}, {0, 10}), "");
  EXPECT_EQ(fault({{1, 2}}, {0, 10, 10}), "");
  EXPECT_EQ(fault({}, {0, 9}), "run 1: two values share byte 9");
  EXPECT_EQ(fault({}, {0, 0}), "run 1: value 1 lies where another one begins");
  EXPECT_EQ(fault({}, {0, 11}), "run 1: value 1 lies outside the arena");
  EXPECT_EQ(fault({}, {0}), "there are too few offsets");
  EXPECT_EQ(fault({}, {0, 10}, 1), "the bound is 1 but clones take 0");
  EXPECT_EQ(fault({{1, 1}}, {}), "a clone stands before its original");
  EXPECT_EQ(fault({{0, 1}}, {}), "a clone runs too early");
  EXPECT_EQ(fault({{0, 3}, {1, 2}}, {}), "clones are out of order");
  EXPECT_EQ(fault({{2, 3}}, {}), "call 2 runs again");
  problem.budgetBytes = 19;
  EXPECT_EQ(fault({}, {0, 10}), "holds 20 bytes of 19");
}

// Equal problems have one bound, whatever their names; bytes, time and budgets are looked at.
TEST(BudgetedRemat, KnowsBounds) {
  KnownRematBounds known;
  BudgetedRematProblem problem = twoValues(), renamed = problem, longer = problem, larger = problem;
  for (BudgetedRematProblem *each : {&problem, &renamed, &longer, &larger}) {
    each->inFlight = 3;
    each->firstClone = 2;
    each->budgetBytes = 40;
  }
  renamed.calls[0].name = "another";
  longer.calls[0].ns += 100;
  larger.bytes[0] += 10;
  for (const BudgetedRematProblem *each : {&problem, &renamed, &longer, &larger})
    EXPECT_EQ(known.of(*each), budgetedRematBound(*each).value_or(0));
  EXPECT_EQ(known.of(renamed), known.of(problem));
  EXPECT_NE(known.of(longer), known.of(problem));
  problem.budgetBytes = 19;
  EXPECT_EQ(known.of(problem), 0);
}

} // namespace
