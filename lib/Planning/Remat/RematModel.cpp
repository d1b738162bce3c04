//===- RematModel.cpp - programs as segments of a policy ------------------===//
#include "RematModel.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Base/Format.h"
#include "plc/Support/Errors.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::formatBytes;
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
    // Backward calls matter only by what they read: that must be live, or made again.
    if (call.role != Role::F) {
      problem.backward.push_back({TaskKind(call.role), call.args});
      continue;
    }
    const FlatProgram::Instance *layer = layers.lookup(call.path);
    for (int64_t result : call.results)
      problem.values[result].maker = problem.calls.size();
    // Calls outside of all layers are selected, but have no layer; policies that count layers leave them out.
    bool selected = !layer || !llvm::is_contained(keepKinds, layer->kind);
    problem.calls.push_back(
        {layer ? layer->layer : -1, selected, -1, call.args, call.results, KernelOp(call.kernel).getNs()});
  }
  // An output stays in its buffer, so saving it costs no bytes.
  for (int64_t output : flat.outputs)
    problem.values[output].pinned = true;
  return problem;
}

FailureOr<RematProblem> plc::plan::buildSegments(ein::ModelOp model, const FlatProgram &flat,
                                                 ArrayRef<std::string> keepKinds, const planner::RematMode &mode) {
  RematProblem problem = buildRematProblem(flat, keepKinds);
  if (planner::Status fault = planner::chooseSegments(mode, problem))
    return emitKeyError(model, rowOf(mode.policy).obeys(planner::Layers) ? "checkpoint.layers" : "checkpoint.policy",
                        std::string_view(*fault));
  return problem;
}

planner::Remat plc::plan::decideByStage(const FlatProgram &flat, ArrayRef<int32_t> stageOfUnit, RematProblem &problem) {
  // The problem lists forward and backward calls apart, each in program order.
  auto forward = problem.calls.begin();
  auto backward = problem.backward.begin();
  for (const FlatCall &call : flat.calls)
    (call.role == Role::F ? (forward++)->stage : (backward++)->stage) = stageOfUnit[call.unit];
  return planner::recompute(problem);
}

static remark::RemarkOpts remarkOf(StringRef name, ein::ModelOp model) {
  return remark::RemarkOpts::name(name).category("plan-partition").function(model.getSymName());
}

void plc::plan::remarkRecomputation(ein::ModelOp model, const FlatProgram &flat, const planner::RematProblem &problem,
                                    const planner::Remat &answer) {
  // Without clones there is no decision to explain.
  if (!llvm::is_contained(answer.cloned, true))
    return;
  int64_t bytes = problem.keptBytes(answer);
  remark::passed(model.getLoc(), remarkOf("Recomputed", model))
      << remark::add("a micro-batch keeps {0}, of which {1} cannot be discarded, and computes again for {2} ns, "
                     "where keeping as little takes at least {3} ns",
                     formatBytes(bytes), formatBytes(problem.boundKeptBytes()), problem.recomputeNs(answer),
                     problem.boundRecomputeNs(bytes));
  int64_t index = -1;
  for (const FlatCall &call : flat.calls) {
    if (call.role != Role::F)
      continue;
    ++index;
    int64_t kept = 0, discarded = 0;
    for (int64_t value : call.results)
      (answer.kept[value] ? kept : discarded) += problem.values[value].bytes;
    if (answer.cloned[index])
      remark::passed(call.loc, remarkOf("Discarded", model)) << remark::add(
          "'{0}' of '{1}' discards {2} and is computed again for {3} ns", KernelOp(call.kernel).getSymName(),
          call.path.getValue(), formatBytes(discarded), problem.calls[index].ns);
    else if (kept)
      remark::missed(call.loc, remarkOf("Kept", model)) << remark::add(
          "'{0}' of '{1}' keeps {2}: {3}", KernelOp(call.kernel).getSymName(), call.path.getValue(), formatBytes(kept),
          problem.calls[index].segment < 0 ? "no segment holds it" : "a segment starts from it");
  }
}
