//===- Passes.td - from kernels to a proven plan ---------------------------===//
#ifndef PLC_PLANNING_PASSES
#define PLC_PLANNING_PASSES

include "mlir/Pass/PassBase.td"

def PlanChoose : Pass<"plan-choose", "::mlir::ModuleOp"> {
  let summary = "add the plan that the next passes shall make of a model";
  let description = [{
    **Before:** `ein.model`s of calls, whose bodies hold `plan.call`s (`--form-kernels`).

    **After:** the same, and the `plan.spec` whose text is `spec`, behind the first model. plc-compile writes that
    text when it has chosen a plan, so the printed pipeline makes the same plan without a search.

    **Does not** check that the model has the units and calls that the spec names (`--plan-partition` does).

    Test: `test/Planning/Partition/choose.mlir`.
  }];
  let options = [Option<"spec", "spec", "std::string", "", "a 'plan.spec' as text">,
                 Option<"savesAll", "saves-all", "bool", "false", "leave out what the spec recomputes">];
  let dependentDialects = ["::plc::plan::PlanDialect"];
}

def PlanPartition : Pass<"plan-partition", "::mlir::ModuleOp"> {
  let summary = "cut each model into stages";
  let description = [{
    **Before:** `ein.model`s of calls, whose bodies hold `plan.call`s (`--form-kernels`).

    **After:** a `plan.program` of the same name for each model. It has a `plan.stage` for each stage, and in it a
    task for each role, with bodies inlined. Every kernel call of F is in exactly one stage, B and W are with their F.
    Models and bodies are gone.

    **Does not** order tasks, copy values or choose kernels.

    *Cuts.* They fall between layer calls. Two layer calls that exchange values keep their order. A loose call, whose
    body has no `kind`, goes with the layer call before it. The sum of two contributions to a gradient goes with their
    makers if one stage has both, else with the call that made the value.

    Cuts make the slowest rank fast for one micro-batch, in program order (`cutUnits` of `plc/Search/Search.h`).
    `balance` sets them instead. With `cut-grain=equation` they fall between kernel calls of F. Each call of B and W
    then goes with a forward call that it is the adjoint of, as far as that is known.

    *Ranks.* Each stage gets a rank of its own, or that of `place`.

    *Models that follow another.* A model that `follows` may have other layer calls than the one for which the stages
    were chosen. If it has fewer than `stages`, it gets a stage for each, on ranks 0, 1, ... A `balance` of another
    sum is ignored.

    *Recomputation.* This pass decides it, by `policy`. Calls of F `discard` the results that `--plan-remat` shall
    recompute. A call of B or W lists in `again` the calls of F that shall run before it.

    Layers (see `plan.layer`) count from 0. A checkpoint is a layer whose input is saved. The layers from a checkpoint
    up to the next one are recomputed from there; those before the first one are not.

    - `uniform`: a checkpoint every `interval` layers, or every `min-interval` if that is more.
    - `selective`: the checkpoints are `layers`.
    - `dynamic`: each layer is a checkpoint. Whole layers are saved, deeper ones first, up to `memory-fraction` of the
      bytes that `none` saves.
    - `budget` is refused: what a budget recomputes is in a `plan.spec`.

    Layers of the `keep-kinds` save all that they make, and so do calls outside of layers. With `grain=equation`
    kernel calls are counted instead of layers. A cut starts anew, because a stage has what it receives. With
    `micro-batches=except_last` the program `keeps_last`, with `never` nothing is recomputed.

    *Full backward.* W's calls become calls of B, each unit's behind its own, in two cases. First, where no other rank
    waits for a stage's B: in the first stage of a pipeline, and in all stages of a single rank. There a split W would
    keep all its operands live through B. Second, in stages that recompute, so that what is recomputed for both lives
    for one unit only. In the second case the unit whose B is last in its stage stays split, since W follows it anyway.
    Nothing is joined with `join-backward=false`, or under a schedule that moves W away from its B.

    ```
    plan.task F { %y = plan.call @mul(%x, %w) path "a" discard [0] .. }
    ```

    *Precomputed values.* With `prepare`, calls that read neither inputs nor trained parameters become calls of P, in
    each stage that reads their results. They run once for all micro-batches and runs, and take no time of a step. So
    does a call that reads their results. A call that makes an output stays, and so does one over the batch where
    micro-batches have unequal sizes.

    *Replicas.* With `replicas` the pipeline is the first of so many. Each runs its part of the micro-batches
    (`--plan-replicate`), so that fewer are in flight. A program that keeps states from run to run has one replica.

    *Shards.* With `shards` so many ranks share each stage, where the program has shards of parameters
    (`--ein-shard`). A rank computes what depends on its shards. Whole values are spread so that all ranks take
    equally long. A stage becomes several, cut between kernel calls where values change ranks.

    *Buckets.* In a program that trains on several replicas, each stage is divided into at most `buckets` stages on
    its rank. Their gradients leave for other replicas while earlier layers still run backward. Stages stay whole
    under a policy other than `none`, and where ranks share stages.

    *Specs.* A model that has a `plan.spec` is cut, and recomputes, as that says. Of the options only `cut-grain`,
    `prepare`, `moments`, `averages` and `keep-kinds` matter then.

    Test: `test/Planning/Partition/partition.mlir`, `test/Planning/Remat/remat-modes.mlir`,
    `test/Planning/Remat/remat-errors.mlir`, `test/Planning/Partition/prepare.mlir`.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "1", "number of stages">,
    ListOption<"balance", "balance", "int64_t", "layer calls of each stage, instead of solving">,
    ListOption<"rankMap", "rank-map", "int64_t", "rank of each stage (default: 0, 1, ..)">,
    Option<"cutGrain", "cut-grain", "::plc::planner::Grain", "::plc::planner::Grain::layer",
           "what is cut with: layer calls, or the kernels of their equations">,
    Option<"follows", "follows", "bool", "false",
           "stages and balance are another model's, which may have more layer calls">,
    Option<"schedule", "schedule", "::plc::planner::ScheduleKind", "::plc::planner::ScheduleKind::oneFOneB",
           "order that tells where W may stand, and the ranks of fewer stages">,
    Option<"bytesPerNs", "bytes-per-ns", "int64_t", "8", "bandwidth between stages">,
    Option<"moments", "moments", "int64_t", "2", "tensors that the optimizer keeps beside each trained parameter">,
    Option<"averages", "averages", "bool", "false",
           "the optimizer keeps the moving average of each trained parameter, too">,
    Option<"replicas", "replicas", "int64_t", "1", "pipelines that share the micro-batches">,
    Option<"shards", "shards", "int64_t", "1", "ranks that share a stage, each with its parts of parameters">,
    Option<"buckets", "buckets", "int64_t", "1",
           "parts of a stage whose gradients leave for other replicas one by one, at most">,
    Option<"policy", "policy", "::plc::planner::RematPolicy", "::plc::planner::RematPolicy::none",
           "how it is chosen what is recomputed">,
    Option<"interval", "interval", "int64_t", "2", "uniform: layers from one checkpoint to the next">,
    ListOption<"layers", "layers", "int64_t", "selective: the checkpoints">,
    Option<"memoryFraction", "memory-fraction", "::plc::ExactDouble", "0.3",
           "dynamic: part of the bytes that policy 'none' keeps for the backward pass">,
    ListOption<"keepKinds", "keep-kinds", "std::string", "kinds of layers that keep what they make">,
    Option<"minInterval", "min-interval", "int64_t", "1", "uniform, selective: least distance of checkpoints">,
    Option<"grain", "grain", "::plc::planner::Grain", "::plc::planner::Grain::layer",
           "uniform, selective: what is counted, layer or equation">,
    Option<"microBatches", "micro-batches", "::plc::planner::RecomputingRuns",
           "::plc::planner::RecomputingRuns::always", "which recompute: always, except_last or never">,
    Option<"splits", "splits", "bool", "true", "other tasks run between B and W, under schedules that let them">,
    Option<"joinsBackward", "join-backward", "bool", "true",
           "compute W with B where something is recomputed or nobody waits for B">,
    Option<"prepare", "prepare", "bool", "false", "compute once what is the same for all micro-batches and runs">
  ];
  let dependentDialects = ["::plc::plan::PlanDialect"];
}

def PlanInferSkips : Pass<"plan-infer-skips", "::mlir::ModuleOp"> {
  let summary = "route each value that crosses a cut, directly";
  let description = [{
    **Before:** stages use each other's results.

    **After:** each such value is stashed at its source, and popped once in each stage that uses it. Routes are listed
    by source, destination, and position in the source.

    A tied parameter that another rank owns gets two routes per step: its gradient site goes to the owner, its new
    value comes back. In a program of several replicas `--plan-replicate` makes these.

    Test: `test/Planning/Partition/infer-skips.mlir`.
  }];
}

def PlanSchedule : Pass<"plan-schedule", "::mlir::ModuleOp"> {
  let summary = "order the tasks on each rank";
  let description = [{
    **Before:** stages and routes.

    **After:** a `plan.rank` for each rank. It runs each P of its stages once, and then each other task once per
    micro-batch, each role in index order. B is followed by its W, unless the schedule splits them. A program without
    B and W runs its forward tasks in order under any schedule. The predicted time of a step and a lower bound are
    recorded.

    The order of a `plan.spec` comes before all others, and the spec is removed. With `schedule=file` the order is
    that of a `file` (`plc/Planner/Schedule/ScheduleFile.h`), with `auto` that of the fastest named schedule.

    Test: `test/Planning/Schedule/schedule.mlir`.
  }];
  let options = [
    Option<"schedule", "schedule", "::plc::planner::ScheduleKind", "::plc::planner::ScheduleKind::oneFOneB",
           "which order">,
    Option<"file", "file", "std::string", "", "schedule=file: the order, one row of comma-separated tasks per rank">,
    Option<"bytesPerNs", "bytes-per-ns", "int64_t", "8", "bandwidth between stages">
  ];
}

def PlanReplicate : Pass<"plan-replicate", "::mlir::ModuleOp"> {
  let summary = "make all replicas of a pipeline";
  let description = [{
    **Before:** a program of several `replicas` has the stages, routes and ordered ranks of the first one.

    **After:** it has those of all. Replica r is a copy on ranks of its own, behind those of the replicas before. Its
    runs are of the r-th part of the micro-batches; its stage `s0` is named `s0.r`. A program of one replica stays as
    it is.

    Each parameter is owned by one replica, on the rank that owned it there. The parameters of a rank go one by one,
    those of most bytes first, to the replica that owns the fewest bytes so far. So what the optimizer keeps is
    divided among the replicas (ZeRO-1).

    Each stage's gradient sites have the accumulation groups of its micro-batches. Their routes to the owner, and
    those of the new value back, are made as `--plan-infer-skips` makes them of tied parameters.

    Test: `test/Planning/Partition/replicate.mlir`.
  }];
}

def PlanRemat : Pass<"plan-remat", "::mlir::ModuleOp"> {
  let summary = "compute again what the forward calls discard";
  let description = [{
    **Before:** stages and routes. B and W read F's results, some of which F's calls `discard`.

    **After:** the same values, but discarded ones are recomputed by clones (see `plan.call`), before the calls that
    list them in `again`. `plan.checkpoint`s name what is saved. In a program that `keeps_last`, the runs of the last
    micro-batch `keep`.

    The predicted time of a step is made anew. So are, behind `--plan-schedule`, the bounds of recomputation, because
    the number of micro-batches in flight is then known.

    **Does not** choose what is recomputed (`--plan-partition` does), change an order or a value, or refuse a step
    that does not fit (`--plan-addresses` does).

    ```
    plan.task F { %y = plan.call @mul(%x, %w) path "a" discard [0] .. }
    plan.task B { plan.call @grad(%g, %y, %site) again [0] .. }
    =>
    plan.task B { %z = plan.call @mul(%x, %w) path "a" recompute <0, 0> ..  plan.call @grad(%g, %z, %site) .. }
    ```

    Test: `test/Planning/Remat/remat.mlir`, `test/Planning/Remat/remat-errors.mlir`.
  }];
  let options = [
    Option<"bytesPerNs", "bytes-per-ns", "int64_t", "8", "bandwidth between stages">,
    ListOption<"keepKinds", "keep-kinds", "std::string", "kinds of layers that keep what they make, for the bounds">
  ];
}

def PlanInsertComm : Pass<"plan-insert-comm", "::mlir::ModuleOp"> {
  let summary = "turn routes between ranks into messages";
  let description = [{
    **Before:** ranks with runs alone.

    **After:** a `plan.channel` for each route between two ranks, and on the ranks, around the runs:

    - `post_recv` before the run that precedes the first use, if a slot is free;
    - `wait_recv` before the first use;
    - `send` after the run that makes the value;
    - `wait_send` before the first run that starts, as predicted, after the receive is posted;
    - per-step messages and `step` at the end.

    All of it follows one order of all runs, whatever their true times, so it cannot deadlock.

    Test: `test/Planning/Schedule/insert-comm.mlir`.
  }];
  let options = [
    Option<"maxSlots", "max-slots", "int64_t", "8", "receives of a channel that may be posted at once">,
    Option<"tagLimit", "tag-limit", "int64_t", "2147483647", "largest tag (MPI_TAG_UB)">,
    Option<"bytesPerNs", "bytes-per-ns", "int64_t", "8", "bandwidth between stages">
  ];
}

def PlanAddresses : Pass<"plan-addresses", "::mlir::ModuleOp"> {
  let summary = "give every value of every rank its place";
  let description = [{
    **Before:** complete actions.

    **After:** each rank starts with a `plan.layout` (parameters, gradient sites, moments, inputs and outputs of the
    whole batch). Runs, receives and sends have addresses. A `plan.drop` stands behind the last use of bytes, unless
    they are taken again by then. Sizes are rounded to 64 bytes.

    *Values or blocks.* Up to `most-values` values of all micro-batches and ranks are placed one by one, by their
    lifetimes on the rank's timeline of calls. If there are more, or if that takes fewer bytes, values that the same
    tasks use lie together in blocks. Segments of blocks are placed by their lifetimes on the timeline of actions, and
    a `plan.frame` says where in them each value lies. Temporaries of P take bytes that the step uses later, since P
    runs before it.

    *Open orders.* With `spare` a block of values has its address as many micro-batches earlier, and the temporaries
    of tasks lie apart from all that others use. Without room for that in `memory-limit-bytes`, the pass places as if
    there were no `spare`.

    *Strategies.*

    - `pooled` knows all lifetimes. It places by first fit, in the best of some orders. If that ends above
      `memory-limit-bytes`, a search looks for offsets that end there; for blocks not while plans are tried
      (`measure`).
    - `minimal-peak` searches on by branch and bound where that is above the bound.
    - `standard` gives each value or block a buffer when it begins, and takes it back after the last use, as an
      allocator without foresight would.
    - `cached` and `auto` are as `pooled`. What they precompute is decided before, by `prepare` of `--form-kernels`
      and `--plan-partition`.

    Test: `test/Planning/Addresses/addresses.mlir`.
  }];
  let options = [
    Option<"strategy", "strategy", "::plc::planner::MemoryStrategy", "::plc::planner::MemoryStrategy::pooled",
           "how places are chosen">,
    Option<"mostValues", "most-values", "int64_t", "8192", "values of all ranks that are placed one by one">,
    Option<"memoryLimitBytes", "memory-limit-bytes", "int64_t", "0", "bytes of each rank (0: no limit)">,
    Option<"isMeasured", "measure", "bool", "false", "a rank that takes more than its limit is no error">,
    Option<"spare", "spare", "int64_t", "0",
           "micro-batches whose values have a place before the lists need it, so that other orders are possible, too">
  ];
}

def PlanFreeOrder : Pass<"plan-free-order", "::mlir::ModuleOp"> {
  let summary = "tell which actions of a rank must come after which";
  let description = [{
    **Before:** actions with addresses.

    **After:** each rank says `after`, so that the runtime may take any action that is ready, and every order computes
    the same. An action comes

    - after those that write what it reads, and after those that read what it overwrites;
    - after the start of its own message, and after the same part of the message before it in its channel;
    - if it posts a receive, after the wait that frees its slot.

    Each task runs in index order, so that sums are added in their order. The tasks of a stage and micro-batch run one
    after the other. P comes before all else, and the step behind all that is listed before it. What follows from
    other pairs is left out.

    With `shuffle`, in place of `after`, the actions stand in another order, drawn by that number, in which ranks
    could take them together. `--plan-verify` then proves that one.

    Test: `test/Planning/Proof/free-order.mlir`.
  }];
  let options = [Option<"shuffle", "shuffle", "int64_t", "0", "draws an order by this number (0: none)">];
}

def PlanVerify : Pass<"plan-verify", "::mlir::ModuleOp"> {
  let summary = "prove that the action lists compute the program";
  let description = [{
    Executes the action lists symbolically, and changes nothing. It proves:

    - *Tasks.* Each runs once per micro-batch on its rank, each role in index order. Each P runs once, before all else
      of its rank, and reads no parameter that a step changes.
    - *Messages.* Each is sent once and received once, by equal types, in one order per channel, under a tag of its
      own. No more receives are posted than there are slots. The graph of waits has no cycle. No message is left.
    - *Memory.* Every read finds, byte for byte, the value and micro-batch that the program names. Nothing overwrites
      bytes on their way. Outputs stand at the end. Peaks are inside arenas and limits.
    - *Parameters.* Each rank takes one step, for which ranks wait for each other. Each gradient site is one call's,
      holds all micro-batches at the step, and reaches the one owner of its parameter. Runs read the value of a
      parameter before the step, and every copy has the new one at the end.
    - *Open orders.* Of ranks that say `after`: all of that, in every order that respects it.
    - *Figures.* Times, bytes and bounds that the program and its layouts record are computed again.
    - *Numerics.* If a `plan.numerics` records what the program computed before it was cut, it still computes that.

    Test: `test/Planning/Proof/verify.mlir`, `test/Planning/Proof/verify-errors.test`.
  }];
  let options = [
    Option<"memoryLimitBytes", "memory-limit-bytes", "int64_t", "0", "bytes of each rank (0: no limit)">,
    Option<"bytesPerNs", "bytes-per-ns", "int64_t", "8", "bandwidth between stages">,
    ListOption<"keepKinds", "keep-kinds", "std::string", "kinds of layers that keep what they make, for the bounds">
  ];
}

def PlanPrintRoutes : Pass<"plan-print-routes", "::mlir::ModuleOp"> {
  let summary = "list the routes of each program by source and by destination";
  let description = [{
    Prints to a stream, by default the standard output, and changes nothing: under each stage, in program order, the
    routes that start there; then, under each stage, those that end there. A route's line: its name, the other stage,
    what it carries, bytes, how often.

    Test: `test/Planning/Partition/print-routes.mlir`.
  }];
  let constructor = "::plc::plan::createPlanPrintRoutes()";
}

def PlanSolveInstances : Pass<"plan-solve-instances", "::mlir::ModuleOp"> {
  let summary = "solve planning problems that are written as IR";
  let description = [{
    Before: `plan.pack_instance`, `plan.remat_instance` and `plan.schedule_instance` without
    answers. After: with answers and bounds, by the algorithms that the planning passes use. An answer that stands
    there already is checked, and its bound computed again; a problem that is none, has no answer, or a wrong one is
    an error.

    **After:** with answers and bounds, by the algorithms that the planning passes use.

    An answer that is there already is checked, and its bound is computed again. A `plan.remat_instance` of policy
    `budget` must have an answer, because the search for plans solves those. A malformed problem, one without an
    answer, or a wrong answer is an error.

    Test: `test/Planning/Base/solve-instances.mlir`, `test/Planning/Base/solve-instances-errors.mlir`.
  }];
}

#endif
