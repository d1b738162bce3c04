//===- Passes.td - the order of every sum ---------------------------------===//
#ifndef PLC_NUMERICS_PASSES
#define PLC_NUMERICS_PASSES

include "mlir/Pass/PassBase.td"

def EinFixNumerics : Pass<"ein-fix-numerics", "::mlir::ModuleOp"> {
  let summary = "write the order of every sum into the program";
  let description = [{
    Before: precision is chosen, contractions are binary matrix products, no `ein.stop` is left. After: every
    `ein.contract` has `order`, its summed dimensions as its first input has them, slowest first; every `ein.reduce` has
    `order`: `lanes` if the innermost axis of its input is reduced, else `chain`, over the domain in the order of its
    input's axes. What accumulates over the batch has the batch as its slowest dimension: an `ein.contract` of at most 4,096 summed
    numbers is one `chain`, one of more begins its blocks `anew` at samples; an `ein.reduce` that cannot be a chain of at most 4,096 is
    two, of each sample and over the samples. A `sum` that says what the table of element types does is taken away. So the program defines every rounding: `plc-interpret` runs it, and nothing later changes an
    equation. Its hash is the numerics key (`plc/Numerics/Key.h`).

    ```mlir
    %y = ein.contract %x, %w over [2, 4, 8] maps [(m, n, k)->(m, k), (m, n, k)->(k, n), (m, n, k)->(m, n)]
    %y = ein.contract %x, %w over [2, 4, 8] maps [...] order [2]
    ```
    Refused: what "before" excludes. Test: `test/Numerics/fix-numerics.mlir`.
  }];
  let dependentDialects = ["::plc::ein::EinDialect"];
}

def EinCutBatch : Pass<"ein-cut-batch", "::mlir::ModuleOp"> {
  let summary = "make the program of a batch that of a micro-batch";
  let description = [{
    Before: the numerics program, of the whole batch, which types mark (`#ein.batch`). After: types and domains have the samples of a
    micro-batch, batch / M, or the larger number where M does not divide the batch; in that case alone types keep their marks. The
    numerics key, which is that of the batch, is written down as `ein.numerics_key` of the module. What has no batch, or is cut, stays.

    ```mlir
    ein.model @m(%x: tensor<8x4xf32, #ein.batch<0>>) ... batch = 8, micro_batches = 4
    ein.model @m(%x: tensor<2x4xf32>) ... batch = 8, micro_batches = 4
    ```
    Test: `test/Numerics/cut-batch.mlir`.
  }];
  let dependentDialects = ["::plc::ein::EinDialect"];
}

def RecordNumerics : Pass<"record-numerics", "::mlir::ModuleOp"> {
  let summary = "write down what each program computes";
  let description = [{
    Before: the numerics program (`--ein-fix-numerics`). After: each `ein.model` has a `plan.numerics` with the digest
    of the equations that its outputs and gradients are made by. No later phase changes an equation, so
    `--verify-numerics` can compare it after each of them, also in another process that started from the printed IR.

    ```mlir
    plan.numerics @m digest "8e3c6cbdfc5e4dc4a5ee9c33c7b8a1f2"
    ein.model @m(..)
    ```
    Test: `test/Numerics/verify-digest.mlir`.
  }];
  let dependentDialects = ["::plc::plan::PlanDialect"];
}

def VerifyNumerics : Pass<"verify-numerics", "::mlir::ModuleOp"> {
  let summary = "check that no phase changed an equation";
  let description = [{
    Fails unless each program's equations have the digest that `--record-numerics` wrote down, wherever they stand by
    now: in bodies, in kernels that bodies call, or in kernels that the tasks of a `plan.program` call. With `key`,
    fails unless the numerics key of the module is that; without a key or a record, prints the key as a remark. Changes
    nothing.

    Proven: outputs and gradient sites are made by the same equations of the same inputs and parameters, in the same
    order of sums. Not looked at: the order of actions and their addresses, which `--plan-verify` proves.

    Test: `test/Numerics/verify-numerics.mlir`, `test/Numerics/verify-digest.mlir`.
  }];
  let options = [Option<"key", "key", "std::string", "\"\"", "the expected key, 64 hexadecimal digits">];
}

#endif
