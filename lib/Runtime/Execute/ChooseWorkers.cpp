// Plays an entry with 1, 2, 4, .. workers, and takes the fastest.
#include "ChooseWorkers.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Simulator/Simulate.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace plc::runtime {

namespace {

using module::EntryPlan, module::Manifest;

/// The limit of key `machine.threads_per_stage`, so that the environment cannot exceed what a strategy may ask for.
constexpr int64_t mostWorkers = 256;

/// Nanoseconds of a run as the simulator plays it, with a core for each worker.
int64_t predictedNs(const Manifest &manifest, const EntryPlan &entry, int64_t workers) {
  simulator::Play play = simulator::playOf(manifest, entry, workers);
  simulator::Simulation simulation;
  if (simulator::simulate(play, simulator::oneProcess(entry.ranks.size(), 0, manifest.rates, workers), simulation))
    return 0; // a plan that was proven can be played
  return simulation.stepNs;
}

} // namespace

std::optional<int64_t> workersOfEnvironment() {
  const char *text = std::getenv("PLC_THREADS_PER_STAGE");
  if (!text || !*text)
    return std::nullopt;
  int64_t number = 0;
  const char *last = text + std::strlen(text);
  auto [end, error] = std::from_chars(text, last, number);
  if (error != std::errc() || end != last || number < 1 || number > mostWorkers)
    throw usageError("found '" + std::string(text) + "' in the environment's PLC_THREADS_PER_STAGE, expected 1 to " +
                     std::to_string(mostWorkers));
  return number;
}

int64_t chooseWorkers(const Manifest &manifest, const EntryPlan &entry, double cpus, size_t localRanks) {
  double each = cpus / static_cast<double>(std::max<size_t>(1, localRanks));
  auto most = static_cast<int64_t>(std::clamp(each, 1.0, static_cast<double>(mostWorkers)));
  // One worker wins a tie: more would take CPUs and gain nothing.
  int64_t best = 1, bestNs = most > 1 ? predictedNs(manifest, entry, 1) : 0;
  // Powers of two, and last the maximum: a play of each number would cost more than it gains.
  for (int64_t workers = 2; workers <= most; workers = std::max(workers + 1, std::min(2 * workers, most))) {
    int64_t ns = predictedNs(manifest, entry, workers);
    if (ns < bestNs) {
      best = workers;
      bestNs = ns;
    }
  }
  return best;
}

} // namespace plc::runtime
