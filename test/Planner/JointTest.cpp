//===- JointTest.cpp - whole plans, against all of them -----------------------===//
#include "plc/Planner/Joint.h"
#include "plc/Planner/Partition.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

using namespace plc::planner;

namespace {

// A chain of layers. A micro-batch takes its share of each layer's time and 1 beside; a rank keeps as much of each
// layer as that takes, for as many micro-batches as the order has in flight. What runs again takes half as much more, and
// keeps nothing. Replicas share the micro-batches of `lanes`. Ranks that share a stage divide its work; orders that follow shapes
// then take a quarter longer than the one that is searched.
class Chain : public JointProblem {
public:
  std::vector<int64_t> layers; // ns of a batch
  int64_t mostRanks = 4, limit = 0;
  bool recomputes = true, moves = true, searches = true;
  int64_t message = 0;             // ns of each between two stages, which an order does not count
  int64_t lanes = 1, exchange = 0; // ns of what a replica sends to each other one, which an order does not count either
  int64_t parameters = 0;          // bytes of each layer, on each replica
  int64_t mostShards = 1, share = 0; // ns of what a shared stage exchanges in each task
  bool givesUp = false;              // plans that take too long
  bool tellsMissing = false;         // how many bytes are missing
  int64_t haste = 0,
          hasteTakes = 0;           // percent that plans in haste are slower or faster, and bytes that they need beside
  int64_t ordered = 0, planned = 0; // how often it was asked

  std::vector<JointChoice> choices() override {
    std::vector<JointChoice> list;
    for (int64_t microBatches : {1, 2, 4, 8})
      for (int64_t replicas = 1; replicas <= lanes && microBatches % lanes == 0; replicas *= 2)
        for (int64_t shards = 1; shards <= mostShards; shards *= 2)
          for (int64_t ranks = 1; ranks * replicas * shards <= mostRanks; ++ranks)
            for (ScheduleKind kind : {ScheduleKind::gPipe, ScheduleKind::oneFOneB, ScheduleKind::zeroBubbleH1,
                                      ScheduleKind::interleaved, ScheduleKind::zeroBubbleV})
              if (JointChoice choice{microBatches, replicas, ranks, shards, ranks > 1 ? plc::rowOf(kind).chunks : 1,
                                     kind};
                  choice.stages() <= int64_t(layers.size()) && (ranks > 1 || kind == ScheduleKind::oneFOneB))
                list.push_back(choice);
    return list;
  }

  JointEstimate work(int64_t microBatches) override { return order({microBatches}); }

  JointEstimate order(const JointChoice &choice) override {
    ++ordered;
    return simulated(choice);
  }

  bool isHasty() const override { return haste > 0 || hasteTakes > 0; }
  JointEstimate planWidely(const JointChoice &choice) override { return whole(choice, INT64_MAX, 0); }
  JointEstimate planThoroughly(const JointChoice &choice) override { return whole(choice, INT64_MAX, 0); }
  static int64_t percentOf(const JointChoice &choice) {
    return choice.microBatches * 7 + choice.ranks * 5 + int64_t(choice.schedule) * 3;
  }
  JointEstimate plan(const JointChoice &choice, int64_t mostNs) override {
    JointEstimate estimate = whole(choice, mostNs, hasteTakes);
    if (haste)
      estimate.ns += estimate.ns * (percentOf(choice) % (2 * haste + 1) - haste) / 100;
    return estimate;
  }

  JointEstimate whole(const JointChoice &choice, int64_t mostNs, int64_t beside) {
    ++planned;
    JointEstimate estimate = simulated(choice);
    most += beside;
    estimate.ns += message * choice.microBatches / choice.replicas * (choice.stages() - 1);
    estimate.ns += exchange * (choice.replicas - 1);
    if (limit && choice.recomputes)
      estimate.ns += estimate.ns / 2;
    if (limit && !choice.recomputes && most > limit) {
      estimate.refusal = "needs " + std::to_string(most);
      estimate.lacksMemory = true;
      estimate.missingBytes = tellsMissing ? most - limit : 0;
    } else if (givesUp && estimate.ns > mostNs) {
      estimate.ns = mostNs + 1;
      estimate.isGivenUp = true;
    }
    return estimate;
  }

