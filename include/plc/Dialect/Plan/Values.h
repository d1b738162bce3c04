//===- Values.h - values of a program: where from, how large ----*- C++ -*-===//
#ifndef PLC_DIALECT_PLAN_VALUES_H
#define PLC_DIALECT_PLAN_VALUES_H

#include "plc/Dialect/Plan/Plan.h"

namespace plc::plan {

/// The value that `value` hands on unchanged: what a task or stage yields as this result, or what a pop gets of
/// `stashedFor`, null if that is a message. Null where a value is made. See `RouteTable` of plc/Analysis, which goes on
/// through accumulators.
mlir::Value forwardedFrom(mlir::Value value, llvm::function_ref<mlir::Value(PopOp)> stashedFor);

/// Which result of its stage's P a resolved value is; nothing for other values, and for what P makes for itself alone.
std::optional<int64_t> preparedNumber(mlir::Value resolved);
/// The name of its static place: "s0.1".
std::string preparedName(mlir::Value resolved, int64_t number);

/// Whether a resolved value has one place per rank and step: a parameter, a gradient site, or a result of P.
bool isStatic(mlir::Value resolved);

/// Bytes of a value, dense. In a ragged program those of the larger micro-batches.
int64_t byteSize(mlir::Type type);
/// Bytes of a value of a micro-batch, or of the step (-1).
int64_t byteSize(ProgramOp program, mlir::Type type, int64_t mb);
/// The stages of the program's first replica: all, if it is not replicated.
llvm::SmallVector<StageOp> stagesOfFirst(ProgramOp program);
/// The stage of the pipeline that each of these is a part of; none if each is one.
std::vector<int64_t> pipelineOf(ProgramOp program);

/// Bytes that a route carries for a micro-batch, or for the step.
int64_t carriedBytes(RouteOp route, int64_t mb = 0);
/// Bytes of the values of all micro-batches before `mb`, one behind the other.
int64_t bytesBefore(ProgramOp program, mlir::Type type, int64_t mb);

} // namespace plc::plan

#endif
