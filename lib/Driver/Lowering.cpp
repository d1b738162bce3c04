//===- Lowering.cpp - a parsed model through its phases ---------------------===//
#include "GivenIR.h"
#include "Lowering.h"
#include "SignOfLife.h"

#include "plc/Algebra/Entries.h"
#include "plc/Dialect/Ein/Loops.h"
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
  std::string lacks = "the program '" + plc::algebra::Entry{program.entry, program.outputs}.name() +
                      (program.sharesModule ? "' of the module " : "' ") + "lacks these bytes";
  auto hint = [&](const std::string &why, const std::string &whyOfStatics) {
    return PassErrors::Hint{"memory.budget", lacks + why, lacks + whyOfStatics};
  };
  std::string more = "more stages or a larger budget";
  std::string whole = "; it holds inputs and outputs of the whole batch: try a smaller batch, " + more;
  if (program.entry != plc::ProgramKind::train)
    return hint(whole, whole);
  if (program.isChoice) {
    std::string choices = " in every choice of the joint plan, and in this one the fewest: try a larger budget, more "
                          "ranks, or to leave keys to the choice";
    return hint(choices, choices);
  }
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
  SignOfLife::watch(pipeline);
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
  OwningOpRef<ModuleOp> module = models.of(program.entry).clone();
  std::vector<Phase> phases = phasesOf(program, strategy);
  llvm::ArrayRef<Phase> wanted = phasesUpTo(phases, last), ofNumerics = phasesUpTo(phases, lastOfNumerics);
  bool goesOn = wanted.size() > ofNumerics.size();
  if (!runPhases(*module, goesOn ? ofNumerics : wanted, program, errors))
    return {};
  if (goesOn)
    return planNumerics(std::move(module), program, last);
  return isValid(*module) ? std::move(module) : OwningOpRef<ModuleOp>();
}

OwningOpRef<ModuleOp> Lowering::lower(const Program &program, std::string &numericsKey) {
  std::vector<Phase> phases = phasesOf(program, strategy);
  OwningOpRef<ModuleOp> module = models.of(program.entry).clone();
  if (!runPhases(*module, phasesUpTo(phases, lastOfNumerics), program, errors))
    return {};
  if (numericsKey.empty() && done <= PhaseKind::numerics) // of the module's first program
    numericsKey = plc::numerics::numericsKey(*module);
  return planNumerics(std::move(module), program, "");
}

bool plc::driver::hasSegments(ModuleOp module) {
  return module
      .walk([](plc::ein::LoopOp loop) {
        return plc::ein::runsSegments(loop) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

OwningOpRef<ModuleOp> Lowering::planNumerics(OwningOpRef<ModuleOp> module, Program program, StringRef last) {
  auto planAs = [&](OwningOpRef<ModuleOp> numerics, const Program &chosen) {
    std::vector<Phase> phases = phasesOf(chosen, strategy);
    llvm::ArrayRef<Phase> wanted = phasesUpTo(phases, last), ofModel = phasesUpTo(phases, lastOfModel);
    bool plans = wanted.size() > ofModel.size();
    if (!runPhases(*numerics, phasesBetween(phases, lastOfNumerics, plans ? StringRef(lastOfModel) : last), chosen,
                   errors))
      return OwningOpRef<ModuleOp>();
    if (plans)
      return plan(std::move(numerics), chosen, last);
    return isValid(*numerics) ? std::move(numerics) : OwningOpRef<ModuleOp>();
  };
  std::vector<Program> variants = variantsOf(*module, program);
  if (variants.size() == 1)
    return planAs(std::move(module), variants.front());
  // All are planned as a whole: which of them fits, and which is fastest, only addresses and orders tell. Where none fits, the
  // last, which needs the fewest bytes, tells what is missing.
  const Program *fastest = &variants.back();
  std::optional<int64_t> leastNs;
  for (const Program &variant : variants) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    Lowering lowering(models, strategy, sources, nullptr, stream);
    OwningOpRef<ModuleOp> planned = lowering.withKernels(*module, variant);
    if (planned)
      planned = lowering.plan(std::move(planned), variant, "");
    if (planned && (!leastNs || stepOf(*planned) < *leastNs)) {
      fastest = &variant;
      leastNs = stepOf(*planned);
    }
  }
  return planAs(std::move(module), *fastest);
}

OwningOpRef<ModuleOp> Lowering::withKernels(ModuleOp numerics, const Program &program) {
  std::vector<Phase> phases = phasesOf(program, strategy);
  OwningOpRef<ModuleOp> module = numerics.clone();
  if (!runPhases(*module, phasesBetween(phases, lastOfNumerics, lastOfModel), program, errors))
    return {};
  return module;
}

std::vector<Program> Lowering::variantsOf(ModuleOp numerics, const Program &program) {
  std::vector<Program> variants = {program};
  if (done >= PhaseKind::kernels)
    return variants;
  if (solvesTurns(program, strategy) && hasSegments(numerics)) {
    variants.push_back(program);
    variants.back().runsTurnsAgain = true;
  }
  if (!mayPrepare(program, strategy))
    return variants;
  auto textOf = [&](bool prepares) {
    Program tried = program;
    tried.prepares = prepares;
    std::string text;
    llvm::raw_string_ostream stream(text);
    Lowering lowering(models, strategy, sources, nullptr, llvm::nulls());
    if (OwningOpRef<ModuleOp> module = lowering.withKernels(numerics, tried))
      module->print(stream);
    return text;
  };
  if (textOf(true) == textOf(false))
    return variants;
  for (size_t i = 0, count = variants.size(); i < count; ++i) {
    variants.push_back(variants[i]);
    variants.back().prepares = false;
  }
  return variants;
}

OwningOpRef<ModuleOp> Lowering::plan(OwningOpRef<ModuleOp> module, const Program &program, StringRef last) {
  Program fitted = program;
  // What is cut already was fitted to its budget before it was.
  if (done < PhaseKind::partition && !fitBudget(*module, fitted))
    return {};
  knownCut.reset();
  std::vector<Phase> phases = phasesOf(fitted, strategy);
  llvm::ArrayRef<Phase> wanted = phasesBetween(phases, lastOfModel, last);
  // What a plan that was tried would say was not listened to, and its addresses leave no room for other orders.
  bool isWhole =
      !wanted.empty() && wanted.back().name == phases.back().name && !fitted.explains && !takesWhatIsReady(strategy);
  if (isWhole && kept && kept->key == keyOf(fitted)) {
    module = std::move(kept->module);
    kept.reset();
    return fitted.isHasty || prove(*module, fitted) ? std::move(module) : OwningOpRef<ModuleOp>();
  }
  kept.reset();
  if (!runPhases(*module, wanted, fitted, errors) || !(fitted.measures || isValid(*module)))
    return {};
  PhaseKind end = wanted.empty() ? done : *parseChoice<PhaseKind>(wanted.back().name);
  if (end == PhaseKind::partition || end == PhaseKind::skips)
    writeFit(*module, fitted);
  return module;
}
