// Memory, profiles and times of a session's runs.
#include "plc/Runtime/Execute/Measurements.h"

#include "Session.h"
#include "plc/Runtime/Base/CpuFeatures.h"
#include "plc/Runtime/Base/MachineShare.h"
#include "plc/Simulator/Simulate.h"

#include <algorithm>
#include <malloc.h>
#include <tuple>

namespace plc::runtime {

/// Bytes of a thread beside the arena and BLIS's blocks: scratch buffers of kernels, tables. Not tuned: a bound, and
/// test/Integration/Runs/checks.test holds it against what is measured.
static constexpr int64_t otherBytesPerThread = int64_t(8) << 20;

/// Bytes in use in malloc's arenas and in its mappings.
int64_t allocatedBytes() {
  struct mallinfo2 info = ::mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

std::vector<RankMemory> memoryOf(const Manifest &manifest, const Session &session, int64_t threadsPerStage,
                                 int64_t heapBytes) {
  std::vector<RankMemory> figures;
  std::vector<int64_t> measured = session.measuredBytes();
  // The heap is the process's. Each of its ranks is charged an equal share of it, beside the code that all share.
  std::vector<int64_t> heaps = session.ofAllRanks(
      [&](const Rank &) { return std::max<int64_t>(0, heapBytes) / static_cast<int64_t>(session.ranks().size()); });
  for (size_t i = 0; i < measured.size(); ++i) {
    RankMemory &rank = figures.emplace_back();
    rank.rank = static_cast<int64_t>(i);
    rank.plannedBytes = session.plan().ranks[i].arenaBytes;
    rank.measuredBytes = measured[i];
    rank.outsideBound = manifest.codeBytes + threadsPerStage * (otherBytesPerThread + blisBytesPerThread());
    rank.outsideMeasured = manifest.codeBytes + heaps[i];
  }
  return figures;
}

/// The optimizer's updates of all ranks, as if they were a kernel. Bytes are the mean of the ranks that step.
static KernelProfile profileOfSteps(const Manifest &manifest, const EntryPlan &entry, const Rank::Time &time) {
  int64_t bytes = 0, ranks = 0;
  for (const RankInfo &rank : entry.ranks) {
    bytes += module::updatedBytes(rank);
    ranks += module::updatedBytes(rank) > 0;
  }
  bytes /= std::max<int64_t>(1, ranks);
  return {"step", "", time.calls, time.nanoseconds, bytes, time.each.median(), module::updateNs(manifest, bytes)};
}

std::vector<KernelProfile> profileOf(const Manifest &manifest, const Session &session) {
  std::vector<KernelProfile> profiles;
  std::vector<Rank::Time> times = session.kernelTimes();
  for (size_t i = 0; i < manifest.kernels.size() && i < times.size(); ++i) {
    const KernelInfo &kernel = manifest.kernels[i];
    // Kernels of other entries have not run.
    if (times[i].calls)
      profiles.push_back({kernel.name, kernel.where.empty() ? "" : kernel.where.front(), times[i].calls,
                          times[i].nanoseconds, kernel.bytes, times[i].each.median(), kernel.ns});
  }
  if (!times.empty() && times.back().calls)
    profiles.push_back(profileOfSteps(manifest, session.plan(), times.back()));
  // Slowest first; names break ties, so that the order is reproducible.
  std::sort(profiles.begin(), profiles.end(),
            [](auto &a, auto &b) { return std::tie(b.nanoseconds, a.kernel) < std::tie(a.nanoseconds, b.kernel); });
  return profiles;
}

/// Nanoseconds of a played step; 0 if the play fails.
static int64_t play(const simulator::Play &play, const simulator::Cluster &cluster) {
  simulator::Simulation simulation;
  return simulator::simulate(play, cluster, simulation) ? 0 : simulation.stepNs;
}

/// Gives each task and step of a rank its measured time. A play has neither drops nor precomputing runs.
static void setTimes(simulator::Play &play, const RankInfo &plan, size_t rank, const std::vector<int64_t> &times) {
  size_t next = 0; // drops are left out
  for (size_t i = 0; i < plan.actions.size(); ++i)
    if (plan.actions[i].op != ActionInfo::Op::Drop && !plan.actions[i].prepares())
      play.ranks[rank].actions[next++].ns = times[i];
}

std::optional<RunTimes> timesOf(const Manifest &manifest, const Session &session, int64_t threadsPerStage,
                                bool sharesKernels) {
  const EntryPlan &entry = session.plan();
  int64_t begin = INT64_MAX, end = 0;
  // When the first rank began and the last one ended.
  for (const auto &rank : session.ranks()) {
    if (rank->taskTimes().empty() || rank->executed().second == 0)
      return std::nullopt;
    begin = std::min(begin, rank->executed().first);
    end = std::max(end, rank->executed().second);
  }
  // A play needs the times of all ranks, which other processes have.
  if (session.ranks().size() != entry.ranks.size())
    return std::nullopt;
  // The prediction: a cluster like this process, by the times of the plan.
  auto cores = std::max<int64_t>(1, static_cast<int64_t>(usableCpus()) / threadsPerStage);
  simulator::Play predicted = simulator::playOf(manifest, entry, threadsPerStage);
  simulator::Cluster here = simulator::oneProcess(entry.ranks.size(), cores, manifest.rates, threadsPerStage);
  here.sharesKernels &= sharesKernels;
  RunTimes times;
  times.predictedNs = play(predicted, here);
  // The replay: measured times already include the sharing of cores and helping workers. So each rank gets a core of
  // its own, of the same speed, and no help.
  simulator::Cluster alone = simulator::oneProcess(entry.ranks.size(), 0, manifest.rates);
  alone.sharesKernels = false;
  alone.machines.front().speed = 1;
  simulator::Play replayed = predicted, fastest = predicted;
  replayed.stepsMeet = fastest.stepsMeet = false; // a measured step includes its wait for the others
  for (const auto &rank : session.ranks()) {
    const RankInfo &plan = entry.ranks[rank->number()];
    setTimes(replayed, plan, rank->number(), rank->taskTimes());
    setTimes(fastest, plan, rank->number(), rank->fastestTaskTimes());
  }
  times.replayedNs = play(replayed, alone);
  times.fastestNs = play(fastest, alone);
  times.executedNs = end - begin;
  return times;
}

/// FLOPs of all tasks but the precomputing ones, which only the first run executes.
int64_t flopsOf(const Manifest &manifest, const EntryPlan &entry) {
  int64_t flops = 0;
  for (const RankInfo &rank : entry.ranks)
    for (const ActionInfo &action : rank.actions)
      if (action.op == ActionInfo::Op::Run && !action.prepares())
        for (const CallInfo &call : rank.tasks[static_cast<size_t>(action.target)].calls)
          flops += manifest.kernels[static_cast<size_t>(entry.kernelOf(call, action.microBatch))].flops;
  return flops;
}

} // namespace plc::runtime
