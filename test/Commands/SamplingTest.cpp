#include "Text/Sampling.h"
#include "Text/StopText.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace plc::runtime;

static const std::array<double, 6> logits = {0.5, 2.0, -1.0, 2.0, -INFINITY, 1.25};

static std::map<int64_t, int> counts(const Sampling &sampling, int draws) {
  std::map<int64_t, int> found;
  for (int i = 0; i < draws; ++i)
    ++found[drawToken(logits, sampling, 0, static_cast<uint64_t>(i))];
  return found;
}

// Each token's share of 100000 draws, within five standard errors of softmax(logits / T) over the tokens that remain.
static void expectShares(const Sampling &sampling, std::set<int64_t> left) {
  constexpr int draws = 100000;
  auto found = counts(sampling, draws);
  double all = 0;
  for (int64_t token : left)
    all += std::exp(logits[static_cast<size_t>(token)] / sampling.temperature);
  for (int64_t token = 0; token < 6; ++token) {
    double share = left.count(token) ? std::exp(logits[static_cast<size_t>(token)] / sampling.temperature) / all : 0;
    EXPECT_NEAR(found[token], draws * share, 5 * std::sqrt(draws * share * (1 - share))) << token;
  }
}

TEST(Sampling, DrawsFromTheSoftmax) {
  expectShares({.temperature = 1}, {0, 1, 2, 3, 5});
  expectShares({.temperature = 2.5, .seed = 9}, {0, 1, 2, 3, 5});
}

TEST(Sampling, TopKKeepsTheLikeliestTheLowerOfEqualOnes) {
  expectShares({.temperature = 1, .topK = 3}, {1, 3, 5});
  expectShares({.temperature = 1, .topK = 1}, {1});
  expectShares({.temperature = 1, .topK = 100}, {0, 1, 2, 3, 5});
}

// The probabilities at T = 1 are 0.085, 0.381, 0.019, 0.381, 0, 0.180 of 1.046..: sorted, their sums are .364, .729,
// .901, .982, 1.
TEST(Sampling, TopPKeepsTheFewestThatReachIt) {
  expectShares({.temperature = 1, .topP = 0.3}, {1});
  expectShares({.temperature = 1, .topP = 0.5}, {1, 3});
  expectShares({.temperature = 1, .topP = 0.8}, {1, 3, 5});
  expectShares({.temperature = 1, .topP = 0.95}, {0, 1, 3, 5});
  // Of the two that topK leaves, each has a half.
  expectShares({.temperature = 1, .topK = 2, .topP = 0.5}, {1});
  // A higher temperature spreads the same share over more.
  expectShares({.temperature = 100, .topP = 0.5}, {1, 3, 5});
}

// Relative to the likeliest, the probabilities at T = 1 are 0.223, 1, 0.050, 1, 0, 0.472.
TEST(Sampling, MinPKeepsWhatIsLikelyEnough) {
  expectShares({.temperature = 1, .minP = 1}, {1, 3});
  expectShares({.temperature = 1, .minP = 0.4}, {1, 3, 5});
  expectShares({.temperature = 1, .minP = 0.2}, {0, 1, 3, 5});
  expectShares({.temperature = 1, .minP = 0.01}, {0, 1, 2, 3, 5});
  // Higher temperatures bring the tokens together; topK and topP come first.
  expectShares({.temperature = 4, .minP = 0.4}, {0, 1, 2, 3, 5});
  expectShares({.temperature = 1, .topK = 2, .minP = 0.2}, {1, 3});
  expectShares({.temperature = 1, .topP = 0.3, .minP = 0.2}, {1});
}

TEST(Sampling, PenaltyIsOfEachTokenOnce) {
  std::array<double, 6> found = logits;
  const std::array<int64_t, 5> text = {1, 2, 1, 4, 1};
  penalizeRepetition(found, text, 2);
  EXPECT_EQ(found, (std::array<double, 6>{0.5, 1.0, -2.0, 2.0, -INFINITY, 1.25}));
  penalizeRepetition(found, text, 1);
  EXPECT_EQ(found[1], 1.0);
}

TEST(Sampling, TemperatureZeroIsTheLowestOfTheLikeliest) {
  EXPECT_EQ(drawToken(logits, {.temperature = 0}, 3, 4), 1);
  const std::array<double, 2> none = {-INFINITY, NAN}, one = {NAN, -3};
  EXPECT_EQ(drawToken(none, {.temperature = 0}, 0, 0), -1);
  EXPECT_EQ(drawToken(one, {}, 0, 0), 1);
}

TEST(Sampling, DrawsDependOnSeedRowAndPosition) {
  auto text = [](uint64_t seed, uint64_t row) {
    std::string drawn;
    for (uint64_t i = 0; i < 64; ++i)
      drawn += static_cast<char>('0' + drawToken(logits, {.temperature = 1, .seed = seed}, row, i));
    return drawn;
  };
  EXPECT_EQ(text(1, 2), text(1, 2));
  EXPECT_NE(text(1, 2), text(2, 2));
  EXPECT_NE(text(1, 2), text(1, 3));
}

// Whatever the pieces, what is shown is the text before the first stop string, and never more on the way.
TEST(StopText, ShowsWhatStandsBeforeAStop) {
  const std::string text = "one two three.. four";
  for (size_t size = 1; size <= text.size(); ++size) {
    StopText stop({"e... ", "three..", " four", "ee.. f"});
    std::string shown;
    for (size_t at = 0; at < text.size(); at += size) {
      shown += stop.add(text.substr(at, size));
      EXPECT_EQ(shown, std::string("one two ").substr(0, shown.size())) << size;
    }
    EXPECT_TRUE(stop.stopped());
    EXPECT_EQ(shown + stop.rest(), "one two ") << size;
  }
}

TEST(StopText, ShowsTheRestWithoutAStop) {
  StopText stop({"abc"});
  EXPECT_EQ(stop.add("xab"), "x");
  EXPECT_EQ(stop.add("ab"), "ab");
  EXPECT_FALSE(stop.stopped());
  EXPECT_EQ(stop.rest(), "ab");
  EXPECT_EQ(stop.rest(), "");
}