  bool mayRecompute() const override { return recomputes; }
  bool mayMove() const override { return moves; }
  bool maySearchOrder(const JointChoice &) const override { return searches; }

private:
  int64_t timeOf(int64_t layer, int64_t microBatches) const { return layers[layer] / microBatches + 1; }

  std::vector<int64_t> cut(const JointChoice &choice) const {
    if (!choice.balance.empty())
      return choice.balance;
    PartitionProblem problem;
    problem.isChain = true;
    for (size_t layer = 0; layer < layers.size(); ++layer)
      problem.parts.push_back({std::to_string(layer), timeOf(layer, choice.microBatches)});
    problem.stages = choice.stages();
    problem.inFlight.assign(problem.stages, 1);
    problem.place = choice.place();
    Partition answer;
    EXPECT_EQ(solvePartition(problem, answer), std::nullopt);
    std::vector<int64_t> counts(choice.stages());
    for (int64_t stage : answer.stageOf)
      ++counts[stage];
    return counts;
  }

  JointEstimate simulated(const JointChoice &choice) {
    const ScheduleFamily &family = plc::rowOf(choice.schedule);
    JointEstimate estimate;
    estimate.balance = cut(choice);
    ScheduleProblem problem;
    problem.microBatches = choice.microBatches / choice.replicas;
    std::vector<int64_t> place = choice.place(), kept(choice.stages());
    for (int64_t stage = 0, layer = 0; stage < choice.stages(); ++stage) {
      int64_t ns = 0;
      for (int64_t i = 0; i < estimate.balance[stage]; ++i)
        ns += timeOf(layer++, choice.microBatches);
      kept[stage] = ns / choice.shards;
      if (choice.shards > 1)
        ns = (ns / choice.shards + share) * (choice.schedule == ScheduleKind::automatic ? 4 : 5) / 4;
      problem.stages.push_back({place[stage], {true, true, true}, {ns, ns, ns}});
      if (stage) {
        problem.dependences.push_back({stage - 1, TaskKind::F, stage, TaskKind::F, 1});
        problem.dependences.push_back({stage, TaskKind::B, stage - 1, TaskKind::B, 1});
      }
      problem.dependences.push_back({stage, TaskKind::F, stage, TaskKind::B});
      problem.dependences.push_back({stage, TaskKind::B, stage, TaskKind::W});
    }
    Schedule schedule;
    Simulation simulation;
    if (Fault fault = solve(family, problem, schedule)) {
      estimate.refusal = *fault;
      return estimate;
    }
    EXPECT_EQ(simulate(problem, schedule, simulation), std::nullopt);
    estimate.ns = simulation.makespan;
    estimate.leastNs = problem.bound() * 4 / 5;
    std::vector<int64_t> bytes(choice.ranks), inFlight = inFlightOf(problem, schedule);
    for (int64_t stage = 0; stage < choice.stages(); ++stage)
      bytes[place[stage]] += inFlight[stage] * kept[stage] + parameters * estimate.balance[stage] / choice.shards;
    most = *std::max_element(bytes.begin(), bytes.end());
    return estimate;
  }

