//===- CompileUpdate.cpp - an optimizer's rules as kernels ----------------===//
#include "CompileUpdate.h"

#include "Lowering.h"

#include "plc/Algebra/Base/SlicedParameters.h"
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Module/ParameterGroups.h"
#include "plc/Planning/Table/BuildActionTable.h"
#include "plc/Strategy/ApplyGroups.h"
#include "plc/Strategy/ReadOptimizer.h"
#include "plc/Support/Errors.h"
#include "plc/Support/ExitCodes.h"
#include "plc/Support/Precisions.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace mlir;
using namespace plc::driver;
using plc::strategy::Strategy;
namespace ein = plc::ein;
namespace keys = plc::keys;
namespace module = plc::module;

UpdateCompiler::UpdateCompiler(const Strategy &strategy, MLIRContext &context)
    : strategy(strategy), context(context), settings(strategy::optimizerOf(strategy)) {
  for (const strategy::NamedOptimizer &each : strategy.optimizers()) {
    std::string error;
    rules.push_back(language::OptimizerRules::read(each.file, each.header.name, error, llvm::errs()));
    if (!error.empty()) // the file has changed since the strategy was read
      llvm::errs() << "plc-compile: error: " << error << "\n";
    if (!rules.back())
      code = int(ExitCode::BadInput);
    for (size_t number = 0; rules.back() && number < each.header.forms.size(); ++number)
      forms.push_back({rules.back().get(), number});
  }
}

/// The strategy of the rules: what changes their code, and no plan.
static std::optional<Strategy> strategyOf(const Strategy &strategy, plc::ElementType real) {
  std::optional<Strategy> own = Strategy::load("plc-compile", "", {}, llvm::errs());
  if (own) {
    own->choose(keys::precisionCompute, real == plc::ElementType::F64 ? plc::Precision::F64 : plc::Precision::F32);
    own->choose(keys::machineIsa, strategy.get(keys::machineIsa));
  }
  return own;
}

bool UpdateCompiler::lowerOne(Form &form, OwningModule &module, ElementType real, StringRef last) {
  std::optional<Strategy> own = strategyOf(strategy, real);
  if (!own)
    return false;
  ein::setPhase(*module, PhaseKind::ein);
  if (last == nameOfChoice(PhaseKind::ein))
    return true;
  Lowering lowering({*module, *module}, *own, form.rules->sources(), /*timed=*/nullptr, llvm::errs());
  OwningOpRef<ModuleOp> lowered = lowering.lower({ProgramKind::infer, {}}, last);
  code = lowering.exitCode();
  if (!lowered)
    return false;
  module = std::move(lowered);
  return true;
}

plc::ElementType UpdateCompiler::real() const { return rowOf(strategy.get(keys::precisionCompute)).real; }

bool UpdateCompiler::lower(size_t number, ArrayRef<int64_t> shape, StringRef last) {
  if (code)
    return false;
  Form &form = forms[number];
  std::vector<int64_t> key = settings.forms[number].isElementwise() ? std::vector<int64_t>() : shape.vec();
  if (llvm::any_of(form.tensors, [&](const auto &each) { return each.first == key; }))
    return true;
  language::OptimizerPrograms programs = form.rules->programs(form.number, shape, context, llvm::errs());
  if (!programs.tensors) {
    code = int(ExitCode::BadInput);
    return false;
  }
  form.tensors.emplace_back(key, std::move(programs.tensors));
  // Scalars do not depend on the shape.
  if (form.tensors.size() == 1)
    form.scalars = std::move(programs.scalars);
  return (form.tensors.size() > 1 || !form.scalars || lowerOne(form, form.scalars, ElementType::F64, last)) &&
         lowerOne(form, form.tensors.back().second, real(), last);
}

/// Axes of the parameter that each tensor beside it has; null if all have all, and are as many as those of the first
/// form, as passes assume.
static ArrayAttr axesOfMoments(const module::OptimizerSettings &settings, const module::OptimizerForm &form,
                               ein::ParamOp param) {
  int64_t rank = param.getShardType().getRank();
  SmallVector<Attribute> moments;
  bool isUsual = form.states.size() == settings.forms.front().states.size();
  for (const module::OptimizerState &state : form.states) {
    std::vector<int64_t> axes = module::axesOf(state, rank, param.getRows().value_or(0));
    isUsual &= int64_t(axes.size()) == rank;
    moments.push_back(DenseI64ArrayAttr::get(
        param.getContext(), param.getSlice() ? ein::ParamOp::axesOfSlice(axes, param.getShardAttr().getAxis())
                                             : llvm::to_vector_of<int64_t>(axes)));
  }
  return isUsual ? ArrayAttr() : ArrayAttr::get(param.getContext(), moments);
}

