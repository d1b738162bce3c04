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
                            const planner::Partition &answer, llvm::raw_ostream &out) {
  out << "model '" << model.getSymName() << "' in " << count(problem.stages, "stage") << " on "
      << count(problem.numRanks(), "rank") << ", "
      << count(std::max<int64_t>(model.getMicroBatches(), 1), "micro-batch") << "\n\ncuts: the slowest rank takes "
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
    out << llvm::formatv("  s{0} on rank {1}: {2}, '{3}'{4}, {5}", stage, problem.rankOf(stage),
                         count(units, flat.unitNoun), flat.units[first].name,
                         first == last ? "" : " to '" + flat.units[last].name + "'", formatNs(loads[stage].ns));
    if (problem.stages > 1)
      out << "; " << describeNext(next[stage], flat, answer.slowestNs);
    out << "\n";
  }
  out << "\n";
}
