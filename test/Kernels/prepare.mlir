// With `prepare`, costly equations that are the same in all runs have kernels apart; what is cheap stays with its readers.
// RUN: plc-opt %s --form-kernels=prepare=true | FileCheck %s
// RUN: plc-opt %s --form-kernels | FileCheck %s --check-prefix=PLAIN

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>

ein.param @scale.w : tensor<16xf32> init constant(1.0, 0.0)
ein.param @scale.v : tensor<16xf32> init constant(1.0, 0.0)

// The table of sines and the root stand in front, the doubled sine where it is read; the trained parameter's stays.
// CHECK: plan.kernel @scale.0(%[[S:.*]]: tensor<16xf32>, %[[V:.*]]: tensor<16xf32>, %{{.*}}: tensor<16x8xf32>, %{{.*}}: tensor<16xf32>)
// CHECK-NOT: ein.map sin
// CHECK: ein.map add "a,a->a" %[[S]], %[[S]]
// CHECK: ein.map exp "a->a" %[[V]]
// CHECK-NOT: ein.map sqrt
// CHECK: plan.kernel @scale.P.0() -> tensor<16xf32>
// CHECK: ein.map sin
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @scale.P.1(%[[W:.*]]: tensor<16xf32>) -> tensor<16xf32>
// CHECK: ein.map sqrt "a->a" %[[W]]
// CHECK-NEXT: plan.yield
// CHECK: ein.func @scale(
// CHECK-NEXT: %[[SIN:.*]] = plan.call @scale.P.0()
// CHECK-NEXT: %[[ROOT:.*]] = plan.call @scale.P.1(%arg1)
// CHECK-NEXT: plan.call @scale.0(%[[SIN]], %arg2, %arg0, %[[ROOT]])
// PLAIN: plan.kernel @scale.0(
// PLAIN-NOT: plan.kernel @scale.P
ein.func @scale(%x: tensor<16x8xf32>, %w: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<16x8xf32>
    attributes {num_params = 2 : i64, role = "F"} {
  %i = ein.iota : tensor<16xi32>
  %f = ein.cast %i : (tensor<16xi32>) -> tensor<16xf32>
  %s = ein.map sin(%f) over [16] maps [#one, #one] : (tensor<16xf32>) -> tensor<16xf32>
  %d = ein.map add(%s, %s) over [16] maps [#one, #one, #one] : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %r = ein.map sqrt(%w) over [16] maps [#one, #one] : (tensor<16xf32>) -> tensor<16xf32>
  %e = ein.map exp(%v) over [16] maps [#one, #one] : (tensor<16xf32>) -> tensor<16xf32>
  %a = ein.map mul(%x, %d) over [16, 8] maps [#id, #row, #id] : (tensor<16x8xf32>, tensor<16xf32>) -> tensor<16x8xf32>
  %b = ein.map mul(%a, %r) over [16, 8] maps [#id, #row, #id] : (tensor<16x8xf32>, tensor<16xf32>) -> tensor<16x8xf32>
  %y = ein.map mul(%b, %e) over [16, 8] maps [#id, #row, #id] : (tensor<16x8xf32>, tensor<16xf32>) -> tensor<16x8xf32>
  ein.return %y : tensor<16x8xf32>
}

// An argument is steady if every call's is: here one of two is not.
// CHECK: ein.func @both(
// CHECK-NEXT: plan.call @both.0(%arg1, %arg0)
ein.func @both(%x: tensor<16x8xf32>, %t: tensor<16xf32>) -> tensor<16x8xf32> attributes {role = "F"} {
  %r = ein.map sqrt(%t) over [16] maps [#one, #one] : (tensor<16xf32>) -> tensor<16xf32>
  %y = ein.map mul(%x, %r) over [16, 8] maps [#id, #row, #id] : (tensor<16x8xf32>, tensor<16xf32>) -> tensor<16x8xf32>
  ein.return %y : tensor<16x8xf32>
}
ein.func @given(%w: tensor<16xf32>) -> tensor<16xf32> attributes {num_params = 1 : i64, role = "F"} {
  %s = ein.map add(%w, %w) over [16] maps [#one, #one, #one] : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  ein.return %s : tensor<16xf32>
}
// And here every one is, through a call that makes it.
// CHECK: ein.func @steady(
// CHECK-NEXT: plan.call @{{.*}}(%arg1)
// CHECK-NEXT: plan.call
ein.func @steady(%x: tensor<16x8xf32>, %t: tensor<16xf32>) -> tensor<16x8xf32> attributes {role = "F"} {
  %r = ein.map rsqrt(%t) over [16] maps [#one, #one] : (tensor<16xf32>) -> tensor<16xf32>
  %y = ein.map mul(%x, %r) over [16, 8] maps [#id, #row, #id] : (tensor<16x8xf32>, tensor<16xf32>) -> tensor<16x8xf32>
  ein.return %y : tensor<16x8xf32>
}
ein.func @scale.W(%x: tensor<16x8xf32>, %acc: tensor<16xf32>) -> tensor<16xf32>
    attributes {num_accumulators = 1 : i64, role = "W"} {
  %y = ein.reduce sum(%x) over [16, 8] maps [#id, #row] order lanes into %acc : tensor<16xf32> : (tensor<16x8xf32>) -> tensor<16xf32>
  ein.return %y : tensor<16xf32>
}
ein.model @m(%x: tensor<16x8xf32>, %t: tensor<16xf32>) -> tensor<16x8xf32> attributes {
    arg_names = ["x", "t"], result_names = ["y"], arg_batch = array<i64: -1, -1>, result_batch = array<i64: -1>} {
  %g = ein.call @given() params [@scale.w] path "given" : () -> tensor<16xf32>
  %a = ein.call @scale(%x) params [@scale.w, @scale.v] path "scale" : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %b = ein.call @both(%a, %t) path "both.0" : (tensor<16x8xf32>, tensor<16xf32>) -> tensor<16x8xf32>
  %c = ein.call @both(%b, %g) path "both.1" : (tensor<16x8xf32>, tensor<16xf32>) -> tensor<16x8xf32>
  %d = ein.call @steady(%c, %g) path "steady.0" : (tensor<16x8xf32>, tensor<16xf32>) -> tensor<16x8xf32>
  %e = ein.call @steady(%d, %g) path "steady.1" : (tensor<16x8xf32>, tensor<16xf32>) -> tensor<16x8xf32>
  ein.call @scale.W(%a) accumulates [@scale.v] path "scale" : (tensor<16x8xf32>) -> ()
  ein.return %e : tensor<16x8xf32>
}
