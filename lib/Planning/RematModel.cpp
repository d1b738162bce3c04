//===- RematModel.cpp - a program as a problem of recomputation -----------===//
#include "RematModel.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Values.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::RematProblem;

planner::Fault RematChoice::check() const {
  if (!attention && !ffn)
    return "attention and ffn are both false, so nothing is left to recompute";
  return std::nullopt;
}

bool RematChoice::selects(StringRef kind) const { return (kind != "attention" || attention) && (kind != "ffn" || ffn); }

Value plc::plan::insideStage(Value value) {
  while (auto task = value.getDefiningOp<TaskOp>())
    value = task.getBody().front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber());
  return value;
}

namespace {

// Where a value is made, in whichever stage.
Value madeAs(const RouteTable &routes, Value value) {
  while (true) {
    value = routes.resolve(value);
    auto pop = value.getDefiningOp<PopOp>();
    if (!pop || pop.getInto())
      return value;
    value = routes.stashOf(routes.route(pop.getRoute())).getValue();
  }
}

// Builds the problem of some stages; `identify` says which value a value is.
class ProblemBuilder {
public:
  /// The outputs are those of the stages' program.
  ProblemBuilder(llvm::DenseMap<Value, OutputOp> outputs, llvm::function_ref<Value(Value)> identify)
      : outputs(std::move(outputs)), identify(identify) {}

  void addForward(CallOp call, int64_t layer, bool selected) {
    RematProblem::Call plain{layer, selected};
    for (Value operand : call.getArgs())
      plain.args.push_back(numberOf(operand));
    for (Value result : call.getResults()) {
      plain.results.push_back(numberOf(result));
      problem.values[plain.results.back()].maker = problem.calls.size();
      problem.values[plain.results.back()].pinned = outputs.contains(result);
    }
    problem.calls.push_back(std::move(plain));
  }

  void addReads(CallOp call) {
    for (Value operand : call.getArgs()) {
      auto known = values.find(identify(operand));
      if (known != values.end() && problem.values[known->second].maker >= 0)
        problem.reads.push_back(known->second);
    }
  }

  RematProblem problem;
  llvm::DenseMap<Value, int64_t> values;

private:
  int64_t numberOf(Value value) {
    Value made = identify(value);
    auto [it, inserted] = values.try_emplace(made, problem.values.size());
    if (inserted)
      problem.values.push_back({byteSize(made.getType())});
    return it->second;
  }

  llvm::DenseMap<Value, OutputOp> outputs;
  llvm::function_ref<Value(Value)> identify;
};

} // namespace

RematProblem plc::plan::buildRematProblem(const FlatProgram &flat, const RematChoice &choice) {
  RematProblem problem;
  llvm::StringMap<const FlatProgram::Instance *> layers;
  for (const auto &each : flat.layers)
    layers[each.path] = &each;
  for (const FlatValue &value : flat.values)
    problem.values.push_back({byteSize(value.type)});
  for (const FlatCall &call : flat.calls) {
    if (call.role != Role::F) {
      problem.reads.insert(problem.reads.end(), call.args.begin(), call.args.end());
      continue;
    }
    const FlatProgram::Instance *layer = layers.lookup(call.path);
    for (int64_t result : call.results)
      problem.values[result].maker = problem.calls.size();
    problem.calls.push_back(
        {layer ? layer->layer : -1, !layer || choice.selects(layer->kind), -1, call.args, call.results});
  }
  for (int64_t output : flat.outputs)
    problem.values[output].pinned = true;
  llvm::erase_if(problem.reads, [&](int64_t value) { return problem.values[value].maker < 0; });
  return problem;
}

RematProblem plc::plan::buildRematProblem(ProgramOp program, const RematChoice &choice) {
  llvm::StringMap<LayerOp> layers;
  for (auto layer : program.getBody().getOps<LayerOp>())
    layers[layer.getPath()] = layer;
  RouteTable routes(program);
  auto identify = [&](Value value) { return madeAs(routes, value); };
  ProblemBuilder builder(outputsOf(program, routes), identify);
  for (auto stage : program.getBody().getOps<StageOp>())
    if (TaskOp forward = stage.getTask(Role::F))
      for (auto call : forward.getBody().getOps<CallOp>()) {
        LayerOp layer = layers.lookup(call.getPath());
        builder.addForward(call, layer ? int64_t(layer.getLayer()) : -1, !layer || choice.selects(layer.getKind()));
      }
  for (auto stage : program.getBody().getOps<StageOp>())
    for (auto task : stage.getBody().getOps<TaskOp>())
      if (task.getRole() != Role::F)
        for (auto call : task.getBody().getOps<CallOp>())
          builder.addReads(call);
  return std::move(builder.problem);
}

StageRemat plc::plan::buildRematProblem(StageOp stage) {
  StageRemat answer;
  auto program = stage->getParentOfType<ProgramOp>();
  ProblemBuilder builder(outputsOf(program, RouteTable(program)), insideStage);
  for (auto task : stage.getBody().getOps<TaskOp>())
    for (auto call : task.getBody().getOps<CallOp>()) {
      if (task.getRole() != Role::F) {
        builder.addReads(call);
        continue;
      }
      builder.addForward(call, -1, true);
      answer.calls.push_back(call);
    }
  answer.problem = std::move(builder.problem);
  answer.values = std::move(builder.values);
  return answer;
}
