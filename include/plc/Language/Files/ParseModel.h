//===- ParseModel.h - from .ein source to the ein dialect -------*- C++ -*-===//
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
  /// `-D NAME=SIZE`, in order; a later one wins. Replaces the value of a `dim` of the file, or of one that it uses.
  std::vector<std::pair<std::string, int64_t>> overrides;
  /// Name of the model to compile; empty: the only one of the file.
  std::string entry;
  /// Values of rules that become further results of the model, `PATH.NAME`: `attention.3.p`, and `MODEL.NAME`.
  std::vector<std::string> exposed;
  /// How the text of a file that `use` names is read; empty: from the disk.
  std::function<llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>(llvm::StringRef path)> readFile = {};
  /// The size that `batch` names is so many times as large as the file says, or -D: a step of several batches.
  int64_t batches = 1;
};

/// Parses the main file of `sources` (its first buffer) and gives one `ein.model` with its bodies and
/// parameters; null if there is an error, all of which are then in `diagnostics`. Files that it uses are
/// added to `sources`, so that places in them stay valid as long as it lives. Loads the dialects that it needs.
mlir::OwningOpRef<mlir::ModuleOp> parseModel(llvm::SourceMgr &sources, mlir::MLIRContext &context,
                                             const ParseOptions &options, Diagnostics &diagnostics);

/// The model as a training step of `options.batches` batches has it, where it is `model` for one batch; null if there is an error,
/// one of which is a parameter that depends on the size of the batch. Of warnings `model` has told.
mlir::OwningOpRef<mlir::ModuleOp> parseStep(llvm::SourceMgr &sources, const ParseOptions &options, mlir::ModuleOp model,
                                            Diagnostics &diagnostics);

} // namespace plc::language

#endif
