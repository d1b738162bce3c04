//===- PlanChoose.cpp - put a chosen plan beside its model ----------------===//
#include "Base/Spec.h"
#include "BuildWorkload.h"
#include "Remat/RematModel.h"

#include "plc/Planning/Partition/Choose.h"
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
    // The same plan without recomputation, to compare with.
    if (savesAll) {
      chosen.setOnce({});
      chosen.setEach({});
      chosen.setAlways({});
      chosen.setSaved({});
    }
    // Beside the model, where `--plan-partition` finds it.
    getOperation().getBody()->getOperations().insertAfter(Block::iterator(*models.begin()), chosen);
  }
};

} // namespace

/// The flat program that a workload was, or will be, built from. Divides it among ranks if `sharing` is set, and fills
/// that in.
static FailureOr<FlatProgram> flatOf(ein::ModelOp model, const WorkloadOptions &options,
                                     std::optional<search::Sharing> &sharing) {
  FailureOr<FlatProgram> flat = flatten(model, {options.prepares, options.grain == planner::Grain::equation});
  if (failed(flat) || failed(checkBalance(model, *flat, options.balance)) ||
      (sharing && failed(share(model, *flat, *sharing))))
    return failure();
  return flat;
}

FailureOr<search::Workload> plc::plan::workloadOf(ModuleOp withKernels, const WorkloadOptions &options,
                                                  const std::optional<search::Sharing> &sharing) {
  ein::ModelOp model = *withKernels.getOps<ein::ModelOp>().begin();
  std::optional<search::Sharing> shared = sharing;
  FailureOr<FlatProgram> flat = flatOf(model, options, shared);
  if (failed(flat))
    return failure();
  if (flat->calls.empty())
    return model.emitError("model '") << model.getSymName() << "' calls no kernel";
  // Sharing has divided the units by now, so the workload has the divided ones.
  search::Workload workload = buildWorkload(
      model, *flat, {options.threads, options.moments, options.averages, options.stepsMeet, options.keepKinds});
  workload.sharing = std::move(shared);
  return workload;
}

FailureOr<search::Recomputation> plc::plan::recomputedBy(ModuleOp withKernels, const search::Workload &workload,
                                                         const WorkloadOptions &options,
                                                         const planner::RematMode &mode) {
  ein::ModelOp model = *withKernels.getOps<ein::ModelOp>().begin();
  std::optional<search::Sharing> sharing = workload.sharing;
  FailureOr<FlatProgram> flat = flatOf(model, options, sharing);
  if (failed(flat))
    return failure();
  FailureOr<planner::RematProblem> problem = buildSegments(model, *flat, options.keepKinds, mode);
  if (failed(problem))
    return failure();
  return recomputationOf(*flat, workload, planner::recompute(*problem));
}

std::string plc::plan::specText(ModuleOp withKernels, const search::Workload &workload, const search::PlanSpec &plan) {
  SpecOp spec = createSpec(*withKernels.getOps<ein::ModelOp>().begin(), workload, plan);
  std::string text;
  llvm::raw_string_ostream stream(text);
  spec->print(stream, OpPrintingFlags().useLocalScope());
  spec->erase();
  return text;
}
