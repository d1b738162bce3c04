//===- StageBuilder.h - a flat program as stages and tasks ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_STAGEBUILDER_H
#define PLC_LIB_PLANNING_STAGEBUILDER_H

#include "FlatProgram.h"

namespace plc::plan {

/// Units [begin, end) of a flat program.
struct StageCut {
  int64_t begin, end, rank, ns, bytes;
};

/// The program, behind its model. Stages use each other's results.
mlir::FailureOr<ProgramOp> buildProgram(ein::ModelOp model, const FlatProgram &flat, llvm::ArrayRef<StageCut> cuts);

} // namespace plc::plan

#endif
