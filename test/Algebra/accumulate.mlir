// A step of 3 batches of 4 samples: 12 samples, 2 micro-batches for each batch, the mean of the losses.
// RUN: plc-opt %s --ein-micro-batch="micro-batches=2 batches=3" | FileCheck %s
// RUN: not plc-opt %s --ein-micro-batch=batches=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: number of batches of a step is 0 but must be at least 1
// RUN: not plc-opt %s --ein-micro-batch="micro-batches=4 batches=20000" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: a step of 20000 batches in 4 micro-batches each has more than 65536
// RUN: sed 's/"loss"/"cost"/' %s | not plc-opt --ein-micro-batch=batches=2 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: model 'm' has no output 'loss', so it cannot accumulate 2 batches
// RUN: sed 's/arg_batch = array<i64: 0>/arg_batch = array<i64: -1>/; s/, batch = 4 : i64//' %s | not plc-opt --ein-micro-batch=batches=2 2>&1 | FileCheck %s --check-prefix=UNCUT
// UNCUT: error: model 'm' has no 'batch', so it cannot accumulate 2 of them

// CHECK: ein.model @m(%{{.*}}: tensor<2x3xf32>) -> tensor<f32>
// CHECK-SAME: batch = 12 : i64, micro_batches = 6 : i64
ein.model @m(%x: tensor<4x3xf32>) -> tensor<f32> attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["loss"], result_batch = array<i64: -1>, batch = 4 : i64} {
  // CHECK: %[[SUM:.*]] = ein.reduce sum "ab->" %{{.*}} : (tensor<2x3xf32>) -> tensor<f32>
  %0 = ein.reduce sum(%x) over [4, 3] maps [affine_map<(b, e) -> (b, e)>, affine_map<(b, e) -> ()>] : (tensor<4x3xf32>) -> tensor<f32>
  // CHECK: %[[BATCHES:.*]] = ein.constant 3.000000e+00
  // CHECK: %[[LOSS:.*]] = ein.map div ",->" %[[SUM]], %[[BATCHES]]
  // CHECK: ein.return %[[LOSS]]
  ein.return %0 : tensor<f32>
}
