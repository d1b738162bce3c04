//===- Values.h - which memory a value of a program is ----------*- C++ -*-===//
#ifndef PLC_DIALECT_PLAN_VALUES_H
#define PLC_DIALECT_PLAN_VALUES_H

#include "plc/Dialect/Plan/Plan.h"

namespace plc::plan {

/// One step of `resolve`; null where that ends.
mlir::Value sameMemoryAs(mlir::Value value);

/// The value whose memory `value` is: a result of a task is what the task yields; a result of an accumulator is the
/// accumulator; what is popped from a stage of the same rank is what was stashed there. Ends at the result of a
/// `plan.call` or at a handle (`plan.param`, `plan.site`, `plan.input`, `plan.pop`).
mlir::Value resolve(mlir::Value value);

/// Whether a resolved value has one place per rank and step: a parameter or a gradient site.
bool isStatic(mlir::Value resolved);

/// The slots of tasks (see `plan.task`), resolved; those of a task are found once.
class TaskSlots {
public:
  llvm::ArrayRef<mlir::Value> of(TaskOp task);

private:
  llvm::DenseMap<mlir::Operation *, std::vector<mlir::Value>> known;
};

/// The call of its stage's F that a clone repeats; null if F has no call of that place.
CallOp originalOf(CallOp clone);

/// For each result of each clone of a program, the original's: what the result stands for in a run that keeps.
llvm::DenseMap<mlir::Value, mlir::Value> originalsOf(ProgramOp program);

/// The outputs of a program, by the resolved values whose memory they are.
llvm::DenseMap<mlir::Value, OutputOp> outputsOf(ProgramOp program);

/// Bytes of a value, dense. In a ragged program those of no micro-batch, near the larger.
int64_t byteSize(mlir::Type type);
/// Bytes of a value of a micro-batch, or of the step (-1).
int64_t byteSize(ProgramOp program, mlir::Type type, int64_t mb);
/// Bytes of the values of all micro-batches before `mb`, one behind the other.
int64_t bytesBefore(ProgramOp program, mlir::Type type, int64_t mb);

/// The end of a route in its stage.
StashOp stashOf(RouteOp route);
PopOp popOf(RouteOp route);

} // namespace plc::plan

#endif
