//===- Schedule.h - the problem of ordering tasks on ranks ------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_SCHEDULE_H
#define PLC_PLANNER_SCHEDULE_SCHEDULE_H

#include "plc/Planner/Base/Status.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace plc::planner {

/// F: forward. B: backward, gradients of inputs. W: backward, gradients of parameters.
enum class TaskKind { F, B, W };

/// A job: one task of a stage for one micro-batch.
struct ScheduledTask {
  int64_t stage = 0;
  TaskKind kind = TaskKind::F;
  int64_t microBatch = 0;
  bool operator==(const ScheduledTask &) const = default;
};

/// "stage 1, B of micro-batch 3".
std::string describe(const ScheduledTask &job);

/// An answer: the order of jobs on each rank.
struct Schedule {
  std::vector<std::vector<ScheduledTask>> ranks;
};

/// The problem of ordering tasks.
///
/// Variables: the order of jobs on each rank. Objective: the least makespan. Constraints: each rank runs one job at a
/// time; a job starts when the tasks that it depends on have ended for the same micro-batch, and their messages have
/// arrived; each kind of a stage runs in index order. (A job shop with delays: NP-hard.)
class ScheduleProblem {
public:
  struct Stage {
    int64_t rank = 0;
    std::array<bool, 3> has{};   ///< by TaskKind
    std::array<int64_t, 3> ns{}; ///< by TaskKind, of one micro-batch
  };
  struct Dependence {
    int64_t source = 0;
    TaskKind from = TaskKind::F;
    int64_t destination = 0;
    TaskKind to = TaskKind::F;
    int64_t ns = 0; ///< time of the message
  };

  std::vector<Stage> stages;
  std::vector<Dependence> dependences;
  int64_t microBatches = 1;
  int64_t shards = 1; ///< ranks that share a stage of the pipeline (SharedStages.h)
  std::vector<int64_t>
      pipeline; ///< the stage of the pipeline that each stage is a shard of; empty: each is one (SharedStages.h)
  std::vector<int64_t> samples; ///< of each micro-batch, in proportion to which times are; empty: all equal

  int64_t numRanks() const;
  /// Times are those of the micro-batch with the most samples. Returns the share of a smaller one, rounded up.
  int64_t scaled(int64_t whole, int64_t microBatch) const {
    return samples.empty() ? whole : scaledBySamples(whole, microBatch);
  }
  int64_t nsOf(const ScheduledTask &job) const { return scaled(stages[job.stage].ns[int(job.kind)], job.microBatch); }
  /// The dependences that a task waits for, by `nodeOf`; indices in `dependences`.
  std::vector<std::vector<int64_t>> dependencesInto() const;
  static int64_t nodeOf(int64_t stage, TaskKind kind) { return stage * 3 + int64_t(kind); }
  /// More jobs are refused: an order of them would be too long to be of use.
  static constexpr int64_t mostJobs = int64_t(1) << 24;
  /// Says what is wrong with the problem: stages, ranks and dependences are in range, and the tasks of a micro-batch do
  /// not wait for each other in a cycle.
  Status check() const;
  /// Says what is wrong with a schedule: each job runs once, on its rank, in index order, without a deadlock.
  Status verify(const Schedule &schedule) const;
  /// A lower bound of the makespan, in ns (ScheduleBound.cpp).
  int64_t bound() const;

private:
  int64_t scaledBySamples(int64_t whole, int64_t microBatch) const;
  Status checkSize() const;
};

/// The predicted execution of a schedule, with the times of the problem.
struct Simulation {
  /// Start and end of each job, in the shape of the schedule.
  std::vector<std::vector<int64_t>> start, end;
  /// Position of each job in one total order that respects dependences, in the shape of the schedule.
  std::vector<std::vector<int64_t>> position;
  int64_t makespan = 0;
  /// Idle fraction of the ranks' time.
  double bubble = 0;
};

/// Simulates a schedule. Fails if it deadlocks, and names the jobs that wait. O(jobs (ranks + dependences of a task)).
Status simulate(const ScheduleProblem &problem, const Schedule &schedule, Simulation &simulation);

} // namespace plc::planner

#endif
