//===- Batch.h - the axis of samples ----------------------------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_TEXT_BATCH_H
#define PLC_LIB_IMPORT_TEXT_BATCH_H

#include "plc/Import/ImportModel.h"

#include "Net/Net.h"

namespace plc::import {

/// The axis that holds the samples of a batch, and the first operator that mixes them.
struct Batch {
  Atom *atom = nullptr; // null: no input has axes
  std::string input;    // "axis 0 of 'x'"
  const NetNode *mixing = nullptr;
  std::string why; // "it sums over samples"
};

/// The axis that `given` names, else axis 0 of the first input that has one. Throws `CannotImport` if `given` names
/// none, or if its samples mix.
Batch findBatch(const Net &net, const std::optional<BatchOption> &given);

} // namespace plc::import

#endif
