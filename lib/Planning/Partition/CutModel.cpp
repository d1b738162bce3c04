//===- CutModel.cpp - a program's cuts as times of its parts --------------===//
#include "CutModel.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Values.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <set>

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

class ModelBuilder {
public:
  ModelBuilder(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs, CutModel &out)
      : program(program), routes(routes), slots(program, routes), kernels(program->getParentOfType<ModuleOp>()),
        bytesPerNs(bytesPerNs), out(out), problem(out.problem) {}

  void run() {
    SmallVector<StageOp> stages = stagesOfFirst(program);
    for (StageOp stage : stages)
      addStage(stage);
    // Two passes: stages refer to each other both ways, so all nodes must exist before values are followed.
    for (StageOp stage : stages)
      stage.walk([&](CallOp call) { addUses(call); });
    std::set<std::pair<int64_t, int64_t>> orders;
    for (auto &[value, nodes] : consumers) {
      llvm::sort(nodes);
      // Several reads in one node are one transfer.
      nodes.erase(llvm::unique(nodes), nodes.end());
      // `forward=false`, because gradients travel to earlier stages: the order of nodes follows from the pairs below.
      int64_t maker = partOf.lookup(value.getDefiningOp());
      problem.tensors.push_back({maker, nodes, byteSize(value.getType()) / bytesPerNs, /*forward=*/false});
      for (int64_t node : nodes)
        if (node != maker)
          orders.emplace(std::min(node, maker), std::max(node, maker));
    }
    // Nodes that exchange values in either direction keep their order, which is that of the stages.
    for (auto [before, after] : orders)
      problem.tensors.push_back({before, {after}, 0});
  }

private:
  void addPart(StringRef name, Location loc) {
    problem.nodes.push_back({name.str()});
    out.stageOf.push_back(problem.stages() - 1);
    out.locs.push_back(loc);
  }

  void addStage(StageOp stage) {
    problem.rankOf.push_back(stage.getRank());
    size_t first = problem.nodes.size();
    llvm::StringMap<int64_t> nodes;
    stage.walk([&](CallOp call) {
      if (call.getRecompute() || isPrecomputed(call))
        return; // the original counts twice; precomputed values take no time of a step
      // One node per path, or a new node for each call where kernels are the units of cuts.
      auto [it, inserted] = nodes.try_emplace(call.getPath(), problem.nodes.size());
      if (!inserted && program.getCutsKernels())
        it->second = problem.nodes.size();
      if (it->second == int64_t(problem.nodes.size()))
        addPart(call.getPath(), call.getLoc());
      partOf[call] = it->second;
      int64_t times = call.getDiscard() ? 2 : 1;
      problem.nodes[it->second].ns += times * int64_t(kernels.lookup<KernelOp>(call.getKernelAttr().getAttr()).getNs());
    });
    if (problem.nodes.size() == first) // a stage of layers that compute nothing still needs a node
      addPart(stage.getSymName(), stage.getLoc());
  }

  // A clone's values belong to its original, so reads of a clone count as reads of the original. Values that arrive
  // over routes are followed to their makers.
  void addUses(CallOp call) {
    if (call.getRecompute() || isPrecomputed(call))
      return;
    int64_t node = partOf.lookup(call);
    for (Value operand : call.getArgs()) {
      Value made = slots.resolve(operand);
      while (auto pop = made.getDefiningOp<PopOp>())
        made = slots.resolve(routes.stashOf(routes.route(pop.getRoute())).getValue());
      if (Value original = slots.getOriginals().lookup(made))
        made = original;
      if (auto maker = made.getDefiningOp<CallOp>(); maker && !isPrecomputed(maker))
        consumers[made].push_back(node);
    }
  }

  static bool isPrecomputed(CallOp call) { return cast<TaskOp>(call->getParentOp()).getRole() == Role::P; }

  ProgramOp program;
  const RouteTable &routes;
  TaskSlots slots;
  SymbolTable kernels;
  int64_t bytesPerNs;
  CutModel &out;
  planner::PartitionProblem &problem;
  DenseMap<Operation *, int64_t> partOf; // of calls
  llvm::MapVector<Value, std::vector<int64_t>> consumers;
};

/// The time of the slowest rank if a node were in another stage, or why that is no cut.
std::string describeMoved(const CutModel &model, int64_t node, int64_t stage) {
  std::vector<int64_t> moved = model.stageOf;
  moved[node] = stage;
  if (llvm::count(model.stageOf, model.stageOf[node]) == 1)
    return "a stage would be empty";
  return model.problem.isCut(moved) ? std::to_string(model.problem.slowestNs(moved)) + " ns"
                                    : "a value would go back to an earlier stage";
}

remark::RemarkOpts named(StringRef name, ProgramOp program) {
  return remark::RemarkOpts::name(name).category("plan-partition").function(program.getSymName());
}

} // namespace

CutModel::CutModel(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs) {
  ModelBuilder(program, routes, bytesPerNs, *this).run();
}

void plc::plan::remarkCuts(ProgramOp program, const CutModel &model, int64_t boundNs) {
  if (!program.getContext()->getRemarkEngine()) // weighing other cuts takes time, so only for a reader
    return;
  const planner::PartitionProblem &problem = model.problem;
  int64_t slowestNs = problem.slowestNs(model.stageOf);
  remark::passed(program.getLoc(), named("Cut", program)) << remark::add(
      "the slowest rank takes {0} ns for a micro-batch, and at least {1} ns in any cut", slowestNs, boundNs);
  std::vector<int64_t> ns = problem.nsOfStages(model.stageOf);
  for (int64_t stage = 0, first = 0; stage < problem.stages(); ++stage) {
    int64_t count = llvm::count(model.stageOf, stage);
    remark::analysis(model.locs[first], named("Stage", program))
        << remark::add("stage s{0} on rank {1}: {2} parts from '{3}' to '{4}', {5} ns", stage, problem.rankOf[stage],
                       count, problem.nodes[first].name, problem.nodes[first + count - 1].name, ns[stage]);
    if (stage > 0)
      remark::passed(model.locs[first], named("Cut", program))
          << remark::add("cut before '{0}': the slowest rank takes {1} ns; cut one part earlier: {2}; one later: {3}",
                         problem.nodes[first].name, slowestNs, describeMoved(model, first - 1, stage),
                         describeMoved(model, first, stage - 1));
    first += count; // parts are numbered stage by stage
  }
}
