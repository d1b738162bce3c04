//===- Source.h - a model to interpret, from .ein or IR ---------*- C++ -*-===//
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

/// The parsed file. A `.ein` model is lowered to its numerics program for each entry; IR is run as it stands.
class Source {
public:
  /// Parses; throws runtime::Error (with an empty text where diagnostics have been printed).
  Source(const runtime::ModelRequest &request, const Settings &settings);

  mlir::ModuleOp getModule() { return *module; }
  /// The model op; every source has exactly one.
  ein::ModelOp getModel() { return *module->getOps<ein::ModelOp>().begin(); }
  bool isRules() const { return rules; }
  bool hasLoss();

  /// A program with these outputs (empty: all), `entryOnly`: its first
  /// phase alone, which settles arguments and results, with the shapes of the whole batch.
  mlir::OwningOpRef<mlir::ModuleOp> lower(ProgramKind kind, const std::vector<std::string> &outputs,
                                          bool entryOnly = false);

private:
  void parseRules(const runtime::ModelRequest &request);
  void parseIR(const std::string &file);
  mlir::LogicalResult tellUnknown(mlir::Diagnostic &error);

  Settings settings;
  bool rules = false;
  llvm::SourceMgr sources;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module, step; // the latter of several batches, if a step has them
};

} // namespace plc::interpret

#endif
