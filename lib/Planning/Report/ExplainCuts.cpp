//===- ExplainCuts.cpp - which cuts were nearly taken ---------------------===//
#include "ExplainStep.h"
#include "Partition/CutModel.h"
#include "Schedule/ScheduleModel.h"

#include "plc/Dialect/Plan/Values.h"

using namespace mlir;
using namespace plc::plan;

void plc::plan::explainCuts(ProgramOp program, const RouteTable &routes, Explanation &out) {
  CutModel model(program, routes, predictedBytesPerNs);
  const planner::PartitionProblem &problem = model.problem;
  out.model = program.getSymName();
  out.unit = program.getCutsKernels() ? "kernel" : "layer call";
  out.microBatches = program.getRunsOfReplica() * program.getReplicas();
  if (std::vector<int64_t> pipeline = pipelineOf(program); !pipeline.empty())
    out.pipelineStages = pipeline.back() + 1;
  // The proof has checked these; computing the bound again takes time.
  out.cutNs = program.getCutNs().value_or(0);
  out.cutBoundNs = program.getCutBoundNs().value_or(0);
  std::vector<planner::NextCut> next = planner::nextCuts(problem, model.stageOf);
  for (auto [index, op] : llvm::enumerate(stagesOfFirst(program))) {
    Explanation::Stage &stage = out.stages.emplace_back();
    stage.name = op.getSymName();
    stage.rank = op.getRank();
    stage.layers = op.getLayers();
    stage.ns = op.getNs();
    for (size_t node = 0; node < model.stageOf.size(); ++node)
      if (model.stageOf[node] == int64_t(index)) {
        stage.last = problem.nodes[node].name;
        stage.first = stage.first.empty() ? stage.last : stage.first;
      }
    if (next[index].node >= 0) {
      stage.moved = problem.nodes[next[index].node].name;
      stage.movedTo = next[index].to;
      stage.movedNs = next[index].slowestNs;
    }
  }
}
