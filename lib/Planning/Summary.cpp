//===- Summary.cpp - a plan for people and for the log --------------------===//
#include "plc/Planning/Summary.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Partition.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using llvm::json::Array;
using llvm::json::Object;

namespace {

PlanSummary::Stage summarizeStage(ProgramOp program, StageOp stage, SymbolTable &kernels, int64_t &work) {
  PlanSummary::Stage row;
  row.name = stage.getSymName();
  row.rank = stage.getRank();
  row.layers = stage.getLayers();
  row.ns = stage.getNs();
  for (auto param : stage.getBody().getOps<ParamOp>())
    row.parameters += param.getType().getNumElements();
  stage.walk([&](CallOp call) {
    if (row.firstLayer.empty())
      row.firstLayer = call.getPath();
    if (cast<TaskOp>(call->getParentOp()).getRole() == Role::F)
      row.lastLayer = call.getPath();
    if (auto kernel = kernels.lookup<KernelOp>(call.getKernel())) {
      row.flops += kernel.getFlops() * program.getMicroBatches();
      work += kernel.getNs() * program.getMicroBatches();
    }
  });
  for (auto rank : program.getBody().getOps<RankOp>())
    if (rank.getIndex() == stage.getRank())
      for (auto layout : rank.getBody().getOps<LayoutOp>()) {
        row.peakBytes = layout.getArenaBytes();
        row.peakBoundBytes = layout.getBoundBytes();
      }
  return row;
}

std::string formatNs(int64_t ns) {
  if (ns < 10'000)
    return llvm::formatv("{0} ns", ns);
  if (ns < 10'000'000)
    return llvm::formatv("{0:F1} us", double(ns) / 1e3);
  return llvm::formatv("{0:F1} ms", double(ns) / 1e6);
}

std::string percent(double part) { return llvm::formatv("{0:F1} %", part * 100); }

void printGap(llvm::raw_ostream &out, StringRef what, const std::string &answer, const std::string &bound,
              double gap) {
  out << "  " << what << " " << answer << ", bound " << bound << ", gap " << percent(gap) << "\n";
}

} // namespace

PlanSummary plc::plan::summarize(ProgramOp program) {
  PlanSummary summary;
  SymbolTable kernels(program->getParentOfType<ModuleOp>());
  summary.program = program.getSymName();
  summary.schedule = program.getSchedule().value_or("").str();
  summary.remat = program.getRemat().value_or("").str();
  summary.microBatches = program.getMicroBatches();
  summary.ranks = program.getNumRanks();
  summary.cutNs = program.getCutNs().value_or(-1);
  summary.cutBoundNs = program.getCutBoundNs().value_or(-1);
  summary.stepNs = program.getStepNs().value_or(-1);
  summary.stepBoundNs = program.getStepBoundNs().value_or(-1);
  int64_t work = 0;
  for (auto stage : program.getBody().getOps<StageOp>())
    summary.stages.push_back(summarizeStage(program, stage, kernels, work));
  for (auto route : program.getBody().getOps<RouteOp>())
    summary.routes.push_back({route.getSource().str(), route.getDestination().str(), route.getCarries().str(),
                              stringifyPer(route.getPer()).str(), byteSize(route.getType())});
  if (summary.stepNs > 0)
    summary.bubble = 1 - double(work) / (double(summary.stepNs) * double(summary.ranks));
  return summary;
}

double plc::plan::gapOf(int64_t answer, int64_t bound) {
  return answer < 0 || bound <= 0 ? 0 : double(answer - bound) / double(bound);
}

void plc::plan::print(const PlanSummary &summary, llvm::raw_ostream &out) {
  out << llvm::formatv("{0,-6} {1,4} {2,6} {3,10} {4,12} {5,10}  {6}\n", "stage", "rank", "layers", "GFLOP",
                       "parameters", "peak", "from .. to");
  for (const auto &stage : summary.stages)
    out << llvm::formatv("{0,-6} {1,4} {2,6} {3,10} {4,12} {5,10}  {6}\n", stage.name, stage.rank, stage.layers,
                         llvm::formatv("{0:F3}", double(stage.flops) / 1e9).str(), stage.parameters,
                         stage.peakBytes < 0 ? "-" : planner::formatBytes(stage.peakBytes),
                         stage.firstLayer + " .. " + stage.lastLayer);
  for (const auto &route : summary.routes)
    out << "route " << route.source << " -> " << route.destination << ": " << route.carries << ", "
        << planner::formatBytes(route.bytes) << " per " << (route.per == "step" ? "step" : "micro-batch") << "\n";
  out << "schedule " << (summary.schedule.empty() ? "none" : summary.schedule) << ", " << summary.microBatches
      << " micro-batches, bubble " << percent(summary.bubble) << "\n";
  out << "recomputation " << (summary.remat.empty() ? "none" : summary.remat)
      << ": 0 B saved, added-FLOP factor 1\n";
  printGap(out, "slowest stage", formatNs(summary.cutNs), formatNs(summary.cutBoundNs),
           gapOf(summary.cutNs, summary.cutBoundNs));
  if (summary.stepNs >= 0)
    printGap(out, "step", formatNs(summary.stepNs), formatNs(summary.stepBoundNs),
             gapOf(summary.stepNs, summary.stepBoundNs));
  for (const auto &stage : summary.stages)
    if (stage.peakBytes >= 0)
      printGap(out, "arena of rank " + std::to_string(stage.rank), planner::formatBytes(stage.peakBytes),
               planner::formatBytes(stage.peakBoundBytes), gapOf(stage.peakBytes, stage.peakBoundBytes));
}

Object plc::plan::toJSON(const PlanSummary &summary) {
  Array stages, routes;
  for (const auto &stage : summary.stages)
    stages.push_back(Object{{"name", stage.name},
                            {"rank", stage.rank},
                            {"layers", stage.layers},
                            {"from", stage.firstLayer},
                            {"to", stage.lastLayer},
                            {"flops", stage.flops},
                            {"parameters", stage.parameters},
                            {"ns", stage.ns},
                            {"peak_bytes", stage.peakBytes},
                            {"peak_bound_bytes", stage.peakBoundBytes},
                            {"peak_gap", gapOf(stage.peakBytes, stage.peakBoundBytes)}});
  for (const auto &route : summary.routes)
    routes.push_back(Object{{"from", route.source},
                            {"to", route.destination},
                            {"value", route.carries},
                            {"bytes", route.bytes},
                            {"per", route.per}});
  return Object{{"program", summary.program},
                {"micro_batches", summary.microBatches},
                {"ranks", summary.ranks},
                {"stages", std::move(stages)},
                {"routes", std::move(routes)},
                {"schedule", summary.schedule},
                {"bubble", summary.bubble},
                {"remat", summary.remat},
                {"cut_ns", summary.cutNs},
                {"cut_bound_ns", summary.cutBoundNs},
                {"cut_gap", gapOf(summary.cutNs, summary.cutBoundNs)},
                {"step_ns", summary.stepNs},
                {"step_bound_ns", summary.stepBoundNs},
                {"step_gap", gapOf(summary.stepNs, summary.stepBoundNs)}};
}
