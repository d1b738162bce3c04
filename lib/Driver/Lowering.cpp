//===- Lowering.cpp - a parsed model through its phases ---------------------===//
#include "Lowering.h"

#include "plc/Algebra/Entries.h"
#include "plc/Driver/Instrumentation.h"
#include "plc/Language/PassErrors.h"
#include "plc/Numerics/Key.h"
#include "plc/Planning/Summary.h"
#include "plc/Support/ExitCodes.h"

#include "mlir/Support/Timing.h"

using namespace mlir;
using namespace plc::driver;
using plc::language::PassErrors;

/// The last phase whose result is the same under every plan.
static constexpr llvm::StringLiteral lastOfModel = "kernels";

/// The phases behind `first` up to `last`.
static llvm::ArrayRef<Phase> phasesBetween(llvm::ArrayRef<Phase> phases, StringRef first, StringRef last) {
  size_t skipped = phasesUpTo(phases, first).size();
  llvm::ArrayRef<Phase> wanted = phasesUpTo(phases, last);
  return wanted.size() > skipped ? wanted.drop_front(skipped) : llvm::ArrayRef<Phase>();
}

/// Plans that are tried for a budget, at most.
static constexpr int rounds = 8;

bool Lowering::runPhases(ModuleOp module, llvm::ArrayRef<Phase> phases, const Program &program,
                         llvm::raw_ostream &errors) {
  auto owned = std::make_unique<PassManager>(module.getContext());
  PassManager &pipeline = *owned;
  PassErrors passErrors(sources, *module.getContext(), errors, strategy.places());
  TimingScope scope;
  if (timed)
    scope = timed->nest(plc::algebra::Entry{program.entry, program.outputs}.name());
  pipeline.enableTiming(scope);
  for (const Phase &phase : phases)
    phase.addPasses(pipeline);
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
  return plans ? plan(std::move(module), program, last) : std::move(module);
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

std::optional<std::vector<int64_t>> Lowering::missingBytes(ModuleOp module, Program program,
                                                           llvm::raw_ostream &errors) {
  program.measures = true;
  OwningOpRef<ModuleOp> tried = module.clone();
  if (!runPhases(*tried, phasesBetween(phasesOf(program, strategy), lastOfModel, ""), program, errors))
    return std::nullopt;
  std::vector<int64_t> missing = plc::plan::arenasOf(*tried);
  for (int64_t &bytes : missing)
    bytes -= strategy.get<int64_t>("memory.budget");
  return missing;
}

static bool fits(llvm::ArrayRef<int64_t> missing) {
  return llvm::all_of(missing, [](int64_t bytes) { return bytes <= 0; });
}

// A round learns what addresses need beside what the plan was made for, and gives back what they leave.
bool Lowering::fitReserve(ModuleOp module, Program &program) {
  std::optional<std::vector<int64_t>> found; // the reserve of the last plan that fits
  std::vector<int64_t> before;
  int64_t stride = 1;
  for (int round = 0; round < rounds; ++round) {
    // What is tried behind a plan that fits may fail.
    auto missing = missingBytes(module, program, found ? llvm::nulls() : errors);
    if (!missing && !found)
      return false;
    if (!missing)
      break;
    program.reserveBytes.resize(missing->size());
    bool isPlan = fits(*missing);
    if (!isPlan && found)
      break;
    if (isPlan)
      found = program.reserveBytes;
    // What changed nothing was less than the answer had to spare.
    stride = !isPlan && *missing == before ? 2 * stride : 1;
    before = *missing;
    std::vector<int64_t> reserve = program.reserveBytes;
    for (auto [bytes, more] : llvm::zip(reserve, *missing))
      if (isPlan || more > 0) // nothing is given back before all fit, lest two ranks take turns
        bytes = std::max<int64_t>(bytes + stride * more, 0);
    if (reserve == program.reserveBytes)
      break;
    program.reserveBytes = std::move(reserve);
  }
  if (found)
    program.reserveBytes = *found;
  return true;
}

bool Lowering::fitFraction(ModuleOp module, Program &program) {
  double least = 0, most = 1; // `most` is too much, once it was tried
  program.memoryFraction = most;
  for (int round = 0; round < rounds; ++round) {
    auto missing = missingBytes(module, program, errors);
    if (!missing)
      return false;
    (fits(*missing) ? least : most) = *program.memoryFraction;
    if (least == most)
      return true;
    program.memoryFraction = (least + most) / 2;
  }
  program.memoryFraction = least;
  return true;
}

bool Lowering::fitBudget(ModuleOp module, Program &program) {
  if (solvesFraction(program, strategy))
    return fitFraction(module, program);
  if (!solvesBudget(program, strategy))
    return true;
  program.keepsAll = true;
  auto missing = missingBytes(module, program, errors);
  if (missing && fits(*missing))
    return true;
  program.keepsAll = false;
  return missing && fitReserve(module, program);
}

OwningOpRef<ModuleOp> Lowering::plan(OwningOpRef<ModuleOp> module, const Program &program, StringRef last) {
  Program fitted = program;
  if (!fitBudget(*module, fitted) ||
      !runPhases(*module, phasesBetween(phasesOf(fitted, strategy), lastOfModel, last), fitted, errors))
    return {};
  return module;
}
