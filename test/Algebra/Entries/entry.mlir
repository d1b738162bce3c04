// RUN: plc-opt %s --ein-entry | FileCheck %s --check-prefixes=CHECK,TRAIN
// RUN: plc-opt %s --ein-entry=entry=eval | FileCheck %s --check-prefixes=CHECK,TRAIN
// RUN: plc-opt %s --ein-entry=entry=infer | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: plc-opt %s --ein-entry="entry=infer outputs=z,y" | FileCheck %s --check-prefixes=CHECK,SOME
// RUN: not plc-opt %s --ein-entry="entry=infer outputs=q" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not plc-opt %s --ein-entry=entry=test 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: plc-opt %s --ein-entry="entry=infer outputs=grad(u)" | FileCheck %s --check-prefix=GRAD
// RUN: plc-opt %s --ein-entry="entry=infer outputs=grad(w),z" | FileCheck %s --check-prefix=PARAM
// NONE: error: model 'm' has no output 'q'; it has 'y', 'loss', 'z'
// UNKNOWN: program 'test' is not supported; there are 'train', 'eval' and 'infer'

// Parameters stay, whatever the entry.
// CHECK: ein.param @w
ein.param @w : tensor<2xf32> init normal(0.02, 0.0)

// CHECK: ein.func @id
ein.func @id(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> attributes {num_params = 1 : i64} {
  ein.return %x : tensor<2xf32>
}
// TRAIN: ein.func @total
// ALL: ein.func @total
// SOME-NOT: ein.func @total
ein.func @total(%x: tensor<2xf32>, %t: tensor<2xf32>) -> tensor<f32> {
  %p = ein.map mul(%x, %t) over [2] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]
    : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %0 = ein.reduce sum(%p) over [2] maps [affine_map<(i) -> (i)>, affine_map<(i) -> ()>] : (tensor<2xf32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}

// TRAIN: ein.model @m(%[[X:.*]]: tensor<2xf32>, %[[T:.*]]: tensor<2xf32>) -> tensor<f32>
// TRAIN-SAME: arg_batch = array<i64: 0, -1>, arg_names = ["x", "t"]
// TRAIN-SAME: result_batch = array<i64: -1>, result_names = ["loss"]
// ALL: ein.model @m(%{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>)
// ALL-SAME: result_names = ["y", "loss", "z"]
// SOME: ein.model @m(%[[X:.*]]: tensor<2xf32>, %[[U:.*]]: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// SOME-SAME: arg_names = ["x", "u"]
// SOME-SAME: result_names = ["y", "z"]
// A gradient needs the loss, and its argument stays though nothing reads it.
// GRAD: ein.model @m(%{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>) -> tensor<f32>
// GRAD-SAME: arg_names = ["x", "t", "u"]
// GRAD-SAME: result_names = ["loss"]
// PARAM: ein.model @m
// PARAM-SAME: result_names = ["loss", "z"]
ein.model @m(%x: tensor<2xf32>, %t: tensor<2xf32>, %u: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>, tensor<2xf32>)
    attributes {arg_names = ["x", "t", "u"], arg_batch = array<i64: 0, -1, -1>, result_names = ["y", "loss", "z"],
                result_batch = array<i64: 0, -1, -1>, batch = 2 : i64} {
  // CHECK: path "first"
  %y = ein.call @id(%x) params [@w] path "first" : (tensor<2xf32>) -> tensor<2xf32>
  // TRAIN-NOT: path "dead"
  // SOME: path "dead"
  %z = ein.call @id(%u) params [@w] path "dead" : (tensor<2xf32>) -> tensor<2xf32>
  // SOME-NOT: path "last"
  %loss = ein.call @total(%y, %t) path "last" : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  ein.return %y, %loss, %z : tensor<2xf32>, tensor<f32>, tensor<2xf32>
}
