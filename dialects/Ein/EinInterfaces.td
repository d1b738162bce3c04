//===- EinInterfaces.td - what all equations have in common ---------------===//
#ifndef PLC_EIN_INTERFACES
#define PLC_EIN_INTERFACES

include "mlir/IR/OpBase.td"

def Ein_EquationInterface : OpInterface<"Equation"> {
  let cppNamespace = "::plc::ein";
  let description = [{
    An operation over one iteration domain: `extents` of the domain, `maps` from it, one per operand of `inputs` in
    order, the last for the result. Maps have one dimension (or symbol, see `ein.gather`) per result expression.
  }];
  let methods = [
    InterfaceMethod<"extents of the iteration domain", "::llvm::ArrayRef<int64_t>", "getExtents">,
    InterfaceMethod<"maps of the inputs, then of the result", "::mlir::ArrayAttr", "getMaps">,
    InterfaceMethod<"the operands that the maps speak of", "::mlir::OperandRange", "getInputs">
  ];
  let extraSharedClassDeclaration = [{
    /// Map of one input.
    ::mlir::AffineMap getInputMap(unsigned index) {
      return ::llvm::cast<::mlir::AffineMapAttr>($_op.getMaps()[index]).getValue();
    }
    /// Map of the result.
    ::mlir::AffineMap getResultMap() { return getInputMap($_op.getMaps().size() - 1); }
  }];
}

#endif
