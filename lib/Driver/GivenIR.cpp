//===- GivenIR.cpp - a compilation that goes on from IR -------------------===//
#include "GivenIR.h"

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Support/Errors.h"

#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace plc;
using namespace plc::driver;
using plc::strategy::Strategy;

bool plc::driver::isIR(const llvm::MemoryBuffer &file) {
  StringRef text = file.getBuffer();
  // The second is the magic number of MLIR bytecode.
  if (file.getBufferIdentifier().ends_with(".mlir") || text.starts_with("ML\xef\x52"))
    return true;
  for (text = text.ltrim(); text.starts_with("//"); text = text.ltrim())
    text = text.split('\n').second;
  // An attribute alias begins with '#', as a comment of a model does, but goes on differently.
  return llvm::Regex("^(module[ @{]|\"builtin\\.module\"|[#!][A-Za-z_0-9]+ = [#!a-z_]+[.(<]|(ein|plan)\\.[a-z_]+ @)")
      .match(text);
}

/// The last phase whose result a module has, judged by its operations; nothing if equations alone do not decide it.
static std::optional<PhaseKind> phaseOf(ModuleOp module) {
  std::optional<PhaseKind> last;
  auto reach = [&](PhaseKind phase) { last = std::max(last.value_or(phase), phase); };
  module.walk([&](Operation *op) {
    if (isa<plan::KernelOp>(op))
      reach(PhaseKind::kernels);
    else if (isa<plan::StageOp>(op))
      reach(PhaseKind::partition);
    else if (isa<plan::RouteOp>(op))
      reach(PhaseKind::skips);
    else if (isa<plan::RankOp>(op))
      reach(PhaseKind::schedule);
    else if (isa<plan::ChannelOp>(op))
      reach(PhaseKind::comm);
    else if (isa<plan::LayoutOp>(op))
      reach(PhaseKind::addresses);
  });
  if (last)
    return last;
  bool isOpen = false; // some type has no precision yet, which phase `precision` chooses
  for (auto model : module.getOps<ein::ModelOp>()) {
    if (model.getMicroBatches())
      return PhaseKind::microBatch;
    for (Type type : llvm::concat<const Type>(model.getArgumentTypes(), model.getResultTypes()))
      isOpen |= isa<ein::RealType>(getElementTypeOrSelf(type));
  }
  return isOpen ? std::optional(PhaseKind::ein) : std::nullopt;
}

/// Adds the files that locations name to the sources, once each, so that errors show their lines.
static void addSources(ModuleOp module, llvm::SourceMgr &sources) {
  llvm::StringSet<> seen;
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
    seen.insert(sources.getMemoryBuffer(id)->getBufferIdentifier());
  module.walk([&](Operation *op) {
    op->getLoc()->walk([&](Location location) {
      auto source = dyn_cast<FileLineColLoc>(location);
      if (source && seen.insert(source.getFilename().strref()).second)
        if (auto file = llvm::MemoryBuffer::getFile(source.getFilename().strref(), /*IsText=*/true))
          sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
      return WalkResult::advance();
    });
  });
}

std::optional<GivenIR> plc::driver::readIR(llvm::SourceMgr &sources, MLIRContext &context) {
  GivenIR ir;
  ir.module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!ir.module)
    return std::nullopt;
  int64_t programs =
      llvm::range_size(ir.module->getOps<ein::ModelOp>()) + llvm::range_size(ir.module->getOps<plan::ProgramOp>());
  if (programs != 1) {
    ir.module->emitError("has ") << programs << " of 'ein.model' and 'plan.program', expected one";
    return std::nullopt;
  }
  FailureOr<ein::Provenance> provenance = ein::provenanceOf(*ir.module);
  if (failed(provenance))
    return std::nullopt;
  ir.provenance = *provenance;
  std::optional<PhaseKind> held = phaseOf(*ir.module);
  if (!held && !provenance->phase) {
    ir.module->emitError(
        "does not say which phase it is of; 'plc-compile --emit' writes that, as in 'module attributes "
        "{ein.phase = \"numerics\", ein.program = \"train\"}'");
    return std::nullopt;
  }
  ir.phase = std::max(held.value_or(PhaseKind::ein), provenance->phase.value_or(PhaseKind::ein));
  addSources(*ir.module, sources);
  return ir;
}

