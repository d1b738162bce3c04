//===- Key.h - the hash of a program's numerics -----------------*- C++ -*-===//
#ifndef PLC_NUMERICS_KEY_H
#define PLC_NUMERICS_KEY_H

#include <string>

namespace mlir {
class ModuleOp;
class Operation;
} // namespace mlir

namespace plc::ein {
class ModelOp;
}

namespace plc::numerics {

/// The numerics key: the SHA-256 of the program as printed after `--ein-fix-numerics`, without locations, as 64
/// lower-case hexadecimal digits. It covers model, sizes, accumulation groups and precision, and nothing of a plan; the
/// number of micro-batches only if a sum depends on it.
std::string numericsKey(mlir::ModuleOp module);

/// The first sum over the samples that depends on the cut, in a program of the whole batch. The model itself if its
/// accumulation groups depend on it; null if any cut gives the same bits.
mlir::Operation *findDependenceOnCut(ein::ModelOp model);

} // namespace plc::numerics

#endif
