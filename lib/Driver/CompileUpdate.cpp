//===- CompileUpdate.cpp - an optimizer's rules as kernels ----------------===//
#include "CompileUpdate.h"

#include "Lowering.h"

#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Planning/Table/BuildActionTable.h"
#include "plc/Support/ExitCodes.h"
#include "plc/Support/Precisions.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace mlir;
using namespace plc::driver;
using plc::strategy::Strategy;
namespace keys = plc::keys;
namespace module = plc::module;

UpdateCompiler::UpdateCompiler(const Strategy &strategy, MLIRContext &context) : strategy(strategy), context(context) {
  std::string error;
  rules = language::OptimizerRules::read(strategy.optimizerFile(), strategy.optimizer().name, error, llvm::errs());
  if (rules)
    programs = rules->programs(context, llvm::errs());
  else if (!error.empty()) // the file has changed since the strategy was read
    llvm::errs() << "plc-compile: error: " << error << "\n";
  code = programs.elements ? 0 : int(ExitCode::BadInput);
}

/// The strategy of the rules: what changes their code, and no plan.
static std::optional<Strategy> strategyOf(const Strategy &strategy, plc::ElementType real) {
  std::vector<std::string> sets = {"optimizer.kind=sgd"};
  sets.push_back(std::string("precision.compute=") + (real == plc::ElementType::F64 ? "f64" : "f32"));
  sets.push_back("machine.isa=" + std::get<std::string>(strategy.valueAt(keys::machineIsa.path)));
  return Strategy::load("plc-compile", "", sets, llvm::errs());
}

bool UpdateCompiler::lowerOne(OwningOpRef<ModuleOp> &module, ElementType real, StringRef last) {
  std::optional<Strategy> own = strategyOf(strategy, real);
  if (!own)
    return false;
  ein::setPhase(*module, PhaseKind::ein);
  if (last == nameOfChoice(PhaseKind::ein))
    return true;
  Lowering lowering({*module, *module}, *own, rules->sources(), /*timed=*/nullptr, llvm::errs());
  OwningOpRef<ModuleOp> lowered = lowering.lower({ProgramKind::infer, {}}, last);
  code = lowering.exitCode();
  if (!lowered)
    return false;
  module = std::move(lowered);
  return true;
}

bool UpdateCompiler::lower(StringRef last) {
  if (code)
    return false;
  ElementType real = rowOf(strategy.get(keys::precisionCompute)).real;
  return (!programs.scalars || lowerOne(programs.scalars, ElementType::F64, last)) &&
         lowerOne(programs.elements, real, last);
}

void UpdateCompiler::print(llvm::raw_ostream &stream) const {
  OpPrintingFlags flags;
  if (programs.scalars) {
    (*programs.scalars)->print(stream, flags.useLocalScope());
    stream << "\n// -----\n";
  }
  (*programs.elements)->print(stream, flags.useLocalScope());
  stream << "\n";
}

/// The calls of a program that is planned for one rank, in the order of its actions. Inputs and outputs become ports.
static FailureOr<module::UpdateProgram> callsOf(ModuleOp lowered) {
  auto program = *lowered.getOps<plc::plan::ProgramOp>().begin();
  plc::plan::RouteTable routes(program);
  plc::plan::TaskSlots slots(program, routes);
  FailureOr<module::EntryPlan> table = plc::plan::buildActionTable(program, slots);
  if (failed(table) || failed(plc::plan::proveActionTable(*table, program, slots, /*limitBytes=*/0)))
    return failure();
  const module::RankInfo &rank = table->ranks.front();
  module::UpdateProgram made;
  made.scratchBytes = rank.arenaBytes;
  std::map<size_t, int64_t> ports; // of persistent buffers
  auto addPorts = [&](module::BufferKind kind, std::vector<std::string> &names) {
    for (auto [index, buffer] : llvm::enumerate(rank.buffers))
      if (buffer.kind == kind) {
        ports[index] = -1 - int64_t(ports.size());
        names.push_back(buffer.name);
      }
  };
  addPorts(module::BufferKind::Input, made.inputs);
  addPorts(module::BufferKind::Output, made.results);
  for (const module::ActionInfo &action : rank.actions) {
    if (action.op != module::ActionInfo::Op::Run)
      continue;
    for (const module::CallInfo &call : rank.tasks[action.target].calls) {
      module::UpdateCall &written = made.calls.emplace_back();
      written.kernel = call.kernel;
      for (int64_t operand : call.operands) {
        int64_t at = table->offsetOf(rank, operand, action);
        // A value in a persistent buffer is addressed as one, whether the call names the buffer or its offset.
        for (auto [index, buffer] : llvm::enumerate(rank.buffers))
          if (at == buffer.offset && ports.contains(index))
            at = ports[index];
        written.operands.push_back(at);
      }
    }
  }
  return made;
}

/// Results overwrite what they replace, where each kernel reads an element before it writes it, and no later call reads
/// what an earlier one has replaced.
static void runInPlace(ModuleOp lowered, module::UpdateProgram &program) {
  std::vector<plc::plan::KernelOp> kernels;
  llvm::append_range(kernels, lowered.getOps<plc::plan::KernelOp>());
  auto isElementwise = [](plc::plan::KernelOp kernel) {
    return kernel.getBy() == plc::plan::Implementation::elementwise;
  };
  if (!llvm::all_of(kernels, isElementwise))
    return;
  size_t numInputs = program.inputs.size();
  std::set<std::string> replaced;
  bool usesScratch = false;
  for (const module::UpdateCall &call : program.calls) {
    std::vector<std::string> results;
    for (int64_t operand : call.operands) {
      auto port = size_t(-1 - operand);
      usesScratch |= operand >= 0;
      if (operand < 0 && port >= numInputs)
        results.push_back(program.results[port - numInputs]);
      else if (operand < 0 && replaced.contains(program.inputs[port]))
        return;
    }
    replaced.insert(results.begin(), results.end());
  }
  for (plc::plan::KernelOp kernel : kernels)
    kernel.setInPlace(true);
  program.inPlace = true;
  if (!usesScratch)
    program.scratchBytes = 0;
}

bool UpdateCompiler::addTo(codegen::ModuleRequest &request) {
  if (!lower(""))
    return false;
  plc::language::PassErrors errors(rules->sources(), context, llvm::errs(), strategy.locations());
  module::UpdateRules &update = request.manifest.update;
  update.parameter = rules->header().parameter;
  update.gradient = rules->header().gradient;
  auto add = [&](OwningOpRef<ModuleOp> &module, module::UpdateProgram &program, ModuleOp &kernels) {
    if (!module)
      return true;
    FailureOr<module::UpdateProgram> calls = callsOf(*module);
    if (failed(calls)) {
      code = errors.getExitCode();
      return false;
    }
    program = std::move(*calls);
    runInPlace(*module, program);
    kernels = *module;
    return true;
  };
  return add(programs.scalars, update.scalars, request.scalars) &&
         add(programs.elements, update.elements, request.elements);
}
