//===- Explain.h - why a plan is as it is -----------------------*- C++ -*-===//
#ifndef PLC_PLANNING_EXPLAIN_H
#define PLC_PLANNING_EXPLAIN_H

#include "plc/Dialect/Plan/Plan.h"

#include "llvm/Support/raw_ostream.h"

namespace plc::plan {

/// What decides the time and the memory of a planned program, in lines of about so many columns: the step as a Gantt chart;
/// for each rank what it does and waits for, what binds it, and which kernels take most; for each arena what it holds
/// at its peak, beside the bytes that a rank may have if there is a limit (0: none). Each figure follows from the plan, and "would" from playing it again with one thing changed.
void explain(ProgramOp program, int64_t columns, int64_t limitBytes, llvm::raw_ostream &out);

} // namespace plc::plan

#endif
