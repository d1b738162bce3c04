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
    Made by `--form-kernels`; compiled once, whatever the number of its calls; no later phase splits or merges one.
    The last `num_accumulators` arguments are accumulators (see `ein.contract`): each is updated in place and is the
    same memory as the result of its position from the end. `kind` is the shape of its iteration; `by` names the code
    that computes it, chosen by rates, which code generation obeys: so `ns` is the time of what runs. Every operand is
    row-major, whoever computes. The cost of a call: `flops`, `bytes` read and written, `ns` on one thread as the rates
    predict. Without `by` a kernel can be planned, not compiled. The accumulator of a kernel that `updates` is a state of the
    program (see `plan.input`), which is never vacant.

    A kernel of kind `loop` holds one `ein.loop`, whose turns call kernels, and these kernels, which are its own symbols:
    nothing outside sees them, so that all that plans takes it for one unit. What its turns need besides operands lies in
    its last result, `scratch`, an `ein.iota` that nobody reads: the bytes are planned as all others.

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
    (C4) Its arguments and results are tensors of 1 to 2^48 elements, of a chosen precision; what it holds are equations
    of the `ein` dialect.
    (C5) `by` computes kernels of this `kind`.
    (C6) One that `updates` has one accumulator and one result.
    (C7) Of kind `loop` it has no accumulators and holds one `ein.loop`, in whose body are calls alone; what that gives are
    results of these calls, each one carry and one element at most. No other kernel holds a loop or kernels.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       Plan_KernelKindAttr:$kind, OptionalAttr<Plan_ImplementationAttr>:$by,
                       DefaultValuedAttr<Plan_Natural, "0">:$num_accumulators, UnitAttr:$updates,
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
    /// The result in which its turns keep values; null if they keep none.
    ::mlir::Value getScratch();
  }];
}

def Plan_CloneAttr : AttrDef<Plan_Dialect, "Clone"> {
  let mnemonic = "clone";
  let summary = "which call a clone repeats";
  let description = [{
    `original` is the place of a call among those of its stage's F, `id` the clone's own number in its program. Ids
    differ, so no two clones are equal operations and none is merged with another or with its original. Example:
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

    A call of F may `discard` results, by number: the decision of `--plan-partition` that they are not kept for B and W but
    computed again there. Calls of B and W say which calls of F run `again` before them, by their places in F, in order;
    one of them runs several times if it is named several times. A call that has `recompute` is a *clone*, made by `--plan-remat`: it computes again what a call of F computed, of the
    same kernel on the same values, each of which is kept or a clone's. `--plan-verify` proves that. A run that keeps
    (see `plan.run`) leaves it out.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    %b = plan.call @f(%x) path "layer.0" : (tensor<4xf32>) -> tensor<4xf32>
    ```

    (C1) The kernel is a `plan.kernel`; argument and result types are its types.
    (C2) A clone stands in a task B or W.
    (C3) What a call discards are results of it, ascending; it stands in a task F.
    (C4) Calls run again before a call of a task B or W, which is no clone.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Plan_Tensor>:$args,
                       DefaultValuedAttr<StrAttr, "\"\"">:$path, OptionalAttr<Plan_CloneAttr>:$recompute,
                       OptionalAttr<DenseI64ArrayAttr>:$discard, OptionalAttr<DenseI64ArrayAttr>:$again);
  let results = (outs Variadic<Plan_Tensor>:$results);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kernel `(` $args `)` (`path` $path^)? (`recompute` $recompute^)? (`discard` $discard^)? (`again` $again^)? attr-dict
    `:` functional-type($args, $results)
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
