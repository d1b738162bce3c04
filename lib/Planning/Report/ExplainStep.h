//===- ExplainStep.h - the parts of an explanation --------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REPORT_EXPLAINSTEP_H
#define PLC_LIB_PLANNING_REPORT_EXPLAINSTEP_H

#include "plc/Analysis/TaskSlots.h"
#include "plc/Planning/Report/Explain.h"

namespace plc::plan {

/// The stages, and for each the next-best cut.
void explainCuts(ProgramOp program, const RouteTable &routes, Explanation &out);

/// The step, and what each rank does in it, waits for and is bound by.
void explainStep(ProgramOp program, const RouteTable &routes, Explanation &out);

/// What the arena of each rank holds when it holds most.
void explainMemory(ProgramOp program, TaskSlots &slots, Explanation &out);

/// "FILE:LINE" of the user's line; "" without one.
std::string lineOf(mlir::Location location);

} // namespace plc::plan

#endif
