//===- EinLoop.td - iterations that carry values --------------------------------===//
#ifndef PLC_EIN_LOOP
#define PLC_EIN_LOOP

include "dialects/Ein/EinDialect.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ein_LoopOp : Ein_Op<"loop", [Pure, IsolatedFromAbove, AttrSizedOperandSegments]> {
  let summary = "iterations of one body, each of which reads what the one before gave";
  let description = [{
    Runs the body in `iterations` iterations. Its arguments, in order:

    - the *carries*: `init` in the first iteration, then the carries that the previous one returned;
    - for each of `slices`, its element at the iteration's number along axis 0;
    - `invariants`, the same in each iteration.

    The body returns the next carries, then *elements*. The loop's results are the carries after the last iteration,
    then the elements of all iterations along a new axis 0. Iterations count from 0; with `reverse` the last one
    runs first, so that the results of a loop are read backward. Made by the language for a `repeat` of equal
    iterations, and as the adjoint of another loop.

    An example, from `test/Dialect/Ein/loop.mlir`:

    ```mlir
    %last, %all = ein.loop iterations 5 carries(%h) slices(%x) with(%w) : (tensor<4xf32>, tensor<5x4xf32>, tensor<4x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
    ^bb0(%carry: tensor<4xf32>, %slice: tensor<4xf32>, %weight: tensor<4x4xf32>):
      %y = ein.contract "b,ba->a" %carry, %weight : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
      %next = ein.map add "a,a->a" %slice, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ein.return %next, %next : tensor<4xf32>, tensor<4xf32>
    }
    ```

    (C1) The body is one block, ended by `ein.return`; there is at least one iteration.
    (C2) Axis 0 of slices and of results that hold elements has the extent `iterations` and is no batch axis.
    (C3) The body's arguments have the types of `init`, of the slices' elements and of `invariants`.
    (C4) The body's results have the types of the carries, then of the elements of the results.
  }];
  let arguments = (ins Variadic<Ein_Tensor>:$init, Variadic<Ein_Tensor>:$slices, Variadic<Ein_Tensor>:$invariants,
                       Ein_Count:$iterations, UnitAttr:$reverse);
  let results = (outs Variadic<Ein_Tensor>:$results);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    `iterations` $iterations (`reverse` $reverse^)? `carries` `(` $init `)` `slices` `(` $slices `)`
    `with` `(` $invariants `)`
    attr-dict-with-keyword `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getNumCarries() { return getInit().size(); }
    ::mlir::Block &getIteration() { return getBody().front(); }
    ::mlir::Operation *getEnd() { return getIteration().getTerminator(); }
    /// Arguments of the body.
    ::llvm::ArrayRef<::mlir::BlockArgument> getCarries() {
      return getIteration().getArguments().take_front(getInit().size());
    }
    ::llvm::ArrayRef<::mlir::BlockArgument> getParts() {
      return getIteration().getArguments().slice(getInit().size(), getSlices().size());
    }
    ::llvm::ArrayRef<::mlir::BlockArgument> getShared() {
      return getIteration().getArguments().take_back(getInvariants().size());
    }
    /// What the body gives.
    ::mlir::OperandRange getNextCarries() { return getEnd()->getOperands().take_front(getInit().size()); }
    ::mlir::OperandRange getElements() { return getEnd()->getOperands().drop_front(getInit().size()); }
    ::mlir::ResultRange getLastCarries() { return getResults().take_front(getInit().size()); }
    ::mlir::ResultRange getStacked() { return getResults().drop_front(getInit().size()); }
  }];
}

#endif
