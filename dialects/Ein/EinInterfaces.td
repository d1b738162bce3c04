//===- EinInterfaces.td - what all equations have in common ---------------===//
#ifndef PLC_EIN_INTERFACES
#define PLC_EIN_INTERFACES

include "mlir/IR/OpBase.td"

def Ein_EquationInterface : OpInterface<"Equation"> {
  let cppNamespace = "::plc::ein";
  let description = [{
    An operation over one iteration domain. It has the `extents` of the domain and `maps` from it: one for each
    operand of `inputs` in order, the last for the result. Each result of a map is a dimension of the domain, or a
    symbol of the one map that reads positions (see `ein.gather`). An equation may add to an `accumulator` (see
    `ein.contract`).

    It prints with subscripts: `ein.contract "ab,bc->ac" %x, %w : ..`. A letter is a dimension; in alphabetical
    order, small letters first, letters are the dimensions of the domain, slowest first. `i=ab` names the positions
    that an operand holds at `ab`; the table is indexed by that name: `ein.gather "ib,i=a->ab" %table, %positions :
    ..`. Extents are those of the types. Maps that letters cannot express, or of more than 52 dimensions, print as
    `over EXTENTS maps MAPS`, which parses wherever subscripts do. Test: `test/Dialect/Ein/subscripts.mlir`.
  }];
  let methods = [
    InterfaceMethod<"extents of the iteration domain", "::llvm::ArrayRef<int64_t>", "getExtents">,
    InterfaceMethod<"maps of the inputs, then of the result", "::mlir::ArrayAttr", "getMaps">,
    InterfaceMethod<"the operands that the maps speak of", "::mlir::OperandRange", "getInputs">,
    InterfaceMethod<"sets the extents of the iteration domain", "void", "setExtents",
                    (ins "::llvm::ArrayRef<int64_t>":$extents)>,
    InterfaceMethod<"sets the maps of the inputs and of the result", "void", "setMapsAttr",
                    (ins "::mlir::ArrayAttr":$maps)>,
    InterfaceMethod<"whether the equation may add to an accumulator", "bool", "canAccumulate", (ins), "",
                    "return false;">,
    InterfaceMethod<"what the equation adds to, or null", "::mlir::Value", "getAccumulator", (ins), "", "return {};">,
    InterfaceMethod<"makes the equation, which can accumulate, add to a value", "void", "accumulateInto",
                    (ins "::mlir::Value":$accumulator), "",
                    [{ ::llvm::llvm_unreachable_internal("this equation does not accumulate"); }]>
  ];
  let extraSharedClassDeclaration = [{
    /// Number of dimensions of the domain.
    unsigned getNumDims() { return $_op.getExtents().size(); }
    /// Map of one input; behind the last input, of the result.
    ::mlir::AffineMap getInputMap(unsigned index) {
      return ::llvm::cast<::mlir::AffineMapAttr>($_op.getMaps()[index]).getValue();
    }
    /// Map of the result.
    ::mlir::AffineMap getResultMap() { return getInputMap($_op.getMaps().size() - 1); }
    /// Sets all maps, or one by its place among them.
    void setMaps(::llvm::ArrayRef<::mlir::AffineMap> maps) {
      $_op.setMapsAttr(::mlir::Builder($_op->getContext()).getAffineMapArrayAttr(maps));
    }
    void setMap(unsigned index, ::mlir::AffineMap map) {
      ::llvm::SmallVector<::mlir::Attribute> maps($_op.getMaps().getValue());
      maps[index] = ::mlir::AffineMapAttr::get(map);
      $_op.setMapsAttr(::mlir::ArrayAttr::get($_op->getContext(), maps));
    }
    /// Dimensions that the result's map misses, ascending: those over which the equation reduces.
    ::llvm::SmallVector<int64_t> getReducedDims() {
      ::llvm::SmallVector<int64_t> dims;
      for (unsigned dim = 0; dim < getNumDims(); ++dim)
        if (!getResultMap().isFunctionOfDim(dim))
          dims.push_back(dim);
      return dims;
    }
  }];
}

#endif
