//===- EinDraws.td - what a run gives: draws, its kind, its step -----------===//
#ifndef PLC_EIN_DRAWS
#define PLC_EIN_DRAWS

include "dialects/Ein/EinDialect.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ein_RandomOp : Ein_Op<"random", [Pure]> {
  let summary = "a draw for each element";
  let description = [{
    Uniform, independent numbers of [0, 1), multiples of 2^-24; with `normal`, standard normal ones. `site`
    distinguishes the draws of a body; a normal one takes the next site, too. Made by the language. `--ein-random`
    replaces it by functions of keys. So the numbers depend on seed, path, site, sample and element, in `train` also
    on the step, and on nothing else.

    Example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    %u = ein.random site 3 : tensor<2x3x!ein.real>
    %e = ein.random normal site 4 : tensor<2x3x!ein.real>
    ```
  }];
  let arguments = (ins UnitAttr:$normal, Ein_Count:$site);
  let results = (outs Ein_RealTensor:$result);
  let assemblyFormat = "(`normal` $normal^)? `site` $site attr-dict `:` type($result)";
}

def Ein_TrainingOp : Ein_Op<"training", [Pure]> {
  let summary = "whether the entry trains";
  let description = [{
    True in `train`, false in `eval` and `infer`. Made by the language; `--ein-random` replaces it, and a `select` on
    it.

    Example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    %t = ein.training : tensor<i1>
    ```

    (C1) The result has rank 0 and elements i1.
  }];
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Ein_StepOp : Ein_Op<"step", [Pure]> {
  let summary = "the number of the optimizer's step";
  let description = [{
    In `train` the current step, from 1; in other entries the step that made the parameters, 0 if none did. Made by
    the language; `--ein-random` replaces it by an input of the model.

    Example, from `test/Dialect/Ein/roundtrip.mlir`:

    ```mlir
    %s = ein.step : tensor<i32>
    ```

    (C1) The result has rank 0 and elements i32.
  }];
  let results = (outs Ein_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
