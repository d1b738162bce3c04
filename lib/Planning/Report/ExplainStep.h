//===- ExplainStep.h - the parts of an explanation --------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_REPORT_EXPLAINSTEP_H
#define PLC_LIB_PLANNING_REPORT_EXPLAINSTEP_H

#include "plc/Analysis/TaskSlots.h"
#include "plc/Planning/Report/Explain.h"

namespace plc::plan {

/// Explains the stages, and the next-best cut of each.
void explainCuts(ProgramOp program, const RouteTable &routes, Explanation &out);

/// Explains the step: what each rank does in it, waits for, and is bound by.
void explainStep(ProgramOp program, const RouteTable &routes, Explanation &out);

/// Explains the arenas: what each rank has live at its peak.
void explainMemory(ProgramOp program, TaskSlots &slots, Explanation &out);

/// "FILE:LINE" in the user's model; empty without a location.
std::string lineOf(mlir::Location location);

} // namespace plc::plan

#endif
