//===- Passes.td - the order of every sum ---------------------------------===//
#ifndef PLC_NUMERICS_PASSES
#define PLC_NUMERICS_PASSES

include "mlir/Pass/PassBase.td"

def EinFixNumerics : Pass<"ein-fix-numerics", "::mlir::ModuleOp"> {
  let summary = "write the order of every sum into the program";
  let description = [{
    Before: precision is chosen, contractions are binary matrix products, and no `ein.stop` is left. After:

    - Every `ein.contract` has an `order`: its summed dimensions in the order of its first input, slowest first.
    - Every `ein.reduce` has an `order`: `lanes` if the innermost axis of its input is reduced, else `chain`. The domain
      has the order of the input's axes.
    - A sum that accumulates over the batch has the batch as its slowest dimension. An `ein.contract` of at most 4,096
      summed numbers is one `chain`; one of more begins its blocks `anew` at samples. An `ein.reduce` that cannot be a
      chain of at most 4,096 numbers becomes two: within each sample, and over the samples.
    - A `sum` equal to the default of the table of element types is removed.

    So the program defines every rounding: `plc-interpret` runs it, and no later pass changes an equation. Its hash is
    the numerics key (`plc/Numerics/Key.h`).

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
    Before: the numerics program of the whole batch, whose axis types mark (`#ein.batch`). After: types and domains have
    the samples of a micro-batch, batch / M. If M does not divide the batch they have the larger number, and only then
    do types keep their marks. The module's `ein.numerics_key` records the numerics key, which is that of the whole
    batch. Programs without a batch, or with a cut one, do not change.

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
    of the equations that compute its outputs and gradients. No later phase changes an equation, so `--verify-numerics`
    can compare the digest after each phase, also in another process that started from the printed IR.

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
    Fails unless each program's equations have the digest that `--record-numerics` recorded. The equations may be in
    bodies, in kernels that bodies call, or in kernels that the tasks of a `plan.program` call. With `key`, fails unless
    the module has this numerics key. Without a key or a record, prints the key as a remark. Changes nothing.

    Proven: outputs and gradient sites are computed by the same equations of the same inputs and parameters, in the same
    order of sums. Not checked: the order of actions and their addresses, which `--plan-verify` proves.

    Test: `test/Numerics/verify-numerics.mlir`, `test/Numerics/verify-digest.mlir`.
  }];
  let options = [Option<"key", "key", "std::string", "\"\"", "the expected key, 64 hexadecimal digits">];
}

#endif
