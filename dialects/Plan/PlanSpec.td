//===- PlanSpec.td - a plan that is chosen and not yet applied ------------===//
#ifndef PLC_PLAN_SPEC
#define PLC_PLAN_SPEC

include "dialects/Plan/PlanDialect.td"

def Plan_SpecOp : Plan_Op<"spec", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "the plan that the passes shall make of a model";
  let description = [{
    Made by `--plan-choose`, or by hand. `--plan-partition` makes the stages, their full or split backward and their
    recomputation; `--plan-schedule` orders the tasks and removes the spec.

    `cut` has the stage of each unit of the model (a layer call, or with `cut-grain=equation` a kernel call), `ranks` the
    rank of each stage. W runs in B in the units of `full`. The forward calls of `once`, counted in program order, run
    again once in their stage, before the first backward call that needs them; those of `each` run again for each unit
    that needs them, before its backward calls; those of `always` before each backward call that needs them. Of what these calls make,
    the values of `saved`, counted over the results of forward calls in program order, are saved all the same. `order` has a row for each rank, with its tasks: stage, role and micro-batch. A task without calls
    may stand in a row or not.

    The plan is of one replica; `replicas` of them share the micro-batches. With `shards` the ranks are groups of so many,
    which share each stage (`--ein-shard`); `full`, `once`, `each`, `always`, `saved` and `order` then count the units, calls and stages
    that `--plan-partition` divides the model into, and `order` has a row for each rank of each group.

    An example, from `test/Dialect/Plan/spec.mlir`:

    ```mlir
    plan.spec @m cut [0, 0, 1] ranks [0, 1] full [0] once [1]
              order ["0F0,0F1,0B0,0B1", "1F0,1B0,1W0,1F1,1B1,1W1"] replicas 1
    ```

    (C1) Each stage has a unit, and its rank; no rank is left out.
    (C2) `order` has a row for each rank, of tasks, each once, and without shards of stages on that rank.
    (C3) Units of `full`, calls of `once`, `each` and `always`, and values of `saved` are not negative and ascend.
  }];
  let arguments = (ins FlatSymbolRefAttr:$model, DenseI64ArrayAttr:$cut, DenseI64ArrayAttr:$ranks,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$full,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$once,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$each,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$always,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$saved, StrArrayAttr:$order,
                       Plan_Positive:$replicas, DefaultValuedAttr<Plan_Positive, "1">:$shards);
  let assemblyFormat = [{
    $model `cut` $cut `ranks` $ranks (`full` $full^)? (`once` $once^)? (`each` $each^)? (`always` $always^)? (`saved` $saved^)?
    `order` $order `replicas` $replicas (`shards` $shards^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif
