// Values of rules are results that an entry has only if it names them, with the batch axis that they have.
// RUN: plc-opt %s --ein-entry=entry=infer | FileCheck %s --check-prefix=ALL
// RUN: plc-opt %s --ein-entry="entry=infer outputs=f.u,f.n" | FileCheck %s --check-prefix=SOME
// ALL: result_batch = array<i64: 0>, result_names = ["y"]
// SOME: result_batch = array<i64: 1, -1>, result_names = ["f.u", "f.n"]
ein.func @f(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<2x4xf32>, tensor<2xf32>) {
  %u = ein.map exp(%x) over [4, 2] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>]
    : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %n = ein.reduce sum(%x) over [4, 2] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>]
    : (tensor<4x2xf32>) -> tensor<2xf32>
  ein.return %x, %u, %n : tensor<4x2xf32>, tensor<2x4xf32>, tensor<2xf32>
}
ein.model @m(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<2x4xf32>, tensor<2xf32>)
    attributes {arg_names = ["x"], arg_batch = array<i64: 0>, result_names = ["y", "f.u", "f.n"],
                result_batch = array<i64: 0, -1, -1>, batch = 4 : i64} {
  %0:3 = ein.call @f(%x) path "f" : (tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<2x4xf32>, tensor<2xf32>)
  ein.return %0#0, %0#1, %0#2 : tensor<4x2xf32>, tensor<2x4xf32>, tensor<2xf32>
}