/// The shape of a parameter as rules on whole tensors see it, also if it is a shard.
static std::vector<int64_t> updatedShape(ein::ParamOp param) {
  SmallVector<int64_t> whole = param.getWholeShape();
  return module::updatedShape({whole.begin(), whole.end()}, param.getRows().value_or(0));
}

bool UpdateCompiler::prepare(ArrayRef<ModuleOp> models, llvm::SourceMgr &sources) {
  if (code)
    return false;
  plc::language::PassErrors errors(sources, context, llvm::errs(), strategy.locations());
  for (ModuleOp model : models) {
    module::ParameterGroups groups(settings, plc::strategy::parametersOf(model));
    auto sliced = algebra::slicedParameters(model, strategy.shards());
    for (auto param : model.getOps<ein::ParamOp>()) {
      if (code)
        return false;
      if (param.getFrozen())
        continue;
      int64_t number = groups.variants()[groups.variantOf(param.getWhole().str())].form;
      const module::OptimizerForm &form = settings.forms[number];
      param.setMomentsAttr(axesOfMoments(settings, form, param));
      if (form.isElementwise()) {
        needed.insert(number);
        continue;
      }
      std::vector<int64_t> shape = updatedShape(param);
      if (!lower(number, shape, ""))
        return false;
      bool isInShards =
          param.getShard() || algebra::isDivided(param, strategy.shards()) || sliced.contains(param.getSymNameAttr());
      param.setWorkspace(workspaceOf(number, shape, isInShards));
    }
  }
  return !code;
}

void UpdateCompiler::print(llvm::raw_ostream &stream) const {
  OpPrintingFlags flags;
  bool isFirst = true;
  auto printOne = [&](ModuleOp module) {
    if (!module)
      return;
    stream << (std::exchange(isFirst, false) ? "" : "\n// -----\n");
    module->print(stream, flags.useLocalScope());
  };
  for (const Form &form : forms) {
    printOne(form.scalars.get());
    for (const auto &[shape, module] : form.tensors)
      printOne(module.get());
  }
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

std::optional<module::UpdateProgram> UpdateCompiler::programOf(Form &form, ModuleOp lowered) {
  plc::language::PassErrors errors(form.rules->sources(), context, llvm::errs(), strategy.locations());
  FailureOr<module::UpdateProgram> calls = callsOf(lowered);
  if (succeeded(calls))
    return std::move(*calls);
  code = errors.getExitCode();
  return std::nullopt;
}

int64_t UpdateCompiler::workspaceOf(size_t number, ArrayRef<int64_t> shape, bool inShards) {
  for (auto &[known, module] : forms[number].tensors)
    if (ArrayRef<int64_t>(known) == shape) {
      std::optional<module::UpdateProgram> program = programOf(forms[number], *module);
      if (!program)
        return 0;
      program->shape = known;
      return module::layoutOf(*program, settings.forms[number], byteWidth(real()), inShards).bytes;
    }
  llvm_unreachable("the rules were lowered for this shape");
}

bool UpdateCompiler::addTo(codegen::ModuleRequest &request) {
  for (size_t form : needed)
    if (!lower(form, {}, ""))
      return false;
  for (auto [form, declared] : llvm::zip_equal(forms, settings.forms)) {
    module::UpdateRules &update = request.manifest.updates.emplace_back();
    codegen::UpdateModules &modules = request.updates.emplace_back();
    if (form.scalars) {
      std::optional<module::UpdateProgram> program = programOf(form, *form.scalars);
      if (!program)
        return false;
      update.scalars = std::move(*program);
      runInPlace(*form.scalars, update.scalars);
      modules.scalars = *form.scalars;
    }
    for (auto &[shape, module] : form.tensors) {
      std::optional<module::UpdateProgram> program = programOf(form, *module);
      if (!program)
        return false;
      program->shape = shape;
      if (declared.isElementwise())
        runInPlace(*module, *program);
      update.tensors.push_back(std::move(*program));
      modules.tensors.push_back(*module);
    }
  }
  return true;
}
