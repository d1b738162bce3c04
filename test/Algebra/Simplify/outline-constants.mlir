// RUN: plc-opt %s --ein-simplify | FileCheck %s
// An equation between two constants ends: clones of one are not taken for more constants of the model.

#i = affine_map<(i) -> (i)>
#o = affine_map<(i) -> ()>
#s = affine_map<() -> ()>

// CHECK: ein.func @m.y(%{{.*}}: tensor<2xf32>) -> tensor<2xf32>
// CHECK-DAG: ein.constant 2.0
// CHECK-DAG: ein.constant 3.0
// CHECK: ein.map add
// CHECK-NEXT: ein.map mul
// CHECK-NEXT: ein.return
// CHECK: ein.model @m(%[[X:.*]]: tensor<2xf32>)
// CHECK-NEXT: ein.call @m.y(%[[X]]) path "m.y"
// CHECK-NEXT: ein.return
ein.model @m(%x: tensor<2xf32>) -> tensor<2xf32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["y"], result_batch = array<i64: -1>} {
  %two = ein.constant 2.0 : tensor<f32>
  %three = ein.constant 3.0 : tensor<f32>
  %five = ein.map add(%two, %three) over [] maps [#s, #s, #s] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %y = ein.map mul(%x, %five) over [2] maps [#i, #o, #i] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  ein.return %y : tensor<2xf32>
}
