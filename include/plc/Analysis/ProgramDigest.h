//===- ProgramDigest.h - a hash of what a program computes ------*- C++ -*-===//
#ifndef PLC_ANALYSIS_PROGRAMDIGEST_H
#define PLC_ANALYSIS_PROGRAMDIGEST_H

#include "plc/Dialect/Plan/Plan.h"

#include <string>

namespace plc::analysis {

/// A hash of the equations that compute a program's outputs and gradients, as 32 hexadecimal digits. `program` is an
/// `ein.model` or a `plan.program`.
///
/// The hash of a value is one of its operation and of the hashes of its operands, down to inputs, parameters and
/// gradient sites. Bodies and kernels are entered at every call. So the hash does not change when equations are grouped
/// in kernels, calls are placed in stages, values are routed, or calls are repeated for recomputation. It changes with
/// any function, map, extent, order of a sum, constant or type on the way to a result.
///
/// Iterations of loops are identified by their numbers: it makes no difference whether an iteration reads what the
/// iteration of that number of another loop made, or makes it again. A copy under the same indices, and a view that
/// another one undoes, change no bit and do not count.
///
/// The hash includes names, types and batch axes of inputs and outputs, the cut of the batch, the parameters with their
/// initial values, and the contribution that each site receives. Time: linear in the equations of all calls.
std::string digestOf(mlir::Operation *program);

/// Checks that a program has the recorded digest; fails with a diagnostic if not.
mlir::LogicalResult verifyDigest(plan::NumericsOp recorded);

} // namespace plc::analysis

#endif
