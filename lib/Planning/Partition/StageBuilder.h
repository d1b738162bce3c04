//===- StageBuilder.h - a flat program as stages and tasks ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_STAGEBUILDER_H
#define PLC_LIB_PLANNING_PARTITION_STAGEBUILDER_H

#include "Base/FlatProgram.h"

namespace plc::plan {

/// Builds the program behind its model: units in the given stages, stages on the given ranks. Stages use each other's
/// results, so no routes exist yet. Fails with a diagnostic if an output is no call's result, or if two outputs are one
/// value.
mlir::FailureOr<ProgramOp> buildProgram(ein::ModelOp model, const FlatProgram &flat,
                                        llvm::ArrayRef<int32_t> stageOfUnit, llvm::ArrayRef<int32_t> rankOf);

} // namespace plc::plan

#endif
