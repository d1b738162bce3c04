//===- Implementations.h - which code can compute a contraction -*- C++ -*-===//
#ifndef PLC_ANALYSIS_IMPLEMENTATIONS_H
#define PLC_ANALYSIS_IMPLEMENTATIONS_H

#include "plc/Dialect/Plan/Plan.h"

namespace plc::plan {

/// Why an implementation of kind 'contract' cannot compute a binary contraction with an order; null if it can. The text
/// ends a sentence whose subject is the contraction. Sizes play no part: `--form-kernels` decides what is worth its
/// code.
const char *misfit(Implementation by, ein::ContractOp op);

/// The contraction of a kernel of kind 'contract'; null if it has none, or several.
ein::ContractOp contractionOf(KernelOp kernel);

} // namespace plc::plan

#endif