  int64_t most = 0; // bytes of the plan that was simulated last
};

// The fastest of all choices, with all borders; with the orders that are searched where ranks share stages, or for all of them, where
// stages are in a V, too.
int64_t exhaust(Chain problem, bool searchesAll = false) {
  int64_t best = -1;
  std::vector<JointChoice> choices = problem.choices();
  for (size_t i = 0, listed = choices.size(); i < listed; ++i) {
    JointChoice choice = choices[i];
    bool isFirst = choice.schedule == ScheduleKind::oneFOneB || (searchesAll && choice.chunks > 1);
    if (!isFirst || (choice.shards == 1 && !(searchesAll && choice.stages() > 1)))
      continue;
    if (plc::rowOf(choice.schedule).placement == Placement::vee)
      choice.placing = JointPlacing::vee;
    choice.schedule = ScheduleKind::automatic;
    choices.push_back(choice);
  }
  for (JointChoice choice : choices) {
    std::vector<int64_t> balance;
    std::function<void(int64_t, int64_t)> walk = [&](int64_t stage, int64_t left) {
      if (stage == choice.stages()) {
        choice.balance = balance;
        for (bool again : {false, true}) {
          choice.recomputes = again;
          JointEstimate estimate =
              left || (again && !problem.recomputes) ? JointEstimate{0, {}, "no"} : problem.plan(choice, INT64_MAX);
          if (estimate.refusal.empty() && (best < 0 || estimate.ns < best))
            best = estimate.ns;
        }
        return;
      }
      for (int64_t count = 1; count <= left - (choice.stages() - stage - 1); ++count) {
        balance.push_back(count);
        walk(stage + 1, left - count);
        balance.pop_back();
      }
    };
    walk(0, problem.layers.size());
  }
  return best;
}

Chain randomChain(unsigned seed) {
  std::mt19937 random(seed);
  Chain problem;
  int64_t count = 3 + random() % 6;
  for (int64_t layer = 0; layer < count; ++layer)
    problem.layers.push_back(50 + random() % 1000);
  problem.mostRanks = 2 + random() % 3;
  return problem;
}

TEST(Joint, IsNearTheBestOfAllPlans) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Chain problem = randomChain(seed);
    JointAnswer answer;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    int64_t best = exhaust(problem), found = answer.chosen.estimate.ns;
    EXPECT_LE(found * 100, best * 101) << "seed " << seed;
    EXPECT_FALSE(answer.hitsMemory);
    // Each choice is a row; few are looked at whole.
    EXPECT_GE(answer.rows.size(), problem.choices().size());
    EXPECT_EQ(problem.planned, 1);
    EXPECT_EQ(answer.rows.front().choice, answer.chosen.choice);
  }
}

// Borders that are best only if several of them move at once: a layer call goes from a stage to any other.
TEST(Joint, MovesSeveralBorders) {
  for (unsigned seed : {4, 64, 151, 260, 299}) {
    Chain problem = randomChain(seed);
    problem.searches = false;
    JointAnswer answer;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    EXPECT_LE(answer.chosen.estimate.ns * 100, exhaust(problem) * 101) << "seed " << seed;
  }
}

// Borders that are best for the order that is searched need not be those of the best order that follows a shape.
TEST(Joint, SearchesOrdersOfOtherBorders) {
  for (unsigned seed : {26, 60, 105, 192}) {
    Chain problem = randomChain(seed);
    JointAnswer answer;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    EXPECT_LE(answer.chosen.estimate.ns * 100, exhaust(problem, /*searchesAll=*/true) * 101) << "seed " << seed;
  }
}

// A searched order lies where the order lay beside which it is searched, in a V too; a wrapped one has its last stage on the first rank.
TEST(Joint, PlacesSearchedOrders) {
  using Ranks = std::vector<int64_t>;
  int64_t inVee = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Chain problem = randomChain(seed);
    JointAnswer answer;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    for (const JointRow &row : answer.rows)
      if (row.choice.placing == JointPlacing::vee) {
        ++inVee;
        EXPECT_EQ(row.choice.schedule, ScheduleKind::automatic);
        EXPECT_EQ(row.choice.place(), placeStages(Placement::vee, row.choice.stages(), row.choice.chunks));
      }
  }
  EXPECT_GT(inVee, 0);
  JointChoice wrapped{.ranks = 3, .placing = JointPlacing::wrapped};
  EXPECT_EQ(wrapped.stages(), 4);
  EXPECT_EQ(wrapped.place(), (Ranks{0, 1, 2, 0}));
  EXPECT_EQ(JointChoice({.ranks = 2, .chunks = 2}).place(), (Ranks{0, 1, 0, 1}));
}

