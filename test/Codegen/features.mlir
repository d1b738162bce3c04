// Code needs fused multiply-add, and says so.
// RUN: not %unit/kernel-check %s avx 2>&1 | FileCheck %s
// CHECK: error: the target has features 'avx' but needs 'avx2'
ein.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = ein.map exp(%x) over [4] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}
