//===- Values.h - values of a program: sources and sizes --------*- C++ -*-===//
#ifndef PLC_DIALECT_PLAN_VALUES_H
#define PLC_DIALECT_PLAN_VALUES_H

#include "plc/Dialect/Plan/Plan.h"

namespace plc::plan {

/// The value that `value` forwards unchanged: the one that a task or stage yields as this result, or that `stashedFor`
/// returns for a pop (null if a message brings it). Null where a value is computed. `RouteTable` of plc/Analysis
/// continues through accumulators.
mlir::Value forwardedFrom(mlir::Value value, llvm::function_ref<mlir::Value(PopOp)> stashedFor);

/// The result of its stage's P that a resolved value is; nullopt for other values, and for values that P needs itself
/// only.
std::optional<int64_t> precomputedNumber(mlir::Value resolved);
/// The name of its persistent buffer: "s0.1".
std::string precomputedName(mlir::Value resolved, int64_t number);

/// Whether a resolved value has one buffer per rank and step: a parameter, a gradient site, or a result of P.
bool isPersistent(mlir::Value resolved);

/// Bytes of a dense value; in a ragged program, in the larger micro-batches.
int64_t byteSize(mlir::Type type);
/// Bytes of a value in a micro-batch, or in the step (-1).
int64_t byteSize(ProgramOp program, mlir::Type type, int64_t mb);
/// Bytes of each tensor that the optimizer keeps beside a parameter of this type: those of `moments`, or `standard`
/// ones of all axes.
llvm::SmallVector<int64_t> momentBytes(mlir::Type parameter, std::optional<mlir::ArrayAttr> moments, int64_t standard);
/// The stages of the program's first replica, which are all if it is not replicated.
llvm::SmallVector<StageOp> stagesOfFirst(ProgramOp program);
/// The pipeline stage that each of these belongs to; empty if each is one itself.
std::vector<int64_t> pipelineOf(ProgramOp program);

/// Bytes that a route carries for a micro-batch, or for the step.
int64_t carriedBytes(RouteOp route, int64_t mb = 0);
/// Bytes of a value in all micro-batches before `mb`, stored one behind the other.
int64_t bytesBefore(ProgramOp program, mlir::Type type, int64_t mb);

} // namespace plc::plan

#endif
