#include "Execute/ChooseWorkers.h"
#include "Execute/Workers.h"
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/MachineShare.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace plc::runtime;
using plc::Rate;

namespace {

/// A rank that calls kernels which are predicted to take so many ns each, in chunks of 100 us.
plc::module::Manifest calling(const std::vector<int64_t> &ns) {
  plc::module::Manifest manifest;
  manifest.rates[Rate::wake] = 33'000;
  plc::module::EntryPlan entry;
  entry.batch = entry.microBatches = 1;
  plc::module::RankInfo rank{"s0", 0, {}, {{"s0.F", 0, {}, {}}}, {{plc::module::ActionInfo::Op::Run, 0, 0, 0, 0, {}}}};
  for (int64_t each : ns) {
    auto number = static_cast<int64_t>(manifest.kernels.size());
    manifest.kernels.push_back({"k", "", {}, each / 100'000 + 1, 0, 0, each, {}, {}, {}, false, std::nullopt, nullptr});
    entry.kernels.push_back(number);
    rank.tasks.front().calls.push_back({number, {}, "k"});
  }
  entry.ranks = {rank};
  manifest.entries = {entry};
  return manifest;
}

int64_t chosen(const std::vector<int64_t> &ns, double cpus, size_t localRanks = 1) {
  plc::module::Manifest manifest = calling(ns);
  return chooseWorkers(manifest, manifest.entries.front(), cpus, localRanks);
}

} // namespace

TEST(ChooseWorkers, AsManyAsThereAreCpusForEachRank) {
  EXPECT_EQ(chosen({10'000'000}, 1), 1);
  EXPECT_EQ(chosen({10'000'000}, 2), 2);
  EXPECT_EQ(chosen({10'000'000}, 2.5), 2);
  EXPECT_EQ(chosen({10'000'000}, 4), 4);
  EXPECT_EQ(chosen({10'000'000}, 4, 2), 2);
  EXPECT_EQ(chosen({10'000'000}, 2, 4), 1);
}

TEST(ChooseWorkers, OneWhereNothingIsSharedOrWakingTakesLonger) {
  EXPECT_EQ(chosen({}, 8), 1);
  EXPECT_EQ(chosen({90'000, 90'000, 90'000}, 8), 1);
  EXPECT_EQ(chosen({600'000'000}, 64), 64);
  // Of kernels of 101 us a helper takes half, but not where it has gone to sleep before each, and waking it takes 60
  // us.
  std::vector<int64_t> apart;
  for (int i = 0; i < 10; ++i)
    apart.insert(apart.end(), {90'000, 90'000, 101'000});
  EXPECT_EQ(chosen(apart, 2), 2);
  plc::module::Manifest slow = calling(apart);
  slow.rates[Rate::wake] = 60'000;
  EXPECT_EQ(chooseWorkers(slow, slow.entries.front(), 2, 1), 1);
}

TEST(ChooseWorkers, TheEnvironmentMaySayHowMany) {
  ::setenv("PLC_THREADS_PER_STAGE", "3", 1);
  EXPECT_EQ(workersOfEnvironment(), 3);
  for (const char *wrong : {"0", "257", "two", "2x"}) {
    ::setenv("PLC_THREADS_PER_STAGE", wrong, 1);
    EXPECT_THROW((void)workersOfEnvironment(), Error);
  }
  ::unsetenv("PLC_THREADS_PER_STAGE");
  EXPECT_EQ(workersOfEnvironment(), std::nullopt);
}

TEST(Workers, SpinOnlyWhereEachHasACpu) {
  StopFlag stop{false};
  auto spin = [&](size_t ranks, const WorkerOptions &options) { return Workers(ranks, options, stop).spins(); };
  auto cpus = static_cast<int64_t>(usableCpus());
  EXPECT_EQ(spin(1, {}), cpus >= 1);
  EXPECT_FALSE(spin(static_cast<size_t>(cpus) + 1, {}));
  EXPECT_FALSE(spin(1, {.threadsPerRank = cpus + 1}));
  EXPECT_FALSE(spin(1, {.processes = cpus + 1}));
}
