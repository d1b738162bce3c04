//===- CutModel.h - the cuts of a program, as times ------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_CUTMODEL_H
#define PLC_LIB_PLANNING_CUTMODEL_H

#include "plc/Analysis/RouteTable.h"
#include "plc/Planner/KnownCuts.h"

namespace plc::plan {

/// What a program's cuts take and could take, in ns of one micro-batch.
struct CutFigures {
  std::vector<int64_t> stageNs; ///< of each stage, with the tensors that it receives
  int64_t cutNs = 0;            ///< of the slowest rank
  int64_t boundNs = 0;          ///< no cut between paths on so many ranks is faster
};

/// The figures of a program as it stands, from its calls and their kernels: what `--plan-partition` writes, and
/// `--plan-verify` compares. A part is what has one path, or a call where the program `cuts_kernels`; no cut divides it. A call of F that discards results counts
/// twice; its clone, if there is one already, does not count.
planner::Fault figuresOfCut(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs, planner::KnownCuts &known,
                            CutFigures &figures);

} // namespace plc::plan

#endif
