//===- Play.cpp - an action table with its times --------------------------===//
#include "plc/Simulator/Simulate.h"

#include "plc/Support/Chunks.h"

#include <algorithm>
#include <map>

namespace plc::simulator {

using module::ActionInfo, module::CallInfo;

// A worker without a chunk sleeps before the last chunk is done, so each kernel wakes all workers again. One stage with
// 16 threads took 0.34 to 1.2 ms more for each kernel than its chunks, and 15 wakes take 0.45 ms. Without the wakes it
// would be predicted as fast as pipelines, which took 0.3 to 0.75 times as long (GPTs of 3 sizes on 16 cores).
SharedWork shared(int64_t whole, int64_t chunks, const RankThreads &threads) {
  int64_t rounds = (chunks + threads.count - 1) / threads.count; // the busiest thread takes so many whole chunks
  int64_t ns = threads.count == 1 ? whole : whole / chunks * rounds;
  auto wakes = static_cast<int64_t>(static_cast<double>(std::min(threads.count, chunks) - 1) * threads.wakeNs);
  return {ns + wakes, rounds > 1 ? ns : 0, ns / rounds + wakes, rounds > 1};
}

SharedWork sharedUpdate(int64_t ns, const RankThreads &threads) { return shared(ns, chunksOf(ns), threads); }

namespace {

// The action that runs a task: the sum of its calls.
Play::Action runOf(const module::RankInfo &rank, const ActionInfo &action, const Times &times) {
  Play::Action run{action.op, static_cast<int32_t>(action.target), static_cast<int32_t>(action.microBatch)};
  SharedWork work;
  for (const CallInfo &call : rank.tasks[static_cast<size_t>(action.target)].calls) {
    int64_t chunks = std::max<int64_t>(1, times.chunks(call, action.microBatch));
    work += shared(times.callNs(call, action.microBatch), chunks, times.threads);
  }
  run.setWork(work);
  return run;
}

// Precomputed values are made before the first step, and drops take no time.
bool isPlayed(const ActionInfo &action) { return !action.prepares() && action.op != ActionInfo::Op::Drop; }

/// Sets predecessors by the numbers of played actions. An action behind one that is not played is behind that one's
/// predecessors.
void addAfter(const module::RankInfo &info, Play::Rank &rank) {
  std::vector<std::vector<int32_t>> after(info.after.size());
  std::vector<int32_t> number(info.after.size());
  int32_t count = 0;
  for (size_t action = 0; action < after.size(); ++action) {
    for (int64_t each : info.after[action]) {
      auto earlier = static_cast<size_t>(each);
      if (isPlayed(info.actions[earlier]))
        after[action].push_back(number[earlier]);
      else if (!info.actions[earlier].prepares())
        after[action].insert(after[action].end(), after[earlier].begin(), after[earlier].end());
    }
    std::sort(after[action].begin(), after[action].end());
    after[action].erase(std::unique(after[action].begin(), after[action].end()), after[action].end());
    if (isPlayed(info.actions[action])) {
      number[action] = count++;
      rank.after.push_back(after[action]);
    }
  }
}

} // namespace

Play playOf(const module::EntryPlan &entry, const Times &times) {
  Play play;
  play.microBatches = entry.microBatches;
  play.firstShort = entry.isRagged() ? entry.batch % entry.microBatches : entry.microBatches;
  play.stepsMeet = times.stepsMeet;
  for (const module::ChannelInfo &channel : entry.channels)
    play.channels.push_back({channel.name, static_cast<size_t>(channel.source),
                             static_cast<size_t>(channel.destination), channel.bytes, channel.shortBytes,
                             channel.perStep});
  for (const module::RankInfo &info : entry.ranks) {
    Play::Rank &rank = play.ranks.emplace_back();
    rank.stage = info.stage;
    rank.arenaBytes = info.arenaBytes;
    for (const module::TaskInfo &task : info.tasks)
      rank.tasks.push_back(task.name);
    addAfter(info, rank);
    std::map<std::pair<int64_t, bool>, Play::Action> runs; // by task, and whether the micro-batch is short
    for (const ActionInfo &action : info.actions) {
      if (action.prepares()) {
        rank.precomputeNs += runOf(info, action, times).ns;
        continue;
      }
      if (action.op == ActionInfo::Op::Run) {
        auto [run, isNew] = runs.try_emplace({action.target, entry.isShort(action.microBatch)});
        if (isNew)
          run->second = runOf(info, action, times);
        rank.actions.push_back(run->second);
        rank.actions.back().microBatch = static_cast<int32_t>(action.microBatch);
      }
      if (action.op == ActionInfo::Op::Step) {
        SharedWork update = sharedUpdate(times.updateNs(module::updatedBytes(info)), times.threads);
        Play::Action &step = rank.actions.emplace_back(Play::Action{action.op});
        step.microBatch = -1;
        step.setWork(update);
      } else if (action.isMessage())
        rank.actions.push_back(
            {action.op, static_cast<int32_t>(action.target), static_cast<int32_t>(action.microBatch)});
    }
  }
  return play;
}

Play playOf(const module::Manifest &manifest, const module::EntryPlan &entry, int64_t threadsPerStage) {
  auto kernelOf = [&](const CallInfo &call, int64_t microBatch) -> const module::KernelInfo & {
    return manifest.kernels[static_cast<size_t>(entry.kernelOf(call, microBatch))];
  };
  Times times;
  times.threads = {threadsPerStage, manifest.rates[Rate::wake]};
  times.stepsMeet = manifest.optimizer.needsNorm();
  times.callNs = [&](const CallInfo &call, int64_t microBatch) { return kernelOf(call, microBatch).ns; };
  times.chunks = [&](const CallInfo &call, int64_t microBatch) { return kernelOf(call, microBatch).chunks; };
  times.updateNs = [&](int64_t bytes) { return module::updateNs(manifest, bytes); };
  return playOf(entry, times);
}

} // namespace plc::simulator
