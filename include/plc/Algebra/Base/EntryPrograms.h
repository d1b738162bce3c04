//===- EntryPrograms.h - the programs that a module of a model holds --*- C++ -*-===//
#ifndef PLC_ALGEBRA_BASE_ENTRYPROGRAMS_H
#define PLC_ALGEBRA_BASE_ENTRYPROGRAMS_H

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Support/ProgramKind.h"

#include <string>
#include <vector>

namespace plc::algebra {

/// One program of a model that can be run by name.
struct Entry {
  ProgramKind program = ProgramKind::infer;
  std::vector<std::string> outputs; // of infer, see plc/Support/ResultName.h; empty: all of the model

  /// "train", "infer", "infer.logits", "infer.logits+grad(x)".
  std::string name() const;
};

/// Whether the model has an output 'loss', which training and evaluation need.
bool hasLoss(ein::ModelOp model);

/// The entries of a module, in order: `train` (if asked for) and `eval` of a model with a loss, `infer` for all
/// outputs, `infer` for each output alone where there are several, and last one for the `asked` outputs, unless they
/// are there already. The compiler and the interpreter offer the same ones.
std::vector<Entry> entriesOf(ein::ModelOp model, bool trains, const std::vector<std::string> &asked);

} // namespace plc::algebra

#endif
