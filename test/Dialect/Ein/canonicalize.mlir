// A view that undoes another one is gone; others stay.
// RUN: plc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: ein.func @undone(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>, %[[Y:.*]]: tensor<4x3x2xf32>)
// CHECK-NEXT: ein.return %[[X]], %[[Y]]
ein.func @undone(%x: tensor<4x6xf32>, %y: tensor<4x3x2xf32>) -> (tensor<4x6xf32>, tensor<4x3x2xf32>) {
  %0 = ein.split %x axis 1 : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %1 = ein.merge %0 axis 1 : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  %2 = ein.merge %y axis 1 : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  %3 = ein.split %2 axis 1 : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  ein.return %1, %3 : tensor<4x6xf32>, tensor<4x3x2xf32>
}

// CHECK-LABEL: ein.func @other(
// CHECK: ein.merge
// CHECK: ein.split
// CHECK: ein.split
// CHECK: ein.merge
ein.func @other(%x: tensor<4x3x2xf32>, %y: tensor<2x2x4xf32>) -> (tensor<4x2x3xf32>, tensor<2x8xf32>) {
  %0 = ein.merge %x axis 1 : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  %1 = ein.split %0 axis 1 : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  %2 = ein.split %y axis 2 : (tensor<2x2x4xf32>) -> tensor<2x2x2x2xf32>
  %3 = ein.merge %2 axis 1 : (tensor<2x2x2x2xf32>) -> tensor<2x8xf32>
  ein.return %1, %3 : tensor<4x2x3xf32>, tensor<2x8xf32>
}
