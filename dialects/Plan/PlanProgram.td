//===- PlanProgram.td - programs, stages, tasks, routes --------------------===//
#ifndef PLC_PLAN_PROGRAM
#define PLC_PLAN_PROGRAM

include "dialects/Plan/PlanDialect.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_Role : I32EnumAttr<"Role", "what a task computes", [
    I32EnumAttrCase<"F", 0>, // results and saved activations
    I32EnumAttrCase<"B", 1>, // gradients of inputs
    I32EnumAttrCase<"W", 2>, // gradients of parameters
    I32EnumAttrCase<"P", 3>  // precomputed values, the same in all runs
  ]> {
  let cppNamespace = "::plc::plan";
  let genSpecializedAttr = 0;
}
def Plan_RoleAttr : Plan_WordAttr<Plan_Role, "role">;

def Plan_Per : I32EnumAttr<"Per", "how often a route carries a value",
    [I32EnumAttrCase<"micro_batch", 0>, I32EnumAttrCase<"step", 1>]> {
  let cppNamespace = "::plc::plan";
  let genSpecializedAttr = 0;
}
def Plan_PerAttr : Plan_WordAttr<Plan_Per, "per">;

def Plan_ProgramOp : Plan_Op<"program", [Symbol, SymbolTable, NoTerminator, SingleBlock, NoRegionArguments,
                                         IsolatedFromAbove,
                                         Plan_HoldsOnly<["LayerOp", "StageOp", "RouteOp", "ChannelOp", "RankOp"]>,
                                         DeclareOpInterfaceMethods<RegionKindInterface>]> {
  let summary = "one entry of a module: how its model runs";
  let description = [{
    Made by `--plan-partition` from an `ein.model` of the same name. Holds stages, then routes, then ranks as the
    planning passes add them. Its region is a graph: stages use each other's results both ways, until
    `--plan-infer-skips` gives each such value a route.

    Inputs and outputs have names as in the model (`dialects/Ein/EinNames.td`). `arg_types` and `result_types` are
    those of one micro-batch, `arg_batch` and `result_batch` the batch axis, or -1. In memory micro-batches are stored
    one behind the other, whichever axis it is. Decisions of the passes, beside a lower bound each:

    - `cut_ns`: the time of the slowest rank for one micro-batch. Cuts are between layer calls or, if the program
      `cuts_kernels`, between kernels.
    - `step_ns`: the predicted time of the step in the order called `schedule`.
    - `kept_bytes` and `recompute_ns`: by the policy `remat` the calls of F discard values that B and W recompute. A
      micro-batch keeps `kept_bytes` for them, of which `kept_bound_bytes` could not be discarded. It recomputes for
      `recompute_ns`; no choice that keeps as little takes less than `recompute_bound_ns`. If the program
      `keeps_last`, its last micro-batch recomputes nothing.

    The optimizer keeps `moments` tensors beside each trained parameter, and with `averages` the moving average of its
    value. If `micro_batches` does not divide `batch`,
    types are those of the larger micro-batches. `#ein.batch` then marks, also in types of kernels, the axis that
    has fewer elements in the others (see `ein.model`). `accumulation_groups` is the number of runs of micro-batches
    that are summed by themselves: each gradient site has an accumulator for each.

    The stages are a pipeline, of which there are `replicas`. Replica r runs the r-th range of micro-batches, which
    is whole groups, on ranks of its own, behind those of the replicas before. Up to `--plan-replicate` the program
    holds the first replica alone, then all.

    If sizes of the model are divided (`--ein-shard`), `shards` ranks share a stage of the pipeline. It is then
    several stages, one behind the other, on ranks `shards` * r up to `shards` * (r + 1) - 1. With one shard a
    pipeline stage may also be several, one behind the other on its rank, so that gradients of one leave while
    others run. `pipeline` has the pipeline stage of each stage of the first replica; without it each stage is one.

    Test: `test/Dialect/Plan/program.mlir`.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.program @p attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
                                result_names = ["y"], result_types = [tensor<4xf32>], result_batch = array<i64: -1>,
                                batch = 0 : i64, micro_batches = 1 : i64} {
      ...
    }
    ```

    (C1) There is a name, a type and a batch axis for each input and output; types are tensors, of 1 to 2^48 elements;
    the axis is -1 or one of the tensor's; names are unique, and plain names have no parenthesis.
    (C2) `batch` is 0 or at least `micro_batches`, which `accumulation_groups` divides. If `micro_batches` does not
    divide `batch`, inputs and outputs have their quotient, rounded up, and `#ein.batch` along the batch; else none has
    `#ein.batch`.
    (C3) Stages have ranks from 0, none left out.
    (C4) No bound exceeds its answer.
    (C5) Clones have ids of their own.
    (C6) No value is its own: results of stages and routes between stages of one rank lead to the call that makes it.
    (C7) Each route has one `plan.stash` and one `plan.pop`.
    (C8) `replicas` divides `accumulation_groups`. Stages are of the first replica, or of all of them. Then each
    replica has as many stages on as many ranks, in the same order and on the same ranks relative to its own first one.
    (C9) `shards` divides the ranks of a replica; unless it is 1 there is a `pipeline`, with an entry for each stage
    of a replica. The first is 0, each other equals the one before or is larger by one, and equal ones are on ranks
    of one group.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       Plan_Names:$arg_names, TypeArrayAttr:$arg_types, DenseI64ArrayAttr:$arg_batch,
                       Plan_Names:$result_names, TypeArrayAttr:$result_types, DenseI64ArrayAttr:$result_batch,
                       Plan_Natural:$batch, Plan_Positive:$micro_batches,
                       OptionalAttr<Plan_Natural>:$cut_ns, OptionalAttr<Plan_Natural>:$cut_bound_ns,
                       OptionalAttr<Plan_ScheduleAttr>:$schedule,
                       OptionalAttr<Plan_Natural>:$step_ns, OptionalAttr<Plan_Natural>:$step_bound_ns,
                       OptionalAttr<Plan_RematAttr>:$remat, UnitAttr:$keeps_last, UnitAttr:$cuts_kernels,
                       OptionalAttr<Plan_Natural>:$kept_bytes, OptionalAttr<Plan_Natural>:$kept_bound_bytes,
                       OptionalAttr<Plan_Natural>:$recompute_ns, OptionalAttr<Plan_Natural>:$recompute_bound_ns,
                       DefaultValuedAttr<Plan_Natural, "2">:$moments, UnitAttr:$averages,
                       DefaultValuedAttr<Plan_Positive, "1">:$accumulation_groups,
                       DefaultValuedAttr<Plan_Positive, "1">:$replicas, DefaultValuedAttr<Plan_Positive, "1">:$shards,
                       OptionalAttr<DenseI64ArrayAttr>:$pipeline);
  let regions = (region SizedRegion<1>:$body);
  // A program of the model's name, inputs, outputs and batch, without decisions.
  let builders = [OpBuilder<(ins "::plc::ein::ModelOp":$model)>];
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral contents = "layers, stages, routes, channels and ranks";
    /// Number of ranks that its stages name.
    int64_t getNumRanks();
    /// Whether it holds the stages of all replicas, not of the first alone.
    bool isReplicated();
    /// Ranks of one replica: of those that it holds now if it is replicated, else all.
    int64_t getRanksOfReplica() { return isReplicated() ? getNumRanks() / int64_t(getReplicas()) : getNumRanks(); }
    /// Micro-batches that each replica runs, and the first one of a replica.
    int64_t getRunsOfReplica() { return int64_t(getMicroBatches()) / int64_t(getReplicas()); }
    int64_t getFirstRun(int64_t replica) { return replica * getRunsOfReplica(); }
    /// Whether it holds gradients of parameters, and so a step.
    bool isTraining();
    ::plc::ein::MicroBatches getCut() {
      return {int64_t(getBatch()), int64_t(getMicroBatches()), int64_t(getAccumulationGroups())};
    }
  }];
}

