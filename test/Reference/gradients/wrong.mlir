// A gradient that is twice the right one is found.
// RUN: not plc-interpret check-gradients %s 2>&1 | FileCheck %s
// CHECK: w f64[2]: error {{.*}} (WRONG at element {{[01]}})
// CHECK: wrong.mlir: error: gradients differ from central differences
// RUN: not plc-interpret check-gradients %s --steps 3 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: plc-interpret: error: option '--steps' does not apply to 'check-gradients'
// RUN: not plc-interpret check-gradients %s %s 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: plc-interpret: error: found a second file
// RUN: not plc-interpret check-gradients %s --seed 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: plc-interpret: error: option '--seed' has no value
// RUN: not plc-interpret check-gradients %s --seed x 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: plc-interpret: error: found 'x' for '--seed', expected an integer of at least 0
// RUN: not plc-interpret check-gradients 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: plc-interpret: error: no model, expected MODEL.ein|IR.mlir
// RUN: plc-interpret check-gradients --help | FileCheck %s --check-prefix=HELP
// HELP: usage: plc-interpret check-gradients MODEL.ein|IR.mlir [options]
// HELP: --input NAME=@FILE
// HELP: --samples N elements tried per parameter (default 64)

#v = affine_map<(i) -> (i)>
ein.param @w : tensor<2xf64> init normal(1.0, 0.0)
ein.func @f.F(%x: tensor<2xf64>, %w: tensor<2xf64>) -> tensor<f64> attributes {role = "F", num_params = 1 : i64} {
  %p = ein.map mul(%x, %w) over [2] maps [#v, #v, #v] : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %loss = ein.reduce sum(%p) over [2] maps [#v, affine_map<(i) -> ()>] order lanes : (tensor<2xf64>) -> tensor<f64>
  ein.return %loss : tensor<f64>
}
ein.func @f.W(%x: tensor<2xf64>, %a: tensor<2xf64>) -> tensor<2xf64> attributes {role = "W", num_accumulators = 1 : i64} {
  %d = ein.map add(%x, %x) over [2] maps [#v, #v, #v] : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %g = ein.reduce sum(%d) over [2] maps [#v, #v] order chain into %a : tensor<2xf64> : (tensor<2xf64>) -> tensor<2xf64>
  ein.return %g : tensor<2xf64>
}
ein.model @m(%x: tensor<2xf64>) -> tensor<f64> attributes {
    arg_names = ["x"], arg_batch = array<i64: -1>, result_names = ["loss"], result_batch = array<i64: -1>} {
  %loss = ein.call @f.F(%x) params [@w] path "f" : (tensor<2xf64>) -> tensor<f64>
  ein.call @f.W(%x) accumulates [@w] path "f" : (tensor<2xf64>) -> ()
  ein.return %loss : tensor<f64>
}
