//===- Summary.cpp - a plan as a table and for the log --------------------===//
#include "plc/Planning/Report/Summary.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Base/Dot.h"
#include "plc/Planner/Base/Format.h"
#include "plc/Planning/Remat/RecomputedIterations.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using module::gapOf;
using planner::formatNs;

namespace {

// Runs of a task in units of the largest micro-batch, whose costs kernels give; a smaller micro-batch is a fraction of
// a run.
struct Runs {
  int64_t samples = 0, most = 1;

  void add(ein::MicroBatches cut, int64_t microBatch) {
    samples += cut.isRagged() ? cut.samplesOf(microBatch) : 1;
    most = cut.isRagged() ? cut.mostSamples() : 1;
  }
  Runs without(const Runs &others) const { return {samples - others.samples, most}; }
  int64_t operator*(int64_t cost) const { return int64_t(__int128(cost) * samples / most); }
};

// The runs of each task that leave out its clones.
using KeepingRuns = std::map<std::pair<StringRef, Role>, Runs>;

KeepingRuns countKeeping(ProgramOp program) {
  KeepingRuns keeping;
  for (auto rank : program.getBody().getOps<RankOp>())
    for (auto run : rank.getBody().getOps<RunOp>())
      if (run.getKeep())
        keeping[{run.getStage(), run.getRole()}].add(program.getCut(), run.getMb());
  return keeping;
}

PlanSummary::Stage summarizeStage(ProgramOp program, StageOp stage, SymbolTable &kernels, KeepingRuns &keeping,
                                  int64_t &work, int64_t &addedFlops) {
  PlanSummary::Stage row;
  row.name = stage.getSymName();
  row.rank = stage.getRank();
  row.layers = stage.getLayers();
  row.ns = stage.getNs();
  for (auto param : stage.getBody().getOps<ParamOp>())
    row.parameters += param.getType().getNumElements();
  Runs all;
  for (int64_t run = 0; run < program.getRunsOfReplica(); ++run)
    all.add(program.getCut(), program.getFirstRun(stage.getReplica()) + run);
  stage.walk([&](CallOp call) {
    Role role = cast<TaskOp>(call->getParentOp()).getRole();
    if (role == Role::P)
      return;
    if (row.firstLayer.empty())
      row.firstLayer = call.getPath();
    if (role == Role::F)
      row.lastLayer = call.getPath();
    if (auto kernel = kernels.lookup<KernelOp>(call.getKernelAttr().getAttr())) {
      // Runs that keep leave out the clones.
      Runs runs = call.getRecompute() ? all.without(keeping[{stage.getSymName(), role}]) : all;
      int64_t flops = runs * kernel.getFlops();
      row.flops += flops;
      addedFlops += call.getRecompute() ? flops : 0;
      work += all * kernel.getNs(); // as orders count it: with clones in all runs
    }
  });
  // Before `plan-addresses` no rank has a layout, and the defaults say so.
  for (auto rank : program.getBody().getOps<RankOp>())
    if (rank.getIndex() == stage.getRank())
      for (auto layout : rank.getBody().getOps<LayoutOp>()) {
        row.peakBytes = layout.getArenaBytes();
        row.peakBoundBytes = layout.getBoundBytes();
        row.peakIsMinimal = layout.getExact();
      }
  return row;
}

std::string percent(double part) { return llvm::formatv("{0:F1} %", part * 100); }

void printGap(llvm::raw_ostream &out, StringRef what, const std::string &answer, const std::string &bound, double gap,
              StringRef remark = "") {
  out << "  " << what << " " << answer << ", bound " << bound << ", gap " << percent(gap) << remark << "\n";
}

// Prints the bytes of all arenas that recomputation saves, and the factor on a step's FLOPs, against the plan of the
// same program with policy `none`.
void printRecomputation(llvm::raw_ostream &out, const PlanSummary &summary) {
  out << "recomputation " << (summary.remat.empty() ? "none" : summary.remat) << ": ";
  if (summary.noneArenaBytes < 0) {
    out << "0 B saved, added-FLOP factor 1\n";
    return;
  }
  out << summary.noneArenaBytes - summary.arenaBytes << " B saved of " << summary.noneArenaBytes
      << " B, added-FLOP factor " << llvm::format("%.6g", summary.addedFlopFactor()) << " (" << summary.addedFlops
      << " FLOP beside " << summary.flops << ")\n";
}

// Counts contraction kernels by implementation, each once however often it is called; a loop's kernel contains those of
// its iterations.
std::map<std::string, int64_t> countContractions(ProgramOp program, SymbolTable &kernels) {
  std::map<std::string, int64_t> counts;
  llvm::StringSet<> seen;
  program.walk([&](CallOp call) {
    auto called = kernels.lookup<KernelOp>(call.getKernelAttr().getAttr());
    if (!called || !seen.insert(call.getKernel()).second)
      return;
    called.walk([&](KernelOp kernel) {
      if (kernel.getKind() == KernelKind::contract && kernel.getBy())
        ++counts[stringifyImplementation(*kernel.getBy()).str()];
    });
  });
  return counts;
}

// Whether some backward loop runs iterations forward again.
bool recomputesLoops(ProgramOp program, SymbolTable &kernels) {
  return program
      .walk([&](CallOp call) {
        auto kernel = kernels.lookup<KernelOp>(call.getKernelAttr().getAttr());
        return kernel && nsOfRecomputedIterations(kernel) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void printContractions(llvm::raw_ostream &out, const PlanSummary &summary) {
  if (summary.contractions.empty())
    return;
  auto parts = llvm::map_range(summary.contractions,
                               [](const auto &each) { return std::to_string(each.second) + " by " + each.first; });
  out << "contractions: " << llvm::join(parts, ", ") << "\n";
}

} // namespace

PlanSummary plc::plan::summarize(ProgramOp program) {
  PlanSummary summary;
  SymbolTable kernels(program->getParentOfType<ModuleOp>());
  summary.program = program.getSymName();
  if (std::optional<planner::ScheduleKind> schedule = program.getSchedule())
    summary.schedule = nameOfChoice(*schedule);
  if (std::optional<planner::RematPolicy> remat = program.getRemat())
    summary.remat = nameOfChoice(*remat);
  // Iterations that backward loops repeat are recomputation, too, though no policy decides them.
  if (recomputesLoops(program, kernels))
    summary.remat = (summary.remat.empty() ? "none" : summary.remat) + " and iterations";
  summary.microBatches = program.getMicroBatches();
  summary.ranks = program.getNumRanks();
  summary.cutNs = program.getCutNs().value_or(-1);
  summary.cutBoundNs = program.getCutBoundNs().value_or(-1);
  summary.stepNs = program.getStepNs().value_or(-1);
  summary.stepBoundNs = program.getStepBoundNs().value_or(-1);
  summary.contractions = countContractions(program, kernels);
  summary.precomputed = summarizePrecomputed(program);
  program.walk([&](BufferOp buffer) {
    if (buffer.getKind() == BufferKind::state)
      summary.stateBytes += int64_t(buffer.getBytes());
  });
  KeepingRuns keeping = countKeeping(program);
  int64_t work = 0;
  for (auto stage : program.getBody().getOps<StageOp>())
    summary.stages.push_back(summarizeStage(program, stage, kernels, keeping, work, summary.addedFlops));
  for (const auto &stage : summary.stages)
    summary.flops += stage.flops;
  // The FLOPs of the model itself: reports divide the added ones by these.
  summary.flops -= summary.addedFlops;
  for (auto rank : program.getBody().getOps<RankOp>())
    for (auto layout : rank.getBody().getOps<LayoutOp>())
      summary.arenaBytes = std::max<int64_t>(summary.arenaBytes, 0) + layout.getArenaBytes();
  for (auto route : program.getBody().getOps<RouteOp>())
    summary.routes.push_back({route.getSource().str(), route.getDestination().str(), route.getCarries().str(),
                              route.getPer() == Per::step ? module::Frequency::step : module::Frequency::microBatch,
                              carriedBytes(route)});
  // The fraction of the ranks' time that no task fills.
  if (summary.stepNs > 0)
    summary.bubble = 1 - double(work) / (double(summary.stepNs) * double(summary.ranks));
  return summary;
}

PlanSummary::Precomputed plc::plan::summarizePrecomputed(ProgramOp program) {
  PlanSummary::Precomputed sum;
  SymbolTable kernels(program->getParentOfType<ModuleOp>());
  std::map<int64_t, int64_t> ns; // by rank
  for (auto stage : program.getBody().getOps<StageOp>()) {
    TaskOp task = stage.getTask(Role::P);
    if (!task)
      continue;
    for (auto call : task.getBody().getOps<CallOp>()) {
      ++sum.calls;
      // Ranks precompute at the same time, so the slowest one counts.
      sum.ns = std::max(sum.ns, ns[stage.getRank()] += kernels.lookup<KernelOp>(call.getKernel()).getNs());
    }
    for (Type type : task.getResultTypes())
      sum.bytes += byteSize(type);
  }
  return sum;
}

std::string plc::plan::describe(const PlanSummary::Precomputed &precomputed) {
  return std::to_string(precomputed.calls) + " calls once, " + formatNs(precomputed.ns) + ", of which " +
         planner::formatBytes(precomputed.bytes) + " are kept";
}

std::vector<int64_t> plc::plan::arenasOf(ModuleOp module) {
  std::vector<int64_t> bytes; // by program and rank, in order
  for (auto program : module.getOps<ProgramOp>()) {
    std::vector<int64_t> most(program.getRanksOfReplica());
    for (auto rank : program.getBody().getOps<RankOp>())
      for (auto layout : rank.getBody().getOps<LayoutOp>()) {
        // Replicas repeat the ranks of the first one, which may differ by short micro-batches: the larger arena counts.
        int64_t &known = most[rank.getIndex() % most.size()];
        known = std::max<int64_t>(known, layout.getArenaBytes());
      }
    llvm::append_range(bytes, most);
  }
  return bytes;
}

void plc::plan::print(const PlanSummary &summary, llvm::raw_ostream &out) {
  out << llvm::formatv("{0,-6} {1,4} {2,6} {3,10} {4,12} {5,10}  {6}\n", "stage", "rank", "layers", "GFLOP",
                       "parameters", "peak", "from .. to");
  for (const auto &stage : summary.stages)
    out << llvm::formatv("{0,-6} {1,4} {2,6} {3,10} {4,12} {5,10}  {6}\n", stage.name, stage.rank, stage.layers,
                         llvm::formatv("{0:F3}", double(stage.flops) / 1e9).str(), stage.parameters,
                         stage.peakBytes < 0 ? "-" : planner::formatBytes(stage.peakBytes),
                         stage.firstLayer + " .. " + stage.lastLayer);
  for (const auto &route : summary.routes)
    out << "route " << route.source << " -> " << route.destination << ": " << route.carries << ", "
        << planner::formatBytes(route.bytes) << " per " << rowOf(route.per).text << "\n";
  out << "schedule " << (summary.schedule.empty() ? "none" : summary.schedule) << ", " << summary.microBatches
      << " micro-batches, bubble " << percent(summary.bubble) << "\n";
  printRecomputation(out, summary);
  printGap(out, "slowest rank", formatNs(summary.cutNs), formatNs(summary.cutBoundNs),
           gapOf(summary.cutNs, summary.cutBoundNs));
  if (summary.stepNs >= 0)
    printGap(out, "order", formatNs(summary.stepNs), formatNs(summary.stepBoundNs),
             gapOf(summary.stepNs, summary.stepBoundNs), ": of any order of these tasks");
  if (summary.playedNs >= 0)
    out << "  step with messages, waits, help and updates " << formatNs(summary.playedNs) << "\n";
  if (summary.precomputed.calls)
    out << "  before the first " << describe(summary.precomputed) << "\n";
  if (summary.stateBytes)
    out << "  states keep " << planner::formatBytes(summary.stateBytes) << " from run to run\n";
  std::set<int64_t> ranks; // one line per rank, which may have several stages
  for (const auto &stage : summary.stages)
    if (stage.peakBytes >= 0 && ranks.insert(stage.rank).second)
      printGap(out, "arena of rank " + std::to_string(stage.rank), planner::formatBytes(stage.peakBytes),
               planner::formatBytes(stage.peakBoundBytes), gapOf(stage.peakBytes, stage.peakBoundBytes),
               stage.peakIsMinimal ? ", optimal (proven)" : "");
  if (summary.process.arenas)
    out << "  process with all ranks " << summary.process.text() << "\n";
  printContractions(out, summary);
}

void plc::plan::printDot(const PlanSummary &summary, llvm::raw_ostream &out) {
  planner::Dot dot;
  dot.name = summary.program;
  std::map<std::string, int64_t> number;
  for (const auto &stage : summary.stages) {
    number[stage.name] = dot.nodes.size();
    dot.nodes.push_back(llvm::formatv("{0} on rank {1}\\n{2} .. {3}\\n{4}, {5}", stage.name, stage.rank,
                                      stage.firstLayer, stage.lastLayer, formatNs(stage.ns),
                                      planner::formatBytes(stage.peakBytes)));
  }
  for (const auto &route : summary.routes)
    dot.edges.push_back({number.at(route.source), number.at(route.destination),
                         route.carries + "\\n" + planner::formatBytes(route.bytes) + " per " + rowOf(route.per).text});
  out << planner::print(dot);
}
