// An error in subscripts stands under the letter that it is about.
// RUN: not plc-opt %s --split-input-file 2>&1 | FileCheck %s --strict-whitespace --match-full-lines

ein.func @extents(%x: tensor<3xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %z = ein.map add "b,ab->ab" %x, %y : (tensor<3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  ein.return %z : tensor<2x4xf32>
}
//      CHECK:{{.*}}:5:24: error: custom op 'ein.map' index 'b' has extent 4 in operand #1 but 3 in operand #0
// CHECK-NEXT:  %z = ein.map add "b,ab->ab" %x, %y : (tensor<3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:                       ^
// -----
ein.func @result(%x: tensor<3xf32>) -> tensor<3xf32> {
  %z = ein.map neg "ab" %x : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %z : tensor<3xf32>
}
//      CHECK:{{.*}}:13:23: error: custom op 'ein.map' subscripts end without a result, expected '->' and its indices
// CHECK-NEXT:  %z = ein.map neg "ab" %x : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:                      ^
