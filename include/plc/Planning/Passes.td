//===- Passes.td - from kernels to a proven plan ---------------------------===//
#ifndef PLC_PLANNING_PASSES
#define PLC_PLANNING_PASSES

include "mlir/Pass/PassBase.td"

def PlanPartition : Pass<"plan-partition", "::mlir::ModuleOp"> {
  let summary = "cut each model into stages";
  let description = [{
    Before: `ein.model`s of calls, whose bodies hold `plan.call`s (`--form-kernels`). After: a `plan.program` of the
    same name for each, with a `plan.stage` per cut and in it a task per role, bodies inlined; every kernel call of F
    is in exactly one stage, B and W with their F. Models and bodies are gone.

    Cuts fall between layer calls in program order; a loose call (its body has no `kind`) goes with the layer call
    before it; a sum of contributions to a gradient goes with what makes both, if one stage does, else with the call that
    made the value. They minimise the slowest stage's time for one micro-batch, exactly; `balance` sets them instead. Each
    stage gets a rank of its own, or that of `place`. Memory is an estimate here; addresses are exact. With `fewer`, a
    model of fewer layer calls than `stages` gets a stage for each call, on ranks 0, 1, ..

    Does not: order tasks, copy values, choose kernels. Test: `test/Planning/partition.mlir`.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "1", "number of stages">,
    ListOption<"balance", "balance", "int64_t", "layer calls of each stage, instead of solving">,
    ListOption<"place", "place", "int64_t", "rank of each stage (default: 0, 1, ..)">,
    Option<"fewer", "fewer", "bool", "false", "give a model of fewer layer calls than stages fewer stages">,
    Option<"memoryLimitBytes", "memory-limit-bytes", "int64_t", "0", "bytes of each rank (0: no limit)">,
    Option<"schedule", "schedule", "std::string", "\"1f1b\"",
           "order that tells how many micro-batches are in flight: gpipe or 1f1b">,
    Option<"bytesPerNs", "bytes-per-ns", "int64_t", "8", "bandwidth between stages">,
    Option<"moments", "moments", "int64_t", "2", "tensors that the optimizer keeps beside each trained parameter">
  ];
  let dependentDialects = ["::plc::plan::PlanDialect"];
}

def PlanInferSkips : Pass<"plan-infer-skips", "::mlir::ModuleOp"> {
  let summary = "route each value that crosses a cut, directly";
  let description = [{
    Before: stages use each other's results. After: each such value is stashed at its source and popped once in each
    stage that uses it; the routes are listed by source, destination and place in the source. A tied parameter that
    another rank owns gets two routes per step: its gradient site to the owner, its new value back.

    Test: `test/Planning/infer-skips.mlir`.
  }];
}

def PlanSchedule : Pass<"plan-schedule", "::mlir::ModuleOp"> {
  let summary = "order the tasks on each rank";
  let description = [{
    Before: stages and routes. After: a `plan.rank` per rank that runs each task of its stages once per micro-batch, each
    role in index order. B is followed by its W. A program without B and W runs its forwards in order under any
    schedule. The predicted time of a step and a lower bound are recorded.

    Test: `test/Planning/schedule.mlir`.
  }];
  let options = [
    Option<"schedule", "schedule", "std::string", "\"1f1b\"", "gpipe or 1f1b">,
    Option<"bytesPerNs", "bytes-per-ns", "int64_t", "8", "bandwidth between stages">
  ];
}

def PlanRemat : Pass<"plan-remat", "::mlir::ModuleOp"> {
  let summary = "choose which residuals are kept";
  let description = [{
    Policy `none` keeps all. The others (`uniform`, `selective`, `dynamic`, `budget`) are refused by name for now.

    Test: `test/Planning/remat.mlir`.
  }];
  let options = [Option<"policy", "policy", "std::string", "\"none\"", "none">];
}

def PlanInsertComm : Pass<"plan-insert-comm", "::mlir::ModuleOp"> {
  let summary = "turn routes between ranks into messages";
  let description = [{
    Before: ranks with runs alone. After: a `plan.channel` for each route between two ranks, and on the ranks, around
    the runs: `post_recv` before the run that precedes the first use, if a slot is free; `wait_recv` before the first use;
    `send` after the run that makes the value; `wait_send` before the first run that starts, as predicted, after the
    receive is posted; `drop` after a value's last use; per-step messages and `step` at the end. All of it follows one
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
    outputs of the whole batch), and runs, receives, sends and drops have offsets by the lifetimes of (value,
    micro-batch) on the rank's timeline of calls: `pooled` knows them all and places by first fit the largest first;
    `standard` gives each value a buffer at its definition and takes it back after the last use, as an allocator would
    that sees no future. Sizes are rounded to 64 bytes. Drops of bytes that are already taken again are removed.

    Test: `test/Planning/addresses.mlir`.
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", "\"pooled\"", "pooled or standard">,
    Option<"memoryLimitBytes", "memory-limit-bytes", "int64_t", "0", "bytes of each rank (0: no limit)">
  ];
}

def PlanVerify : Pass<"plan-verify", "::mlir::ModuleOp"> {
  let summary = "prove that the action lists compute the program";
  let description = [{
    Executes the lists symbolically and changes nothing. Proven: each task runs once per micro-batch on its rank, each role
    in index order; every message is sent once, received once, by equal types, in one order per channel, under a tag of
    its own; no more receives posted than slots; the graph of waiting has no cycle; every read finds, byte for byte, the
    value and micro-batch that the program names; nothing overwrites bytes on their way; sites hold all
    micro-batches, and all their contributions, at the step; outputs stand at the end, and no message is left; peaks are
    inside arenas and limits.

    Test: `test/Planning/verify.mlir`, `test/Planning/verify-errors.mlir`.
  }];
  let options = [
    Option<"memoryLimitBytes", "memory-limit-bytes", "int64_t", "0", "bytes of each rank (0: no limit)">
  ];
}

#endif
