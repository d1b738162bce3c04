// What F saves for B and W.
// RUN: plc-opt %s --ein-differentiate --split-input-file --mlir-print-local-scope | FileCheck %s

#i = affine_map<(i) -> (i)>
#o = affine_map<(i) -> ()>
ein.param @w : tensor<4xf32> init normal(0.02, 0.0)

// softmax: of the exponential alone the values are saved; probabilities are made again from it and its sum, comparisons
// from what they compare.
// CHECK: ein.func @softmax.F({{.*}}) -> (tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<f32>)
// CHECK: %[[M:.*]] = ein.reduce max
// CHECK: %[[E:.*]] = ein.map select ",,a->a"
// CHECK: %[[Z:.*]] = ein.reduce sum "a->" %[[E]]
// CHECK: ein.return %{{.*}}, %[[M]], %[[E]], %[[Z]]
// CHECK: ein.func @softmax.W(%[[T:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<f32>, %[[E:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<f32>, %[[ACC:.*]]: tensor<4xf32>)
// CHECK-NOT: ein.map exp
// CHECK-DAG: ein.map eq ",->" %[[M]],
// CHECK-DAG: ein.map eq ",->" %[[Z]],
// CHECK-DAG: ein.map div "a,->a" %[[E]], %[[Z]]
// No equation that accumulates makes this gradient: a sum over nothing adds it.
// CHECK: ein.reduce sum "a->a" %{{.*}} into %[[ACC]] : tensor<4xf32> : (tensor<4xf32>) -> tensor<4xf32>
ein.func @softmax(%t: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<f32> attributes {num_params = 1 : i64} {
  %inf = ein.constant 0xFFF0000000000000 : tensor<f32>
  %zero = ein.constant 0.0 : tensor<f32>
  %m0 = ein.reduce max(%w) over [4] maps [#i, #o] : (tensor<4xf32>) -> tensor<f32>
  %m = ein.stop %m0 : tensor<f32>
  %none = ein.map eq(%m, %inf) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>] : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %d = ein.map sub(%w, %m) over [4] maps [#i, #o, #i] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %exp = ein.map exp(%d) over [4] maps [#i, #i] : (tensor<4xf32>) -> tensor<4xf32>
  %e = ein.map select(%none, %zero, %exp) over [4] maps [#o, #o, #i, #i] : (tensor<i1>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %z = ein.reduce sum(%e) over [4] maps [#i, #o] : (tensor<4xf32>) -> tensor<f32>
  %nothing = ein.map eq(%z, %zero) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>] : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %q = ein.map div(%e, %z) over [4] maps [#i, #o, #i] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %p = ein.map select(%nothing, %zero, %q) over [4] maps [#o, #o, #i, #i] : (tensor<i1>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %y = ein.map mul(%p, %t) over [4] maps [#i, #i, #i] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = ein.reduce sum(%y) over [4] maps [#i, #o] : (tensor<4xf32>) -> tensor<f32>
  ein.return %s : tensor<f32>
}
ein.model @m(%t: tensor<4xf32>) -> tensor<f32> attributes {arg_names = ["t"], arg_batch = array<i64: -1>,
    result_names = ["loss"], result_batch = array<i64: -1>} {
  %0 = ein.call @softmax(%t) params [@w] path "softmax" : (tensor<4xf32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}

// -----

#i = affine_map<(i) -> (i)>
#o = affine_map<(i) -> ()>
ein.param @w : tensor<4xf32> init normal(0.02, 0.0)

// What makes several saved values by cheap equations is saved in their place: here the argument x alone, and nothing
// of F. A mask is a function of indices: made again, too.
// CHECK: ein.func @cheap.F({{.*}}) -> tensor<f32>
// CHECK: ein.func @cheap.W(%[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
// CHECK-DAG: ein.iota
// CHECK-DAG: ein.map add "a,->a" %[[X]], %
// CHECK-DAG: ein.map mul "a,a->a" %[[X]], %[[X]]
ein.func @cheap(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<f32> attributes {num_params = 1 : i64} {
  %one = ein.constant 1.0 : tensor<f32>
  %zero = ein.constant 0.0 : tensor<f32>
  %index = ein.iota : tensor<4xi32>
  %two = ein.constant 2.0 : tensor<i32>
  %mask = ein.map lt(%index, %two) over [4] maps [#i, #o, #i] : (tensor<4xi32>, tensor<i32>) -> tensor<4xi1>
  %a = ein.map add(%x, %one) over [4] maps [#i, #o, #i] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = ein.map mul(%x, %x) over [4] maps [#i, #i, #i] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %aw = ein.map mul(%a, %w) over [4] maps [#i, #i, #i] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %bw = ein.map mul(%b, %w) over [4] maps [#i, #i, #i] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %abw = ein.map mul(%aw, %bw) over [4] maps [#i, #i, #i] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = ein.map select(%mask, %abw, %zero) over [4] maps [#i, #i, #o, #i] : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %s = ein.reduce sum(%y) over [4] maps [#i, #o] : (tensor<4xf32>) -> tensor<f32>
  ein.return %s : tensor<f32>
}
ein.model @m(%x: tensor<4xf32>) -> tensor<f32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["loss"], result_batch = array<i64: -1>} {
  %0 = ein.call @cheap(%x) params [@w] path "cheap" : (tensor<4xf32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}

// -----

// Of a view what it shows is saved, and the view made again.
// CHECK: ein.func @seen.F({{.*}}) -> (tensor<f32>, tensor<6xf32>)
// CHECK: %[[E:.*]] = ein.map exp
// CHECK: ein.return %{{.*}}, %[[E]]
// CHECK: ein.func @seen.W(%[[X:.*]]: tensor<6xf32>, %{{.*}}: tensor<3x2xf32>)
// CHECK: ein.split %[[X]]
#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
ein.param @w : tensor<3x2xf32> init normal(0.02, 0.0)
ein.func @seen(%x: tensor<6xf32>, %w: tensor<3x2xf32>) -> tensor<f32> attributes {num_params = 1 : i64} {
  %e = ein.map exp(%x) over [6] maps [#i, #i] : (tensor<6xf32>) -> tensor<6xf32>
  %s = ein.split %e axis 0 : (tensor<6xf32>) -> tensor<3x2xf32>
  %p = ein.map mul(%s, %w) over [3, 2] maps [#ij, #ij, #ij] : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = ein.reduce sum(%p) over [3, 2] maps [#ij, affine_map<(i, j) -> ()>] : (tensor<3x2xf32>) -> tensor<f32>
  ein.return %r : tensor<f32>
}
ein.model @m(%x: tensor<6xf32>) -> tensor<f32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["loss"], result_batch = array<i64: -1>} {
  %0 = ein.call @seen(%x) params [@w] path "seen" : (tensor<6xf32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}