/// The precision of the first real result. Several precisions store f32; then the strategy's stays, if it is one of
/// them.
static std::optional<Precision> precisionOf(Operation *subject, Precision given) {
  std::optional<Precision> found;
  subject->getParentOp()->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (Type element = getElementTypeOrSelf(type); element.isF32() || element.isF64())
        found = elementTypeOf(element) == rowOf(given).real ? given : element.isF32() ? Precision::F32 : Precision::F64;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

LogicalResult plc::driver::takeOver(const GivenIR &ir, Strategy &strategy, Operation *subject) {
  auto take = [&](const char *key, const strategy::Value &held, const strategy::Value &given) {
    if (strategy.isOwn(key) && held != given)
      return LogicalResult(emitKeyError(subject, key,
                                        "'" + Twine(key) + "' is " + strategy::print(given) + " but IR of phase '" +
                                            nameOfChoice(ir.phase) + "' has " + strategy::print(held)));
    strategy.choose(key, held);
    return success();
  };
  if (ir.phase == PhaseKind::ein)
    return success();
  auto given = strategy.get(keys::precisionCompute);
  if (std::optional<Precision> precision = precisionOf(subject, given))
    if (failed(
            take(keys::precisionCompute.path, std::string(nameOfChoice(*precision)), std::string(nameOfChoice(given)))))
      return failure();
  if (ir.phase < PhaseKind::microBatch)
    return success();
  auto model = dyn_cast<ein::ModelOp>(subject);
  auto program = dyn_cast<plan::ProgramOp>(subject);
  int64_t groups = model ? model.getAccumulationGroups().value_or(1) : program.getAccumulationGroups();
  int64_t held = model ? model.getMicroBatches() : program.getMicroBatches();
  // A training step has the micro-batches of all batches that it accumulates.
  int64_t batches = ir.provenance.program == ProgramKind::train ? strategy.get(keys::gradientAccumulationSteps) : 1;
  if (failed(take(keys::gradientLanes.path, groups, strategy.get(keys::gradientLanes))))
    return failure();
  if (held % batches)
    return emitKeyError(subject, keys::gradientAccumulationSteps.path,
                        "'gradient.accumulation_steps' is " + Twine(batches) + " but IR of phase '" +
                            nameOfChoice(ir.phase) + "' has " + Twine(held) + " micro-batches, which it must divide");
  return take(keys::parallelismMicroBatches.path, held / batches, strategy.get(keys::parallelismMicroBatches));
}

std::vector<std::string> plc::driver::findLateKeys(const GivenIR &ir, const Program &program,
                                                   const Strategy &strategy) {
  if (ir.phase == PhaseKind::ein)
    return {};
  // A key is late if its default changes the passes behind the IR, and none of those ahead.
  auto passesOf = [&](const Strategy &by) {
    std::vector<Phase> phases = phasesOf(program, by);
    size_t behind = phasesUpTo(phases, nameOfChoice(ir.phase)).size();
    llvm::ArrayRef<Phase> all = phases;
    return std::pair(pipelineText(all.take_front(behind)), pipelineText(all.drop_front(behind)));
  };
  auto [behind, ahead] = passesOf(strategy);
  std::vector<std::string> late;
  for (const strategy::Key &key : strategy::allKeys()) {
    if (!strategy.isOwn(key.path))
      continue;
    Strategy without = strategy;
    without.choose(key.path, key.initial);
    auto [behindWithout, aheadWithout] = passesOf(without);
    if (behindWithout != behind && aheadWithout == ahead)
      late.push_back(key.path);
  }
  return late;
}
