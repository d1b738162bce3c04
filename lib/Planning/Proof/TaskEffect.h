//===- TaskEffect.h - effects of a task's runs on blocks --------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PROOF_TASKEFFECT_H
#define PLC_LIB_PLANNING_PROOF_TASKEFFECT_H

#include "Addresses/Lifetimes.h"
#include "Addresses/PersistentBuffers.h"
#include "HeldValues.h"
#include "Proof.h"

namespace plc::plan {

/// The effect of a task's run on the bytes behind its bases, at any addresses where no two bases share bytes. Proven
/// once for all runs of the task with equal sizes.
struct TaskEffect {
  struct Base {
    int64_t extent = 0;         ///< bytes that the run touches
    int64_t writtenEnd = 0;     ///< bytes that it writes, from the base on
    mlir::Value fixed;          ///< an input or output, alone behind its base, at a known address
    Contents needs;             ///< values that it reads before writing them
    std::vector<Range> written; ///< by any call; sorted and disjoint
    Contents leaves;            ///< values that are whole at the end, and that another task or a message may read
  };
  std::vector<Base> bases;
  llvm::SmallVector<SiteOp> sites; ///< gradient sites that it adds to, once each

  /// The contents of a base after a run that finds `before` there; nothing if the run needs values that these lack.
  std::optional<Contents> after(size_t base, const Contents &before) const;
};

/// The effect of a task whose table has passed `proveShape`. Nothing if it is not right at all addresses; then each run
/// is executed by itself, which finds what is wrong.
std::optional<TaskEffect> effectOf(const module::TaskInfo &made, const Lifetimes::Body &body,
                                   const Lifetimes &lifetimes, const PersistentBuffers &buffers, TaskSlots &slots,
                                   llvm::function_ref<int64_t(mlir::Value)> bytesOf);

} // namespace plc::plan

#endif
