//===- ProveLayout.h - what a rank's layout says of its arena ---*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PROOF_PROVELAYOUT_H
#define PLC_LIB_PLANNING_PROOF_PROVELAYOUT_H

#include "Addresses/Lifetimes.h"
#include "Proof.h"

namespace plc::plan {

/// The persistent buffers of a rank's layout are what the rank's stages need and no more, each aligned and apart, and
/// the arena is not above a limit (0: there is none). Returns where the persistent buffers end.
mlir::FailureOr<int64_t> proveBuffers(TableOfProgram &both, int64_t rank, const PersistentBuffers &buffers,
                                      int64_t limitBytes);

/// The arena ends at `end`, where the rank's last value does; the layout's bound is the most that lives at one time;
/// and no smaller arena is possible where the layout says so.
llvm::LogicalResult proveArena(TableOfProgram &both, int64_t rank, const PersistentBuffers &buffers,
                               const Lifetimes &lifetimes, int64_t end);

} // namespace plc::plan

#endif
