//===- Lowering.h - lower a parsed model by a strategy ----------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_LOWERING_H
#define PLC_LIB_DRIVER_LOWERING_H

#include "plc/Driver/Phases.h"
#include "plc/Language/Errors/PassErrors.h"
#include "plc/Strategy/Strategy.h"
#include "plc/Support/PhaseKind.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace mlir {
class TimingScope;
}

namespace plc::driver {

/// A model as its programs have it. Training accumulates several batches, so `ofStep` has the extents of all their
/// samples.
struct Models {
  mlir::ModuleOp ofBatch, ofStep;

  mlir::ModuleOp of(ProgramKind kind) const { return kind == ProgramKind::train ? ofStep : ofBatch; }
};

/// Lowers programs of a model by a strategy. Errors go to `errors`; their exit code is kept.
class Lowering {
public:
  /// `sources` are those of the models, for locations. `timed` is the scope of `--mlir-timing`; null for trial plans,
  /// which print no IR either. The models have the phases up to `done` behind them.
  Lowering(const Models &models, const strategy::Strategy &strategy, llvm::SourceMgr &sources, mlir::TimingScope *timed,
           llvm::raw_ostream &errors, PhaseKind done = PhaseKind::ein)
      : models(models), strategy(strategy), sources(sources), timed(timed), errors(errors), done(done) {}

  /// Lowers the model through the phases up to `last`, all if it is empty. Null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> lower(const Program &program, llvm::StringRef last);
  /// Lowers the model through all phases, and sets the numerics key if it is empty. Null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> lower(const Program &program, std::string &numericsKey);
  /// Lowers a model that has kernels already through the phases behind them, up to `last`. Null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> plan(mlir::OwningOpRef<mlir::ModuleOp> module, const Program &program,
                                         llvm::StringRef last);

  /// The exit code of the last error.
  int exitCode() const { return code; }

private:
  bool isDone(const Phase &phase) const { return parseChoice<PhaseKind>(phase.name) <= done; }
  bool runPhases(mlir::ModuleOp module, llvm::ArrayRef<Phase> phases, const Program &program,
                 llvm::raw_ostream &errors);
  bool runPasses(mlir::ModuleOp module, llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
                 const Program &program, llvm::raw_ostream &errors);
  /// Whether the IR verifies; reports errors.
  bool isValid(mlir::ModuleOp module);
  const Models models;
  const strategy::Strategy &strategy;
  llvm::SourceMgr &sources;
  mlir::TimingScope *timed;
  llvm::raw_ostream &errors;
  const PhaseKind done;
  int code = 0;
  std::vector<std::unique_ptr<mlir::PassManager>> pipelines; ///< that were timed, kept alive
};

/// Notes for an error about a byte budget: which program needs more, and what would help it.
language::PassErrors::Hint hintOf(const Program &program, const strategy::Strategy &strategy);

/// The last phase of the numerics program: behind it no equation changes.
inline constexpr llvm::StringLiteral lastOfNumerics = "numerics";
/// The last phase whose result is the same under every plan of a program.
inline constexpr llvm::StringLiteral lastOfModel = "kernels";

/// The phases behind `first` up to `last`, all if that is empty.
llvm::ArrayRef<Phase> phasesBetween(llvm::ArrayRef<Phase> phases, llvm::StringRef first, llvm::StringRef last);

} // namespace plc::driver

#endif
