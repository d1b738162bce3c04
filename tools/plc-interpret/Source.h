//===- Source.h - a model to interpret --------------------------*- C++ -*-===//
#ifndef PLC_TOOLS_INTERPRET_SOURCE_H
#define PLC_TOOLS_INTERPRET_SOURCE_H

#include "Settings.h"

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Support/ProgramKind.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace plc::interpret {

/// The parsed file. A `.ein` model is lowered to a numerics program for each entry, by the phases that the compiler
/// uses. IR runs as it is.
class Source {
public:
  /// Parses the file. Throws `runtime::Error`; its text is empty if diagnostics were printed.
  Source(const runtime::ModelRequest &request, const Settings &settings);

  mlir::ModuleOp getModule() { return *module; }
  /// The model; every source has exactly one.
  ein::ModelOp getModel() { return *module->getOps<ein::ModelOp>().begin(); }
  /// Whether the file is a `.ein` model.
  bool isRules() const { return rules; }
  bool hasLoss();

  /// The program of a kind with these outputs (empty: all). `entryOnly`: only its first phase, which fixes arguments
  /// and results, with the shapes of the whole batch.
  mlir::OwningOpRef<mlir::ModuleOp> lower(ProgramKind kind, const std::vector<std::string> &outputs,
                                          bool entryOnly = false);

private:
  void parseRules(const runtime::ModelRequest &request);
  void parseIR(const std::string &file);
  mlir::LogicalResult describeUnknownOp(mlir::Diagnostic &error);

  Settings settings;
  bool rules = false;
  llvm::SourceMgr sources;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module, step; // `step`: the model of several batches, if a step has them
};

} // namespace plc::interpret

#endif
