//===- Pipelines.cpp - the phases as a pipeline of plc-opt ----------------===//
#include "plc/Driver/Phases.h"
#include "plc/Strategy/Choices.h"
#include "plc/Strategy/Strategy.h"
#include "plc/Support/ChoiceOption.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace plc::driver;
using plc::strategy::Strategy;
namespace keys = plc::keys;

namespace {

struct EinToPlanOptions : PassPipelineOptions<EinToPlanOptions> {
  Option<plc::ProgramKind> entry{*this, "program", llvm::cl::desc("train, eval or infer"),
                                 llvm::cl::init(plc::ProgramKind::train)};
  ListOption<std::string> outputs{*this, "outputs", llvm::cl::desc("results that are needed (default: all)")};
  Option<std::string> strategy{*this, "strategy", llvm::cl::desc("a strategy in TOML")};
  ListOption<std::string> sets{*this, "set", llvm::cl::desc("KEY=VALUE of the strategy, separated by commas")};
};

/// Adds the phases of a strategy. It refuses strategies that need a search, since a pipeline has none.
LogicalResult buildEinToPlan(OpPassManager &pipeline, llvm::StringRef text,
                             llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) {
  EinToPlanOptions options;
  if (failed(options.parseFromString(text)))
    return failure();
  std::vector<std::string> sets(options.sets.begin(), options.sets.end());
  auto strategy = Strategy::load("plc-opt", options.strategy, sets, llvm::errs());
  if (!strategy) // `load` has reported the error
    return failure();
  using plc::strategy::ParallelismKind;
  if (strategy->get(keys::parallelismKind) == ParallelismKind::automatic)
    return fail("'parallelism.kind' is \"automatic\", which plc-compile chooses stages for; give a strategy that "
                "plc-compile --recommend writes");
  Program program{options.entry, {options.outputs.begin(), options.outputs.end()}};
  program.leads = program.outputs.empty();
  if (solvesBudget(program, *strategy))
    return fail(
        "the strategy leaves to a budget what is recomputed, which plc-compile searches for; give the pipeline that "
        "plc-compile --print-pipeline prints");
  for (const Phase &phase : phasesOf(program, *strategy))
    phase.addPasses(pipeline);
  return success();
}

} // namespace

void plc::driver::registerPipelines() {
  registerPassPipeline("ein-to-plan", "a model's equations to a proven plan, by a strategy", buildEinToPlan,
                       [](llvm::function_ref<void(const detail::PassOptions &)> visit) { visit(EinToPlanOptions()); });
}
