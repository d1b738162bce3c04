//===- Summary.h - a plan as a table and for the log ------------*- C++ -*-===//
#ifndef PLC_PLANNING_REPORT_SUMMARY_H
#define PLC_PLANNING_REPORT_SUMMARY_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Module/PlanSummary.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace plc::plan {

using module::PlanSummary;

/// The figures of a planned program. What earlier phases have not made yet is negative or empty.
PlanSummary summarize(ProgramOp program);

/// What is precomputed before the first step; no calls if nothing is.
PlanSummary::Precomputed summarizePrecomputed(ProgramOp program);
/// "3 calls once, 12.0 us, of which 64.0 KiB are kept".
std::string describe(const PlanSummary::Precomputed &precomputed);

/// Arena bytes by program and rank of a planned module; with replicas, the largest of equal ranks.
std::vector<int64_t> arenasOf(mlir::ModuleOp module);

/// Prints stages, routes, the schedule with its bubble, recomputation, each gap to its bound, and the implementations
/// of contractions.
void print(const PlanSummary &summary, llvm::raw_ostream &out);

/// Prints the stages as a Graphviz graph, with an edge per route that says its bytes.
void printDot(const PlanSummary &summary, llvm::raw_ostream &out);

/// Prints the order of each rank: one row of comma-separated tasks per rank (`plc/Planner/Schedule/ScheduleFile.h`).
void printSchedule(ProgramOp program, llvm::raw_ostream &out);

} // namespace plc::plan

#endif
