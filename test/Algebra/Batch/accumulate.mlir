// A step of 3 batches of 4 samples: 12 samples, 2 micro-batches for each batch, whose losses are added.
// RUN: plc-opt %s --ein-micro-batch="micro-batches=2 batches=3" --ein-cut-batch | FileCheck %s
// RUN: not plc-opt %s --ein-micro-batch=batches=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: number of batches of a step is 0 but must be at least 1
// RUN: not plc-opt %s --ein-micro-batch="micro-batches=5 batches=3" 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: batch has 4 samples but 5 micro-batches need more
// RUN: not plc-opt %s --ein-micro-batch=batches=5 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: error: the 12 samples of a step are not those of 5 batches
// RUN: sed 's/12/196608/g' %s | not plc-opt --ein-micro-batch="micro-batches=2 batches=49152" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: a step of 49152 batches in 2 micro-batches each has more than 65536
// RUN: sed 's/"loss"/"cost"/' %s | not plc-opt --ein-micro-batch=batches=2 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: model 'm' has no output 'loss', so it cannot accumulate 2 batches
// RUN: sed 's/arg_batch = array<i64: 0>/arg_batch = array<i64: -1>/; s/, batch = 12 : i64//' %s | not plc-opt --ein-micro-batch=batches=2 2>&1 | FileCheck %s --check-prefix=UNCUT
// UNCUT: error: model 'm' has no 'batch', so it cannot accumulate 2 of them

// CHECK: ein.model @m(%{{.*}}: tensor<2x3xf32>) -> tensor<2xf32>
// CHECK-SAME: batch = 12 : i64, micro_batches = 6 : i64
ein.model @m(%x: tensor<12x3xf32>) -> tensor<f32> attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["loss"], result_batch = array<i64: -1>, batch = 12 : i64} {
  // CHECK: %[[SUM:.*]] = ein.reduce sum "ab->a" %{{.*}} : (tensor<2x3xf32>) -> tensor<2xf32>
  // CHECK: ein.return %[[SUM]]
  %0 = ein.reduce sum(%x) over [12, 3] maps [affine_map<(b, e) -> (b, e)>, affine_map<(b, e) -> ()>] : (tensor<12x3xf32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}
