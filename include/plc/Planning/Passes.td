//===- Passes.td - from kernels to a proven plan ---------------------------===//
#ifndef PLC_PLANNING_PASSES
#define PLC_PLANNING_PASSES

include "mlir/Pass/PassBase.td"

def PlanChoose : Pass<"plan-choose", "::mlir::ModuleOp"> {
  let summary = "add the plan that the next passes shall make of a model";
  let description = [{
    Before: `ein.model`s of calls, whose bodies hold `plan.call`s (`--form-kernels`). After: the same, and for the first
    model the `plan.spec` that `spec` is the text of. plc-compile writes it there when it has chosen a plan, so that the
    printed pipeline makes the same plan without a search.

    Does not: check that the model has the units and calls that the spec names (`--plan-partition` does).
    Test: `test/Planning/choose.mlir`.
  }];
  let options = [Option<"spec", "spec", "std::string", "", "a 'plan.spec' as text">,
                 Option<"savesAll", "saves-all", "bool", "false", "leave out what the spec recomputes">];
  let dependentDialects = ["::plc::plan::PlanDialect"];
}

def PlanPartition : Pass<"plan-partition", "::mlir::ModuleOp"> {
  let summary = "cut each model into stages";
  let description = [{
    Before: `ein.model`s of calls, whose bodies hold `plan.call`s (`--form-kernels`). After: a `plan.program` of the
    same name for each, with a `plan.stage` per cut and in it a task per role, bodies inlined; every kernel call of F
    is in exactly one stage, B and W with their F. Models and bodies are gone.

    Cuts fall between layer calls, two of which that exchange values keep their order; a loose call (its body has no `kind`) goes with the layer call
    before it; a sum of contributions to a gradient goes with what makes both, if one stage does, else with the call that
    made the value. They make the slowest rank fast for one micro-batch (`cutUnits` of
    `plc/Search/Search.h`), in program order; `balance` sets them instead. With `cut-grain=equation` they fall between kernel calls of F,
    and each call of B and W goes with one whose adjoint it is, as far as that can be told. Each
    stage gets a rank of its own, or that of `place`. A model that `follows` another one, for which the stages were chosen, may have other
    layer calls: if there are fewer than `stages` it gets a stage for each, on ranks 0, 1, .., and a `balance` of another
    sum is not its own.

    What is recomputed is decided here, by `policy`: the calls of F that
    `--plan-remat` shall clone `discard` results, and those before which they shall run say so. Layers (see `plan.layer`) count from 0. A checkpoint is a layer whose input
    is kept; the layers from it up to the next checkpoint are recomputed from there, those before the first are not.
    `uniform`: every `interval` layers, or every `min-interval` if that is more; `selective`: `layers`; `dynamic`: each
    layer is a checkpoint, and as many bytes of whole layers are kept as fit in `memory-fraction` of what `none` keeps,
    deeper layers first; `budget` is what a `plan.spec` recomputes. Layers of the `keep-kinds` keep what they make; so does what belongs to no layer. With
    `grain=equation` kernel calls are counted instead of layers. A cut starts anew: what a stage receives is there.
    With `micro-batches=except_last` the program `keeps_last`, with `never` nothing is recomputed.

    Where no other rank waits for a stage's B (the first stage of a pipeline; all if there is one rank) W's calls become
    calls of B, each unit's behind its own, because W apart would hold all that it reads through all of B. So they do in
    stages that compute something again, so that what is recomputed for both lives for one unit and
    not for a stage; but for the unit whose B is the last of its stage, behind which W stands in either case. Not with `join-backward=false`, nor under a schedule that moves W away from its B.

    ```
    plan.task F { %y = plan.call @mul(%x, %w) path "a" discard [0] .. }
    ```

    With `prepare`, calls that read no input and no parameter that is trained become calls of P, in each stage that reads what
    they make: they run once for all micro-batches and runs, and take no time of a step. So does a call that reads what these
    make. Not one that makes an output, nor one over the batch where micro-batches have unequal parts of it.

    With `replicas` the pipeline is the first of so many, each of which runs its part of the micro-batches
    (`--plan-replicate`), so that fewer are in flight. A program that keeps states from run to run has one.

    With `shards` each of those stages is shared by so many ranks, where the program has parts of parameters
    (`--ein-shard`): a rank has what is computed from its share of the parts, and as much of what is whole as lets all take equally long.
    So a stage becomes several, cut between kernel calls where values change ranks.

    In a program that trains on several replicas each stage is then divided into at most `buckets` on its rank, whose gradients
    leave for other replicas while those before it still run backward; not with a policy other than `none`, nor where ranks share
    stages.

    A model that has a `plan.spec` is cut, and recomputes, as that says; of the options only `cut-grain`, `prepare`, `moments`
    and `keep-kinds` matter then.

    Does not: order tasks, copy values, choose kernels. Test: `test/Planning/partition.mlir`,
    `test/Planning/remat-modes.mlir`, `test/Planning/remat-errors.mlir`, `test/Planning/prepare.mlir`.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "1", "number of stages">,
    ListOption<"balance", "balance", "int64_t", "layer calls of each stage, instead of solving">,
    ListOption<"place", "place", "int64_t", "rank of each stage (default: 0, 1, ..)">,
    Option<"cutGrain", "cut-grain", "::plc::planner::Grain", "::plc::planner::Grain::layer",
           "what is cut with: layer calls, or the kernels of their equations">,
    Option<"follows", "follows", "bool", "false", "stages and balance are another model's, which may have more layer calls">,
    Option<"schedule", "schedule", "::plc::planner::ScheduleKind", "::plc::planner::ScheduleKind::oneFOneB",
           "order that tells where W may stand, and the ranks of fewer stages">,
    Option<"bytesPerNs", "bytes-per-ns", "int64_t", "8", "bandwidth between stages">,
    Option<"moments", "moments", "int64_t", "2", "tensors that the optimizer keeps beside each trained parameter">,
    Option<"replicas", "replicas", "int64_t", "1", "pipelines that share the micro-batches">,
    Option<"shards", "shards", "int64_t", "1", "ranks that share a stage, each with its parts of parameters">,
    Option<"buckets", "buckets", "int64_t", "1", "parts of a stage whose gradients leave for other replicas one by one, at most">,
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
    Option<"joinsBackward", "join-backward", "bool", "true", "compute W with B where something is recomputed or nobody waits for B">,
    Option<"prepare", "prepare", "bool", "false", "compute once what is the same for all micro-batches and runs">
  ];
  let dependentDialects = ["::plc::plan::PlanDialect"];
}

def PlanInferSkips : Pass<"plan-infer-skips", "::mlir::ModuleOp"> {
  let summary = "route each value that crosses a cut, directly";
  let description = [{
    Before: stages use each other's results. After: each such value is stashed at its source and popped once in each
    stage that uses it; the routes are listed by source, destination and place in the source. A tied parameter that
    another rank owns gets two routes per step: its gradient site to the owner, its new value back; in a program of
    several replicas that is left to `--plan-replicate`.

    Test: `test/Planning/infer-skips.mlir`.
  }];
}

def PlanSchedule : Pass<"plan-schedule", "::mlir::ModuleOp"> {
  let summary = "order the tasks on each rank";
  let description = [{
    Before: stages and routes. After: a `plan.rank` per rank that runs each P of its stages once, and then each other task
    once per micro-batch, each role in index order. B is followed by its W, unless the schedule splits them. A program without B and W runs its
    forwards in order under any schedule. The order of a `plan.spec` goes before all others, and the spec is removed. With
    `schedule=file` the order is that of a `file`
    (`plc/Planner/Schedule/ScheduleFile.h`), with `auto` that of the fastest named schedule.
    The predicted time of a step and a lower bound are recorded.

    Test: `test/Planning/schedule.mlir`.
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
    Before: a program of several `replicas` has the stages, routes and ordered ranks of the first one. After: it has those of
    all. Replica r is a copy on ranks of its own, behind those of the replicas before, whose runs are of the r-th part of the
    micro-batches; a stage `s0` of it is named `s0.r`. Each parameter is owned by one replica, on the rank that owned it
    there: parameters of a rank go one by one, those of most bytes first, to the replica that owns fewest bytes so far. So what
    the optimizer keeps is divided among the replicas (ZeRO-1). Each stage's gradient sites have the lanes of its
    micro-batches. Their routes to the owner, and those of the new value back, are made here, as `--plan-infer-skips` makes
    them of tied parameters. A program of one replica stays as it is.

    Test: `test/Planning/replicate.mlir`.
  }];
}

def PlanRemat : Pass<"plan-remat", "::mlir::ModuleOp"> {
  let summary = "compute again what the forward calls discard";
  let description = [{
    Before: stages and routes; B and W read F's results, some of which F's calls `discard`. After: the same values, but
    those are computed again by clones (see `plan.call`), where calls say what runs `again` before them. `plan.checkpoint`s name what is kept. In a program that `keeps_last`
    the runs of the last micro-batch `keep`. The predicted time of a step is made anew, and so are, behind
    `--plan-schedule`, the bounds of recomputation: how many micro-batches are in flight is then known.

    ```
    plan.task F { %y = plan.call @mul(%x, %w) path "a" discard [0] .. }
    plan.task B { plan.call @grad(%g, %y, %site) again [0] .. }
    =>
    plan.task B { %z = plan.call @mul(%x, %w) path "a" recompute <0, 0> ..  plan.call @grad(%g, %z, %site) .. }
    ```

    Does not: choose what is recomputed (`--plan-partition` does), change an order or a value, refuse a step that does not
    fit (`--plan-addresses` does). Test: `test/Planning/remat.mlir`, `test/Planning/remat-errors.mlir`.
  }];
  let options = [
    Option<"bytesPerNs", "bytes-per-ns", "int64_t", "8", "bandwidth between stages">,
    ListOption<"keepKinds", "keep-kinds", "std::string", "kinds of layers that keep what they make, for the bounds">
  ];
}

def PlanInsertComm : Pass<"plan-insert-comm", "::mlir::ModuleOp"> {
  let summary = "turn routes between ranks into messages";
  let description = [{
    Before: ranks with runs alone. After: a `plan.channel` for each route between two ranks, and on the ranks, around
    the runs: `post_recv` before the run that precedes the first use, if a slot is free; `wait_recv` before the first use;
    `send` after the run that makes the value; `wait_send` before the first run that starts, as predicted, after the
    receive is posted; per-step messages and `step` at the end. All of it follows one
    order of all runs, whatever their true times, so it cannot deadlock.

    Test: `test/Planning/insert-comm.mlir`.
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
    Before: complete actions. After: each rank starts with a `plan.layout` (parameters, gradient sites, moments, inputs and
    outputs of the whole batch), runs, receives and sends have offsets, and a `plan.drop` stands behind the last use of
    bytes that are not taken again by then. With `spare` a block of values has its place as many micro-batches earlier, and what a
    task makes for itself lies apart from all that others keep. Up to `most-values` values of all micro-batches and ranks are placed one by one,
    by their lives on the rank's timeline of calls. If they are more, or if that takes fewer bytes, values that the same
    tasks use lie together, in blocks, and segments of blocks are placed by their lives on the timeline of actions; a `plan.frame` says
    where in it each value lies. What P makes for itself alone lies where all else will: it runs before. `pooled` knows all lives and places by first fit, in the best of some orders, and
    where that ends above `memory-limit-bytes` by a search for places that end there, of blocks not while plans are tried (`measure`);
    `minimal-peak` searches on by branch and bound where that is above the bound; `standard` gives each value or block a
    buffer when it begins and takes it back after the last use, as an allocator would that sees no future; `cached` and `auto`
    are as `pooled`: what they keep is decided before, by `prepare` of `--form-kernels` and `--plan-partition`. Sizes are rounded
    to 64 bytes.

    Test: `test/Planning/addresses.mlir`.
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
    Before: actions with addresses. After: each rank says `after`, so that the runtime may take whichever action is ready, and any
    order computes the same. An action comes after those that write what it reads, and after those that read what it
    overwrites; after the start of its own message; after the same part of the message before it in its channel; and a
    receive is posted after the wait that frees its slot. Each task runs in index order, so that sums are added in their order, and those of a stage and micro-batch one after the other.
    P comes before all else, and the step behind all that is listed before it. What follows from other pairs is left out.

    With `shuffle`, in place of `after`, the actions stand in another order, drawn by that number, that ranks could take them
    in together: `--plan-verify` then proves that one.

    Test: `test/Planning/free-order.mlir`.
  }];
  let options = [Option<"shuffle", "shuffle", "int64_t", "0", "draws an order by this number (0: none)">];
}

def PlanVerify : Pass<"plan-verify", "::mlir::ModuleOp"> {
  let summary = "prove that the action lists compute the program";
  let description = [{
    Executes the lists symbolically and changes nothing. Proven: each task runs once per micro-batch on its rank, each role
    in index order; each P runs once, before all else of its rank, and reads no parameter that a step changes; every message is sent once, received once, by equal types, in one order per channel, under a tag of
    its own; no more receives posted than slots; the graph of waiting has no cycle; every read finds, byte for byte, the
    value and micro-batch that the program names; nothing overwrites bytes on their way; each rank takes one step, for
    which ranks wait for each other; each gradient site is one call's, holds all micro-batches at the step, and reaches the
    one owner of its parameter; runs read the value of a parameter before the step, and every copy has the new one at the
    end; outputs stand at the end, and no message is left; peaks are inside arenas and limits. Of ranks that say `after`, all of that of
    each order that respects it: then one action's bytes or turn keep no two apart that it leaves open. Times, bytes and bounds that
    the program and its layouts say are computed again. If a `plan.numerics` tells what the program computed before it was
    cut, it still does.

    Test: `test/Planning/verify.mlir`, `test/Planning/verify-errors.test`.
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
    Prints to the standard output and changes nothing: under each stage, in program order, the routes that start there;
    then, under each stage, those that end there. A route's line: its name, the other stage, what it carries, bytes, how
    often.

    Test: `test/Planning/print-routes.mlir`.
  }];
}

def PlanSolveInstances : Pass<"plan-solve-instances", "::mlir::ModuleOp"> {
  let summary = "solve planning problems that are written as IR";
  let description = [{
    Before: `plan.pack_instance`, `plan.partition_instance`, `plan.remat_instance` and `plan.schedule_instance` without
    answers. After: with answers and bounds, by the algorithms that the planning passes use. An answer that stands there already is checked,
    and its bound computed again; a problem that is none, has no answer, or a wrong one is an error.

    Test: `test/Planning/solve-instances.mlir`, `test/Planning/solve-instances-errors.mlir`.
  }];
}

#endif
