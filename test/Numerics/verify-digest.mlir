// What a program computes is written down once and compared afterwards: equations may move into kernels, stages and
// clones, but not change. Names of values and bodies are no part of it.
// RUN: plc-opt %s --record-numerics | FileCheck %s
// RUN: plc-opt %s --record-numerics --verify-numerics -o /dev/null
// RUN: plc-opt %s --record-numerics -o %t.mlir
// RUN: sed -e 's/exp/sigmoid/' %t.mlir | not plc-opt --verify-numerics -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: sed -e 's/lanes/chain/' %t.mlir | not plc-opt --verify-numerics -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: sed -e 's/constant 2.0/constant 3.0/' %t.mlir | not plc-opt --verify-numerics -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: sed -e 's/normal(2.0/normal(3.0/' %t.mlir | not plc-opt --verify-numerics -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: sed -e 's/@body/@other/' %t.mlir | plc-opt --verify-numerics -o /dev/null
// RUN: plc-opt %t.mlir --form-kernels --verify-numerics -o /dev/null
// RUN: plc-opt %t.mlir --form-kernels=fusion=false --verify-numerics --plan-partition --verify-numerics -o /dev/null

// CHECK: plan.numerics @m digest "[[DIGEST:[0-9a-f]+]]"
// CHECK-NEXT: ein.model @m
// FUNCTION: error: program 'm' has equations of digest '[[FOUND:[0-9a-f]+]]' but expected '[[EXPECTED:[0-9a-f]+]]'
// FUNCTION: note: recorded here, of the numerics program

#i = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>
ein.param @w : tensor<4xf32> init normal(2.0, 0.0)
ein.func @body(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<f32> attributes {num_params = 1 : i64} {
  %c = ein.constant 2.0 : tensor<f32>
  %0 = ein.map mul(%x, %c) over [4] maps [#i, #all, #i] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = ein.map add(%0, %w) over [4] maps [#i, #i, #i] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = ein.map exp(%1) over [4] maps [#i, #i] : (tensor<4xf32>) -> tensor<4xf32>
  %3 = ein.reduce sum(%2) over [4] maps [#i, #all] order lanes : (tensor<4xf32>) -> tensor<f32>
  ein.return %3 : tensor<f32>
}
ein.model @m(%x: tensor<4xf32>) -> (tensor<f32>) attributes {
    arg_names = ["x"], arg_batch = array<i64: -1>, result_names = ["y"], result_batch = array<i64: -1>} {
  %0 = ein.call @body(%x) params [@w] path "a" : (tensor<4xf32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}
