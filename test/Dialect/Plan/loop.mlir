// RUN: plc-opt %s | plc-opt | FileCheck %s
// RUN: plc-opt %s --mlir-print-op-generic | plc-opt | FileCheck %s

// A loop holds the kernels that its iterations call, under names of its own, and scratch that nobody reads.
// CHECK-LABEL: plan.kernel @sums
// CHECK-SAME: kind = #plan<kind loop>
// CHECK: plan.kernel @turn.0
// CHECK: plan.yield
// CHECK: ein.loop iterations 3 carries(%arg0) slices(%arg1) with()
// CHECK: plan.call @turn.0
// CHECK: ein.return
// CHECK: %[[SCRATCH:.*]] = ein.iota : tensor<16xi32>
// CHECK: plan.yield %{{.*}}, %[[SCRATCH]]
plan.kernel @sums(%h: tensor<4xf32>, %x: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<16xi32>)
    attributes {kind = #plan<kind loop>, by = #plan<by loop>} {
  plan.kernel @turn.0(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32>
      attributes {kind = #plan<kind elementwise>, by = #plan<by elementwise>} {
    %s = ein.map add "a,a->a" %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    plan.yield %s : tensor<4xf32>
  }
  %r = ein.loop iterations 3 carries(%h) slices(%x) with() : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %p: tensor<4xf32>):
    %s = plan.call @turn.0(%c, %p) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ein.return %s : tensor<4xf32>
  }
  %scratch = ein.iota : tensor<16xi32>
  plan.yield %r, %scratch : tensor<4xf32>, tensor<16xi32>
}
