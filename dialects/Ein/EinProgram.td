//===- EinProgram.td - parameters, bodies, models, calls ------------------===//
#ifndef PLC_EIN_PROGRAM
#define PLC_EIN_PROGRAM

include "dialects/Ein/EinDialect.td"
include "dialects/Ein/EinNames.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ein_ParamOp : Ein_Op<"param", [Symbol]> {
  let summary = "a parameter and its initial distribution";
  let description = [{
    The symbol is the parameter's path (`attention.3.wq`). Initial values are a function of (seed, path, element).
    `frozen` parameters have no gradient; a step of training changes them if they are
    `replaced` (`ein.next`). `sizes` are the names that the model gives to the axes' extents, empty where it
    gives none; `--ein-shard` divides parameters by them, and removes them. It sets `shard` (`#ein.shard`) on each
    shard. With `slice` the shard has one position of its axis, and lacks the axis (`--ein-slice-parameters`). Ranks do
    not share the slices of a layer, as they share other shards. `moments` has, for each tensor that the optimizer keeps
    beside the parameter, the axes of the parameter that this tensor has; without it, the optimizer keeps as many as
    `plan-partition` says, each of all axes. `workspace` is the bytes that its update needs beside them, for rules on
    whole tensors. They see a parameter with `rows` as a matrix, whose rows its first `rows` axes count.

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    ein.param @embed.wte : tensor<256x8x!ein.real> init normal(0.02, 0.0) sizes ["V", "D"]
    ```

    (C1) A parameter of other elements than real, f32 and f64 is frozen, and not replaced. A replaced one is frozen.
    (C2) `sizes` has a name for each axis.
    (C3) With `shard` the symbol is its text, and its axis is one of the type's, or with `slice` of the type's and one
    more. A `slice` has a `shard`.
    (C4) `moments` has axes of the type, each tensor's ascending.
    (C5) `rows` is positive, and leaves axes for the columns.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Ein_ParamTensor>:$type, Ein_InitializerAttr:$init,
                       F64Attr:$a, F64Attr:$b, UnitAttr:$frozen, UnitAttr:$replaced,
                       OptionalAttr<StrArrayAttr>:$sizes,
                       OptionalAttr<Ein_Shard>:$shard, UnitAttr:$slice, OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "lists of axes">>:$moments,
                       OptionalAttr<I64Attr>:$workspace, OptionalAttr<I64Attr>:$rows);
  let assemblyFormat = [{
    $sym_name `:` $type `init` $init `(` $a `,` $b `)` (`frozen` $frozen^)? (`replaced` $replaced^)?
    (`sizes` $sizes^)? `` custom<Shard>($shard) (`slice` $slice^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The path of the whole parameter.
    ::llvm::StringRef getWhole() { return getShard() ? getShard()->getWhole() : getSymName(); }
    /// The type, for a slice with its axis, of extent 1.
    ::mlir::RankedTensorType getShardType();
    /// The shape of the whole parameter.
    ::llvm::SmallVector<int64_t> getWholeShape();
    /// Axes of the whole, as a slice without `axis` numbers them.
    static ::llvm::SmallVector<int64_t> axesOfSlice(::llvm::ArrayRef<int64_t> axes, int64_t axis);
    /// The shard that ranks may share a layer by; null for a slice.
    ::plc::ein::ShardAttr getSharedShard() { return getSlice() ? ::plc::ein::ShardAttr() : getShardAttr(); }
  }];
}

def Ein_StateOp : Ein_Op<"state", [Symbol]> {
  let summary = "a tensor that a model keeps from run to run";
  let description = [{
    The symbol is the state's path (`attention.3.k`). The model has an argument `#ein.state<PATH>`, the value before a
    run, and a result of that name, the value after it. Before the first run of a sequence each element is `init`. Each
    shard that `--ein-shard` makes is a state of its own, with `shard`.

    An example, from `test/Dialect/Ein/put.mlir`:

    ```mlir
    ein.state @attention.0.k init 0.0
    ```

    (C1) No model of the module has an output `loss`.
    (C2) With `shard` the symbol is its text.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, F64Attr:$init, OptionalAttr<Ein_Shard>:$shard,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name `init` $init `` custom<Shard>($shard) attr-dict";
  let hasVerifier = 1;
}

class Ein_FunctionLike<string mnemonic> : Ein_Op<mnemonic, [FunctionOpInterface, IsolatedFromAbove]> {
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  code functionMethods = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Ein_FuncOp : Ein_FunctionLike<"func"> {
  let summary = "a body, shared by every call of it";
  let description = [{
    One per layer body and role. Arguments, in order: data, `num_params` parameters, `num_accumulators` accumulators
    (vacant or holding a value, see `ein.contract`). Results: data, then the accumulated values. `kind` is the
    layer's kind. A source body has no `role`. Differentiation gives roles: F (forward with saved activations), B
    (input gradients), W (parameter gradients), or "sum" of two contributions to a gradient, a B that may run where
    they are made. Default values are not printed.

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    ein.func @equations(%tok: tensor<2x3xi32>, %wte: tensor<256x8x!ein.real>) -> tensor<2x3x!ein.real> attributes {kind = "demo", num_params = 1 : i64} {
      ...
    }
    ```

    (C1) It has one block, ended by `ein.return`, whose operands have the result types.
    (C2) Accumulators are the last arguments and have the types of the last results.
    (C3) The counts fit the signature.
    (C4) Arguments and results are tensors with extents above 0 and elements real, f16, bf16, f32, f64, i8, ui8,
    i32, i64 or i1.
    (C5) `role` is one of these words.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       DefaultValuedAttr<StrAttr, "\"\"">:$kind, OptionalAttr<Ein_BodyRoleAttr>:$role,
                       DefaultValuedAttr<Ein_Count, "0">:$num_params,
                       DefaultValuedAttr<Ein_Count, "0">:$num_accumulators);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let extraClassDeclaration = functionMethods # [{
    /// Number of arguments that are neither parameters nor accumulators.
    int64_t getNumData() { return getFunctionType().getNumInputs() - getNumParams() - getNumAccumulators(); }
    /// Number of results that are not accumulated values.
    int64_t getNumDataResults() { return getFunctionType().getNumResults() - getNumAccumulators(); }
  }];
}

def Ein_ModelOp : Ein_FunctionLike<"model"> {
  let summary = "the program of one batch, later of one micro-batch";
  let description = [{
    `batch` is the number of samples of a batch (0: the model has no batch axis). `arg_batch` and `result_batch`
    give the batch axis of each argument and result, or -1. A result of -2 is the sum over samples, which it has
    along axis 0.

    `micro_batches` is 0 until `--ein-micro-batch`, which counts them and marks the axis of each type that runs
    along the batch (`#ein.batch`); the program is still that of the whole batch. `--ein-cut-batch` makes types
    those of one micro-batch; the program then runs once per micro-batch, in order.

    If `micro_batches` does not divide `batch`, the first batch mod micro_batches micro-batches have `ragged` =
    ceil(batch / micro_batches) samples and the others one less. Types of a cut program are then those of the first,
    and keep their marks. Else `ragged` is 0 and no type of a cut program has a mark.

    A gradient is summed over the samples in `accumulation_groups`, runs of equally many micro-batches in their
    order; then the groups are added in order. Without the attribute there is one group. Results of -1 and -2 are
    summed over micro-batches or samples in order, reals in f64, rounded once.

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    ein.model @m(%tok: tensor<2x3xi32>) -> tensor<2x3x!ein.real> attributes {
        arg_names = ["tok"], result_names = ["y"], arg_batch = array<i64: 0>, result_batch = array<i64: 0>, batch = 2 : i64} {
      %y = ein.call @equations(%tok) params [@embed.wte] path "embed" : (tensor<2x3xi32>) -> tensor<2x3x!ein.real>
      ein.return %y : tensor<2x3x!ein.real>
    }
    ```

    (C1) It has one block, ended by `ein.return`, whose operands have the result types.
    (C2) There is a name and a batch axis for each argument and result; names are unique. A plain name has no
    parenthesis.
    (C3) `batch` is 0 or at least `micro_batches`. Before the cut, arguments and results have `#ein.batch` and all
    samples along the batch, and `ragged` is 0. After it, if `micro_batches` does not divide `batch`, `ragged` is
    their quotient, rounded up, and arguments and results have this extent and `#ein.batch` along the batch. Else
    `ragged` is 0, and no argument and no result has `#ein.batch`.
    (C4) As `ein.func`.
    (C5) A result `#ein.state<PATH>` has an argument of that name, type and batch axis, and the module has an
    `ein.state` of that path. A state that is an argument alone keeps its value.
    (C6) `accumulation_groups` is at least 2, and divides `micro_batches`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       Ein_Names:$arg_names, Ein_Names:$result_names,
                       DenseI64ArrayAttr:$arg_batch, DenseI64ArrayAttr:$result_batch,
                       DefaultValuedAttr<Ein_Count, "0">:$batch, DefaultValuedAttr<Ein_Count, "0">:$micro_batches,
                       DefaultValuedAttr<Ein_Count, "0">:$ragged, OptionalAttr<Ein_Count>:$accumulation_groups);
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                                 "::mlir::ArrayAttr":$arg_names, "::mlir::ArrayAttr":$result_names,
                                 "::llvm::ArrayRef<int64_t>":$arg_batch, "::llvm::ArrayRef<int64_t>":$result_batch,
                                 "int64_t":$batch)>];
  let extraClassDeclaration = functionMethods;
}

def Ein_ReturnOp : Ein_Op<"return", [Terminator, ReturnLike, Pure]> {
  let summary = "the results of a body, of a model or of an iteration";
  let description = [{
    Its operands have the result types of the function that it ends (see `ein.func`, C1), or those of a loop's body (see
    `ein.loop`, C4).

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    ein.return %q : tensor<2x3x!ein.real>
    ```
  }];
  let arguments = (ins Variadic<Ein_Tensor>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

def Ein_CallOp : Ein_Op<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                                 DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one instance of a body";
  let description = [{
    Applies `callee` to `args`, the parameters `params` and, for a W body, the accumulators of the parameters
    `accumulates` (one gradient *site* per call and position). `path` is the instance's path, the same on the F, B and
    W calls of one instance. Results are the callee's data results. `iteration` numbers the iterations of the
    model's innermost `repeat`s in program order; calls outside have none. Recomputation counts layers by it.

    A call that accumulates writes its sites. Any other has no effect, and is dead if nothing uses its results.

    An example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    %y = ein.call @equations(%tok) params [@embed.wte] path "embed" : (tensor<2x3xi32>) -> tensor<2x3x!ein.real>
    ```

    (C1) The callee is an `ein.func`; argument and result types are its data types.
    (C2) `params` and `accumulates` name `ein.param`s with the types of the callee's arguments, in their number.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Ein_Tensor>:$args,
                       DefaultValuedAttr<Ein_Symbols, "{}">:$params,
                       DefaultValuedAttr<Ein_Symbols, "{}">:$accumulates, StrAttr:$path,
                       OptionalAttr<Ein_Count>:$iteration);
  let results = (outs Variadic<Ein_Tensor>:$results);
  let assemblyFormat = [{
    $callee `(` $args `)` (`params` $params^)? (`accumulates` $accumulates^)? `path` $path (`iteration` $iteration^)?
    attr-dict `:` functional-type($args, $results)
  }];
}

#endif
