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

/// The numerics key: SHA-256, as 64 lower-case hexadecimal digits, of the printed program after
/// `--ein-fix-numerics`, without locations. It holds model, sizes, lanes and precision, and nothing of a plan; the number of
/// micro-batches where a sum depends on it.
std::string numericsKey(mlir::ModuleOp module);

/// In a program of the whole batch, the first sum over the samples that depends on how they are cut, or the model itself where its
/// lanes do; null if the bits are those of any cut.
mlir::Operation *findDependenceOnCut(ein::ModelOp model);

} // namespace plc::numerics

#endif