// Each of the two improvements finds what the other choices do not hold, and never loses.
TEST(Joint, ImprovesWhatIsNear) {
  int64_t byMoves = 0, byOrder = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    auto found = [&](bool moves, bool searches) {
      Chain problem = randomChain(seed);
      problem.moves = moves;
      problem.searches = searches;
      JointAnswer answer;
      EXPECT_EQ(solveJoint(problem, answer), std::nullopt);
      return answer.chosen.estimate.ns;
    };
    int64_t plain = found(false, false), moved = found(true, false), searched = found(false, true);
    EXPECT_LE(moved, plain) << "seed " << seed;
    EXPECT_LE(searched, plain) << "seed " << seed;
    byMoves += moved < plain;
    byOrder += searched < plain;
  }
  EXPECT_GT(byMoves, 0);
  EXPECT_GT(byOrder, 0);
}

TEST(Joint, KeepsMemory) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Chain problem = randomChain(seed);
    for (int64_t layer : problem.layers)
      problem.limit += layer;
    problem.limit = problem.limit * (1 + seed % 4) / 4;
    JointAnswer answer;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    // Borders are not moved for bytes, so the gap may be larger where they bind.
    int64_t best = exhaust(problem), found = answer.chosen.estimate.ns;
    EXPECT_LE(found * 100, best * (answer.hitsMemory ? 103 : 101)) << "seed " << seed;
    EXPECT_TRUE(answer.hitsMemory || !answer.chosen.choice.recomputes);
  }
}

// Where the best orders do not fit, borders are moved and orders are searched beside those that are near the best plan.
TEST(Joint, ImprovesWhatIsNearThePlan) {
  for (unsigned seed : {4, 258, 372}) {
    Chain problem = randomChain(seed);
    for (int64_t layer : problem.layers)
      problem.limit += layer;
    problem.limit = problem.limit * (1 + seed % 4) / 12;
    problem.recomputes = seed % 8 >= 4;
    JointAnswer answer;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    EXPECT_LE(answer.chosen.estimate.ns * 100, exhaust(problem, /*searchesAll=*/true) * 101) << "seed " << seed;
  }
}

// A plan that was given up as slower changes nothing of the answer, and says that it takes longer.
TEST(Joint, GivesUpSlowerPlans) {
  int64_t givenUp = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Chain problem = randomChain(seed);
    problem.message = 5;
    problem.limit = 100 * int64_t(problem.layers.size());
    problem.recomputes = true;
    JointAnswer whole, answer;
    ASSERT_EQ(solveJoint(problem, whole), std::nullopt);
    problem.givesUp = true;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    EXPECT_EQ(answer.chosen.choice, whole.chosen.choice);
    EXPECT_EQ(answer.chosen.estimate.ns, whole.chosen.estimate.ns);
    for (const JointRow &row : answer.rows) {
      givenUp += row.estimate.isGivenUp;
      if (row.estimate.isGivenUp) {
        EXPECT_LT(row.depth, JointRow::plan);
        EXPECT_GT(row.estimate.ns, answer.chosen.estimate.ns);
      }
    }
  }
  EXPECT_GT(givenUp, 0);
}

// What only whole plans know changes which is best; those that may be are planned, and few others.
TEST(Joint, RanksWholePlans) {
  int64_t changed = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Chain problem = randomChain(seed);
    problem.moves = problem.searches = false;
    problem.message = 5;
    JointAnswer answer;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    EXPECT_LE(problem.planned, mostPlans);
    int64_t best = -1, bestOrder = -1, ofBestOrder = 0;
    for (const JointChoice &choice : problem.choices()) {
      int64_t order = problem.order(choice).ns, plan = problem.plan(choice, INT64_MAX).ns;
      best = best < 0 ? plan : std::min(best, plan);
      if (bestOrder < 0 || order < bestOrder) {
        bestOrder = order;
        ofBestOrder = plan;
      }
    }
    EXPECT_LE(answer.chosen.estimate.ns * 100, best * 101) << "seed " << seed;
    changed += answer.chosen.estimate.ns < ofBestOrder;
  }
  EXPECT_GT(changed, 0);
}

