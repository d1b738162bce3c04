//===- Instrumentation.h - MLIR's own options, for plc-compile --*- C++ -*-===//
#ifndef PLC_DRIVER_INSTRUMENTATION_H
#define PLC_DRIVER_INSTRUMENTATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace mlir {
class MLIRContext;
class PassManager;
} // namespace mlir

namespace plc::driver {

/// Whether an argument is one of MLIR's options for watching a compilation: `--mlir-..`, `--remark..`,
/// `--debug-only..`.
bool isInstrumentation(llvm::StringRef argument);

/// Registers the passes, whose names these options take, then the options, and parses arguments of the form `--name` or
/// `--name=value`. Returns the error; an empty text if LLVM has printed it; nothing if all is well.
std::optional<std::string> parseInstrumentation(llvm::ArrayRef<std::string> arguments);

/// Makes a pipeline print and check what the options ask for. Returns false, after an error, if they contradict each
/// other.
bool instrument(mlir::PassManager &pipeline);

/// Makes a context report the decisions of passes, as `--remarks-filter..` asks. Returns the error, or an empty text.
std::string reportRemarks(mlir::MLIRContext &context);

/// Registers `--debug-only`, which release builds of LLVM leave out, if this build has debug lines.
void registerDebugOption();

} // namespace plc::driver

#endif
