//===- JoinedBackward.h - where W is joined to B ----------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_JOINEDBACKWARD_H
#define PLC_LIB_PLANNING_JOINEDBACKWARD_H

#include "FlatProgram.h"

#include <optional>
#include <vector>

namespace plc::plan {

/// Stages with a B for which no other rank waits: the first of a pipeline, and all if there is one rank. There W apart from
/// B would hold what it reads through all of B, and nobody would gain. Gradients go from stages to earlier ones; a rank waits
/// also for what its own stages hand on to another.
std::vector<bool> findUnawaited(const FlatProgram &flat, llvm::ArrayRef<int64_t> stageOfUnit,
                                llvm::ArrayRef<int64_t> rankOf);

/// A program of which all W are apart, with W joined to B in stages that compute `again`, and where nobody waits for B. Not in the
/// layer whose B is the last of its stage, behind which W stands anyway: what others wait for is sent before it runs. None if B would
/// read what W makes.
std::optional<FlatProgram> joinAgain(const FlatProgram &apart, llvm::ArrayRef<int64_t> stageOfUnit,
                                     llvm::ArrayRef<int64_t> rankOf, const std::vector<bool> &again);

} // namespace plc::plan

#endif
