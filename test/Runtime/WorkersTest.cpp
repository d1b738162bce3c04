#include "Workers.h"
#include "plc/Runtime/MachineShare.h"

#include <gtest/gtest.h>

using namespace plc::runtime;

TEST(Workers, SpinOnlyWhereEachHasACpu) {
  StopFlag stop{false};
  auto spin = [&](size_t ranks, const WorkerOptions &options) { return Workers(ranks, options, stop).spins(); };
  auto cpus = static_cast<int64_t>(usableCpus());
  EXPECT_EQ(spin(1, {}), cpus >= 1);
  EXPECT_FALSE(spin(static_cast<size_t>(cpus) + 1, {}));
  EXPECT_FALSE(spin(1, {.threadsPerRank = cpus + 1}));
  EXPECT_FALSE(spin(1, {.processes = cpus + 1}));
}
