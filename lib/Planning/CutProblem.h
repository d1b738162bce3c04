//===- CutProblem.h - where a model may be cut, as numbers ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_CUTPROBLEM_H
#define PLC_LIB_PLANNING_CUTPROBLEM_H

#include "FlatProgram.h"

#include "plc/Planner/Partition.h"
#include "plc/Planner/Remat.h"

namespace plc::plan {

/// What a replica has of a step: its micro-batches and their lanes, and what is divided among all replicas.
struct Share {
  int64_t microBatches, lanes, replicas, moments;
};

/// What is recomputed; first as if there were one stage, so that the cuts count with it, then for the stages.
struct Recomputation {
  planner::RematProblem problem;
  planner::Remat answer;
  bool lastKeeps = false; ///< the last micro-batch recomputes nothing
};

/// The units of a flat program with their times and bytes, what crosses between them, and what lives through the step. Stages
/// and limits are left to whoever cuts. `splitsBackward` is the schedule's.
planner::PartitionProblem buildCutProblem(const FlatProgram &flat, const Recomputation &remat, const Share &share,
                                          int64_t bytesPerNs, bool splitsBackward);

} // namespace plc::plan

#endif
