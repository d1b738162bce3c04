//===- NumericsPipeline.h - the road from a model to its numerics program -*- C++ -*-===//
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

/// One phase of architecture's road: what `--emit` names, and what adds its passes to a pipeline on a module.
struct Phase {
  std::string name;
  std::function<void(mlir::OpPassManager &)> addPasses;
};

/// A program of a model, and all that changes its numbers; what else a strategy says is the plan's.
struct ProgramNumbers {
  ProgramKind entry = ProgramKind::train;
  std::vector<std::string> outputs; // of infer: names, `grad(NAME)` among them; empty: all
  Precision compute = Precision::F32;
  int64_t microBatches = 1;
  int64_t batches = 1;             // of a training step
  int64_t lanes = 1;               // of the micro-batches
  std::vector<std::string> shards; // sizes that are divided: NAME=PARTS
};

/// The phases after `ein` up to `numerics`, in order. The compiler and the interpreter take this one road.
std::vector<Phase> phasesToNumerics(const ProgramNumbers &numbers);

} // namespace plc::algebra

#endif
