//===- ReadOptimizer.cpp - finds an optimizer and lowers its rules --------===//
#include "Elaborate/Elaborator.h"
#include "Elaborate/SplitScalars.h"
#include "Emit/Emission.h"
#include "Frontend.h"
#include "StandardLibrary.h"
#include "Syntax/Parser.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Language/Files/Optimizers.h"
#include "plc/Support/Nearest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace plc::language;
using llvm::Twine;
using plc::Diagnostics;

static const StandardFile &standardFile() {
  return *llvm::find_if(standardLibrary(), [](const StandardFile &file) { return file.use == "std.optim"; });
}

/// The forms of an optimizer, in the order of the text.
static std::vector<const Function *> formsIn(const File &file, StringRef name) {
  std::vector<const Function *> forms;
  for (const Function *function : file.functions)
    if (function->kind == Function::Optimizer && function->name == name)
      forms.push_back(function);
  return forms;
}

/// What all forms of an optimizer declare. Nullopt after an error.
static std::optional<OptimizerHeader> headerOfForms(llvm::ArrayRef<const Function *> forms, const Sizes &sizes,
                                                    Diagnostics &diagnostics) {
  OptimizerHeader merged;
  for (const Function *function : forms) {
    std::optional<OptimizerHeader> header = headerOf(*function, sizes, diagnostics);
    if (!header)
      return std::nullopt;
    merged.name = header->name;
    merged.forms.push_back(header->forms.front());
    for (auto [index, setting] : llvm::enumerate(header->settings)) {
      auto known = llvm::find_if(merged.settings, [&](const auto &each) { return each.name == setting.name; });
      if (known == merged.settings.end())
        merged.settings.push_back(setting);
      else if (!(*known == setting))
        diagnostics.error(function->given[index].location, "setting '" + setting.name + "' has another default or " +
                                                               "other limits in the form before, but is one setting");
    }
  }
  return diagnostics.empty() ? std::optional(merged) : std::nullopt;
}

const std::vector<OptimizerHeader> &plc::language::standardOptimizers() {
  static const std::vector<OptimizerHeader> headers = [] {
    llvm::SourceMgr none;
    Diagnostics diagnostics(none);
    Sizes sizes(diagnostics);
    File file;
    parseFile(standardFile().text, file, diagnostics);
    std::vector<OptimizerHeader> headers;
    for (const Function *function : file.functions)
      if (function->kind == Function::Optimizer && formsIn(file, function->name).front() == function)
        headers.push_back(*headerOfForms(formsIn(file, function->name), sizes, diagnostics));
    return headers;
  }();
  return headers;
}

OptimizerRules::OptimizerRules() : files(std::make_unique<llvm::SourceMgr>()) {}
OptimizerRules::~OptimizerRules() = default;

/// What a file has instead of the optimizer that was asked for.
static std::string describeOthers(const File &file, StringRef name) {
  plc::Nearest nearest(name);
  std::vector<std::string> names;
  for (const Function *function : file.functions)
    if (function->kind == Function::Optimizer) {
      nearest.offer(function->name);
      names.push_back("'" + function->name.str() + "'");
    }
  return nearest.text() + (names.empty() ? "; it has none" : "; it has " + llvm::join(names, ", "));
}

std::unique_ptr<OptimizerRules> OptimizerRules::read(StringRef path, StringRef name, std::string &error,
                                                     llvm::raw_ostream &errors) {
  std::unique_ptr<OptimizerRules> rules(new OptimizerRules);
  auto text = path.empty() ? llvm::MemoryBuffer::getMemBuffer(standardFile().text, standardFile().name)
                           : llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!text) {
    error = ("cannot read '" + path + "': " + text.getError().message()).str();
    return nullptr;
  }
  rules->files->AddNewSourceBuffer(std::move(*text), llvm::SMLoc());
  Diagnostics diagnostics(*rules->files);
  bool found = false;
  onDeepStack([&] {
    File file;
    parseFile(rules->files->getMemoryBuffer(1)->getBuffer(), file, diagnostics);
    std::vector<const Function *> forms = formsIn(file, name);
    if (forms.empty() && diagnostics.empty())
      error = "'" + rules->files->getMemoryBuffer(1)->getBufferIdentifier().str() + "' has no optimizer '" +
              name.str() + "'" + describeOthers(file, name);
    if (forms.empty())
      return;
    Sizes sizes(diagnostics);
    std::optional<OptimizerHeader> header = headerOfForms(forms, sizes, diagnostics);
    found = header.has_value();
    if (found)
      rules->declared = *header;
  });
  diagnostics.print(errors);
  return found && diagnostics.empty() ? std::move(rules) : nullptr;
}

