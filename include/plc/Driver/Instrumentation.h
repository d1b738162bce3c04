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

/// Whether an argument is one of MLIR's options that watch a compilation: `--mlir-..`, `--remark..`, `--debug-only..`.
bool isInstrumentation(llvm::StringRef argument);

/// Registers the passes, by whose names the options say where, then the options, and parses these arguments of the form
/// `--name` or `--name=value`. Returns what is wrong with them; an empty text if LLVM has printed that.
std::optional<std::string> parseInstrumentation(llvm::ArrayRef<std::string> arguments);

/// Makes a pipeline print and check what the options ask for. False if they contradict each other, which is reported.
bool instrument(mlir::PassManager &pipeline);

/// Makes a context report the decisions of passes as `--remarks-filter..` asks. Returns what went wrong, or nothing.
std::string reportRemarks(mlir::MLIRContext &context);

/// `--debug-only`, which a distribution's LLVM leaves out, where our own debug lines are compiled in.
void registerDebugOption();

} // namespace plc::driver

#endif
