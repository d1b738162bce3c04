// RUN: plc-opt %s --ein-micro-batch=micro-batches=4 --ein-cut-batch | FileCheck %s
// RUN: plc-opt %s --ein-micro-batch --ein-cut-batch | FileCheck %s --check-prefix=ONE

// A sum over the batch is divided by one of inputs alone: over all samples, of inputs that are further arguments. `@masks`
// makes them in another body, of which only this result is wanted; `@mean` is called twice. It is the same of one micro-batch.
// ONE: ein.model @m(%{{.*}}: tensor<8x3xf32>, %{{.*}}: tensor<8x3xi1>, %{{.*}}: tensor<8x3xi1>)
// ONE-SAME: arg_names = ["x", "c", #ein.whole<"c">]

// CHECK: ein.func @masks(%{{.*}}: tensor<2x3xi1>, %{{.*}}: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
ein.func @masks(%c: tensor<8x3xi1>, %x: tensor<8x3xf32>) -> (tensor<8x3xf32>, tensor<8x3xf32>) {
  %0 = ein.map neg(%x) over [8, 3] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>] : (tensor<8x3xf32>) -> tensor<8x3xf32>
  %1 = ein.cast %c : (tensor<8x3xi1>) -> tensor<8x3xf32>
  ein.return %0, %1 : tensor<8x3xf32>, tensor<8x3xf32>
}
// CHECK: ein.func @masks.whole.1(%[[C:.*]]: tensor<8x3xi1>) -> tensor<8x3xf32>
// CHECK-NEXT: %[[M:.*]] = ein.cast %[[C]]
// CHECK-NEXT: ein.return %[[M]]

// CHECK: ein.func @mean(%[[X:.*]]: tensor<2x3xf32>, %[[PART:.*]]: tensor<2x3xf32>, %[[ALL:.*]]: tensor<8x3xf32>) -> tensor<2xf32>
ein.func @mean(%x: tensor<8x3xf32>, %m: tensor<8x3xf32>) -> tensor<f32> {
  // CHECK: %[[A:.*]] = ein.contract "ab,ab->a" %[[X]], %[[PART]]
  %0 = ein.contract %x, %m over [8, 3] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> ()>]
    : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<f32>
  // CHECK: %[[S:.*]] = ein.reduce sum "ab->" %[[ALL]] : (tensor<8x3xf32>) -> tensor<f32>
  %1 = ein.reduce sum(%m) over [8, 3] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> ()>] : (tensor<8x3xf32>) -> tensor<f32>
  %2 = ein.constant 1.0 : tensor<f32>
  // CHECK: %[[B:.*]] = ein.map max ",->" %[[S]]
  %3 = ein.map max(%1, %2) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>]
    : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: ein.map div "a,->a" %[[A]], %[[B]]
  %4 = ein.map div(%0, %3) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>]
    : (tensor<f32>, tensor<f32>) -> tensor<f32>
  ein.return %4 : tensor<f32>
}

// CHECK: ein.model @m(%{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<2x3xi1>, %[[WHOLE:.*]]: tensor<8x3xi1>)
// CHECK-SAME: arg_batch = array<i64: 0, 0, -1>, arg_names = ["x", "c", #ein.whole<"c">]
ein.model @m(%x: tensor<8x3xf32>, %c: tensor<8x3xi1>) -> (tensor<f32>, tensor<f32>) attributes {arg_names = ["x", "c"],
    arg_batch = array<i64: 0, 0>, result_names = ["loss", "other"], result_batch = array<i64: -1, -1>, batch = 8 : i64} {
  // CHECK: %[[V:.*]] = ein.call @masks.whole.1(%[[WHOLE]]) path "masks.whole.1" : (tensor<8x3xi1>) -> tensor<8x3xf32>
  // CHECK: ein.call @masks(
  %0:2 = ein.call @masks(%c, %x) path "masks" : (tensor<8x3xi1>, tensor<8x3xf32>) -> (tensor<8x3xf32>, tensor<8x3xf32>)
  // CHECK: ein.call @mean(%{{.*}}, %{{.*}}, %[[V]]) path "mean"
  %1 = ein.call @mean(%x, %0#1) path "mean" : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<f32>
  // CHECK: ein.call @mean(%{{.*}}, %{{.*}}, %[[V]]) path "other"
  %2 = ein.call @mean(%0#0, %0#1) path "other" : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<f32>
  ein.return %1, %2 : tensor<f32>, tensor<f32>
}