// The lanes of a step are divided among replicas where that is faster than a pipeline on as many ranks: the more so the less
// is exchanged. Borders are moved near the best order alone, which does not know the exchange, so the gap may be larger with it.
TEST(Joint, DividesLanesAmongReplicas) {
  std::map<int64_t, int64_t> replicated; // chains, by what an exchange takes
  for (unsigned seed = 0; seed < 20; ++seed)
    for (int64_t exchange : {0, 100, 100000}) {
      Chain problem = randomChain(seed);
      problem.mostRanks = problem.lanes = 4;
      problem.exchange = exchange;
      JointAnswer answer;
      ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
      int64_t best = exhaust(problem), found = answer.chosen.estimate.ns;
      EXPECT_LE(found * 100, best * (exchange ? 102 : 101)) << "seed " << seed << ", exchange " << exchange;
      EXPECT_LE(answer.chosen.choice.allRanks(), problem.mostRanks);
      replicated[exchange] += answer.chosen.choice.replicas > 1;
    }
  EXPECT_EQ(replicated[0], 20);
  EXPECT_GT(replicated[100], 0);
  EXPECT_EQ(replicated[100000], 0);
}

// Each replica holds all parameters, and a rank of a pipeline those of its layers.
TEST(Joint, KeepsMemoryOfReplicas) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Chain problem = randomChain(seed);
    problem.mostRanks = problem.lanes = 2;
    problem.recomputes = false;
    problem.parameters = 10000;
    problem.limit = 10000 * int64_t(problem.layers.size()) - 1;
    JointAnswer answer;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    EXPECT_EQ(answer.chosen.choice.replicas, 1);
    EXPECT_EQ(answer.chosen.choice.ranks, 2);
    EXPECT_TRUE(answer.hitsMemory);
    problem.limit = 0;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    EXPECT_EQ(answer.chosen.choice.replicas, 2);
  }
}

// Ranks share stages where that is faster than a pipeline on as many, under the order that is searched: the less is exchanged for it,
// the more often. Orders are searched for few borders, so the gap may be larger.
TEST(Joint, DividesStagesAmongRanks) {
  std::map<int64_t, int64_t> shared; // chains, by what an exchange takes
  for (unsigned seed = 0; seed < 20; ++seed)
    for (int64_t share : {0, 300, 100000}) {
      Chain problem = randomChain(seed);
      problem.layers.resize(3 + seed % 3, 200);
      problem.mostRanks = problem.mostShards = 4;
      problem.share = share;
      JointAnswer answer;
      ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
      const JointChoice &chosen = answer.chosen.choice;
      EXPECT_LE(answer.chosen.estimate.ns * 100, exhaust(problem) * 102) << "seed " << seed << ", share " << share;
      EXPECT_LE(chosen.allRanks(), problem.mostRanks);
      if (chosen.shards > 1) {
        EXPECT_EQ(chosen.schedule, ScheduleKind::automatic);
      }
      shared[share] += chosen.shards > 1;
    }
  EXPECT_GE(shared[0], 15);
  EXPECT_GT(shared[300], 0);
  EXPECT_LT(shared[300], shared[0]);
  EXPECT_EQ(shared[100000], 0);
}

// A layer that no rank has room for is divided, however slow the exchange.
TEST(Joint, DividesLayersForMemory) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Chain problem = randomChain(seed);
    problem.mostRanks = 4;
    problem.mostShards = 2;
    problem.share = 100000;
    problem.recomputes = false;
    problem.parameters = 100000;
    problem.limit = problem.parameters - 1;
    problem.layers.resize(2);
    JointAnswer answer;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    EXPECT_EQ(answer.chosen.choice.shards, 2);
    EXPECT_TRUE(answer.hitsMemory);
  }
}

