//===- JoinedBackward.h - stages whose B no other rank awaits ---*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_JOINEDBACKWARD_H
#define PLC_LIB_PLANNING_PARTITION_JOINEDBACKWARD_H

#include "Base/FlatProgram.h"

#include <vector>

namespace plc::plan {

/// Stages with a B whose results no other rank waits for, directly or through its own later stages: the first stage of
/// a pipeline, and all stages on a single rank. There a split W would keep its operands live through all of B, and no
/// rank would start earlier for it. Gradients go from stages to earlier ones. Returns one flag per stage.
std::vector<bool> findUnawaited(const FlatProgram &flat, llvm::ArrayRef<int32_t> stageOfUnit,
                                llvm::ArrayRef<int32_t> rankOf);

} // namespace plc::plan

#endif
