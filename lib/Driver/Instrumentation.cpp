//===- Instrumentation.cpp - MLIR's own options, for plc-compile ----------===//
#include "plc/Driver/Instrumentation.h"

#include "plc/Algebra/Passes.h"
#include "plc/Codegen/Passes.h"
#include "plc/Kernels/Passes.h"
#include "plc/Numerics/Passes.h"
#include "plc/Planning/Passes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Remark/RemarkStreamer.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"

#include <optional>

using namespace mlir;
namespace cl = llvm::cl;

namespace {

/// The remark options of `MlirOptMain`, under its names, since that function does more than plc-compile can use.
struct RemarkOptions {
  cl::OptionCategory category{"Remarks"};
  cl::opt<std::string> all{"remarks-filter", cl::desc("show all remarks of passes that match"), cl::cat(category)};
  cl::opt<std::string> passed{"remarks-filter-passed", cl::desc("show what was done"), cl::cat(category)};
  cl::opt<std::string> missed{"remarks-filter-missed", cl::desc("show what was not done"), cl::cat(category)};
  cl::opt<std::string> failed{"remarks-filter-failed", cl::desc("show what failed"), cl::cat(category)};
  cl::opt<std::string> analysis{"remarks-filter-analyse", cl::desc("show what was found"), cl::cat(category)};
  cl::opt<std::string> file{"remarks-output-file", cl::desc("write them there, as YAML"), cl::cat(category)};
};

/// Made when the options are registered, so that a tool that never registers them does not have them.
std::optional<RemarkOptions> remarkOptions;

} // namespace

bool plc::driver::isInstrumentation(llvm::StringRef argument) {
  return argument.starts_with("--mlir-") || argument.starts_with("--remark") || argument.starts_with("--debug-only");
}

void plc::driver::registerDebugOption() {
#ifndef NDEBUG
  static cl::list<std::string> types("debug-only", cl::CommaSeparated,
                                     cl::desc("print the debug lines of these passes"));
  static bool registered = false;
  if (std::exchange(registered, true))
    return;
  types.setCallback([](const std::string &) {
    std::vector<const char *> names;
    for (const std::string &type : types)
      names.push_back(type.c_str());
    llvm::DebugFlag = true;
    llvm::setCurrentDebugTypes(names.data(), names.size());
  });
#endif
}

static void registerOptions() {
  plc::algebra::registerAlgebraPasses();
  plc::numerics::registerNumericsPasses();
  plc::kernels::registerKernelsPasses();
  plc::plan::registerPlanningPasses();
  plc::codegen::registerCodegenPasses();
  mlir::registerTransformsPasses();
  registerPassManagerCLOptions();
  registerAsmPrinterCLOptions();
  registerDefaultTimingManagerCLOptions();
  plc::driver::registerDebugOption();
  remarkOptions.emplace();
}

std::optional<std::string> plc::driver::parseInstrumentation(llvm::ArrayRef<std::string> arguments) {
  if (arguments.empty())
    return std::nullopt;
  registerOptions();
  std::vector<const char *> argv = {"plc-compile"};
  for (llvm::StringRef argument : arguments) {
    llvm::StringRef name = argument.split('=').first;
    // LLVM would print its own text for an unknown option, and exit.
    if (!cl::getRegisteredOptions().contains(name.drop_front(2)))
      return "unknown option '" + name.str() + "'; see plc-compile --help";
    argv.push_back(argument.data());
  }
  std::string text;
  llvm::raw_string_ostream errors(text);
  if (cl::ParseCommandLineOptions(argv.size(), argv.data(), "", &errors))
    return std::nullopt;
  // LLVM's text is "plc-compile: for the --x option: may only occur zero or one times!" and a new line; plc-compile
  // prints errors in its own form.
  llvm::StringRef message = llvm::StringRef(text).trim();
  message.consume_front("plc-compile: ");
  return message.rtrim("!").str();
}

bool plc::driver::instrument(PassManager &pipeline) {
  return !remarkOptions || succeeded(applyPassManagerCLOptions(pipeline));
}

std::string plc::driver::reportRemarks(MLIRContext &context) {
  if (!remarkOptions)
    return "";
  // MLIR 22 matches whole names. A part shall suffice, as for LLVM's `-Rpass`.
  auto filter = [](const cl::opt<std::string> &option) {
    return option.getNumOccurrences() ? std::optional(".*(" + option.getValue() + ").*") : std::nullopt;
  };
  // MLIR 22 applies the filter of all kinds only to kinds that have a filter of their own.
  std::optional<std::string> all = filter(remarkOptions->all);
  auto either = [&](const cl::opt<std::string> &option) { return option.getNumOccurrences() ? filter(option) : all; };
  remark::RemarkCategories categories{all, either(remarkOptions->passed), either(remarkOptions->missed),
                                      either(remarkOptions->analysis), either(remarkOptions->failed)};
  if (!categories.all && !categories.passed && !categories.missed && !categories.analysis && !categories.failed)
    return "";
  auto policy = std::make_unique<remark::RemarkEmittingPolicyAll>();
  const std::string &file = remarkOptions->file;
  LogicalResult enabled =
      file.empty() ? remark::enableOptimizationRemarks(context, nullptr, std::move(policy), categories,
                                                       /*printAsEmitRemarks=*/true)
                   : remark::enableOptimizationRemarksWithLLVMStreamer(context, file, llvm::remarks::Format::YAML,
                                                                       std::move(policy), categories);
  return succeeded(enabled) ? "" : "cannot write remarks to '" + file + "'";
}