TEST(Joint, FailsForTheFastestsReason) {
  Chain problem = randomChain(1);
  problem.limit = 1;
  problem.recomputes = false;
  JointAnswer answer;
  Fault fault = solveJoint(problem, answer);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->isNoPlan);
  EXPECT_EQ(fault->rfind("needs ", 0), 0u) << *fault;
  EXPECT_TRUE(answer.hitsMemory);
}

// Where it is known what is missing, the reason is that of the choice that lacks least.
TEST(Joint, FailsForTheNearestsReason) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Chain problem = randomChain(seed);
    problem.recomputes = problem.moves = problem.searches = false;
    problem.limit = 1;
    problem.tellsMissing = true;
    JointAnswer answer;
    Fault fault = solveJoint(problem, answer);
    ASSERT_TRUE(fault && fault->isNoPlan);
    for (const JointChoice &choice : problem.choices())
      EXPECT_GE(problem.plan(choice, INT64_MAX).missingBytes, answer.chosen.estimate.missingBytes);
    EXPECT_EQ(std::string(*fault), answer.chosen.estimate.refusal);
    EXPECT_EQ(std::string(*fault), "needs " + std::to_string(1 + answer.chosen.estimate.missingBytes));
  }
}

// What is chosen is as a plan made with all effort says, and no plan in haste says that it might be faster.
TEST(Joint, MakesAgainWhatWasMadeInHaste) {
  int64_t other = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    Chain problem = randomChain(seed);
    problem.haste = 10;
    problem.message = 30;
    JointAnswer answer;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    ASSERT_TRUE(answer.chosen.isThorough);
    EXPECT_EQ(answer.chosen.estimate.ns, problem.planThoroughly(answer.chosen.choice).ns);
    JointRow fastest = answer.chosen; // in haste
    for (const JointRow &row : answer.rows)
      if (row.depth == JointRow::plan && row.estimate.refusal.empty()) {
        EXPECT_GE(row.estimate.ns, answer.chosen.estimate.ns);
        EXPECT_TRUE(row.isThorough || row.estimate.ns == problem.plan(row.choice, INT64_MAX).ns);
        if (problem.plan(row.choice, INT64_MAX).ns < problem.plan(fastest.choice, INT64_MAX).ns)
          fastest = row;
      }
    other += !(fastest.choice == answer.chosen.choice);
  }
  EXPECT_GT(other, 0); // else haste chooses as well
}

// Where haste finds no plan, those that lack the fewest bytes are made again.
TEST(Joint, FindsWhatHasteMisses) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Chain problem = randomChain(seed);
    problem.recomputes = problem.moves = problem.searches = false;
    problem.tellsMissing = true;
    int64_t least = INT64_MAX;
    problem.limit = 1;
    for (const JointChoice &choice : problem.choices())
      if (int64_t missing = problem.plan(choice, INT64_MAX).missingBytes)
        least = std::min(least, missing + 1);
    problem.limit = least;
    problem.hasteTakes = 1;
    JointAnswer answer;
    ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
    EXPECT_TRUE(answer.chosen.isThorough);
    problem.hasteTakes = 0;
    problem.limit = least - 1;
    EXPECT_NE(solveJoint(problem, answer), std::nullopt);
  }
}

TEST(Joint, MovesAndSearchesOnlyWhereItMay) {
  Chain problem = randomChain(2);
  problem.layers = {100, 900, 300, 500, 200};
  problem.mostRanks = 2;
  problem.moves = problem.searches = false;
  JointAnswer answer;
  ASSERT_EQ(solveJoint(problem, answer), std::nullopt);
  for (const JointRow &row : answer.rows) {
    EXPECT_TRUE(row.choice.balance.empty());
    EXPECT_NE(row.choice.schedule, ScheduleKind::automatic);
  }
}

} // namespace
