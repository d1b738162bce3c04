//===- Key.h - the hash of a program's numerics -----------------*- C++ -*-===//
#ifndef PLC_NUMERICS_KEY_H
#define PLC_NUMERICS_KEY_H

#include <string>

namespace mlir {
class ModuleOp;
}

namespace plc::numerics {

/// The numerics key: SHA-256, as 64 lower-case hexadecimal digits, of the printed program after
/// `--ein-fix-numerics`, without locations. It holds model, sizes, micro-batches and precision, and nothing of a plan.
std::string numericsKey(mlir::ModuleOp module);

} // namespace plc::numerics

#endif
