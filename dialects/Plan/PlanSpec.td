//===- PlanSpec.td - a plan that is chosen and not yet applied ------------===//
#ifndef PLC_PLAN_SPEC
#define PLC_PLAN_SPEC

include "dialects/Plan/PlanDialect.td"

def Plan_SpecOp : Plan_Op<"spec", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "the plan that the passes apply to a model";
  let description = [{
    Made by `--plan-choose`, or by hand. `--plan-partition` makes the stages, their full or split backward and their
    recomputation; `--plan-schedule` orders the tasks and removes the spec.

    - `cut`: the stage of each unit of the model (a layer call, or with `cut-grain=equation` a kernel call).
    - `ranks`: the rank of each stage.
    - `full`: the units with full backward, where W runs in B.
    - `once`, `each`, `always`: the forward calls that are recomputed, counted in program order. Those of `once` run
      again once in their stage, before the first backward call that needs them. Those of `each` run again for each
      unit that needs them, before its backward calls; those of `always` before each backward call that needs them.
    - `saved`: values that these calls make and that are saved all the same, counted over the results of forward
      calls in program order.
    - `order`: a row for each rank with its tasks: stage, role and micro-batch. Tasks without calls may be left out.

    The plan is that of one replica; `replicas` of them share the micro-batches. With `shards`, the ranks are groups
    of that size, which share each stage (`--ein-shard`). Then `full`, `once`, `each`, `always`, `saved` and `order`
    count the units, calls and stages that `--plan-partition` divides the model into, and `order` has a row for each
    rank of each group.

    An example, from `test/Dialect/Plan/spec.mlir`:

    ```mlir
    plan.spec @m cut [0, 0, 1] ranks [0, 1] full [0] once [1]
              order ["0F0,0F1,0B0,0B1", "1F0,1B0,1W0,1F1,1B1,1W1"] replicas 1
    ```

    (C1) Each stage has a unit, and its rank; no rank is left out.
    (C2) `order` has a row for each rank. It lists tasks, each once, without shards only of stages on that rank.
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
    $model `cut` $cut `ranks` $ranks (`full` $full^)? (`once` $once^)? (`each` $each^)? (`always` $always^)? (`saved`
    $saved^)? `order` $order `replicas` $replicas (`shards` $shards^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif
