//===- TaskEffect.h - what runs of a task do to blocks ----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PROOF_TASKEFFECT_H
#define PLC_LIB_PLANNING_PROOF_TASKEFFECT_H

#include "Addresses/Lifetimes.h"
#include "Addresses/Statics.h"
#include "HeldValues.h"
#include "Proof.h"

namespace plc::plan {

/// What a run of a task does to the bytes behind its bases, wherever they lie, as long as no two bases share bytes: proven
/// once for all runs of the task that have equal sizes.
struct TaskEffect {
  struct Base {
    int64_t extent = 0;         ///< bytes behind it that the run touches
    int64_t writtenEnd = 0;     ///< and that it writes
    mlir::Value fixed;          ///< an input or output, whose place is known; it is alone behind its base
    Contents needs;             ///< what it reads before it has written it
    std::vector<Range> written; ///< by any call; sorted, disjoint
    Contents leaves;            ///< what it has written, is whole when it ends, and another task or a message may read
  };
  std::vector<Base> bases;
  llvm::SmallVector<SiteOp> sites; ///< that it adds to, once each

  /// The contents of a base after a run that finds others there; nothing if it needs what these have not.
  std::optional<Contents> after(size_t base, const Contents &before) const;
};

/// The effect of a task of a rank's table, which is shaped as the program's (`proveShape`). Nothing if that is not right
/// wherever its bases lie; then each run is looked at by itself, which tells what is wrong.
std::optional<TaskEffect> effectOf(const module::TaskInfo &made, const Lifetimes::Body &body,
                                   const Lifetimes &lifetimes, const Statics &statics, TaskSlots &slots,
                                   llvm::function_ref<int64_t(mlir::Value)> bytesOf);

} // namespace plc::plan

#endif
