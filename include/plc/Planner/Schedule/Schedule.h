//===- Schedule.h - the order of tasks on ranks -----------------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_SCHEDULE_H
#define PLC_PLANNER_SCHEDULE_SCHEDULE_H

#include "plc/Planner/Base/Fault.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace plc::planner {

/// Forward, backward for inputs, backward for parameters.
enum class TaskKind { F, B, W };

struct ScheduledTask {
  int64_t stage = 0;
  TaskKind kind = TaskKind::F;
  int64_t microBatch = 0;
  bool operator==(const ScheduledTask &) const = default;
};

/// "stage 1, B of micro-batch 3".
std::string describe(const ScheduledTask &job);

/// What each rank runs, in order.
struct Schedule {
  std::vector<std::vector<ScheduledTask>> ranks;
};

/// Stages on ranks run each of their tasks once per micro-batch; a task starts when the tasks that it depends on, of
/// the same micro-batch, have ended (and their values have travelled), one at a time on a rank. Each kind of a stage
/// runs in index order.
class ScheduleProblem {
public:
  struct Stage {
    int64_t rank = 0;
    std::array<bool, 3> has{};   ///< by TaskKind
    std::array<int64_t, 3> ns{}; ///< by TaskKind, one micro-batch
  };
  struct Dependence {
    int64_t source = 0;
    TaskKind from = TaskKind::F;
    int64_t destination = 0;
    TaskKind to = TaskKind::F;
    int64_t ns = 0; ///< of the way
  };

  std::vector<Stage> stages;
  std::vector<Dependence> dependences;
  int64_t microBatches = 1;
  int64_t shards = 1; ///< ranks that share a stage of the pipeline (SharedStages.h)
  std::vector<int64_t>
      pipeline; ///< the stage of the pipeline that each stage is a part of; empty: each is one (SharedStages.h)
  std::vector<int64_t> samples; ///< of each micro-batch, in proportion to which times are; empty: all equal

  int64_t numRanks() const;
  /// Times are those of the micro-batch with the most samples; this is the part of a smaller one, rounded up.
  int64_t scaled(int64_t whole, int64_t microBatch) const {
    return samples.empty() ? whole : scaledBySamples(whole, microBatch);
  }
  int64_t nsOf(const ScheduledTask &job) const { return scaled(stages[job.stage].ns[int(job.kind)], job.microBatch); }
  /// The dependences that a task waits for, by `nodeOf`; positions in `dependences`.
  std::vector<std::vector<int64_t>> dependencesInto() const;
  static int64_t nodeOf(int64_t stage, TaskKind kind) { return stage * 3 + int64_t(kind); }
  /// No problem has more jobs: an order of them would not be read by anyone.
  static constexpr int64_t mostJobs = int64_t(1) << 24;
  /// Whether stages, ranks and dependences are in range, and tasks of a micro-batch do not wait for each other in a circle.
  Fault check() const;
  /// Whether a schedule runs each job once, on its rank, in index order, and ends.
  Fault verify(const Schedule &schedule) const;
  /// No schedule is faster (ScheduleBound.cpp).
  int64_t bound() const;

private:
  int64_t scaledBySamples(int64_t whole, int64_t microBatch) const;
  Fault checkSize() const;
};

/// When the jobs of a schedule run if they take the time that the problem says.
struct Simulation {
  /// Start and end of each job, in the shape of the schedule.
  std::vector<std::vector<int64_t>> start, end;
  /// Place of each job in one order of all that respects dependences, in the shape of the schedule.
  std::vector<std::vector<int64_t>> place;
  int64_t makespan = 0;
  /// Idle part of the ranks' time.
  double bubble = 0;
};

/// Fails if the schedule never ends; the fault names the jobs that wait. O(jobs (ranks + dependences of a task)).
Fault simulate(const ScheduleProblem &problem, const Schedule &schedule, Simulation &simulation);

} // namespace plc::planner

#endif
