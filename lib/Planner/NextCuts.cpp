//===- NextCuts.cpp - the cuts that were nearly taken -----------------------===//
#include "plc/Planner/NextCuts.h"

#include <algorithm>

using namespace plc::planner;

std::vector<NextCut> plc::planner::nextCuts(const PartitionProblem &problem, const Partition &answer) {
  std::vector<NextCut> best(problem.stages);
  for (size_t part = 0; part < problem.parts.size(); ++part)
    for (int64_t step : {-1, 1}) {
      NextCut cut{int64_t(part), answer.stageOf[part], answer.stageOf[part] + step};
      if (cut.to < 0 || cut.to >= problem.stages)
        continue;
      Partition moved = answer;
      moved.stageOf[part] = cut.to;
      moved.slowestNs = 0;
      for (const PartitionProblem::Load &load : problem.sumByRank(problem.loadsOf(moved.stageOf)))
        moved.slowestNs = std::max(moved.slowestNs, load.ns);
      cut.slowestNs = moved.slowestNs;
      if (problem.verify(moved))
        continue;
      for (int64_t stage : {cut.from, cut.to})
        if (best[stage].part < 0 || cut.slowestNs < best[stage].slowestNs)
          best[stage] = cut;
    }
  return best;
}
