//===- RematModel.cpp - a program as a problem of recomputation -----------===//
#include "RematModel.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Support/Errors.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::RematProblem;
using planner::TaskKind;

RematProblem plc::plan::buildRematProblem(const FlatProgram &flat, ArrayRef<std::string> keepKinds) {
  RematProblem problem;
  llvm::StringMap<const FlatProgram::Instance *> layers;
  for (const auto &each : flat.layers)
    layers[each.path] = &each;
  for (const FlatValue &value : flat.values)
    problem.values.push_back({byteSize(value.type)});
  for (const FlatCall &call : flat.calls) {
    if (call.role != Role::F) {
      problem.backward.push_back({TaskKind(call.role), call.args});
      continue;
    }
    const FlatProgram::Instance *layer = layers.lookup(call.path);
    for (int64_t result : call.results)
      problem.values[result].maker = problem.calls.size();
    bool selected = !layer || !llvm::is_contained(keepKinds, layer->kind);
    problem.calls.push_back(
        {layer ? layer->layer : -1, selected, -1, call.args, call.results, KernelOp(call.kernel).getNs()});
  }
  for (int64_t output : flat.outputs)
    problem.values[output].pinned = true;
  return problem;
}

FailureOr<RematProblem> plc::plan::buildSegments(ein::ModelOp model, const FlatProgram &flat,
                                                 ArrayRef<std::string> keepKinds, const planner::RematMode &mode) {
  RematProblem problem = buildRematProblem(flat, keepKinds);
  if (planner::Fault fault = planner::chooseSegments(mode, problem))
    return emitKeyError(model, rowOf(mode.policy).obeys(planner::Layers) ? "checkpoint.layers" : "checkpoint.policy",
                        std::string_view(*fault));
  return problem;
}

planner::Remat plc::plan::decideByStage(FlatProgram &flat, ArrayRef<int64_t> stageOfUnit, RematProblem &problem) {
  auto forward = problem.calls.begin();
  auto backward = problem.backward.begin();
  for (const FlatCall &call : flat.calls)
    (call.role == Role::F ? (forward++)->stage : (backward++)->stage) = stageOfUnit[call.unit];
  planner::Remat answer = planner::recompute(problem);
  int64_t index = -1;
  for (FlatCall &call : flat.calls) {
    if (call.role != Role::F || !answer.cloned[++index])
      continue;
    for (auto [number, value] : llvm::enumerate(call.results))
      if (!answer.kept[value])
        call.discard.push_back(number);
  }
  return answer;
}
