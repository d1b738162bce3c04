#include "Execute/Watchdog.h"
#include "plc/Runtime/Base/MachineShare.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <sched.h>

using namespace plc::runtime;

namespace {

constexpr int64_t second = 1'000'000'000;

/// One rank under a watchdog of 30 seconds, looked at once a second for `seconds`; when it is found to hang, or 0.
template <class Rank>
int64_t hangsAfter(int64_t seconds, Rank rank) {
  Watchdog watchdog(30 * second);
  for (int64_t now = 0; now <= seconds; ++now)
    if (watchdog.look(now * second, {rank(now)}))
      return now;
  return 0;
}

} // namespace

TEST(Watchdog, FindsARankThatSleeps) {
  EXPECT_EQ(hangsAfter(100, [](int64_t) { return Watchdog::Sample{false, 5, 7, 0}; }), 30);
  auto until50 = [](int64_t now) { return Watchdog::Sample{false, uint64_t(std::min<int64_t>(now, 50)), 7, 0}; };
  EXPECT_EQ(hangsAfter(100, until50), 80);
}

TEST(Watchdog, LetsWaitCountAndCompute) {
  EXPECT_EQ(hangsAfter(1000, [](int64_t) { return Watchdog::Sample{true, 5, 7, 0}; }), 0);
  EXPECT_EQ(hangsAfter(1000, [](int64_t now) { return Watchdog::Sample{false, uint64_t(now) / 20, 7, 0}; }), 0);
  // A kernel that has never run before may compute for ever, one of 6 seconds for 120.
  EXPECT_EQ(hangsAfter(1000, [](int64_t now) { return Watchdog::Sample{false, 5, now * second, 0}; }), 0);
  EXPECT_EQ(hangsAfter(119, [](int64_t now) { return Watchdog::Sample{false, 5, now * second, 6 * second}; }), 0);
}

TEST(Watchdog, FindsARankThatSpins) {
  EXPECT_EQ(hangsAfter(1000, [](int64_t now) { return Watchdog::Sample{false, 5, now * second, 6 * second}; }), 121);
  EXPECT_EQ(hangsAfter(1000, [](int64_t now) { return Watchdog::Sample{false, 5, now * second, 1000}; }), 31);
  // On a busy machine it takes as much CPU time, not as much time.
  EXPECT_EQ(hangsAfter(1000, [](int64_t now) { return Watchdog::Sample{false, 5, now * second / 4, 1000}; }), 121);
}

TEST(Watchdog, StartsAnewAfterAGapInItsOwnClock) {
  Watchdog watchdog(30 * second);
  std::vector<Watchdog::Sample> ranks{{false, 5, 7, 0}, {true, 1, 2, 0}};
  int64_t now = 0;
  for (; now <= 29 * second; now += second)
    EXPECT_FALSE(watchdog.look(now, ranks));
  now += 3600 * second;
  for (int64_t i = 0; i < 30; ++i, now += second)
    EXPECT_FALSE(watchdog.look(now, ranks));
  EXPECT_EQ(watchdog.look(now, ranks), 0u);
}

TEST(MachineShare, IsTheAffinityMaskOrTheQuota) {
  cpu_set_t all, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(all), &all), 0);
  EXPECT_LE(usableCpus(), CPU_COUNT(&all));
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); ++cpu)
    if (CPU_ISSET(cpu, &all))
      CPU_SET(cpu, &one);
  ::sched_setaffinity(0, sizeof(one), &one);
  EXPECT_LE(usableCpus(), 1);
  ::sched_setaffinity(0, sizeof(all), &all);
  EXPECT_EQ(quotaCpus("150000 100000"), 1.5);
  EXPECT_TRUE(std::isinf(quotaCpus("max 100000")));
  EXPECT_TRUE(std::isinf(quotaCpus("-1 100000")));
  EXPECT_TRUE(std::isinf(quotaCpus("")));
  EXPECT_GT(availableBytes(), 1 << 20);
}

/// What a control group leaves: its limit without what is used, but for cached files.
TEST(MachineShare, ControlGroup) {
  std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "control-group";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  auto write = [&](const char *name, const std::string &text) { std::ofstream(folder / name) << text; };
  constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(availableInGroup(folder), unlimited);
  write("memory.current", "700");
  write("memory.stat", "anon 300\ninactive_file 250\nactive_file 100\nslab 50\n");
  write("memory.max", "max\n");
  EXPECT_EQ(availableInGroup(folder), unlimited);
  write("memory.max", "1000\n");
  EXPECT_EQ(availableInGroup(folder), 650);
  write("memory.max", "200\n");
  EXPECT_EQ(availableInGroup(folder), 0);
  std::filesystem::remove_all(folder);
  // Version 1, whose plain names leave out the groups in this one.
  std::filesystem::create_directories(folder);
  write("memory.limit_in_bytes", "1000\n");
  write("memory.usage_in_bytes", "700\n");
  write("memory.stat", "inactive_file 0\ntotal_inactive_file 200\ntotal_active_file 100\n");
  EXPECT_EQ(availableInGroup(folder), 600);
  std::filesystem::remove_all(folder);
}