def Plan_LayerOp : Plan_Op<"layer", [HasParent<"ProgramOp">]> {
  let summary = "an instance that belongs to a layer";
  let description = [{
    Recomputation is chosen by layers: the iterations of the model's `repeat`s, or each layer call where nothing
    repeats, counted from 0 in program order. Made by `--plan-partition`, in program order, for the instances of
    layers and for the loose equations between two layers. These have no `kind` and belong to the layer before them.
    Instances that are not listed (an embedding, a head) belong to no layer and are never recomputed.

    An example, from `test/Dialect/Plan/recompute.mlir`:

    ```mlir
    plan.layer "f.0" of 0 kind "f"
    ```

    (C1) A path is listed once; layers count from 0, each equal to the one before it or one more.
  }];
  let arguments = (ins StrAttr:$path, Plan_Natural:$layer, DefaultValuedAttr<StrAttr, "\"\"">:$kind);
  let assemblyFormat = "$path `of` $layer (`kind` $kind^)? attr-dict";
}

def Plan_StageOp : Plan_Op<"stage", [SingleBlock, NoRegionArguments, HasParent<"ProgramOp">,
                                     Plan_HoldsOnly<["ParamOp", "SiteOp", "InputOp", "PopOp", "TaskOp", "CheckpointOp",
                                                     "OutputOp", "StashOp", "YieldOp"]>]> {
  let summary = "the calls of a program between two cuts";
  let description = [{
    Holds, in order: handles (`plan.param`, `plan.site`, `plan.input`, `plan.pop`), at most one `plan.task` per
    role, in the order P, F, B, W, then `plan.output` and `plan.stash`; `plan.checkpoint`s come behind F. Results
    are the values that other stages use. After `--plan-infer-skips` there are none, and no value of another stage
    is used. `layers` counts its layer calls, or kernels where cuts are between these. `ns` is its time for one
    micro-batch, with the tensors that it receives. It belongs to one `replica`. It has no `Symbol` trait, which
    forbids results, but is looked up by name.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.stage @s0 rank 0 {
      ...
    }
    ```

    (C1) It ends with `plan.yield` of its result types.
    (C2) At most one task of each role, in the order P, F, B, W.
    (C3) With routes in the program, it has no results and uses no value from outside.
    (C4) If it has checkpoints, B and W use no other results of F.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Plan_Natural:$rank,
                       DefaultValuedAttr<Plan_Natural, "0">:$layers, DefaultValuedAttr<Plan_Natural, "0">:$ns,
                       DefaultValuedAttr<Plan_Natural, "0">:$replica);
  let results = (outs Variadic<Plan_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `rank` $rank attr-dict-with-keyword (`:` type($results)^)? $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral contents = "handles, tasks, checkpoints, outputs and stashes";
    /// The task of a role, or null.
    TaskOp getTask(Role role);
  }];
}

def Plan_TaskOp : Plan_Op<"task", [SingleBlock, NoRegionArguments, HasParent<"StageOp">,
                                   Plan_HoldsOnly<["CallOp", "YieldOp"]>]> {
  let summary = "the calls that a stage runs at once: F, B or W for one micro-batch, or P for all";
  let description = [{
    A list of `plan.call`s, in order. The task B of a stage without W may hold W's calls too: the full backward. A
    task uses handles of its stage and results of the tasks before it; its results are the values that others use.

    P precomputes values that are the same for all micro-batches and runs: it depends on no input, and on no
    parameter that a step changes. A rank runs it first, and again only when parameters have been replaced. Each of
    its results has a persistent buffer (`plan.buffer precomputed`), where the stage's other tasks read it.

    Its *slots* are the memory that a run of it is given. They are the values that its calls read or write, in the
    order in which they occur (operands before results), as `RouteTable` of `plc/Analysis/RouteTable.h` resolves
    them. Parameters, gradient sites and results of P are no slots: they have one buffer per rank.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    %a = plan.task F : tensor<4xf32> {
      %b = plan.call @f(%x) path "layer.0" : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield %b : tensor<4xf32>
    }
    ```

    (C1) It ends with `plan.yield` of its result types.
    (C2) P reads parameters and its own values. Each of its results is made by one of its calls, and only calls of the
    stage's other tasks use it.
  }];
  let arguments = (ins Plan_RoleAttr:$role);
  let results = (outs Variadic<Plan_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$role attr-dict-with-keyword (`:` type($results)^)? $body";
  let hasVerifier = 1;
  let extraClassDeclaration = "static constexpr ::llvm::StringLiteral contents = \"calls\";";
}

def Plan_CheckpointOp : Plan_Op<"checkpoint", [HasParent<"StageOp">]> {
  let summary = "a value that is saved from F to B and W";
  let description = [{
    Made by `--plan-remat` in stages whose F discards values. A value that F makes and backward tasks need is either
    named here, and lives until then, or recomputed by clones from such values.

    An example, from `test/Dialect/Plan/recompute.mlir`:

    ```mlir
    plan.checkpoint %a : tensor<4xf32>
    ```

    (C1) The value is a result of the stage's F.
  }];
  let arguments = (ins Plan_Tensor:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

class Plan_Handle<string mnemonic, list<Trait> traits = []>
    : Plan_Op<mnemonic, [Pure, HasParent<"StageOp">] # traits> {
  let results = (outs Plan_Tensor:$result);
}

def Plan_ParamOp : Plan_Handle<"param", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a parameter, on the stage's rank";
  let description = [{
    The `owned` copy is on the stage that uses the parameter first, in one of the replicas. There its gradient sites are
    added and the step is taken. Other ranks hold copies. `moments`, `workspace` and `frozen` are those of its
    `ein.param`. Beside a frozen parameter the optimizer keeps nothing.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    %w = plan.param @w owned : tensor<4xf32>
    ```

    (C1) The module has an `ein.param` of this name and type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$param, UnitAttr:$owned, UnitAttr:$frozen,
                       OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "lists of axes">>:$moments,
                       OptionalAttr<I64Attr>:$workspace);
  let assemblyFormat = "$param (`owned` $owned^)? (`frozen` $frozen^)? attr-dict `:` type($result)";
}

def Plan_SiteOp : Plan_Handle<"site", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "an accumulator of a parameter's gradient";
  let description = [{
    One per use of the parameter in a W body. `index` counts a parameter's sites in the program order of the forward
    calls. Each of the program's accumulation groups has an accumulator: micro-batch i adds to that of its group.
    The step adds all sites of the first group, by their indices, then those of the second, and so on. The handle
    has the accumulators of `groups` of them, from `group` on. A site is vacant at the start of each step.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    %g = plan.site @w 0 : tensor<4xf32>
    ```

    (C1) The module has an `ein.param` of this name and type.
    (C2) Its groups, `groups` from `group` on, are some of the program's.
  }];
  let arguments = (ins FlatSymbolRefAttr:$param, Plan_Natural:$index, DefaultValuedAttr<Plan_Natural, "0">:$group,
                       DefaultValuedAttr<Plan_Positive, "1">:$groups);
  let assemblyFormat = "$param $index (`group` $group^)? (`groups` $groups^)? attr-dict `:` type($result)";
}

def Plan_InputOp : Plan_Handle<"input"> {
  let summary = "a micro-batch's slice of an input of the program";
  let description = [{
    The slice of micro-batch i is in the input's buffer, behind those of the micro-batches before. An input
    `#ein.state<PATH>` is a state: its buffer keeps from run to run the values that a kernel that `updates` has
    written, which are the output of its name.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    %x = plan.input "x" : tensor<4xf32>
    ```

    (C1) The program has an input of this name and type.
  }];
  let arguments = (ins Plan_Name:$input);
  let assemblyFormat = "custom<Name>($input) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Plan_OutputOp : Plan_Op<"output", [HasParent<"StageOp">]> {
  let summary = "a micro-batch's slice of an output of the program";
  let description = [{
    The value is in the output's buffer.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.output "y", %b : tensor<4xf32>
    ```

    (C1) The program has an output of this name and type.
  }];
  let arguments = (ins Plan_Name:$output, Plan_Tensor:$value);
  let assemblyFormat = "custom<Name>($output) `,` $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Plan_RouteOp : Plan_Op<"route", [Symbol, HasParent<"ProgramOp">,
                                     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a value's transfer from the stage that makes it to one that uses it";
  let description = [{
    Direct, never through the stages between; any number of uses inside the destination. Made by
    `--plan-infer-skips` in the order (source, destination, position of the value in the source). `per step` routes
    carry a tied parameter's gradient site to its owner before the step, or its new value back after. `carries`
    names the value for people. Of a site a route carries `groups` accumulators. Between stages of one rank it moves
    a handle, and gets no channel.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.route @r0 from @s0 to @s1 per micro_batch carries "layer.0" : tensor<4xf32>
    ```

    (C1) Source and destination are different stages of the program.
    (C2) A route with more than one of `groups` is per step.
    (C3) A route per micro-batch stays in one replica.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, FlatSymbolRefAttr:$source,
                       FlatSymbolRefAttr:$destination, Plan_PerAttr:$per, StrAttr:$carries,
                       TypeAttrOf<Plan_Tensor>:$type, DefaultValuedAttr<Plan_Positive, "1">:$groups);
  let assemblyFormat = [{
    $sym_name `from` $source `to` $destination `per` $per `carries` $carries (`groups` $groups^)? attr-dict `:` $type
  }];
}

def Plan_StashOp : Plan_Op<"stash", [HasParent<"StageOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the source's end of a route";
  let description = [{
    Hands the value over: by memory on the same rank, else by a message.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    plan.stash @r0, %a : tensor<4xf32>
    ```

    (C1) The route starts in this stage and has the value's type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$route, Plan_Tensor:$value);
  let assemblyFormat = "$route `,` $value attr-dict `:` type($value)";
}

def Plan_PopOp : Plan_Op<"pop", [HasParent<"StageOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the destination's end of a route";
  let description = [{
    The value that was stashed. A per-step route lands `into` a parameter or gradient site of this rank.

    An example, from `test/Dialect/Plan/program.mlir`:

    ```mlir
    %a = plan.pop @r0 : tensor<4xf32>
    ```

    (C1) The route ends in this stage and has the result's type.
    (C2) Exactly per-step routes have `into`, a `plan.param` or `plan.site`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$route, Optional<Plan_Tensor>:$into);
  let results = (outs Plan_Tensor:$result);
  let assemblyFormat = "$route (`into` $into^ `:` type($into))? attr-dict `:` type($result)";
}

#endif