/// Rules over `...` see one element at a time: whatever else they compute would depend on the blocks.
static bool checkElementwise(mlir::ModuleOp module, llvm::SourceMgr &sources, Diagnostics &diagnostics) {
  auto isAlike = [](mlir::Attribute attribute) {
    mlir::AffineMap map = llvm::cast<mlir::AffineMapAttr>(attribute).getValue();
    return map.isIdentity() || map.getNumResults() == 0;
  };
  bool ok = true;
  module.walk([&](mlir::Operation *op) {
    if (llvm::isa<mlir::ModuleOp, plc::ein::ModelOp, plc::ein::ReturnOp, plc::ein::ConstantOp>(op))
      return;
    if (auto map = llvm::dyn_cast<plc::ein::MapOp>(op); map && llvm::all_of(map.getMaps(), isAlike))
      return;
    ok = false;
    llvm::SMLoc location;
    op->getLoc()->walk([&](mlir::Location each) {
      auto line = llvm::dyn_cast<mlir::FileLineColLoc>(each);
      if (line && !location.isValid() && line.getFilename() == sources.getMemoryBuffer(1)->getBufferIdentifier())
        location = sources.FindLocForLineAndColumn(1, line.getLine(), line.getColumn());
      return mlir::WalkResult::advance();
    });
    diagnostics.error(location,
                      "this rule does not compute each element from the elements at its position alone, as an "
                      "optimizer over '...' does; name an axis, as in 'w[..., i]', for rules on whole tensors");
  });
  return ok;
}

static mlir::OwningOpRef<mlir::ModuleOp> lower(const Library &library, const Function &model, llvm::SourceMgr &sources,
                                               bool isElementwise, mlir::MLIRContext &context,
                                               Diagnostics &diagnostics) {
  Program program;
  Elaborator(library, program, diagnostics).elaborateModel(model);
  if (!diagnostics.empty())
    return {};
  mlir::OwningOpRef<mlir::ModuleOp> module = emitProgram(program, sources, context);
  return !isElementwise || checkElementwise(*module, sources, diagnostics) ? std::move(module) : nullptr;
}

OptimizerPrograms OptimizerRules::programs(size_t form, llvm::ArrayRef<int64_t> shape, mlir::MLIRContext &context,
                                           llvm::raw_ostream &errors) {
  OptimizerPrograms made;
  Diagnostics diagnostics(*files);
  onDeepStack([&] {
    Library library;
    loadFiles(*files, {}, library, diagnostics);
    Unit &unit = *library.units.front();
    std::vector<const Function *> forms = formsIn(unit.file, declared.name);
    if (forms.size() != declared.forms.size() || !diagnostics.empty())
      return;
    unit.file.batch = {}; // of models beside the optimizer
    const module::OptimizerForm &read = declared.forms[form];
    std::optional<SplitRules> split = splitScalars(unit, *forms[form], read, shape, diagnostics);
    if (!split)
      return;
    for (const Function *function : {split->scalars, split->rules, split->tensors})
      library.unitOf[function] = &unit;
    if (split->scalars)
      made.scalars = lower(library, *split->scalars, *files, /*isElementwise=*/true, context, diagnostics);
    if (diagnostics.empty())
      made.tensors = lower(library, *split->tensors, *files, read.isElementwise(), context, diagnostics);
  });
  diagnostics.print(errors);
  return made;
}
