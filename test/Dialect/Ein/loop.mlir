// RUN: plc-opt %s | plc-opt | FileCheck %s
// RUN: plc-opt %s --mlir-print-op-generic | plc-opt | FileCheck %s

// A running sum of products with a weight, forward and backward in time.
// CHECK-LABEL: ein.func @recur
// CHECK: %[[R:.*]]:2 = ein.loop iterations 5 carries(%arg0) slices(%arg1) with(%arg2) : (tensor<4xf32>, tensor<5x4xf32>, tensor<4x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
// CHECK-NEXT: ^bb0(%[[H:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4x4xf32>):
// CHECK: ein.contract "b,ba->a" %[[H]], %[[W]]
// CHECK: ein.return
// CHECK: ein.loop iterations 5 reverse carries(%arg0) slices() with() : (tensor<4xf32>) -> tensor<4xf32>
ein.func @recur(%h: tensor<4xf32>, %x: tensor<5x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>, tensor<4xf32>) {
  %last, %all = ein.loop iterations 5 carries(%h) slices(%x) with(%w) : (tensor<4xf32>, tensor<5x4xf32>, tensor<4x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%carry: tensor<4xf32>, %slice: tensor<4xf32>, %weight: tensor<4x4xf32>):
    %y = ein.contract "b,ba->a" %carry, %weight : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %next = ein.map add "a,a->a" %slice, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ein.return %next, %next : tensor<4xf32>, tensor<4xf32>
  }
  %still = ein.loop iterations 5 reverse carries(%h) slices() with() : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%carry: tensor<4xf32>):
    %next = ein.map neg "a->a" %carry : (tensor<4xf32>) -> tensor<4xf32>
    ein.return %next : tensor<4xf32>
  }
  ein.return %last, %all, %still : tensor<4xf32>, tensor<5x4xf32>, tensor<4xf32>
}
