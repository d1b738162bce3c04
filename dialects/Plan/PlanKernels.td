//===- PlanKernels.td - units of code and their calls ----------------------===//
#ifndef PLC_PLAN_KERNELS
#define PLC_PLAN_KERNELS

include "dialects/Plan/PlanDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_KernelOp : Plan_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, SymbolTable]> {
  let summary = "a group of equations that is one unit of code, bytes, cutting and recomputation";
  let description = [{
    Made by `--form-kernels` and compiled once, whatever the number of its calls. No later phase splits or merges
    kernels. The last `num_accumulators` arguments are accumulators (see `ein.contract`). Each is updated in place
    and has the memory of the result at its position from the end.

    `kind` is the shape of the iteration. `by` names the implementation, chosen by rates; code generation obeys it,
    so `ns` is the time of the code that runs. Without `by` a kernel can be planned, not compiled. Every operand is
    row-major. The cost of a call is `flops`, `bytes` read and written, and `ns` on one thread as the rates predict.
    The accumulator of a kernel that `updates` is a state of the program (see `plan.input`), which is never vacant.
    A result of a kernel that runs `in_place` may have the memory of an argument of its shape: each element of the
    arguments is read before that of a result is written.

    A kernel of kind `loop` holds one `ein.loop`, whose iterations call kernels, and these kernels as its own
    symbols. Nothing outside sees them, so planning takes it for one unit. Its last result, `scratch`, holds the
    values that iterations need beside operands. It is an `ein.iota` that nothing reads: the bytes are planned like
    all others.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>, ns = 10 : i64} {
      %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield %y : tensor<4xf32>
    }
    ```

    (C1) It has one block, ended by `plan.yield`, whose operands have the result types.
    (C2) Accumulators are the last arguments and have the types of the last results.
    (C3) Counts fit the signature.
    (C4) Its arguments and results are tensors of 1 to 2^48 elements, of a chosen precision; its body holds equations
    of the `ein` dialect.
    (C5) `by` computes kernels of this `kind`.
    (C6) One that `updates` has one accumulator and one result.
    (C7) A kernel of kind `loop` has no accumulators and holds one `ein.loop`, whose body has calls alone. The body
    returns results of these calls, each as one carry and one element at most. No other kernel holds a loop or
    kernels.
    (C8) A kernel that runs `in_place` is `elementwise`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       Plan_KernelKindAttr:$kind, OptionalAttr<Plan_ImplementationAttr>:$by,
                       DefaultValuedAttr<Plan_Natural, "0">:$num_accumulators, UnitAttr:$updates,
                       UnitAttr:$in_place,
                       DefaultValuedAttr<Plan_Natural, "0">:$flops, DefaultValuedAttr<Plan_Natural, "0">:$bytes,
                       DefaultValuedAttr<Plan_Natural, "0">:$ns);
  let regions = (region AnyRegion:$body);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type, "KernelKind":$kind)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Number of arguments that are not accumulators.
    int64_t getNumInputs() { return getFunctionType().getNumInputs() - getNumAccumulators(); }
    /// Of a kernel of kind `loop`.
    ::plc::ein::LoopOp getLoop() { return *getBody().getOps<::plc::ein::LoopOp>().begin(); }
    /// The result in which its iterations keep values; null if they keep none.
    ::mlir::Value getScratch();
  }];
}

def Plan_CloneAttr : AttrDef<Plan_Dialect, "Clone"> {
  let mnemonic = "clone";
  let summary = "the call that a clone recomputes";
  let description = [{
    `original` is the index of a call among those of its stage's F, `id` the clone's own number in its program. Ids
    differ, so no two clones are equal operations, and none is merged with another or with its original. Example:
    `#plan.clone<3, 0>`.
  }];
  let parameters = (ins "int64_t":$original, "int64_t":$id);
  let assemblyFormat = "`<` $original `,` $id `>`";
}

def Plan_CallOp : Plan_Op<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one execution of a kernel";
  let description = [{
    Applies `kernel` to `args`: its inputs, then its accumulators. A result of an accumulator is the accumulator's
    memory after the call. `path` is the instance whose body holds the call; it is empty in an `ein.func`, which
    instances share, and set where `--plan-partition` inlines the bodies.

    A call of F may `discard` results, by number: `--plan-partition` decides that they are not saved for B and W,
    but recomputed there. Calls of B and W list in `again` the calls of F that run again before them, by index in F
    and in order. A call listed several times runs several times.

    A call with `recompute` is a *clone*, made by `--plan-remat`. It recomputes a call of F, with the same kernel on
    the same values, each of which is saved or a clone's. `--plan-verify` proves that. A run that keeps (see
    `plan.run`) leaves clones out.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    %b = plan.call @f(%x) path "layer.0" : (tensor<4xf32>) -> tensor<4xf32>
    ```

    (C1) The kernel is a `plan.kernel`; argument and result types are its types.
    (C2) A clone is in a task B or W.
    (C3) A call discards results of its own, in ascending order; it is in a task F.
    (C4) Only calls of a task B or W that are no clones have calls that run again.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Plan_Tensor>:$args,
                       DefaultValuedAttr<StrAttr, "\"\"">:$path, OptionalAttr<Plan_CloneAttr>:$recompute,
                       OptionalAttr<DenseI64ArrayAttr>:$discard, OptionalAttr<DenseI64ArrayAttr>:$again);
  let results = (outs Variadic<Plan_Tensor>:$results);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kernel `(` $args `)` (`path` $path^)? (`recompute` $recompute^)? (`discard` $discard^)? (`again` $again^)?
    attr-dict `:` functional-type($args, $results)
  }];
}

def Plan_YieldOp : Plan_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "the results of a kernel, task or stage";
  let description = [{
    Its operands have the result types of the operation that it ends (see `plan.kernel`, C1).

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.yield %y : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Plan_Tensor>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

#endif
