//===- Lowering.cpp - a parsed model through its phases ---------------------===//
#include "Lowering.h"

#include "plc/Algebra/Entries.h"
#include "plc/Driver/Instrumentation.h"
#include "plc/Language/PassErrors.h"
#include "plc/Numerics/Key.h"
#include "plc/Support/ExitCodes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Support/Timing.h"

using namespace mlir;
using namespace plc::driver;
using plc::language::PassErrors;

llvm::ArrayRef<Phase> plc::driver::phasesBetween(llvm::ArrayRef<Phase> phases, StringRef first, StringRef last) {
  size_t skipped = phasesUpTo(phases, first).size();
  llvm::ArrayRef<Phase> wanted = phasesUpTo(phases, last);
  return wanted.size() > skipped ? wanted.drop_front(skipped) : llvm::ArrayRef<Phase>();
}

// One strategy plans all programs of a module: which of them lacks bytes, and what would help it.
static PassErrors::Hint hintOf(const Program &program, const plc::strategy::Strategy &strategy) {
  if (!program.sharesModule)
    return {};
  std::string text = "the program '" + plc::algebra::Entry{program.entry, program.outputs}.name() + "' of the module ";
  if (program.entry != plc::ProgramKind::train)
    text += "lacks these bytes; it holds inputs and outputs of the whole batch: try a smaller batch, ";
  else if (solvesBudget(program, strategy))
    text += "lacks these bytes, whatever is computed again: try more micro-batches, ";
  else
    text += "lacks these bytes: try 'checkpoint.policy = \"budget\"', more micro-batches, ";
  return {"memory.budget", text + "more stages or a larger budget"};
}

bool Lowering::runPhases(ModuleOp module, llvm::ArrayRef<Phase> phases, const Program &program,
                         llvm::raw_ostream &errors) {
  auto addPasses = [&](OpPassManager &pipeline) {
    for (const Phase &phase : phases)
      phase.addPasses(pipeline);
  };
  return runPasses(module, addPasses, program, errors);
}

bool Lowering::prove(ModuleOp planned, const Program &program) {
  auto addPasses = [&](OpPassManager &pipeline) { addProof(pipeline, program, strategy); };
  return isValid(planned) && runPasses(planned, addPasses, program, errors);
}

bool Lowering::isValid(ModuleOp module) {
  PassErrors passErrors(sources, *module.getContext(), errors, strategy.places());
  bool valid = succeeded(verify(module));
  if (!valid)
    code = passErrors.getExitCode();
  return valid;
}

bool Lowering::runPasses(ModuleOp module, llvm::function_ref<void(OpPassManager &)> addPasses, const Program &program,
                         llvm::raw_ostream &errors) {
  auto owned = std::make_unique<PassManager>(module.getContext());
  PassManager &pipeline = *owned;
  PassErrors passErrors(sources, *module.getContext(), errors, strategy.places(), hintOf(program, strategy));
  TimingScope scope;
  if (timed)
    scope = timed->nest(plc::algebra::Entry{program.entry, program.outputs}.name());
  pipeline.enableTiming(scope);
  pipeline.enableVerifier(false); // once, of what is given
  addPasses(pipeline);
  bool done = (!timed || instrument(pipeline)) && succeeded(pipeline.run(module));
  if (timed) // times go by the passes' addresses, which no later pass may have
    pipelines.push_back(std::move(owned));
  if (done)
    return true;
  code = passErrors.getExitCode();
  if (code == Internal)
    errors << "plc-compile: error: internal error: a pass failed without an error\n";
  return false;
}

OwningOpRef<ModuleOp> Lowering::lower(const Program &program, StringRef last) {
  OwningOpRef<ModuleOp> module = model.clone();
  std::vector<Phase> phases = phasesOf(program, strategy);
  llvm::ArrayRef<Phase> wanted = phasesUpTo(phases, last), ofModel = phasesUpTo(phases, lastOfModel);
  bool plans = wanted.size() > ofModel.size();
  if (!runPhases(*module, plans ? ofModel : wanted, program, errors))
    return {};
  if (plans)
    return plan(std::move(module), program, last);
  return isValid(*module) ? std::move(module) : OwningOpRef<ModuleOp>();
}

OwningOpRef<ModuleOp> Lowering::lower(const Program &program, std::string &numericsKey) {
  std::vector<Phase> phases = phasesOf(program, strategy);
  OwningOpRef<ModuleOp> module = model.clone();
  if (!runPhases(*module, phasesUpTo(phases, "numerics"), program, errors))
    return {};
  if (numericsKey.empty()) // of the module's first program
    numericsKey = plc::numerics::numericsKey(*module);
  if (!runPhases(*module, phasesBetween(phases, "numerics", lastOfModel), program, errors))
    return {};
  return plan(std::move(module), program, "");
}

OwningOpRef<ModuleOp> Lowering::plan(OwningOpRef<ModuleOp> module, const Program &program, StringRef last) {
  Program fitted = program;
  if (!fitBudget(*module, fitted))
    return {};
  knownCut.reset();
  std::vector<Phase> phases = phasesOf(fitted, strategy);
  llvm::ArrayRef<Phase> wanted = phasesBetween(phases, lastOfModel, last);
  // What a plan that was tried would say was not listened to.
  bool isWhole = !wanted.empty() && wanted.back().name == phases.back().name && !fitted.explains;
  if (isWhole && kept && kept->key == keyOf(fitted)) {
    module = std::move(kept->module);
    kept.reset();
    return prove(*module, fitted) ? std::move(module) : OwningOpRef<ModuleOp>();
  }
  kept.reset();
  if (!runPhases(*module, wanted, fitted, errors) || !isValid(*module))
    return {};
  return module;
}
