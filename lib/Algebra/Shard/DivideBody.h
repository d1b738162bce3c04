//===- DivideBody.h - the equations of a body, in parts ---------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_SHARD_DIVIDEBODY_H
#define PLC_LIB_ALGEBRA_SHARD_DIVIDEBODY_H

#include "Divided.h"

namespace plc::algebra {

struct DividedBody {
  Axes results;
  llvm::SmallVector<unsigned> wholes; ///< data arguments that are needed as wholes; if any, the body is of no use
};

/// Divides a body whose arguments are in so many `parts` along `axes`: each such argument becomes its parts, and so does each
/// result that has parts. Fails with a diagnostic if a parameter, which `call` names, is needed as a whole.
mlir::FailureOr<DividedBody> divideBody(ein::FuncOp body, ein::CallOp call, const Axes &axes, int64_t parts);

} // namespace plc::algebra

#endif
