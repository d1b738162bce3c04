// A gradient that is 0 because no branch was taken is guarded beyond the sum that undoes a broadcast, by whether any
// summed branch was taken: as long as something infinite may meet it, and no longer.
// RUN: plc-opt %s --ein-simplify --ein-differentiate --ein-simplify --mlir-print-local-scope | FileCheck %s

#d = affine_map<(d) -> (d)>
#bd = affine_map<(b, d) -> (b, d)>
#vd = affine_map<(b, d) -> (d)>
#o = affine_map<(b, d) -> ()>
ein.param @v : tensor<3xf64> init normal(1.0, 0.0)
ein.param @w : tensor<3x3xf64> init normal(1.0, 0.0)
ein.param @k : tensor<3x2xf64> init normal(1.0, 0.0)

// The gradient of log v.
// CHECK-LABEL: ein.func @broadcast.W(
// CHECK-DAG: %[[C:.*]] = ein.map gt "ab,->ab" %{{.*}}, %{{.*}} : (tensor<2x3xf64>, tensor<f64>) -> tensor<2x3xi1>
// CHECK-DAG: %[[ONE:.*]] = ein.constant 1.0
// CHECK-DAG: %[[ZERO:.*]] = ein.constant 0.0
// CHECK-DAG: %[[DY:.*]] = ein.map select "ab,ab,->ab" %[[C]], %{{.*}}, %[[ZERO]] : (tensor<2x3xi1>, tensor<2x3xf64>, tensor<f64>) -> tensor<2x3xf64>
// CHECK-DAG: %[[SUM:.*]] = ein.reduce sum "ab->b" %[[DY]]
// CHECK-DAG: %[[NUMBER:.*]] = ein.map select "ab,,->ab" %[[C]], %[[ONE]], %[[ZERO]] : (tensor<2x3xi1>, tensor<f64>, tensor<f64>) -> tensor<2x3xf64>
// CHECK-DAG: %[[MOST:.*]] = ein.reduce max "ab->b" %[[NUMBER]] : (tensor<2x3xf64>) -> tensor<3xf64>
// CHECK-DAG: %[[ANY:.*]] = ein.map gt "a,->a" %[[MOST]], %[[ZERO]] : (tensor<3xf64>, tensor<f64>) -> tensor<3xi1>
// CHECK: %[[DV:.*]] = ein.map div "a,a->a" %[[SUM]], %{{.*}} : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
// CHECK-NEXT: %[[EXACT:.*]] = ein.map select "a,a,->a" %[[ANY]], %[[DV]], %[[ZERO]] : (tensor<3xi1>, tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
// CHECK-NEXT: ein.reduce sum "a->a" %[[EXACT]] into
ein.func @broadcast(%x: tensor<2x3xf64>, %v: tensor<3xf64>) -> tensor<2x3xf64> attributes {num_params = 1 : i64} {
  %zero = ein.constant 0.0 : tensor<f64>
  %c = ein.map gt(%x, %zero) over [2, 3] maps [#bd, #o, #bd] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2x3xi1>
  %log = ein.map log(%v) over [3] maps [#d, #d] : (tensor<3xf64>) -> tensor<3xf64>
  %y = ein.map select(%c, %log, %x) over [2, 3] maps [#bd, #vd, #bd, #bd] : (tensor<2x3xi1>, tensor<3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  ein.return %y : tensor<2x3xf64>
}

// Both branches are of v: one of them is taken everywhere, so nothing guards its gradient; nor where an `if` is in one of them.
// CHECK-LABEL: ein.func @leaky.W(
// CHECK-NOT: ein.map or
// CHECK: ein.return
ein.func @leaky(%x: tensor<3xf64>, %v: tensor<3xf64>) -> tensor<3xf64> attributes {num_params = 1 : i64} {
  %zero = ein.constant 0.0 : tensor<f64>
  %log = ein.map log(%v) over [3] maps [#d, #d] : (tensor<3xf64>) -> tensor<3xf64>
  %c = ein.map lt(%log, %zero) over [3] maps [#d, affine_map<(d) -> ()>, #d] : (tensor<3xf64>, tensor<f64>) -> tensor<3xi1>
  %e = ein.map gt(%x, %zero) over [3] maps [#d, affine_map<(d) -> ()>, #d] : (tensor<3xf64>, tensor<f64>) -> tensor<3xi1>
  %a = ein.map mul(%log, %log) over [3] maps [#d, #d, #d] : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %b = ein.map select(%e, %a, %log) over [3] maps [#d, #d, #d, #d] : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %y = ein.map select(%c, %log, %b) over [3] maps [#d, #d, #d, #d] : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %z = ein.map mul(%y, %x) over [3] maps [#d, #d, #d] : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  ein.return %z : tensor<3xf64>
}

// Nothing follows the sum: no guard of it is made.
// CHECK-LABEL: ein.func @direct.W(
// CHECK-NOT: reduce max
// CHECK: ein.return
ein.func @direct(%x: tensor<2x3xf64>, %v: tensor<3xf64>) -> tensor<2x3xf64> attributes {num_params = 1 : i64} {
  %zero = ein.constant 0.0 : tensor<f64>
  %c = ein.map gt(%x, %zero) over [2, 3] maps [#bd, #o, #bd] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2x3xi1>
  %y = ein.map select(%c, %v, %x) over [2, 3] maps [#bd, #vd, #bd, #bd] : (tensor<2x3xi1>, tensor<3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  ein.return %y : tensor<2x3xf64>
}

// Two contributions with guards of their own: alive where one of them is.
// CHECK-LABEL: ein.func @twice.W(
// CHECK-DAG: %[[FIRST:.*]] = ein.map gt "a,->a" %{{.*}}, %{{.*}} {{.*}}tensor<f64>) -> tensor<3xi1>
// CHECK-DAG: %[[SECOND:.*]] = ein.map lt "a,->a" %{{.*}}, %{{.*}} : (tensor<3xf64>, tensor<f64>) -> tensor<3xi1>
// CHECK-DAG: %[[DV:.*]] = ein.map div
// CHECK-DAG: %[[EITHER:.*]] = ein.map or "a,a->a" %[[FIRST]], %[[SECOND]] : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
// CHECK: ein.map select "a,a,->a" %[[EITHER]], %[[DV]],
ein.func @twice(%x: tensor<3xf64>, %v: tensor<3xf64>) -> tensor<3xf64> attributes {num_params = 1 : i64} {
  %zero = ein.constant 0.0 : tensor<f64>
  %one = ein.constant 1.0 : tensor<f64>
  %c = ein.map gt(%x, %one) over [3] maps [#d, affine_map<(d) -> ()>, #d] : (tensor<3xf64>, tensor<f64>) -> tensor<3xi1>
  %e = ein.map lt(%x, %zero) over [3] maps [#d, affine_map<(d) -> ()>, #d] : (tensor<3xf64>, tensor<f64>) -> tensor<3xi1>
  %log = ein.map log(%v) over [3] maps [#d, #d] : (tensor<3xf64>) -> tensor<3xf64>
  %a = ein.map select(%c, %log, %x) over [3] maps [#d, #d, #d, #d] : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %b = ein.map select(%e, %log, %x) over [3] maps [#d, #d, #d, #d] : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %y = ein.map mul(%a, %b) over [3] maps [#d, #d, #d] : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  ein.return %y : tensor<3xf64>
}

// The other factor of a matrix product is 0 where it meets dead elements alone.
// CHECK-LABEL: ein.func @product.W(
// CHECK-DAG: %[[C:.*]] = ein.map gt "a,->a" %{{.*}}, %{{.*}} {{.*}} -> tensor<2xi1>
// CHECK-DAG: %[[FACTOR:.*]] = ein.map select "a,ab,->ab" %[[C]], %{{.*}}, %{{.*}} : (tensor<2xi1>, tensor<2x3xf64>, tensor<f64>) -> tensor<2x3xf64>
// CHECK: ein.contract "ca,cb->ab" {{.*}}%[[FACTOR]]{{.*}} into
ein.func @product(%x: tensor<2x3xf64>, %t: tensor<2xf64>, %w: tensor<3x3xf64>) -> tensor<2x3xf64> attributes {num_params = 1 : i64} {
  %zero = ein.constant 0.0 : tensor<f64>
  %c = ein.map gt(%t, %zero) over [2] maps [#d, affine_map<(d) -> ()>, #d] : (tensor<2xf64>, tensor<f64>) -> tensor<2xi1>
  %0 = ein.contract %x, %w over [2, 3, 3] maps [affine_map<(b, e, d) -> (b, d)>, affine_map<(b, e, d) -> (d, e)>, affine_map<(b, e, d) -> (b, e)>] : (tensor<2x3xf64>, tensor<3x3xf64>) -> tensor<2x3xf64>
  %y = ein.map select(%c, %0, %x) over [2, 3] maps [affine_map<(b, d) -> (b)>, #bd, #bd, #bd] : (tensor<2xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  ein.return %y : tensor<2x3xf64>
}

// A causal mask: every row and every column of the product has an element, so no factor is guarded.
// CHECK-LABEL: ein.func @causal.W(
// CHECK-COUNT-1: ein.map select
// CHECK-NOT: ein.map select
// CHECK: ein.contract "cb,ca->ab" %{{.*}} into
ein.func @causal(%x: tensor<3x2xf64>, %w: tensor<3x2xf64>) -> tensor<3x3xf64> attributes {num_params = 1 : i64} {
  %zero = ein.constant 0.0 : tensor<f64>
  %s = ein.iota : tensor<3xi64>
  %t = ein.iota : tensor<3xi64>
  %c = ein.map le(%t, %s) over [3, 3] maps [affine_map<(s, t) -> (t)>, affine_map<(s, t) -> (s)>, #bd] : (tensor<3xi64>, tensor<3xi64>) -> tensor<3x3xi1>
  %0 = ein.contract %x, %w over [3, 3, 2] maps [affine_map<(s, t, k) -> (s, k)>, affine_map<(s, t, k) -> (t, k)>, affine_map<(s, t, k) -> (s, t)>] : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x3xf64>
  %y = ein.map select(%c, %0, %zero) over [3, 3] maps [#bd, #bd, #o, #bd] : (tensor<3x3xi1>, tensor<3x3xf64>, tensor<f64>) -> tensor<3x3xf64>
  ein.return %y : tensor<3x3xf64>
}

ein.model @m(%x: tensor<2x3xf64>, %z: tensor<3xf64>, %t: tensor<2xf64>, %q: tensor<3x2xf64>) -> tensor<f64> attributes {
    arg_names = ["x", "z", "t", "q"], arg_batch = array<i64: -1, -1, -1, -1>, result_names = ["loss"], result_batch = array<i64: -1>} {
  %a = ein.call @broadcast(%x) params [@v] path "0" : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %b = ein.call @direct(%a) params [@v] path "1" : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %c = ein.call @twice(%z) params [@v] path "2" : (tensor<3xf64>) -> tensor<3xf64>
  %h = ein.call @leaky(%c) params [@v] path "5" : (tensor<3xf64>) -> tensor<3xf64>
  %d = ein.call @product(%b, %t) params [@w] path "3" : (tensor<2x3xf64>, tensor<2xf64>) -> tensor<2x3xf64>
  %e = ein.call @causal(%q) params [@k] path "4" : (tensor<3x2xf64>) -> tensor<3x3xf64>
  %f = ein.reduce sum(%e) over [3, 3] maps [#bd, #vd] : (tensor<3x3xf64>) -> tensor<3xf64>
  %g = ein.map mul(%h, %f) over [3] maps [#d, #d, #d] : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %p = ein.map add(%d, %g) over [2, 3] maps [#bd, #vd, #bd] : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %loss = ein.reduce sum(%p) over [2, 3] maps [#bd, #o] : (tensor<2x3xf64>) -> tensor<f64>
  ein.return %loss : tensor<f64>
}
