//===- Play.cpp - an action table with its times ----------------------------===//
#include "plc/Simulator/Simulate.h"

#include <algorithm>
#include <map>

namespace plc::simulator {

using module::ActionInfo, module::CallInfo;

int64_t sharedNs(int64_t ns, int64_t chunks, int64_t threads) {
  int64_t rounds = (chunks + threads - 1) / threads;
  return threads == 1 ? ns : ns / chunks * rounds;
}

namespace {

Play::Action runOf(const module::RankInfo &rank, const ActionInfo &action, const Times &times) {
  Play::Action run{action.op, static_cast<int32_t>(action.target), static_cast<int32_t>(action.microBatch)};
  int64_t divided = 0;
  for (const CallInfo &call : rank.tasks[static_cast<size_t>(action.target)].calls) {
    int64_t chunks = std::max<int64_t>(1, times.chunks(call, action.microBatch));
    int64_t ns = sharedNs(times.callNs(call, action.microBatch), chunks, times.threadsPerStage);
    run.ns += ns;
    divided += chunks > times.threadsPerStage ? ns : 0;
  }
  run.dividedPart = run.ns ? static_cast<float>(divided) / static_cast<float>(run.ns) : 0;
  return run;
}

bool isPlayed(const ActionInfo &action) { return !action.prepares() && action.op != ActionInfo::Op::Drop; }

/// By the numbers of played actions. Who comes after one that is none comes after those that this one comes after.
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
        rank.prepareNs += runOf(info, action, times).ns;
        continue;
      }
      if (action.op == ActionInfo::Op::Run) {
        auto [run, isNew] = runs.try_emplace({action.target, entry.isShort(action.microBatch)});
        if (isNew)
          run->second = runOf(info, action, times);
        rank.actions.push_back(run->second);
        rank.actions.back().microBatch = static_cast<int32_t>(action.microBatch);
      }
      if (action.op == ActionInfo::Op::Step)
        rank.actions.push_back({action.op, -1, -1, 1, times.updateNs(module::updatedBytes(info))});
      else if (action.isMessage())
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
  times.threadsPerStage = threadsPerStage;
  times.stepsMeet = manifest.optimizer.needsNorm();
  times.callNs = [&](const CallInfo &call, int64_t microBatch) { return kernelOf(call, microBatch).ns; };
  times.chunks = [&](const CallInfo &call, int64_t microBatch) { return kernelOf(call, microBatch).chunks; };
  times.updateNs = [&](int64_t bytes) { return module::updateNs(manifest, bytes); };
  return playOf(entry, times);
}

} // namespace plc::simulator
