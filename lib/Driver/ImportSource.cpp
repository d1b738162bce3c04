//===- ImportSource.cpp - rules of an imported model ----------------------===//
#include "ImportSource.h"

#include "Output.h"

#include "plc/Import/ImportModel.h"
#include "plc/Import/ReadPt2.h"

#include "llvm/Support/Path.h"

using namespace plc::driver;
using enum plc::ExitCode;

bool plc::driver::isArchive(const std::string &model) { return llvm::StringRef(model).ends_with(".pt2"); }

int plc::driver::importSource(const CompileOptions &options, std::optional<std::string> &text) {
  std::string error;
  std::optional<import::ImportedModel> model = import::readPt2(options.model, error);
  if (!model)
    return reportError(BadInput, "cannot read '" + options.model + "': " + error);
  import::ImportedRules rules;
  try {
    rules = import::importModel(*model, {llvm::sys::path::stem(options.model).str(), options.loss});
    if (!options.params.empty())
      error = import::writeParameters(*model, rules, options.params);
  } catch (const std::exception &failure) {
    error = failure.what();
  }
  if (!error.empty())
    return reportError(BadInput, "'" + options.model + "': " + error);
  if (plc::parseChoice<Emit>(options.emit) == Emit::einSource)
    return writeOutput(options.output, rules.text);
  text = std::move(rules.text);
  return Done;
}

int plc::driver::refuseImportOptions(const CompileOptions &options) {
  const char *option = !options.params.empty()                                   ? "--params"
                       : !options.loss.empty()                                   ? "--loss"
                       : plc::parseChoice<Emit>(options.emit) == Emit::einSource ? "--emit=ein-source"
                                                                                 : nullptr;
  if (!option)
    return Done;
  return reportError(BadUsage, std::string(option) + " is for imported models (.pt2), found '" + options.model + "'");
}
