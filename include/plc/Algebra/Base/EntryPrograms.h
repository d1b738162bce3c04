//===- EntryPrograms.h - the programs of a model ----------------*- C++ -*-===//
#ifndef PLC_ALGEBRA_BASE_ENTRYPROGRAMS_H
#define PLC_ALGEBRA_BASE_ENTRYPROGRAMS_H

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Support/ProgramKind.h"

#include <string>
#include <vector>

namespace plc::algebra {

/// A program of a model that a caller can run by its name.
struct Entry {
  ProgramKind program = ProgramKind::infer;
  std::vector<std::string> outputs; // for `infer`: result names (plc/Support/ResultName.h); empty: all results

  /// The name in commands and manifests: "train", "infer", "infer.logits", "infer.logits+grad(x)".
  std::string name() const;
};

/// Whether the model has an output `loss`, which training and evaluation need.
bool hasLoss(ein::ModelOp model);

/// The entries of a module, in this order:
/// - `train`, if `trains` and the model has a loss; `eval`, if it has a loss;
/// - `infer` for all outputs; `infer` for each output alone, where there are several;
/// - `infer` for the `asked` outputs, unless an entry has them already.
/// The compiler and the interpreter offer the same entries.
std::vector<Entry> entriesOf(ein::ModelOp model, bool trains, const std::vector<std::string> &asked);

} // namespace plc::algebra

#endif
