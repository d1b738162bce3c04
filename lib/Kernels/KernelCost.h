//===- KernelCost.h - the cost model of a kernel ----------------*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_KERNELCOST_H
#define PLC_LIB_KERNELS_KERNELCOST_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Support/Rates.h"

namespace plc::kernels {

/// What a call of a kernel does on one thread. The same on every machine, so that plans do not depend on where they are
/// made.
struct KernelWork {
  int64_t flops = 0; ///< two per fused multiply-add, one per other operation
  int64_t bytes = 0; ///< of its operands, each once
  PerRate amounts;   ///< in the units of the rates, in f32: what takes twice as long counts twice
};

/// Of a kernel whose body is there and which has someone who computes it.
KernelWork workOf(plan::KernelOp kernel);

/// What a call of a kernel of kind `loop` does: what those of its turns do, all together.
struct TurnsWork {
  int64_t flops = 0, bytes = 0, ns = 0;
};
/// Nothing if it is more than any machine's: 2^48 operations, bytes or nanoseconds.
std::optional<TurnsWork> workOfTurns(plan::KernelOp kernel);

/// Nanoseconds of so much work: of a call the arithmetic of each equation, the bytes once, the call itself. Measured, sums
/// are nearer to what kernels take than the slowest part alone.
double nsOf(const PerRate &amounts, const PerRate &rates);

/// Whether a map's function takes more than a value that is read.
bool isCostly(mlir::Operation *op);

/// Nanoseconds of a map's or a cast's arithmetic at so many points, at least those of a vector; none of other equations.
double mapNs(mlir::Operation *op, int64_t points, const PerRate &rates);

/// Nanoseconds that it takes to have a value in memory, made by a kernel of its own and read by another.
double storedNs(mlir::Value value, const PerRate &rates);

/// Nanoseconds of a contraction's arithmetic, by an implementation of kind 'contract' that can compute it.
double contractionNs(ein::ContractOp op, plan::Implementation by, const PerRate &rates);

} // namespace plc::kernels

#endif
