//===- ExplainCuts.cpp - which cuts were nearly taken -----------------------===//
#include "ExplainCuts.h"

#include "plc/Planner/Format.h"
#include "plc/Planner/NextCuts.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::formatNs;

namespace {

std::string count(int64_t number, StringRef what) {
  return std::to_string(number) + " " + what.str() + (number == 1 ? "" : what.ends_with("h") ? "es" : "s");
}

std::string describeNext(const planner::NextCut &next, const FlatProgram &flat, int64_t slowestNs) {
  if (next.part < 0)
    return "no " + flat.unitNoun + " can be moved";
  double more = slowestNs ? 100.0 * double(next.slowestNs - slowestNs) / double(slowestNs) : 0;
  return llvm::formatv("next-best cut: '{0}' in s{1} instead, {2} ({3}{4:F1} %)", flat.units[next.part].name, next.to,
                       formatNs(next.slowestNs), more < 0 ? "" : "+", more);
}

} // namespace

void plc::plan::explainCuts(ein::ModelOp model, const FlatProgram &flat, const planner::PartitionProblem &problem,
                            const planner::Partition &answer, int64_t shards, llvm::raw_ostream &out) {
  std::string slowest = "the slowest rank takes ";
  if (shards > 1)
    slowest = llvm::formatv("each stage has {0} ranks, of which the slowest take together ", shards);
  out << "model '" << model.getSymName() << "' in " << count(problem.stages, "stage") << " on "
      << count(problem.numRanks() * shards, "rank") << ", "
      << count(std::max<int64_t>(model.getMicroBatches(), 1), "micro-batch") << "\n\ncuts: " << slowest
      << formatNs(answer.slowestNs) << " for a micro-batch; no cut takes less than "
      << formatNs(answer.exact ? answer.slowestNs : problem.bound()) << (answer.exact ? " (proven)" : "") << "\n";
  std::vector<planner::PartitionProblem::Load> loads = problem.loadsOf(answer.stageOf);
  std::vector<planner::NextCut> next = planner::nextCuts(problem, answer);
  for (int64_t stage = 0; stage < problem.stages; ++stage) {
    int64_t first = -1, last = -1, units = 0;
    for (auto [unit, of] : llvm::enumerate(answer.stageOf))
      if (of == stage) {
        first = first < 0 ? unit : first;
        last = unit;
        ++units;
      }
    int64_t rank = problem.rankOf(stage) * shards;
    std::string ranks = "rank " + std::to_string(rank);
    if (shards > 1)
      ranks = llvm::formatv("ranks {0} to {1}", rank, rank + shards - 1);
    out << llvm::formatv("  {0} on {1}: {2}, '{3}'{4}, {5}",
                         shards == 1 ? "s" + std::to_string(stage) : "stage " + std::to_string(stage), ranks,
                         count(units, flat.unitNoun), flat.units[first].name,
                         first == last ? "" : " to '" + flat.units[last].name + "'", formatNs(loads[stage].ns));
    if (problem.stages > 1)
      out << "; " << describeNext(next[stage], flat, answer.slowestNs);
    out << "\n";
  }
  out << "\n";
}
