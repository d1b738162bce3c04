//===- ProgramDigest.h - what a program computes, as a hash -----*- C++ -*-===//
#ifndef PLC_ANALYSIS_PROGRAMDIGEST_H
#define PLC_ANALYSIS_PROGRAMDIGEST_H

#include "plc/Dialect/Plan/Plan.h"

#include <string>

namespace plc::analysis {

/// A hash of the equations that a program's outputs and gradients are made by, as 32 hexadecimal digits; `program` is
/// an `ein.model` or a `plan.program`.
///
/// Each value has a hash of the operation that makes it and of the hashes of what that reads, down to inputs, parameters
/// and gradient sites. Bodies and kernels are entered at every call, so the hash is the same before and after equations
/// are grouped in kernels, calls are placed in stages, values are routed between them, and calls are repeated for
/// recomputation. It differs if any function, map, extent, order of a sum, constant or type does on the way to a result.
/// Turns of loops are told apart by their numbers: whether a turn reads what another loop's turn of that number made, or
/// makes it again, is the same.
/// A copy under the same indices and a view that another one undoes change no bit, and do not count.
///
/// It holds the names, types and batch axes of inputs and outputs, the cut of the batch, the parameters with their
/// initial values, and which contribution is added at which site. Time: linear in the equations of all calls.
std::string digestOf(mlir::Operation *program);

/// Whether a program still has the digest that was written down of it; fails with a diagnostic.
mlir::LogicalResult verifyDigest(plan::NumericsOp recorded);

} // namespace plc::analysis

#endif
