//===- ImportSource.cpp - rules of an imported model ----------------------===//
#include "ImportSource.h"

#include "Output.h"

#include "plc/Import/ImportModel.h"
#include "plc/Import/ReadPt2.h"
#include "plc/Import/ReadStableHlo.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace plc::driver;
using enum plc::ExitCode;

static bool isArchive(const std::string &model) { return llvm::StringRef(model).ends_with(".pt2"); }

bool plc::driver::isImported(const std::string &model) {
  if (isArchive(model) || !llvm::StringRef(model).ends_with(".mlir"))
    return isArchive(model);
  auto text = llvm::MemoryBuffer::getFile(model, /*IsText=*/true);
  return text && import::isStableHlo((*text)->getBuffer());
}

static std::optional<plc::import::ImportedModel> readModel(const std::string &file, const CompileOptions &options,
                                                           std::string &error) {
  if (isArchive(file))
    return plc::import::readPt2(file, error);
  auto text = llvm::MemoryBuffer::getFile(file, /*IsText=*/true); // `isImported` has read it
  return plc::import::readStableHlo((*text)->getBuffer(), options.paramsArgument, error);
}

/// Reads INPUT=AXIS; returns the exit code.
static int readBatch(const std::string &given, std::optional<plc::import::BatchOption> &batch) {
  auto [input, axis] = llvm::StringRef(given).split('=');
  int64_t number = 0;
  if (input.empty() || axis.getAsInteger(10, number))
    return reportError(BadUsage, "--batch is INPUT=AXIS, as tok=0, found '" + given + "'");
  batch = plc::import::BatchOption{input.str(), number};
  return Done;
}

int plc::driver::importSource(const CompileOptions &options, std::optional<std::string> &text) {
  if (!options.paramsArgument.empty() && isArchive(options.model))
    return reportError(BadUsage, "--params-argument is for StableHLO, found '" + options.model + "'");
  if (!options.params.empty() && !isArchive(options.model))
    return reportError(BadUsage,
                       "--params is for archives, which have weights; --map-out says how StableHLO names them");
  import::ImportOptions how{llvm::sys::path::stem(options.model).str(), options.loss};
  if (!options.batch.empty())
    if (int code = readBatch(options.batch, how.batch))
      return code;
  std::string error;
  std::optional<import::ImportedModel> model = readModel(options.model, options, error), also;
  if (!model)
    return reportError(BadInput, "cannot read '" + options.model + "': " + error);
  if (!options.also.empty()) {
    if (!isImported(options.also))
      return reportError(BadUsage,
                         "--also is another export of the model (.pt2, StableHLO), found '" + options.also + "'");
    if (also = readModel(options.also, options, error); !also)
      return reportError(BadInput, "cannot read '" + options.also + "': " + error);
    how.also = import::AlsoOption{llvm::sys::path::filename(options.also).str(), &*also};
  }
  import::ImportedRules rules;
  try {
    rules = import::importModel(*model, how);
    if (!options.params.empty())
      error = import::writeParameters(*model, rules, options.params);
  } catch (const std::exception &failure) {
    error = failure.what();
  }
  if (!error.empty())
    return reportError(BadInput, "'" + options.model + "': " + error);
  for (const std::string &warning : rules.warnings)
    llvm::errs() << "plc-compile: warning: '" << options.model << "': " << warning << "\n";
  if (!options.mapOut.empty())
    if (int code = writeOutput(options.mapOut, import::mapOf(*model, rules)))
      return code;
  if (plc::parseChoice<Emit>(options.emit) == Emit::einSource)
    return writeOutput(options.output, rules.text);
  text = std::move(rules.text);
  return Done;
}

int plc::driver::refuseImportOptions(const CompileOptions &options) {
  const char *option = !options.params.empty()                                   ? "--params"
                       : !options.mapOut.empty()                                 ? "--map-out"
                       : !options.paramsArgument.empty()                         ? "--params-argument"
                       : !options.loss.empty()                                   ? "--loss"
                       : !options.batch.empty()                                  ? "--batch"
                       : !options.also.empty()                                   ? "--also"
                       : plc::parseChoice<Emit>(options.emit) == Emit::einSource ? "--emit=ein-source"
                                                                                 : nullptr;
  if (!option)
    return Done;
  return reportError(BadUsage,
                     std::string(option) + " is for imported models (.pt2, StableHLO), found '" + options.model + "'");
}
