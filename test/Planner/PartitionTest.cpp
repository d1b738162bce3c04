//===- PartitionTest.cpp - cuts, compared with all cuts there are ---------===//
#include "PartitionOracle.h"

#include "plc/Planner/KnownCuts.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace plc::planner;

namespace {

PartitionProblem chain(std::vector<int64_t> ns, int64_t stages) {
  PartitionProblem problem;
  for (int64_t each : ns)
    problem.parts.push_back({"p" + std::to_string(problem.parts.size()), each});
  problem.isChain = true;
  problem.stages = stages;
  problem.inFlight.assign(stages, 1);
  return problem;
}

// The best of all compositions of the parts, or -1.
int64_t bruteForce(const PartitionProblem &problem, std::vector<int64_t> counts = {}) {
  int64_t left = problem.parts.size(), best = -1;
  for (int64_t count : counts)
    left -= count;
  if (int64_t(counts.size()) == problem.stages) {
    Partition answer;
    return left == 0 && !fixPartition(problem, counts, answer) ? answer.slowestNs : -1;
  }
  for (int64_t count = 1; count <= left; ++count) {
    counts.push_back(count);
    int64_t worst = bruteForce(problem, counts);
    counts.pop_back();
    best = best < 0 || (worst >= 0 && worst < best) ? worst : best;
  }
  return best;
}

std::vector<int64_t> countsOf(const PartitionProblem &problem, const Partition &answer) {
  std::vector<int64_t> counts(problem.stages);
  for (int64_t stage : answer.stageOf)
    ++counts[stage];
  return counts;
}

// Whether there is a cut; then the answer must be the best one, and without one there must be the error that says so.
bool solvesAsWell(const PartitionProblem &problem, int64_t best, Partition &answer) {
  Fault fault = solvePartition(problem, answer);
  EXPECT_EQ(fault.has_value(), best < 0);
  if (fault) {
    EXPECT_TRUE(fault->isNoPlan) << *fault;
    return false;
  }
  EXPECT_EQ(answer.slowestNs, best);
  EXPECT_LE(problem.bound(), best);
  return true;
}

// torchgpipe's block partition cuts 1, 1, 1, 4 here.
TEST(Partition, SevenEqualLayersInFour) {
  PartitionProblem problem = chain(std::vector<int64_t>(7, 10), 4);
  Partition answer;
  EXPECT_EQ(solvePartition(problem, answer), std::nullopt);
  EXPECT_EQ(answer.slowestNs, 20);
  std::vector<int64_t> counts = countsOf(problem, answer);
  EXPECT_EQ(*std::max_element(counts.begin(), counts.end()), 2);
  EXPECT_TRUE(answer.exact);
  EXPECT_EQ(problem.bound(), 20);
}

// Min-max-difference (DeepSpeed) leaves stages empty; here every count is positive and nothing is lost.
TEST(Partition, NoStageIsEmpty) {
  for (int64_t stages = 1; stages <= 5; ++stages) {
    Partition answer;
    PartitionProblem problem = chain({100, 1, 1, 1, 1}, stages);
    EXPECT_EQ(solvePartition(problem, answer), std::nullopt);
    for (int64_t count : countsOf(problem, answer))
      EXPECT_GT(count, 0);
  }
}

TEST(Partition, ReceivedTensorsCountOncePerStage) {
  PartitionProblem problem = chain({1, 1, 1}, 2);
  problem.tensors.push_back({0, {1, 2}, 5, 64});
  EXPECT_EQ(problem.loadsOf({0, 1, 1})[1].ns, 2 + 5);
  EXPECT_EQ(problem.loadsOf({0, 0, 1})[0].ns, 2);
  EXPECT_EQ(problem.loadsOf({0, 0, 1})[1].ns, 1 + 5);
  EXPECT_EQ(problem.loadsOf({0, 0, 1})[1].heldBytes, 64);
}

TEST(Partition, EqualsBruteForce) {
  std::mt19937 random(1);
  auto upTo = [&](int64_t most) { return int64_t(random() % (most + 1)); };
  for (int round = 0; round < 300; ++round) {
    int64_t parts = 1 + upTo(7), stages = 1 + upTo(parts - 1);
    PartitionProblem problem = chain({}, stages);
    for (int64_t part = 0; part < parts; ++part)
      problem.parts.push_back({"p", upTo(50), upTo(100), upTo(100)});
    for (int64_t &flying : problem.inFlight)
      flying = 1 + upTo(3);
    for (int64_t i = upTo(4); i > 0; --i)
      problem.tensors.push_back({upTo(parts - 1), {upTo(parts - 1)}, upTo(20), upTo(100)});
    problem.residents.push_back({{upTo(parts - 1)}, upTo(200), upTo(100)});
    problem.limitBytes = round % 2 ? 200 + upTo(1500) : 0;
    if (round % 3 == 0) { // ranks 0 .. r, each named once, then at random
      for (int64_t ranks = 1 + upTo(stages - 1), stage = 0; stage < stages; ++stage)
        problem.place.push_back(stage < ranks ? stage : upTo(ranks - 1));
      std::shuffle(problem.place.begin(), problem.place.end(), random);
    }
    Partition answer;
    if (!solvesAsWell(problem, bruteForce(problem), answer))
      continue;
    EXPECT_TRUE(answer.exact);
  }
}

// Graphs, with memory, speeds and shared ranks: the ideals give the best cut; the orders with moves alone come near it.
TEST(Partition, GraphsEqualBruteForce) {
  std::mt19937 random(5);
  auto upTo = [&](int64_t most) { return int64_t(random() % (most + 1)); };
  for (int round = 0; round < 150; ++round) {
    int64_t parts = 3 + upTo(5), stages = 2 + upTo(1);
    PartitionProblem problem = randomGraph(random, parts, stages);
    problem.limitBytes = round % 2 ? 400 + upTo(1500) : 0;
    if (round % 3 == 0)
      problem.speed = stages == 2 ? std::vector<int64_t>{100, 50 + upTo(100)} : std::vector<int64_t>{80, 100, 120};
    if (round % 5 == 0 && stages == 3 && problem.speed.empty())
      problem.place = {0, 1, 0};
    Partition answer;
    if (!solvesAsWell(problem, bruteForceGraph(problem), answer))
      continue;
    EXPECT_TRUE(answer.exact);
  }
}

// Two branches that share nothing: a chain in program order must cut one of them, stages of the graph need not.
TEST(Partition, BranchesBesideEachOther) {
  PartitionProblem problem = chain({1, 30, 1, 30, 1}, 2);
  problem.isChain = false;
  problem.tensors = {{0, {2}, 100, 0}, {2, {4}, 100, 0}, {1, {3}, 100, 0}};
  Partition answer;
  problem.parts[4].ns = 58;
  ASSERT_EQ(solvePartition(problem, answer), std::nullopt);
  int64_t one = answer.stageOf[0], other = 1 - one;
  EXPECT_EQ(answer.stageOf, (std::vector<int64_t>{one, other, one, other, one}));
  EXPECT_EQ(answer.slowestNs, 60);
  EXPECT_EQ(*problem.verify({{1, 0, 0, 0, 1}, 160, false}),
            "part 'p2' in stage 0 reads what part 'p0' makes in stage 1");
  problem.tensors.push_back({4, {0}, 0, 0});
  EXPECT_NE(problem.check()->find("comes before and after part"), std::string::npos);
}

// Beyond the ideals that are enumerated: sixteen branches of ten parts, cut by orders and moves.
TEST(Partition, WideGraphs) {
  std::mt19937 random(6);
  PartitionProblem problem = chain({}, 4);
  problem.isChain = false;
  for (int64_t part = 0; part < 160; ++part) {
    problem.parts.push_back({"p", 50 + int64_t(random() % 100)});
    if (part % 10)
      problem.tensors.push_back({part - 1, {part}, 10, 0});
  }
  Partition answer, again;
  ASSERT_EQ(solvePartition(problem, answer), std::nullopt);
  EXPECT_LE(answer.slowestNs, problem.bound() * 102 / 100);
  ASSERT_EQ(solvePartition(problem, again), std::nullopt);
  EXPECT_EQ(answer.stageOf, again.stageOf);
}

// Stages 0 and 2 share a rank: not the slowest stage counts, but both together.
TEST(Partition, SlowestRankOfSharedOnes) {
  PartitionProblem problem = chain({10, 10, 10, 10}, 3);
  problem.place = {0, 1, 0};
  Partition answer;
  ASSERT_EQ(solvePartition(problem, answer), std::nullopt);
  EXPECT_EQ(answer.stageOf, (std::vector<int64_t>{0, 1, 1, 2}));
  EXPECT_EQ(answer.slowestNs, 20);
  EXPECT_EQ(problem.bound(), 20);
  for (PartitionProblem::Part &part : problem.parts)
    part.keptBytes = 1 << 20;
  problem.limitBytes = 1 << 20;
  EXPECT_EQ(*solvePartition(problem, answer), "no plan fits: rank 0 (stages 0, 2) needs 2.0 MiB, limit 1.0 MiB, "
                                              "largest part 'p0' 1.0 MiB: 1048576 bytes are missing");
  problem.place = {0, 2, 0};
  EXPECT_EQ(*problem.check(), "place leaves out rank 1");
  problem.place = {0, 1};
  EXPECT_EQ(*problem.check(), "places 2 of 3 stages");
}

// More undominated states than are kept: still an answer, within a tenth of the bound here.
TEST(Partition, ManyStagesOnFewRanks) {
  std::mt19937 random(2);
  PartitionProblem problem = chain({}, 8);
  for (int64_t part = 0; part < 40; ++part)
    problem.parts.push_back({"p", int64_t(1000 + random() % 9000)});
  problem.place = {0, 1, 2, 3, 0, 1, 2, 3};
  Partition answer;
  ASSERT_EQ(solvePartition(problem, answer), std::nullopt);
  EXPECT_LE(answer.slowestNs, problem.bound() * 11 / 10);
}

// Thousands of ideals, each with more undominated states than are kept: their comparisons count as work, too, so that the search
// is given up within a second, and orders and moves find a cut. Where they do not count, it takes minutes.
TEST(Partition, WideGraphsOnFewRanks) {
  std::mt19937 random(3);
  PartitionProblem problem = chain({}, 8);
  problem.isChain = false;
  for (int64_t part = 0; part < 36; ++part) {
    problem.parts.push_back({"p", int64_t(1000 + random() % 9000)});
    if (part % 12)
      problem.tensors.push_back({part - 1, {part}, int64_t(random() % 1000), 0});
  }
  problem.place = {0, 1, 2, 3, 0, 1, 2, 3};
  Partition answer;
  ASSERT_EQ(solvePartition(problem, answer), std::nullopt);
  EXPECT_LE(answer.slowestNs, problem.bound() * 11 / 10);
}

// Whatever was asked before, answers and bounds are those of the problem itself; each change here may change one of them.
TEST(Partition, KnownCutsAreThoseOfTheProblem) {
  std::mt19937 random(17);
  KnownCuts known;
  for (int round = 0; round < 30; ++round) {
    std::vector<PartitionProblem> problems(13, randomGraph(random, 6 + round % 5, 2 + round % 3));
    for (PartitionProblem &problem : problems)
      problem.limitBytes = round % 2 ? 700 + 20 * round : 0;
    problems[1].parts[2].ns += 37;
    problems[2].tensors.front().ns += 41;
    problems[3].isChain = true;
    ++problems[4].stages;
    problems[4].inFlight.push_back(1);
    problems[5].speed.assign(problems[5].stages, 100);
    problems[5].speed[0] = 250;
    problems[6].place.assign(problems[6].stages, 0);
    problems[7].limitBytes = problems[7].limitBytes ? problems[7].limitBytes * 3 / 4 : 500;
    for (int64_t &each : problems[8].inFlight)
      each += 3;
    problems[9].parts[1].keptBytes += 1000;
    problems[10].tensors.back().bytes += 1000;
    problems[11].residents.push_back({{0, 3}, 300, 200});
    problems[12].parts[1].scratchBytes += 1000;
    for (int again = 0; again < 2; ++again)
      for (const PartitionProblem &each : problems) {
        Partition expected, found;
        Fault expectedFault = solvePartition(each, expected), fault = known.solve(each, found);
        ASSERT_EQ(fault.has_value(), expectedFault.has_value());
        EXPECT_EQ(fault.value_or(""), expectedFault.value_or(""));
        EXPECT_EQ(found.stageOf, expected.stageOf);
        EXPECT_EQ(found.slowestNs, expected.slowestNs);
        EXPECT_EQ(found.exact, expected.exact);
        EXPECT_EQ(known.bound(each), each.bound());
      }
  }
}

TEST(Partition, TellsWhatBinds) {
  PartitionProblem problem = chain({1, 1}, 2);
  problem.parts[1].keptBytes = 3 << 20;
  problem.limitBytes = 1 << 20;
  Partition answer;
  EXPECT_EQ(*solvePartition(problem, answer),
            "no plan fits: stage 1 needs 3.0 MiB, limit 1.0 MiB, largest part 'p1' 3.0 MiB: 2097152 bytes are missing");
  EXPECT_EQ(*solvePartition(chain({1}, 2), answer), "no plan fits: 2 stages but only 1 parts to cut");
  EXPECT_EQ(*fixPartition(chain({1, 1}, 2), {2, 0}, answer), "stage 1 has 0 parts");
  EXPECT_EQ(*fixPartition(chain({1, 1}, 2), {2, 1}, answer), "stages have 3 parts but there are 2");
  EXPECT_EQ(*fixPartition(chain({1, 1}, 2), {2}, answer), "has 1 counts but 2 stages");
}

TEST(Partition, VerifyRefusesWrongAnswers) {
  PartitionProblem problem = chain({1, 2}, 2);
  EXPECT_EQ(*problem.verify({{0, 1}, 1, false}), "the slowest rank takes 2 ns, not 1");
  EXPECT_EQ(*problem.verify({{0}, 3, false}), "has stages of 1 parts but there are 2");
  EXPECT_EQ(*problem.verify({{0, 2}, 3, false}), "part 'p1' is in stage 2 of 2");
  EXPECT_EQ(*problem.verify({{1, 1}, 3, false}), "stage 0 has 0 parts");
}

TEST(Partition, CheckRefusesWhatIsNoProblem) {
  PartitionProblem problem = chain({1, 2}, 2);
  problem.speed = {100};
  EXPECT_EQ(*problem.check(), "has 1 speeds but 2 ranks");
  problem.speed = {100, 0};
  EXPECT_EQ(*problem.check(), "has speed 0 but needs 1 to 1000000");
  problem.speed = {};
  problem.inFlight[1] = -5;
  EXPECT_EQ(*problem.check(), "stage 1 has -5 micro-batches in flight");
  problem.inFlight[1] = 1;
  problem.tensors = {{0, {1}, -1, 0}};
  EXPECT_EQ(*problem.check(), "a tensor of part 'p0' has a negative cost");
  problem.tensors = {};
  problem.residents = {{{1}, -1, 0}};
  EXPECT_EQ(*problem.check(), "a resident of part 'p1' has negative bytes");
  problem.residents = {};
  problem.parts[1].ns = INT64_MAX;
  EXPECT_EQ(*problem.check(), "times add up to more than 2^62");
}

// What graphs with more ideals get, beside all cuts: an answer wherever there is one, and nearly always the best.
TEST(Partition, HeuristicFindsTheBestOfSmallGraphs) {
  std::mt19937 random(7);
  int64_t equal = 0, rounds = 80;
  for (int64_t round = 0; round < rounds; ++round) {
    int64_t parts = 4 + int64_t(random() % 7);
    PartitionProblem problem = randomGraph(random, parts, 2 + int64_t(random() % 3));
    problem.limitBytes = round % 2 ? 500 + int64_t(random() % 2000) : 0;
    Partition answer, again;
    Fault fault = solvePartition(problem, answer, /*ideals=*/0);
    solvePartition(problem, again, /*ideals=*/0);
    EXPECT_EQ(answer.stageOf, again.stageOf);
    int64_t best = bruteForceGraph(problem);
    ASSERT_EQ(fault.has_value(), best < 0);
    EXPECT_TRUE(fault || answer.slowestNs >= best);
    equal += fault || answer.slowestNs == best;
  }
  EXPECT_GE(equal * 100, rounds * 97) << equal << " of " << rounds;
}

// Points that every way passes need no algorithm of their own: ideals on both sides add up, and do not multiply. 40 blocks
// of three branches of three parts have 40 x 64 + 2 of them, and are cut exactly.
TEST(Partition, CutsSeriesOfBlocksExactly) {
  PartitionProblem problem = chain(std::vector<int64_t>(401, 10), 4);
  problem.isChain = false;
  for (int64_t open = 0; open < 400; open += 10)
    for (int64_t part = 1; part <= 9; ++part) {
      problem.tensors.push_back({part <= 3 ? open : open + part - 3, {open + part}, 1, 0});
      if (part >= 7)
        problem.tensors.push_back({open + part, {open + 10}, 1, 0});
    }
  Partition answer;
  ASSERT_EQ(solvePartition(problem, answer), std::nullopt);
  EXPECT_TRUE(answer.exact);
  ASSERT_EQ(solvePartition(problem, answer, /*ideals=*/40 * 64 + 2), std::nullopt);
  EXPECT_TRUE(answer.exact);
}

// What the sum of the work does not tell: seven equal parts in four stages leave one stage with two of them.
TEST(Partition, BoundSeesThatPartsAreWhole) {
  PartitionProblem problem = chain({10, 10, 10, 10, 10, 10, 10}, 4);
  EXPECT_EQ(problem.bound(), 20);
}

// Each of the three cuts parts a neighbour from its neighbour, which costs 8 forwards and 4 back: 80 + 3 x 12 in four ranks.
// The best cut takes 32: a stage inside receives both.
TEST(Partition, BoundSeesTransfers) {
  PartitionProblem problem = chain({10, 10, 10, 10, 10, 10, 10, 10}, 4);
  for (int64_t part = 1; part < 8; ++part) {
    problem.tensors.push_back({part - 1, {part}, 8, 0});
    problem.tensors.push_back({part, {part - 1}, 4, 0, /*forward=*/false});
  }
  for (bool isChain : {true, false}) {
    problem.isChain = isChain;
    EXPECT_EQ(problem.bound(), 29);
    Partition answer;
    ASSERT_EQ(solvePartition(problem, answer), std::nullopt);
    EXPECT_EQ(answer.slowestNs, 32);
  }
}

// A tensor that may cross several boundaries counts once: from the first part to the last one.
TEST(Partition, BoundCountsASkipOnce) {
  PartitionProblem problem = chain({10, 10, 10, 10}, 4);
  problem.tensors.push_back({0, {3}, 9, 0});
  EXPECT_EQ(problem.bound(), 13); // 40 + 9 in four ranks, rounded up
  problem.place = {0, 1, 0, 1};   // where ranks share, only the work is known
  EXPECT_EQ(problem.bound(), 20);
}

} // namespace
