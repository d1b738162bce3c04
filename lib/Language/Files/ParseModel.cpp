//===- ParseModel.cpp - from a file to the ein dialect --------------------===//
#include "plc/Language/Files/ParseModel.h"
#include "Elaborate/Builtins.h"
#include "Emit/Emission.h"
#include "Elaborate/Expose.h"
#include "Elaborate/SplitScalars.h"
#include "Frontend.h"
#include "Unused.h"
#include "plc/Dialect/Ein/Ein.h"
#include "mlir/IR/BuiltinOps.h"
#include "plc/Support/Nearest.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/thread.h"

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostics;
using plc::Nearest;

/// Elaborates every model, also those that are not compiled, then the layers that no model calls: each error is
/// reported whatever `--entry` names.
void Frontend::elaborate() {
  llvm::DenseSet<const Function *> called;
  const File &main = library.main().file;
  for (const Function *function : main.functions) {
    if (function->kind != Function::Model)
      continue;
    programs.push_back(std::make_unique<Program>());
    Elaborator(library, *programs.back(), diagnostics).elaborateModel(*function);
    called.insert(programs.back()->called.begin(), programs.back()->called.end());
  }
  Program unused;
  for (const Function *function : main.functions)
    if (function->kind == Function::Optimizer)
      checkOptimizer(*function);
  for (const Function *function : main.functions)
    if (function->kind == Function::Layer)
      Elaborator(library, unused, diagnostics).checkLayerSkips(*function);
  for (const Function *function : main.functions)
    if (function->kind == Function::Layer && !called.contains(function))
      Elaborator(library, unused, diagnostics).checkUncalled(*function);
}

/// Elaborates the rules of an optimizer as the models that they become.
void Frontend::checkOptimizer(const Function &optimizer) {
  Unit &unit = *library.units.front();
  std::optional<OptimizerHeader> header = headerOf(optimizer, unit.sizes, diagnostics);
  if (!header)
    return;
  // Any shape of as few axes as the rules take. Two extents, since equal ones hide what is wrong.
  std::vector<int64_t> shape;
  for (int64_t axis = 0; axis < header->forms.front().numAxes; ++axis)
    shape.push_back(2 + axis);
  std::optional<SplitRules> split = splitScalars(unit, optimizer, header->forms.front(), shape, diagnostics);
  if (!split)
    return;
  for (const Function *function : {split->scalars, split->rules, split->tensors})
    library.unitOf[function] = &unit;
  for (const Function *model : {split->scalars, split->tensors}) {
    Program unused;
    if (model)
      Elaborator(library, unused, diagnostics).elaborateModel(*model);
  }
  unit.functions.erase(split->rules->name);
}

/// The program of the model to compile; null after an error.
Program *Frontend::selectModel() {
  Program *found = nullptr;
  Nearest nearest(options.entry);
  for (const auto &program : programs)
    nearest.offer(program->model->name);
  for (const auto &program : programs)
    if (options.entry.empty() || program->model->name == options.entry)
      found = program.get();
  if (programs.empty())
    diagnostics.error(SMLoc(), "the file has no model");
  else if (!found)
    diagnostics.error(SMLoc(), "the file has no model '" + options.entry + "'" + nearest.text());
  else if (options.entry.empty() && programs.size() > 1)
    diagnostics.error(programs[1]->model->location, "a second model: '--entry' names the one to compile")
        .note(programs[0]->model->location, "the first is here");
  return found;
}

void Frontend::check() {
  loadFiles(sources, options, library, diagnostics);
  elaborate();
}

const Program *Frontend::run() {
  check();
  // If the model did not parse, 'the file has no model' would be a misleading second error.
  if (!diagnostics.empty() && programs.empty())
    return nullptr;
  Program *program = selectModel();
  if (diagnostics.empty())
    for (const std::string &name : options.exposed)
      expose(*program, name, diagnostics);
  if (diagnostics.empty())
    warnOfUnused(library, options.exposed, diagnostics);
  return diagnostics.empty() ? program : nullptr;
}

void plc::language::onDeepStack(llvm::function_ref<void()> work) {
  // Not tuned: room for the nesting that the parser accepts (`Parser::nestingLimit`) inside nested calls. Pages that
  // are never touched cost nothing.
  constexpr unsigned stackBytes = 256u << 20;
  llvm::thread worker(std::optional<unsigned>(stackBytes), [&] { work(); });
  worker.join();
}

mlir::OwningOpRef<mlir::ModuleOp> plc::language::parseModel(llvm::SourceMgr &sources, mlir::MLIRContext &context,
                                                            const ParseOptions &options, Diagnostics &diagnostics) {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  onDeepStack([&] {
    Frontend front(sources, options, diagnostics);
    if (const Program *program = front.run())
      module = emitProgram(*program, sources, context);
  });
  return module;
}

/// Reports each parameter of a step that differs from that of one batch: a checkpoint must fit both.
static void checkParameters(const Program &program, mlir::ModuleOp step, mlir::ModuleOp model, StringRef batch,
                            Diagnostics &diagnostics) {
  auto ofStep = step.getOps<plc::ein::ParamOp>(), ofBatch = model.getOps<plc::ein::ParamOp>();
  if (llvm::range_size(ofStep) != llvm::range_size(ofBatch))
    diagnostics.error(program.model->location,
                      "the number of parameters depends on '" + batch + "', the size of the batch");
  for (auto [parameter, larger, plain] : llvm::zip(program.parameters, ofStep, ofBatch))
    if (larger->getAttrDictionary() != plain->getAttrDictionary())
      diagnostics.error(parameter.value.location,
                        "parameter '" + parameter.path + "' depends on '" + batch + "', the size of the batch");
}

mlir::OwningOpRef<mlir::ModuleOp> plc::language::parseStep(llvm::SourceMgr &sources, const ParseOptions &options,
                                                           mlir::ModuleOp model, Diagnostics &diagnostics) {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  onDeepStack([&] {
    size_t mark = diagnostics.mark();
    Frontend front(sources, options, diagnostics);
    const Program *program = front.run();
    const File &main = front.files().main().file;
    if (program) {
      module = emitProgram(*program, sources, *model.getContext());
      checkParameters(*program, *module, model, main.batch, diagnostics);
    }
    if (diagnostics.empty())
      return diagnostics.rewind(mark); // its warnings are those of one batch
    diagnostics.noteErrors(main.batchLocation, "in a step of " + Twine(options.batches) + " batches '" + main.batch +
                                                   "' is " + Twine(options.batches) + " times as large");
    module = {};
  });
  return module;
}
