//===- PlanInstances.td - planning problems, without a model ---------------===//
#ifndef PLC_PLAN_INSTANCES
#define PLC_PLAN_INSTANCES

include "dialects/Plan/PlanDialect.td"
include "dialects/Plan/PlanProgram.td"
include "mlir/IR/SymbolInterfaces.td"

/// A problem of `plc/Planner` as IR. `--plan-solve-instances` writes the answer beside it, or checks the given one.
class Plan_Instance<string mnemonic> : Plan_Op<mnemonic, [Symbol, SingleBlock, NoTerminator, NoRegionArguments]> {
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def Plan_PackInstanceOp : Plan_Instance<"pack_instance"> {
  let summary = "a packing problem: addresses of blocks";
  let description = [{
    Blocks that live at a common time get disjoint bytes, as low as possible (`PackProblem` of
    `plc/Planner/Addresses/Pack.h`). The answer has `packed`, the end of the highest block; `bound`, the most that
    is live at one time; each block's `at`; and `exact` if a search has shown that no packing is smaller, even where
    none reaches the bound. Instances come from users or from published problems; `--plan-solve-instances` solves or
    checks them.

    An example, from `test/Planning/Base/solve-instances.mlir`:

    ```mlir
    plan.pack_instance @reuse alignment 64 {
      plan.block 100 from 0 to 2
      plan.block 64 from 2 to 4
      plan.block 64 from 1 to 3
    }
    ```

    (C1) It holds `plan.block`s.
    (C2) The answer is complete or absent.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, Plan_Count:$alignment,
                       OptionalAttr<Plan_Count>:$packed, OptionalAttr<Plan_Count>:$bound, UnitAttr:$exact);
  let assemblyFormat = [{
    $sym_name `alignment` $alignment (`packed` $packed^)? (`bound` $bound^)? (`exact` $exact^)?
    attr-dict-with-keyword $body
  }];
}

def Plan_BlockOp : Plan_Op<"block", [HasParent<"PackInstanceOp">]> {
  let summary = "bytes that live for a while";
  let description = [{
    It is live from time `begin` until before `end`; `at` is the offset that an answer gives.

    An example, from `test/Planning/Base/solve-instances.mlir`:

    ```mlir
    plan.block 100 from 0 to 2
    ```
  }];
  let arguments = (ins Plan_Count:$bytes, Plan_Count:$begin, Plan_Count:$end, OptionalAttr<Plan_Count>:$at);
  let assemblyFormat = "$bytes `from` $begin `to` $end (`at` $at^)? attr-dict";
}

def Plan_RematInstanceOp : Plan_Instance<"remat_instance"> {
  let summary = "a rematerialization problem";
  let description = [{
    Forward calls in order, the values that they read and make, and the backward calls in order, of one micro-batch
    (`RematProblem` of `plc/Planner/Remat/Remat.h`). `policy` and its numbers choose the values to recompute, as the
    table `[checkpoint]` of a strategy does; with `equations` they count calls instead of layers. `limit` bounds the
    bytes of kept and recomputed values that are live at once in the backward pass. The answer has the values that
    are `kept`, the numbers of the `cloned` calls, the `bytes` kept, and the time `ns` of the clones, beside
    `bound`: no choice that keeps as little recomputes for less. `--plan-solve-instances` solves or checks it, and
    rejects numbers that the policy ignores.

    Under the policy `budget` it is another problem (`BudgetedRematProblem` of `plc/Planner/Remat/BudgetedRemat.h`),
    which is checked, not solved. Backward calls take time and make values, too. `limit` is all that the rank may
    hold, with `persistent` bytes and `in_flight` micro-batches at once, other ones of which run between B and W if it
    `splits`. No call runs again before the call `again_from`. The answer has, for each of the `cloned` calls in
    order, the call `before` which it runs, computes and backwards counted together; `bytes` is the most that is live
    at once.

    An example, from `test/Planning/Base/solve-instances.mlir`:

    ```mlir
    plan.remat_instance @uniform policy "uniform" interval 2 limit 32 {
      plan.value 64
      plan.value 16
      ...
    }
    ```

    (C1) It holds `plan.value`s, `plan.compute`s and `plan.backward`s.
    (C2) The answer is complete or absent.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, Plan_RematAttr:$policy,
                       OptionalAttr<Plan_Count>:$interval, OptionalAttr<DenseI64ArrayAttr>:$layers,
                       OptionalAttr<F64Attr>:$fraction, OptionalAttr<Plan_Count>:$min_interval, UnitAttr:$equations,
                       OptionalAttr<Plan_Count>:$limit, OptionalAttr<Plan_Count>:$persistent_bytes,
                       OptionalAttr<Plan_Count>:$in_flight, UnitAttr:$splits, OptionalAttr<Plan_Count>:$again_from,
                       OptionalAttr<DenseI64ArrayAttr>:$kept,
                       OptionalAttr<DenseI64ArrayAttr>:$cloned, OptionalAttr<DenseI64ArrayAttr>:$before,
                       OptionalAttr<Plan_Count>:$bytes,
                       OptionalAttr<Plan_Count>:$ns, OptionalAttr<Plan_Count>:$bound);
  let assemblyFormat = [{
    $sym_name `policy` $policy (`interval` $interval^)? (`layers` $layers^)? (`fraction` $fraction^)?
    (`min_interval` $min_interval^)? (`equations` $equations^)? (`limit` $limit^)? (`persistent` $persistent_bytes^)?
    (`in_flight` $in_flight^)? (`splits` $splits^)? (`again_from` $again_from^)? (`kept` $kept^)?
    (`cloned` $cloned^)? (`before` $before^)?
    (`bytes` $bytes^)? (`ns` $ns^)? (`bound` $bound^)? attr-dict-with-keyword $body
  }];
}

class Plan_RematItem<string mnemonic> : Plan_Op<mnemonic, [HasParent<"RematInstanceOp">]>;

def Plan_ValueOp : Plan_RematItem<"value"> {
  let summary = "a value, by its bytes";
  let description = [{
    It is given, unless a `plan.compute` makes it. A `pinned` value is kept for other reasons, as an output is.

    An example, from `test/Planning/Base/solve-instances.mlir`:

    ```mlir
    plan.value 64
    ```
  }];
  let arguments = (ins Plan_Count:$bytes, UnitAttr:$pinned);
  let assemblyFormat = "$bytes (`pinned` $pinned^)? attr-dict";
}

def Plan_ComputeOp : Plan_RematItem<"compute"> {
  let summary = "a forward call";
  let description = [{
    `reads` and `makes` list values by number. A call `once` is never recomputed: a layer of a kind that is not
    selected. Values of another `stage` are there once they have been received, and nothing is recomputed for them
    (under the policy `budget` all calls are of stage 0). Three more count under the policy `budget` alone:
    `scratch`, bytes that a call takes beside its operands and results; `in_place`, pairs of an operand and a result
    that may take its memory, if it is read for the last time; and the name (`named`) for messages where nothing
    fits.

    An example, from `test/Planning/Base/solve-instances.mlir`:

    ```mlir
    plan.compute layer 0 ns 10 reads [0] makes [1]
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$label, DefaultValuedAttr<Plan_Count, "0">:$stage,
                       OptionalAttr<Plan_Count>:$layer, UnitAttr:$once, DefaultValuedAttr<Plan_Count, "0">:$ns,
                       DefaultValuedAttr<Plan_Count, "0">:$scratch,
                       DenseI64ArrayAttr:$reads, DenseI64ArrayAttr:$makes, OptionalAttr<DenseI64ArrayAttr>:$in_place);
  let assemblyFormat = [{
    (`named` $label^)? (`stage` $stage^)? (`layer` $layer^)? (`once` $once^)? (`ns` $ns^)? (`scratch` $scratch^)?
    `reads` $reads `makes` $makes (`in_place` $in_place^)? attr-dict
  }];
}

def Plan_BackwardOp : Plan_RematItem<"backward"> {
  let summary = "a backward call: what it reads of the forward pass";
  let description = [{
    `reads` and `makes` list values by number. `role` is the task, B or W; values that W alone reads live until
    then. `stage` is as in `plan.compute`. `ns`, `scratch`, `makes`, `in_place` and `named` are too, and count under
    the policy `budget` alone: backward calls run once.

    An example, from `test/Planning/Base/solve-instances.mlir`:

    ```mlir
    plan.backward B reads [3, 4]
    ```

    (C1) The role is B or W.
  }];
  let arguments = (ins Plan_RoleAttr:$role, OptionalAttr<StrAttr>:$label, DefaultValuedAttr<Plan_Count, "0">:$stage,
                       DefaultValuedAttr<Plan_Count, "0">:$ns,
                       DefaultValuedAttr<Plan_Count, "0">:$scratch, DenseI64ArrayAttr:$reads,
                       OptionalAttr<DenseI64ArrayAttr>:$makes, OptionalAttr<DenseI64ArrayAttr>:$in_place);
  let assemblyFormat = [{
    $role (`named` $label^)? (`stage` $stage^)? (`ns` $ns^)? (`scratch` $scratch^)? `reads` $reads (`makes` $makes^)?
    (`in_place` $in_place^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Plan_ScheduleInstanceOp : Plan_Instance<"schedule_instance"> {
  let summary = "a scheduling problem";
  let description = [{
    Stages on ranks run each of their tasks once per micro-batch (`ScheduleProblem` of
    `plc/Planner/Schedule/Schedule.h`), in the order that `schedule` names. The stages' times are those of the
    largest micro-batch; `samples` are those of each, and its times are in proportion. The answer has a `plan.order`
    for each rank, `makespan` and `bound`. An answer from elsewhere needs no `schedule`. `--plan-solve-instances`
    solves or checks it.

    An example, from `test/Planning/Base/solve-instances.mlir`:

    ```mlir
    plan.schedule_instance @f1b1 micro_batches 3 schedule "1f1b" {
      plan.times rank 0 F 1 B 2
      plan.times rank 1 F 1 B 2
      ...
    }
    ```

    (C1) It holds `plan.times`, `plan.dependence`s and `plan.order`s.
    (C2) The answer is complete or absent.
    (C3) Without an answer there is a `schedule`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, Plan_Count:$micro_batches,
                       OptionalAttr<DenseI64ArrayAttr>:$samples,
                       OptionalAttr<Plan_ScheduleAttr>:$schedule, OptionalAttr<Plan_Count>:$makespan,
                       OptionalAttr<Plan_Count>:$bound);
  let assemblyFormat = [{
    $sym_name `micro_batches` $micro_batches (`samples` $samples^)? (`schedule` $schedule^)?
    (`makespan` $makespan^)? (`bound` $bound^)? attr-dict-with-keyword $body
  }];
}

class Plan_ScheduleItem<string mnemonic> : Plan_Op<mnemonic, [HasParent<"ScheduleInstanceOp">]>;

def Plan_TimesOp : Plan_ScheduleItem<"times"> {
  let summary = "a stage: its rank and the times of its tasks";
  let description = [{
    For one micro-batch. A task without a time does not exist.

    An example, from `test/Planning/Base/solve-instances.mlir`:

    ```mlir
    plan.times rank 0 F 1 B 2
    ```
  }];
  let arguments = (ins Plan_Count:$rank, OptionalAttr<Plan_Count>:$f, OptionalAttr<Plan_Count>:$b,
                       OptionalAttr<Plan_Count>:$w);
  let assemblyFormat = "`rank` $rank (`F` $f^)? (`B` $b^)? (`W` $w^)? attr-dict";
}

def Plan_DependenceOp : Plan_ScheduleItem<"dependence"> {
  let summary = "a task that waits for another's result";
  let description = [{
    Stages by number, for the same micro-batch; `ns` is the time of the transfer.

    An example, from `test/Planning/Base/solve-instances.mlir`:

    ```mlir
    plan.dependence 0 F to 1 F ns 0
    ```
  }];
  let arguments = (ins Plan_Count:$source, Plan_RoleAttr:$from, Plan_Count:$destination, Plan_RoleAttr:$to,
                       Plan_Count:$ns);
  let assemblyFormat = "$source $from `to` $destination $to `ns` $ns attr-dict";
}

def Plan_OrderOp : Plan_ScheduleItem<"order"> {
  let summary = "the jobs of a rank, in order";
  let description = [{
    The first is that of rank 0, then of rank 1, and so on. A job is its stage, task and micro-batch: `"1B3"`.

    An example, from `test/Planning/Base/solve-instances.mlir`:

    ```mlir
    plan.order ["0F0"]
    ```

    (C1) Jobs have this form.
  }];
  let arguments = (ins StrArrayAttr:$jobs);
  let assemblyFormat = "$jobs attr-dict";
  let hasVerifier = 1;
}

#endif
