//===- Pipelines.h - schedules of pipelines as plays ------------*- C++ -*-===//
#ifndef PLC_TEST_SIMULATOR_PIPELINES_H
#define PLC_TEST_SIMULATOR_PIPELINES_H

#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Simulator/Simulate.h"

#include <map>

namespace plc::simulator {

/// A stage on each rank, with an F of `forwardNs` and a B of `backwardNs`; B is the full backward.
inline planner::ScheduleProblem pipeline(int64_t stages, int64_t microBatches, int64_t forwardNs, int64_t backwardNs) {
  using planner::TaskKind;
  planner::ScheduleProblem problem;
  problem.microBatches = microBatches;
  for (int64_t s = 0; s < stages; ++s) {
    problem.stages.push_back({s, {true, true, false}, {forwardNs, backwardNs, 0}});
    problem.dependences.push_back({s, TaskKind::F, s, TaskKind::B});
    if (s) {
      problem.dependences.push_back({s - 1, TaskKind::F, s, TaskKind::F});
      problem.dependences.push_back({s, TaskKind::B, s - 1, TaskKind::B});
    }
  }
  return problem;
}

/// What ranks do under an order: a message of `bytes` to the neighbour behind each task, whose receive is posted in
/// front of the run before the one that needs it.
inline Play playOf(const planner::ScheduleProblem &problem, const planner::Schedule &schedule, int64_t bytes) {
  using planner::TaskKind;
  using Op = Play::Op;
  Play play;
  play.microBatches = play.firstShort = problem.microBatches;
  auto stages = static_cast<int64_t>(problem.stages.size());
  std::map<std::pair<int64_t, int64_t>, int32_t> channels; // source, destination
  for (int64_t s = 0; s + 1 < stages; ++s)
    for (auto [from, to] : {std::pair(s, s + 1), std::pair(s + 1, s)}) {
      channels[{from, to}] = static_cast<int32_t>(play.channels.size());
      play.channels.push_back({"x", static_cast<size_t>(from), static_cast<size_t>(to), bytes, bytes});
    }
  for (const auto &jobs : schedule.ranks) {
    Play::Rank &rank = play.ranks.emplace_back();
    rank.stage = "s" + std::to_string(play.ranks.size() - 1);
    rank.tasks = {"F", "B"};
    std::vector<Play::Action> sends;
    auto message = [&](const planner::ScheduledTask &job, bool arrives) -> int32_t {
      int64_t step = job.kind == TaskKind::F ? 1 : -1, other = arrives ? job.stage - step : job.stage + step;
      auto found = channels.find(arrives ? std::pair(other, job.stage) : std::pair(job.stage, other));
      return found == channels.end() ? -1 : found->second;
    };
    auto add = [&](Op op, int32_t channel, int64_t microBatch) {
      if (channel >= 0)
        rank.actions.push_back({op, channel, static_cast<int32_t>(microBatch)});
    };
    for (size_t k = 0; k < jobs.size(); ++k) {
      for (size_t next = k ? k + 1 : 0; next <= k + 1 && next < jobs.size(); ++next)
        add(Op::PostRecv, message(jobs[next], true), jobs[next].microBatch);
      add(Op::WaitRecv, message(jobs[k], true), jobs[k].microBatch);
      rank.actions.push_back({Op::Run, jobs[k].kind == TaskKind::F ? 0 : 1, static_cast<int32_t>(jobs[k].microBatch), 0,
                              problem.nsOf(jobs[k])});
      add(Op::Send, message(jobs[k], false), jobs[k].microBatch);
    }
    for (const planner::ScheduledTask &job : jobs)
      add(Op::WaitSend, message(job, false), job.microBatch);
  }
  return play;
}

} // namespace plc::simulator

#endif
