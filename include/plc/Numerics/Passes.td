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
    input's axes. A `sum` that says what the table of element types does is taken away. So the program defines every rounding: `plc-interpret` runs it, and nothing later changes an
    equation. Its hash is the numerics key (`plc/Numerics/Key.h`).

    ```mlir
    %y = ein.contract %x, %w over [2, 4, 8] maps [(m, n, k)->(m, k), (m, n, k)->(k, n), (m, n, k)->(m, n)]
    %y = ein.contract %x, %w over [2, 4, 8] maps [...] order [2]
    ```
    Refused: what "before" excludes. Test: `test/Numerics/fix-numerics.mlir`.
  }];
  let dependentDialects = ["::plc::ein::EinDialect"];
}

def VerifyNumerics : Pass<"verify-numerics", "::mlir::ModuleOp"> {
  let summary = "compare the numerics key";
  let description = [{
    Fails unless the numerics key of the module is `key`. Without a key, prints it as a remark. Changes nothing.
    Test: `test/Numerics/verify-numerics.mlir`.
  }];
  let options = [Option<"key", "key", "std::string", "\"\"", "the expected key, 64 hexadecimal digits">];
}

#endif
