//===- PlanChoose.cpp - the plan that the next passes shall make ----------===//
#include "BuildWorkload.h"
#include "RematModel.h"
#include "Spec.h"

#include "plc/Planning/Choose.h"
#include "plc/Planning/Passes.h"
#include "plc/Support/Errors.h"

#include "mlir/Parser/Parser.h"

namespace plc::plan {
#define GEN_PASS_DEF_PLANCHOOSE
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

struct PlanChoosePass : plc::plan::impl::PlanChooseBase<PlanChoosePass> {
  using PlanChooseBase::PlanChooseBase;

  void runOnOperation() override {
    auto models = getOperation().getOps<ein::ModelOp>();
    if (models.empty()) {
      getOperation().emitError(
          "module has no 'ein.model' to choose a plan of: this pass runs before '--plan-partition'");
      return signalPassFailure();
    }
    OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(spec, &getContext(), "spec");
    auto specs = parsed ? llvm::to_vector(parsed->getOps<SpecOp>()) : SmallVector<SpecOp>();
    if (specs.size() != 1) {
      emitOptionError(getOperation(), "spec is '") << spec << "' but must be one 'plan.spec'";
      return signalPassFailure();
    }
    SpecOp chosen = specs.front();
    chosen->remove();
    if (savesAll) {
      chosen.setOnce({});
      chosen.setEach({});
    }
    getOperation().getBody()->getOperations().insertAfter(Block::iterator(*models.begin()), chosen);
  }
};

} // namespace

FailureOr<search::Workload> plc::plan::workloadOf(ModuleOp withKernels, const WorkloadOptions &options,
                                                  const std::optional<search::Sharing> &sharing) {
  auto models = withKernels.getOps<ein::ModelOp>();
  if (models.empty())
    return failure(); // a phase before has reported that
  ein::ModelOp model = *models.begin();
  FailureOr<FlatProgram> flat = flatten(model, {options.prepares, options.grain == planner::Grain::equation});
  if (failed(flat))
    return failure();
  if (flat->calls.empty())
    return model.emitError("model '") << model.getSymName() << "' calls no kernel";
  std::optional<search::Sharing> shared = sharing;
  if (shared && failed(share(model, *flat, *shared)))
    return failure();
  search::Workload workload =
      buildWorkload(model, *flat, {options.threads, options.moments, options.stepsMeet, options.keepKinds});
  workload.sharing = std::move(shared);
  return workload;
}

std::vector<search::Recompute> plc::plan::recomputedBy(ModuleOp withKernels, const search::Workload &workload,
                                                       const WorkloadOptions &options, const planner::RematMode &mode) {
  std::vector<search::Recompute> recompute(workload.calls.size(), search::Recompute::no);
  FailureOr<FlatProgram> flat = flatten(*withKernels.getOps<ein::ModelOp>().begin(),
                                        {options.prepares, options.grain == planner::Grain::equation});
  if (failed(flat) || mode.policy == planner::RematPolicy::none || workload.sharing)
    return recompute;
  planner::RematProblem problem = buildRematProblem(*flat, options.keepKinds);
  if (planner::chooseSegments(mode, problem))
    return recompute; // `--plan-partition` reports why
  planner::Remat answer = planner::recompute(problem);
  for (size_t call = 0, forward = 0; call < flat->calls.size(); ++call)
    if (flat->calls[call].role == Role::F && answer.cloned[forward++] && workload.calls[call].mayRecompute)
      recompute[call] = search::Recompute::once;
  return recompute;
}

std::string plc::plan::specText(ModuleOp withKernels, const search::Workload &workload, const search::PlanSpec &plan) {
  SpecOp spec = createSpec(*withKernels.getOps<ein::ModelOp>().begin(), workload, plan);
  std::string text;
  llvm::raw_string_ostream stream(text);
  spec->print(stream, OpPrintingFlags().useLocalScope());
  spec->erase();
  return text;
}
