//===- Partition.cpp - what a cut takes -----------------------------------===//
#include "plc/Planner/Cuts/Partition.h"

#include "Base/Total.h"

#include <algorithm>

using namespace plc::planner;

int64_t PartitionProblem::numRanks() const { return *std::max_element(rankOf.begin(), rankOf.end()) + 1; }

Status PartitionProblem::check() const {
  Total ns;
  for (const Node &node : nodes)
    ns.add(node.ns);
  for (const Tensor &tensor : tensors)
    ns.add(tensor.ns, stages()); // each may receive it
  return ns.check("times");
}

// Only forward tensors order stages: gradients go back from a later stage to an earlier one.
Edges PartitionProblem::orders() const {
  Edges edges;
  for (const Tensor &tensor : tensors)
    for (int64_t node : tensor.consumers)
      if (tensor.forward && node != tensor.producer)
        edges.emplace_back(tensor.producer, node);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<int64_t> PartitionProblem::nsOfStages(const std::vector<int64_t> &stageOf) const {
  std::vector<int64_t> ns(rankOf.size());
  for (size_t node = 0; node < nodes.size(); ++node)
    ns[size_t(stageOf[node])] += nodes[node].ns;
  std::vector<int64_t> there; // stages that receive a tensor, each once
  // A stage receives a tensor once, however many of its nodes read it.
  for (const Tensor &tensor : tensors) {
    there.clear();
    for (int64_t node : tensor.consumers)
      if (stageOf[size_t(node)] != stageOf[size_t(tensor.producer)])
        there.push_back(stageOf[size_t(node)]);
    std::sort(there.begin(), there.end());
    there.erase(std::unique(there.begin(), there.end()), there.end());
    for (int64_t stage : there)
      ns[size_t(stage)] += tensor.ns;
  }
  return ns;
}

int64_t PartitionProblem::slowestNs(const std::vector<int64_t> &stageOf) const {
  std::vector<int64_t> ofRank(size_t(numRanks()), 0), ofStage = nsOfStages(stageOf);
  for (size_t stage = 0; stage < ofStage.size(); ++stage)
    ofRank[size_t(rankOf[stage])] += ofStage[stage];
  return *std::max_element(ofRank.begin(), ofRank.end());
}

// A cut uses every stage, and no forward tensor goes back.
bool PartitionProblem::isCut(const std::vector<int64_t> &stageOf) const {
  for (int64_t stage = 0; stage < stages(); ++stage)
    if (std::find(stageOf.begin(), stageOf.end(), stage) == stageOf.end())
      return false;
  Edges edges = orders();
  return std::all_of(edges.begin(), edges.end(),
                     [&](const auto &edge) { return stageOf[size_t(edge.first)] <= stageOf[size_t(edge.second)]; });
}

// For each stage, the best cut that differs by one node of it: what a report names as the nearest alternative. It
// serves reports alone, so each candidate is evaluated from scratch.
std::vector<NextCut> plc::planner::nextCuts(const PartitionProblem &problem, const std::vector<int64_t> &stageOf) {
  std::vector<NextCut> best{size_t(problem.stages())};
  for (size_t node = 0; node < problem.nodes.size(); ++node)
    for (int64_t step : {-1, 1}) {
      NextCut cut{int64_t(node), stageOf[node], stageOf[node] + step};
      if (cut.to < 0 || cut.to >= problem.stages())
        continue;
      std::vector<int64_t> moved = stageOf;
      moved[node] = cut.to;
      if (!problem.isCut(moved))
        continue;
      cut.slowestNs = problem.slowestNs(moved);
      for (int64_t stage : {cut.from, cut.to})
        // One move changes two stages and is a candidate of both. At equal times the first node stays.
        if (NextCut &known = best[size_t(stage)]; known.node < 0 || cut.slowestNs < known.slowestNs)
          known = cut;
    }
  return best;
}
