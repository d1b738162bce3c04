//===- ParseModel.h - .ein source to the ein dialect ------------*- C++ -*-===//
#ifndef PLC_LANGUAGE_FILES_PARSEMODEL_H
#define PLC_LANGUAGE_FILES_PARSEMODEL_H

#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class SourceMgr;
}
namespace mlir {
class MLIRContext;
class ModuleOp;
} // namespace mlir

namespace plc {
class Diagnostics;
} // namespace plc

namespace plc::language {

struct ParseOptions {
  /// `-D NAME=SIZE`, in order; a later one wins. Replaces the value of a `dim` of the file or of a file that it uses.
  std::vector<std::pair<std::string, int64_t>> overrides;
  /// The model to compile; empty: the only one of the file.
  std::string entry;
  /// Values of rules that become further results of the model: `attention.3.p`, or `MODEL.NAME`.
  std::vector<std::string> exposed;
  /// Reads a file that `use` names; empty: from the disk.
  std::function<llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>(llvm::StringRef path)> readFile = {};
  /// A step of several batches: the size that `batch` names is multiplied by it.
  int64_t batches = 1;
};

/// Parses the main file of `sources`, its first buffer, into a module with one `ein.model`, its bodies and parameters.
/// Null after an error; `diagnostics` then has all errors. Used files are added to `sources`, which keeps their
/// locations valid. Loads the dialects that it needs.
mlir::OwningOpRef<mlir::ModuleOp> parseModel(llvm::SourceMgr &sources, mlir::MLIRContext &context,
                                             const ParseOptions &options, Diagnostics &diagnostics);

/// The model of a training step of `options.batches` batches, given the `model` of one batch. Null after an error, such
/// as a parameter that depends on the size of the batch. Warnings are those of `model` and are not repeated.
mlir::OwningOpRef<mlir::ModuleOp> parseStep(llvm::SourceMgr &sources, const ParseOptions &options, mlir::ModuleOp model,
                                            Diagnostics &diagnostics);

} // namespace plc::language

#endif
