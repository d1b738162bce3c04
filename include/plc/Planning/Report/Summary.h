//===- Summary.h - a plan for people and for the log ------------*- C++ -*-===//
#ifndef PLC_PLANNING_REPORT_SUMMARY_H
#define PLC_PLANNING_REPORT_SUMMARY_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Module/PlanSummary.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace plc::plan {

using module::PlanSummary;

PlanSummary summarize(ProgramOp program);

/// What stages prepare; no calls if they prepare nothing.
PlanSummary::Prepared summarizePrepared(ProgramOp program);
/// "3 calls once, 12.0 us, of which 64.0 KiB are kept".
std::string describe(const PlanSummary::Prepared &prepared);

/// Bytes of each rank's arena of a planned module.
std::vector<int64_t> arenasOf(mlir::ModuleOp module);

/// A table of stages, the routes, the schedule with its bubble, recomputation, each gap with its bound, and who computes
/// contractions.
void print(const PlanSummary &summary, llvm::raw_ostream &out);

/// The stages as a graph of Graphviz, an edge per route with its bytes.
void printDot(const PlanSummary &summary, llvm::raw_ostream &out);

/// What each rank of a scheduled program runs, a row of comma-separated tasks per rank (`plc/Planner/Schedule/ScheduleFile.h`).
void printSchedule(ProgramOp program, llvm::raw_ostream &out);

} // namespace plc::plan

#endif
