//===- NumericsPipeline.h - model to numerics -------------------*- C++ -*-===//
#ifndef PLC_ALGEBRA_ENTRIES_NUMERICSPIPELINE_H
#define PLC_ALGEBRA_ENTRIES_NUMERICSPIPELINE_H

#include "plc/Support/Precisions.h"
#include "plc/Support/ProgramKind.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
}

namespace plc::algebra {

/// One phase of the pipeline (docs/architecture.md): the name that `--emit` takes, and a function that adds the passes.
struct Phase {
  std::string name;
  std::function<void(mlir::OpPassManager &)> addPasses;
};

/// A program of a model and everything that affects its numbers. All other keys of a strategy belong to the plan.
struct ProgramNumbers {
  ProgramKind entry = ProgramKind::train;
  std::vector<std::string> outputs; // of `infer`: names, `grad(NAME)` among them; empty: all
  Precision compute = Precision::F32;
  int64_t microBatches = 1;
  int64_t batches = 1;             // batches that a training step accumulates
  int64_t groups = 1;              // accumulation groups of the micro-batches
  std::vector<std::string> shards; // sizes that are divided: NAME=SHARDS
};

/// The phases after `ein` up to `numerics`, in order. The compiler and the interpreter share them, so their programs
/// are equal.
std::vector<Phase> phasesToNumerics(const ProgramNumbers &numbers);

} // namespace plc::algebra

#endif
