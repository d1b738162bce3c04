//===- Lowering.h - a parsed model through its phases -----------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_LOWERING_H
#define PLC_LIB_DRIVER_LOWERING_H

#include "plc/Driver/Phases.h"
#include "plc/Strategy/Strategy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <vector>

namespace mlir {
class TimingScope;
}

namespace plc::driver {

/// Lowers programs of a model by a strategy. Errors go to `errors`, and their exit code is kept.
class Lowering {
public:
  /// `sources` are those that the model was parsed from; `timed` is what `--mlir-timing` measures, or null where nobody
  /// watches: then the options that print IR mean nothing.
  Lowering(mlir::ModuleOp model, const strategy::Strategy &strategy, llvm::SourceMgr &sources, mlir::TimingScope *timed,
           llvm::raw_ostream &errors)
      : model(model), strategy(strategy), sources(sources), timed(timed), errors(errors) {}

  /// The model lowered through the phases up to `last`, all if it is empty; null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> lower(const Program &program, llvm::StringRef last);
  /// The model lowered through all phases; sets the numerics key if it is empty.
  mlir::OwningOpRef<mlir::ModuleOp> lower(const Program &program, std::string &numericsKey);
  /// A model with kernels lowered through the phases behind them up to `last`, recomputing what its budget asks for.
  mlir::OwningOpRef<mlir::ModuleOp> plan(mlir::OwningOpRef<mlir::ModuleOp> module, const Program &program,
                                         llvm::StringRef last);

  /// The exit code of the last error.
  int exitCode() const { return code; }

private:
  bool runPhases(mlir::ModuleOp module, llvm::ArrayRef<Phase> phases, const Program &program,
                 llvm::raw_ostream &errors);
  /// By how many bytes each rank's arena is above the budget, or below it if less than nothing; none after an error.
  std::optional<std::vector<int64_t>> missingBytes(mlir::ModuleOp module, Program program, llvm::raw_ostream &errors);
  /// Sets in the program what recomputation needs to know so that arenas keep the budget: that it is not needed, the
  /// bytes to reserve, or the largest fraction. False after an error.
  bool fitBudget(mlir::ModuleOp module, Program &program);
  bool fitReserve(mlir::ModuleOp module, Program &program);
  bool fitFraction(mlir::ModuleOp module, Program &program);

  mlir::ModuleOp model;
  const strategy::Strategy &strategy;
  llvm::SourceMgr &sources;
  mlir::TimingScope *timed;
  llvm::raw_ostream &errors;
  int code = 0;
  std::vector<std::unique_ptr<mlir::PassManager>> pipelines; ///< that were timed
};

} // namespace plc::driver

#endif
