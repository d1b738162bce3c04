//===- Implementations.h - which code can compute a contraction -*- C++ -*-===//
#ifndef PLC_ANALYSIS_IMPLEMENTATIONS_H
#define PLC_ANALYSIS_IMPLEMENTATIONS_H

#include "plc/Dialect/Plan/Plan.h"

namespace plc::plan {

/// Why an implementation of kind 'contract' cannot compute a binary contraction with an order, as the end of a sentence
/// that begins with the contraction; null if it can. Sizes play no part: what is worth its code, `--form-kernels` asks.
const char *misfit(Implementation by, ein::ContractOp op);

/// The contraction of a kernel of kind 'contract'; null if it has none, or several.
ein::ContractOp contractionOf(KernelOp kernel);

} // namespace plc::plan

#endif
