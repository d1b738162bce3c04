//===- DivideBody.h - the equations of a body in shards ---------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_SHARD_DIVIDEBODY_H
#define PLC_LIB_ALGEBRA_SHARD_DIVIDEBODY_H

#include "Divided.h"

namespace plc::algebra {

/// The outcome of dividing a body.
struct DividedBody {
  /// The axes along which the results are in shards.
  Axes results;
  llvm::SmallVector<unsigned>
      wholes; ///< data arguments that are needed whole; if there are any, the caller tries again without them
};

/// Divides a body whose arguments are in `parts` shards along `axes`. Each such argument becomes its shards, and so
/// does each result that has shards. Fails, with an error, if a parameter is needed whole; `call` names the parameters.
mlir::FailureOr<DividedBody> divideBody(ein::FuncOp body, ein::CallOp call, const Axes &axes, int64_t shards);

} // namespace plc::algebra

#endif
