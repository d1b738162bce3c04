//===- Lowering.cpp - lower a parsed model by a strategy ------------------===//
#include "Lowering.h"
#include "SignOfLife.h"

#include "plc/Algebra/Base/EntryPrograms.h"
#include "plc/Driver/Instrumentation.h"
#include "plc/Language/Errors/PassErrors.h"
#include "plc/Numerics/Key.h"
#include "plc/Support/ExitCodes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Support/Timing.h"

using namespace mlir;
using namespace plc::driver;
using plc::language::PassErrors;
namespace keys = plc::keys;

llvm::ArrayRef<Phase> plc::driver::phasesBetween(llvm::ArrayRef<Phase> phases, StringRef first, StringRef last) {
  size_t skipped = phasesUpTo(phases, first).size();
  llvm::ArrayRef<Phase> wanted = phasesUpTo(phases, last);
  return wanted.size() > skipped ? wanted.drop_front(skipped) : llvm::ArrayRef<Phase>();
}

// One strategy plans all programs of a module, so the note names the program. A key helps only programs that it can
// change.
PassErrors::Hint plc::driver::hintOf(const Program &program, const plc::strategy::Strategy &strategy) {
  std::string lacks = "the program '" + plc::algebra::Entry{program.entry, program.outputs}.name() +
                      (program.sharesModule ? "' of the module " : "' ") + "lacks these bytes";
  auto hint = [&](const std::string &why, const std::string &whyOfPersistentBuffers) {
    return PassErrors::Hint{keys::memoryBudget.path, lacks + why, lacks + whyOfPersistentBuffers};
  };
  std::string more = "more stages or a larger budget";
  std::string whole = "; it holds inputs and outputs of the whole batch: try a smaller batch, " + more;
  if (program.entry != plc::ProgramKind::train)
    return hint(whole, whole);
  // If the search already recomputes what it can, more recomputation is no advice.
  bool solves = solvesBudget(program, strategy);
  return hint((solves ? ", whatever is computed again: try " : ": try 'checkpoint.policy = \"budget\"', ") +
                  ("more micro-batches, " + more),
              " for parameters, gradients, inputs and outputs alone: try a smaller batch, " + more);
}

bool Lowering::runPhases(ModuleOp module, llvm::ArrayRef<Phase> phases, const Program &program,
                         llvm::raw_ostream &errors) {
  auto addPasses = [&](OpPassManager &pipeline) {
    for (const Phase &phase : phases)
      if (!isDone(phase))
        phase.addPasses(pipeline);
  };
  return runPasses(module, addPasses, program, errors);
}

bool Lowering::isValid(ModuleOp module) {
  PassErrors passErrors(sources, *module.getContext(), errors, strategy.locations());
  bool valid = succeeded(verify(module));
  if (!valid)
    code = passErrors.getExitCode();
  return valid;
}

bool Lowering::runPasses(ModuleOp module, llvm::function_ref<void(OpPassManager &)> addPasses, const Program &program,
                         llvm::raw_ostream &errors) {
  auto owned = std::make_unique<PassManager>(module.getContext());
  PassManager &pipeline = *owned;
  PassErrors passErrors(sources, *module.getContext(), errors, strategy.locations(), hintOf(program, strategy));
  TimingScope scope;
  if (timed)
    scope = timed->nest(plc::algebra::Entry{program.entry, program.outputs}.name());
  pipeline.enableTiming(scope);
  pipeline.enableVerifier(false); // `isValid` verifies once, at the end: verifying between passes takes time
  SignOfLife::watch(pipeline);
  addPasses(pipeline);
  bool done = (!timed || instrument(pipeline)) && succeeded(pipeline.run(module));
  if (timed) // times are keyed by the passes' addresses, which no later pass may reuse
    pipelines.push_back(std::move(owned));
  if (done)
    return true;
  code = passErrors.getExitCode();
  if (code == Internal)
    errors << "plc-compile: error: internal error: a pass failed without an error\n";
  return false;
}

OwningOpRef<ModuleOp> Lowering::lower(const Program &program, StringRef last) {
  OwningOpRef<ModuleOp> module = models.of(program.entry).clone();
  std::vector<Phase> phases = phasesOf(program, strategy);
  if (!runPhases(*module, phasesUpTo(phases, last), program, errors) || !(program.measures || isValid(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> Lowering::lower(const Program &program, std::string &numericsKey) {
  std::vector<Phase> phases = phasesOf(program, strategy);
  OwningOpRef<ModuleOp> module = models.of(program.entry).clone();
  if (!runPhases(*module, phasesUpTo(phases, lastOfNumerics), program, errors))
    return {};
  if (numericsKey.empty() && done <= PhaseKind::numerics) // that of the module's first program
    numericsKey = plc::numerics::numericsKey(*module);
  if (!runPhases(*module, phasesBetween(phases, lastOfNumerics, ""), program, errors) || !isValid(*module))
    return {};
  return module;
}

OwningOpRef<ModuleOp> Lowering::plan(OwningOpRef<ModuleOp> module, const Program &program, StringRef last) {
  std::vector<Phase> phases = phasesOf(program, strategy);
  if (!runPhases(*module, phasesBetween(phases, lastOfModel, last), program, errors) ||
      !(program.measures || isValid(*module)))
    return {};
  return module;
}
