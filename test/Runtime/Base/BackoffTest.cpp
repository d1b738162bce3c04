#include "plc/Runtime/Base/Backoff.h"

#include <gtest/gtest.h>

using namespace plc::runtime;

namespace {

constexpr int64_t us = 1000, ms = 1'000'000;

struct Waited {
  int64_t looks = 0, lateNs = 0;
};

/// A wait of so long that is expected to take some time, where each sleep takes 60 us more than was asked for.
Waited wait(int64_t ns, int64_t expectedNs) {
  Waited waited;
  int64_t now = 0;
  for (; now < ns; ++waited.looks)
    now += nextSleepNs(now, expectedNs) + 60 * us;
  waited.lateNs = now - ns;
  return waited;
}

} // namespace

TEST(Backoff, IsLateByAFewPercentAtMost) {
  for (int64_t ns : {100 * us, 500 * us, 2 * ms, 10 * ms, 60 * ms, 1000 * ms})
    for (int64_t percent : {0, 50, 90, 100, 102, 200}) {
      int64_t expected = ns / 100 * percent;
      // One that takes half as long as it did in both runs before is late by a nap.
      int64_t most = percent > 102 ? std::clamp<int64_t>(expected / 8, 200 * us, 2 * ms) : ns / 16;
      EXPECT_LE(wait(ns, expected).lateNs, most + 70 * us) << ns << " " << percent;
    }
}

TEST(Backoff, LooksLessOftenWhereItKnows) {
  for (int64_t ns : {5 * ms, 20 * ms, 60 * ms})
    EXPECT_LT(2 * wait(ns, ns).looks, wait(ns, 0).looks) << ns;
  // Of a wait that takes longer than both before, too.
  EXPECT_LE(wait(12 * ms, 12 * ms).looks, 11);
  EXPECT_LE(wait(12 * ms, 11 * ms).looks, 18);
}

TEST(Backoff, ExpectsTheLessOfTheLastTwo) {
  WaitPace pace;
  EXPECT_EQ(pace.expectedNs(), 0);
  pace.took(5 * ms);
  EXPECT_EQ(pace.expectedNs(), 0);
  pace.took(900 * ms);
  EXPECT_EQ(pace.expectedNs(), 5 * ms);
  pace.took(0);
  EXPECT_EQ(pace.expectedNs(), 0);
}

TEST(Backoff, SleepsLongerWhereWorkersShareACpu) {
  for (int64_t waited : {0 * us, 100 * us, 1 * ms, 100 * ms}) {
    int64_t alone = nextSleepNs(waited);
    EXPECT_EQ(nextSleepNs(waited, 0, 4), std::min(4 * alone, 200 * us)) << waited;
  }
  EXPECT_EQ(nextSleepNs(0, 60 * ms, 4), nextSleepNs(0, 60 * ms)); // most of a long wait
}
