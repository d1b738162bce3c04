//===- PlanNumerics.td - what a plan must not change -----------------------===//
#ifndef PLC_PLAN_NUMERICS
#define PLC_PLAN_NUMERICS

include "dialects/Plan/PlanDialect.td"
include "mlir/IR/SymbolInterfaces.td"

def Plan_NumericsOp : Plan_Op<"numerics", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a digest of what a program computes, whatever the plan";
  let description = [{
    Made by `--record-numerics` for each model's numerics program. `digest` is a hash of the equations that compute
    the outputs and gradients of `program` (`plc/Analysis/ProgramDigest.h`). `--verify-numerics` computes it again,
    from the equations in bodies or in the kernels that tasks call, and rejects another one. It is no part of the
    numerics key, and nothing else reads it.

    An example, from `test/Dialect/Plan/numerics.mlir`:

    ```mlir
    plan.numerics @m digest "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
    ```

    (C1) `program` is an `ein.model` or a `plan.program`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, StrAttr:$digest);
  let assemblyFormat = "$program `digest` $digest attr-dict";
}

#endif
