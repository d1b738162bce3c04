//===- Jobs.h - jobs of a scheduling problem, by number ---------*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_SCHEDULE_JOBS_H
#define PLC_LIB_PLANNER_SCHEDULE_JOBS_H

#include "plc/Planner/Schedule/Schedule.h"

namespace plc::planner {

/// A checked problem in arrays, for algorithms that visit each job often. A *chain* is one task of one stage; its jobs
/// run in index order. The job of a chain for a micro-batch has the number `chain * microBatches + microBatch`.
struct Jobs {
  explicit Jobs(const ScheduleProblem &problem);

  struct Edge {
    int64_t chain; ///< the other end
    int64_t ns;    ///< of the message
  };
  const ScheduleProblem &problem;
  int64_t microBatches, count;
  std::vector<int64_t> chains;                ///< existing chains, in an order that respects dependences
  std::vector<std::vector<Edge>> into;        ///< by chain
  std::vector<std::vector<int64_t>> chainsOn; ///< by rank
  std::vector<int64_t> ns;                    ///< by job
  std::vector<int32_t> chainsOf;              ///< by job

  int64_t jobOf(int64_t chain, int64_t microBatch) const { return chain * microBatches + microBatch; }
  int64_t chainOf(int64_t job) const {
    return chainsOf[job];
  } // a division takes as long as all else that is done for a job
  int64_t microBatchOf(int64_t job) const { return job - chainsOf[job] * microBatches; }
  /// The rank of a chain, and the message time of an edge for a micro-batch.
  int64_t rankOf(int64_t chain) const { return problem.stages[chain / 3].rank; }
  int64_t lagOf(const Edge &edge, int64_t microBatch) const { return problem.scaled(edge.ns, microBatch); }
};

} // namespace plc::planner

#endif
