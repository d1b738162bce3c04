//===- PlanSummary.cpp - what the planner decided, for people -------------===//
#include "plc/Module/PlanSummary.h"

#include <nlohmann/json.hpp>

namespace plc::module {

using nlohmann::json;

double gapOf(int64_t answer, int64_t bound) {
  return answer < 0 || bound <= 0 ? 0 : double(answer - bound) / double(bound);
}

std::string writePlan(const PlanSummary &summary) {
  json stages = json::array(), routes = json::array();
  for (const auto &stage : summary.stages)
    stages.push_back(json{{"name", stage.name},
                          {"rank", stage.rank},
                          {"layers", stage.layers},
                          {"from", stage.firstLayer},
                          {"to", stage.lastLayer},
                          {"flops", stage.flops},
                          {"parameters", stage.parameters},
                          {"ns", stage.ns},
                          {"peak_bytes", stage.peakBytes},
                          {"peak_bound_bytes", stage.peakBoundBytes},
                          {"peak_gap", gapOf(stage.peakBytes, stage.peakBoundBytes)},
                          {"peak_minimal", stage.peakIsMinimal || stage.peakBytes == stage.peakBoundBytes}});
  for (const auto &route : summary.routes)
    routes.push_back(json{{"from", route.source},
                          {"to", route.destination},
                          {"value", route.carries},
                          {"bytes", route.bytes},
                          {"per", nameOfChoice(route.per)}});
  json plan{{"program", summary.program},
            {"micro_batches", summary.microBatches},
            {"ranks", summary.ranks},
            {"stages", std::move(stages)},
            {"routes", std::move(routes)},
            {"contractions", json(summary.contractions)},
            {"schedule", summary.schedule},
            {"bubble", summary.bubble},
            {"remat", summary.remat},
            {"remat_saved_bytes", summary.noneArenaBytes < 0 ? 0 : summary.noneArenaBytes - summary.arenaBytes},
            {"added_flop_factor", summary.addedFlopFactor()},
            {"cut_ns", summary.cutNs},
            {"cut_bound_ns", summary.cutBoundNs},
            {"cut_gap", gapOf(summary.cutNs, summary.cutBoundNs)},
            {"step_ns", summary.stepNs},
            {"step_bound_ns", summary.stepBoundNs},
            {"step_gap", gapOf(summary.stepNs, summary.stepBoundNs)},
            {"played_ns", summary.playedNs},
            {"prepared_calls", summary.precomputed.calls},
            {"prepared_ns", summary.precomputed.ns},
            {"prepared_bytes", summary.precomputed.bytes},
            {"state_bytes", summary.stateBytes},
            {"process_bytes", summary.process.total()},
            {"numerics_key", summary.numericsKey}};
  return plan.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace plc::module
