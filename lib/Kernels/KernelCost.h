//===- KernelCost.h - the cost model of a kernel ----------------*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_KERNELCOST_H
#define PLC_LIB_KERNELS_KERNELCOST_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Support/Rates.h"

namespace plc::kernels {

/// The work of one call of a kernel on one thread. It is the same on every machine, so that plans do not depend on
/// where they are made.
struct KernelWork {
  int64_t flops = 0; ///< two per fused multiply-add, one per other operation
  int64_t bytes = 0; ///< of its operands, each once
  PerRate amounts;   ///< in the units of the rates of f32: f64 work, twice as slow, counts twice
};

/// The work of a kernel that has its body and its implementation (`by`).
KernelWork workOf(plan::KernelOp kernel);

/// The work of a call of a kernel of kind `loop`: the sum over the calls of all iterations.
struct IterationsWork {
  int64_t flops = 0, bytes = 0, ns = 0;
};
/// nullopt beyond any machine: more than 2^48 operations, bytes or nanoseconds.
std::optional<IterationsWork> workOfIterations(plan::KernelOp kernel);

/// Nanoseconds of a call: the sum of arithmetic, bytes and the call itself. Over the kernels of transformers, measured,
/// the sum errs less than the maximum of arithmetic and memory. On idle cores of an Intel CPU with AVX-512 the kernels
/// of a step are predicted at 1.01 of their time, with a median error of 12 % (bench/kernel_times.py).
double nsOf(const PerRate &amounts, const PerRate &rates);

/// Whether a map's function costs more than reading a value: divisions, and functions such as exp.
bool isCostly(mlir::Operation *op);

/// Nanoseconds of a map's or a cast's arithmetic at `points` points, at least a vector of them; 0 for other equations.
double mapNs(mlir::Operation *op, int64_t points, const PerRate &rates);

/// Nanoseconds to keep a value in memory: a kernel of its own writes it, another reads it.
double storedNs(mlir::Value value, const PerRate &rates);

/// Nanoseconds of a contraction's arithmetic by an implementation that can compute it.
double contractionNs(ein::ContractOp op, plan::Implementation by, const PerRate &rates);

} // namespace plc::kernels

#endif
