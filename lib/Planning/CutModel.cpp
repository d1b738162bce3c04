//===- CutModel.cpp - the cuts of a program, as times -----------------------===//
#include "CutModel.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Values.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <set>

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

class ModelBuilder {
public:
  ModelBuilder(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs)
      : program(program), routes(routes), slots(program, routes), kernels(program->getParentOfType<ModuleOp>()),
        bytesPerNs(bytesPerNs) {}

  void run() {
    SmallVector<StageOp> stages = stagesOfFirst(program);
    for (StageOp stage : stages)
      addStage(stage);
    problem.stages = counts.size();
    problem.inFlight.assign(counts.size(), 1);
    // All parts are known before values are followed: stages refer to each other both ways.
    for (StageOp stage : stages)
      stage.walk([&](CallOp call) { addUses(call); });
    std::set<std::pair<int64_t, int64_t>> orders;
    for (auto &[value, parts] : consumers) {
      llvm::sort(parts);
      parts.erase(llvm::unique(parts), parts.end());
      int64_t bytes = byteSize(value.getType()), maker = partOf.lookup(value.getDefiningOp());
      problem.tensors.push_back({maker, parts, bytes / bytesPerNs, bytes, /*forward=*/false});
      for (int64_t part : parts)
        if (part != maker)
          orders.emplace(std::min(part, maker), std::max(part, maker));
    }
    // As for the partition, what exchanges values keeps its order, which is that of the stages.
    for (auto [before, after] : orders)
      problem.tensors.push_back({before, {after}, 0, 0});
  }

  planner::PartitionProblem problem;
  std::vector<int64_t> counts; // parts of each stage

private:
  // A part is what has one path in a stage, or a call if cuts fall between kernels: no cut divides it.
  void addStage(StageOp stage) {
    int64_t first = problem.parts.size();
    llvm::StringMap<int64_t> parts;
    stage.walk([&](CallOp call) {
      if (call.getRecompute() || isPrepared(call))
        return; // its original counts twice; what is prepared takes no time of a step
      auto [it, inserted] = parts.try_emplace(call.getPath(), problem.parts.size());
      if (!inserted && program.getCutsKernels())
        it->second = problem.parts.size();
      if (it->second == int64_t(problem.parts.size()))
        problem.parts.push_back({call.getPath().str()});
      partOf[call] = it->second;
      int64_t times = call.getDiscard() ? 2 : 1;
      problem.parts[it->second].ns += times * int64_t(kernels.lookup<KernelOp>(call.getKernelAttr().getAttr()).getNs());
    });
    if (parts.empty()) // layers that compute nothing
      problem.parts.push_back({stage.getSymName().str()});
    counts.push_back(problem.parts.size() - first);
    problem.place.push_back(stage.getRank());
  }

  // A clone reads what its original reads, and stands for it: whoever reads a clone's result had the original's before.
  void addUses(CallOp call) {
    if (call.getRecompute() || isPrepared(call))
      return;
    int64_t part = partOf.lookup(call);
    for (Value operand : call.getArgs()) {
      Value made = slots.resolve(operand);
      while (auto pop = made.getDefiningOp<PopOp>())
        made = slots.resolve(routes.stashOf(routes.route(pop.getRoute())).getValue());
      if (Value original = slots.getOriginals().lookup(made))
        made = original;
      if (auto maker = made.getDefiningOp<CallOp>(); maker && !isPrepared(maker))
        consumers[made].push_back(part);
    }
  }

  static bool isPrepared(CallOp call) { return cast<TaskOp>(call->getParentOp()).getRole() == Role::P; }

  ProgramOp program;
  const RouteTable &routes;
  TaskSlots slots;
  SymbolTable kernels;
  int64_t bytesPerNs;
  DenseMap<Operation *, int64_t> partOf; // of calls
  llvm::MapVector<Value, std::vector<int64_t>> consumers;
};

} // namespace

planner::Fault plc::plan::figuresOfCut(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs,
                                       planner::KnownCuts &known, CutFigures &figures) {
  ModelBuilder model(program, routes, bytesPerNs);
  model.run();
  planner::Partition cut;
  if (planner::Fault fault = planner::fixPartition(model.problem, model.counts, cut))
    return fault;
  for (const planner::PartitionProblem::Load &load : model.problem.loadsOf(cut.stageOf))
    figures.stageNs.push_back(load.ns);
  figures.cutNs = cut.slowestNs;
  figures.boundNs = known.bound(model.problem);
  return std::nullopt;
}
