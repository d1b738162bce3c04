//===- HoldsOnly.h - which operations a body may hold -----------*- C++ -*-===//
#ifndef PLC_DIALECT_PLAN_HOLDSONLY_H
#define PLC_DIALECT_PLAN_HOLDSONLY_H

#include "mlir/IR/OpDefinition.h"

namespace plc::plan {

/// The trait of an operation whose body is one block of `Ops`, classes of operations or interfaces. The operation's
/// `contents` names them in messages.
template <typename... Ops>
struct HoldsOnly {
  template <typename ConcreteOp>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteOp, Impl> {
  public:
    static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
      for (mlir::Block &block : op->getRegion(0))
        for (mlir::Operation &each : block)
          if (!mlir::isa<Ops...>(each))
            return each.emitOpError("stands in a '")
                   << op->getName().getStringRef() << "', which holds " << ConcreteOp::contents;
      return mlir::success();
    }
  };
};

} // namespace plc::plan

#endif
