// Every operation prints what it parses.
// RUN: plc-opt %s | plc-opt | FileCheck %s
// RUN: plc-opt %s --mlir-print-op-generic | plc-opt | FileCheck %s

// CHECK: ein.param @embed.wte : tensor<256x8x!ein.real> init normal(2.000000e-02, 0.000000e+00) sizes ["V", "D"]
ein.param @embed.wte : tensor<256x8x!ein.real> init normal(0.02, 0.0) sizes ["V", "D"]
// CHECK: ein.param @attention.0.wq : tensor<8x4x!ein.real> init uniform(-1.000000e+00, 1.000000e+00) frozen
ein.param @"attention.0.wq" : tensor<8x4x!ein.real> init uniform(-1.0, 1.0) frozen

// CHECK: ein.func @equations(%{{.*}}: tensor<2x3xi32>, %{{.*}}: tensor<256x8x!ein.real>) -> tensor<2x3x!ein.real> attributes {kind = "demo", {{.*}}num_params = 1
ein.func @equations(%tok: tensor<2x3xi32>, %wte: tensor<256x8x!ein.real>) -> tensor<2x3x!ein.real> attributes {kind = "demo", num_params = 1 : i64} {
  // CHECK: ein.gather "ic,i=ab->abc" %arg1, %arg0 : (tensor<256x8x!ein.real>, tensor<2x3xi32>) -> tensor<2x3x8x!ein.real>
  %x = ein.gather %wte, %tok over [2, 3, 8] maps [affine_map<(b, s, d)[i] -> (i, d)>, affine_map<(b, s, d) -> (b, s)>,
    affine_map<(b, s, d) -> (b, s, d)>] : (tensor<256x8x!ein.real>, tensor<2x3xi32>) -> tensor<2x3x8x!ein.real>
  // CHECK: ein.constant 5.000000e-01
  %half = ein.constant 0.5 : tensor<!ein.real>
  // CHECK: ein.map mul "abc,->abc" %
  %y = ein.map mul(%x, %half) over [2, 3, 8] maps [affine_map<(b, s, d) -> (b, s, d)>, affine_map<(b, s, d) -> ()>,
    affine_map<(b, s, d) -> (b, s, d)>] : (tensor<2x3x8x!ein.real>, tensor<!ein.real>) -> tensor<2x3x8x!ein.real>
  // CHECK: ein.contract "abd,acd->abc" %{{.*}}, %{{.*}} order [3] : (
  %c = ein.contract %y, %x over [2, 3, 3, 8] maps [affine_map<(b, s, t, d) -> (b, s, d)>,
    affine_map<(b, s, t, d) -> (b, t, d)>, affine_map<(b, s, t, d) -> (b, s, t)>] order [3]
    : (tensor<2x3x8x!ein.real>, tensor<2x3x8x!ein.real>) -> tensor<2x3x3x!ein.real>
  %i = ein.iota : tensor<3xi32>
  // CHECK: ein.map le "b,a->ab" %
  %m = ein.map le(%i, %i) over [3, 3] maps [affine_map<(s, t) -> (t)>, affine_map<(s, t) -> (s)>,
    affine_map<(s, t) -> (s, t)>] : (tensor<3xi32>, tensor<3xi32>) -> tensor<3x3xi1>
  // CHECK: ein.map and "ab,ba->ab" %
  %n = ein.map and(%m, %m) over [3, 3] maps [affine_map<(s, t) -> (s, t)>, affine_map<(s, t) -> (t, s)>,
    affine_map<(s, t) -> (s, t)>] : (tensor<3x3xi1>, tensor<3x3xi1>) -> tensor<3x3xi1>
  // CHECK: ein.reduce max "abc->ab" %{{.*}} order lanes : (
  %r = ein.reduce max(%c) over [2, 3, 3] maps [affine_map<(b, s, t) -> (b, s, t)>, affine_map<(b, s, t) -> (b, s)>]
    order lanes : (tensor<2x3x3x!ein.real>) -> tensor<2x3x!ein.real>
  // CHECK: ein.random site 3 : tensor<2x3x!ein.real>
  %u = ein.random site 3 : tensor<2x3x!ein.real>
  // CHECK: ein.random normal site 4 : tensor<2x3x!ein.real>
  %e = ein.random normal site 4 : tensor<2x3x!ein.real>
  // CHECK: ein.step : tensor<i32>
  %s = ein.step : tensor<i32>
  // CHECK: ein.training : tensor<i1>
  %t = ein.training : tensor<i1>
  // CHECK: ein.reduce prod "abc->ab" %
  %p = ein.reduce prod "abc->ab" %c : (tensor<2x3x3x!ein.real>) -> tensor<2x3x!ein.real>
  // CHECK: ein.reduce any "ab->b" %{{.*}} order chain : (tensor<3x3xi1>) -> tensor<3xi1>
  %any = ein.reduce any "ab->b" %n order chain : (tensor<3x3xi1>) -> tensor<3xi1>
  // CHECK: ein.reduce all "ab->" %{{.*}} : (tensor<3x3xi1>) -> tensor<i1>
  %all = ein.reduce all "ab->" %n : (tensor<3x3xi1>) -> tensor<i1>
  // CHECK: ein.stop
  %q = ein.stop %r : tensor<2x3x!ein.real>
  %z = ein.cast %tok : (tensor<2x3xi32>) -> tensor<2x3x!ein.real>
  ein.return %q : tensor<2x3x!ein.real>
}

// CHECK: ein.param @running.mean : tensor<3x!ein.real> init {{ ?}}constant(0.000000e+00, 0.000000e+00) frozen replaced
ein.param @running.mean : tensor<3x!ein.real> init constant(0.0, 0.0) frozen replaced
ein.func @running(%y: tensor<2x3x!ein.real>, %mean: tensor<3x!ein.real>) -> tensor<2x3x!ein.real> attributes {num_params = 1 : i64} {
  %new = ein.reduce sum "ab->b" %y : (tensor<2x3x!ein.real>) -> tensor<3x!ein.real>
  // CHECK: ein.next %{{.*}}, %{{.*}} = %{{.*}} : tensor<2x3x!ein.real>, tensor<3x!ein.real>
  %z = ein.next %y, %mean = %new : tensor<2x3x!ein.real>, tensor<3x!ein.real>
  ein.return %z : tensor<2x3x!ein.real>
}

// What only holds numbers: moved as it is, computed with behind a cast, rounded by one, kept and chosen.
// CHECK: ein.param @matrix : tensor<2x3x4xf32> init {{ ?}}normal(1.000000e-01, 0.000000e+00) {moments = [array<i64: 0>, array<i64: 1, 2>], rows = 1 : i64, workspace = 128 : i64}
ein.param @matrix : tensor<2x3x4xf32> init normal(0.1, 0.0) {moments = [array<i64: 0>, array<i64: 1, 2>], rows = 1 : i64, workspace = 128 : i64}
// CHECK: ein.param @narrow : tensor<5x3xbf16> init {{ ?}}normal(1.000000e-01, 0.000000e+00) frozen
ein.param @narrow : tensor<5x3xbf16> init normal(0.1, 0.0) frozen
// CHECK: ein.func @held(%{{.*}}: tensor<4x3xi8>, %{{.*}}: tensor<4xi32>, %{{.*}}: tensor<i1>, %{{.*}}: tensor<4x3xf16>, %{{.*}}: tensor<5x3xbf16>) -> (tensor<4x3xf16>, tensor<2x2x3xi8>, tensor<4x3xbf16>)
ein.func @held(%q: tensor<4x3xi8>, %t: tensor<4xi32>, %c: tensor<i1>, %k: tensor<4x3xf16>, %w: tensor<5x3xbf16>) -> (tensor<4x3xf16>, tensor<2x2x3xi8>, tensor<4x3xbf16>) attributes {num_params = 1 : i64} {
  // CHECK: %[[G:.*]] = ein.gather "ib,i=a->ab" %arg4, %arg1 : (tensor<5x3xbf16>, tensor<4xi32>) -> tensor<4x3xbf16>
  %g = ein.gather "ib,i=a->ab" %w, %t : (tensor<5x3xbf16>, tensor<4xi32>) -> tensor<4x3xbf16>
  // CHECK: %[[V:.*]] = ein.cast %[[G]] : (tensor<4x3xbf16>) -> tensor<4x3x!ein.real>
  %v = ein.cast %g : (tensor<4x3xbf16>) -> tensor<4x3x!ein.real>
  // CHECK: %[[H:.*]] = ein.cast %[[V]] : (tensor<4x3x!ein.real>) -> tensor<4x3xf16>
  %h = ein.cast %v : (tensor<4x3x!ein.real>) -> tensor<4x3xf16>
  // CHECK: ein.map select ",ab,ab->ab" %arg2, %[[H]], %arg3 : (tensor<i1>, tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %s = ein.map select ",ab,ab->ab" %c, %h, %k : (tensor<i1>, tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  // CHECK: ein.split %arg0 axis 0 : (tensor<4x3xi8>) -> tensor<2x2x3xi8>
  %p = ein.split %q axis 0 : (tensor<4x3xi8>) -> tensor<2x2x3xi8>
  // CHECK: ein.map id "ab->ab" %[[G]] : (tensor<4x3xbf16>) -> tensor<4x3xbf16>
  %i = ein.map id "ab->ab" %g : (tensor<4x3xbf16>) -> tensor<4x3xbf16>
  ein.return %s, %p, %i : tensor<4x3xf16>, tensor<2x2x3xi8>, tensor<4x3xbf16>
}

// Parameters that are not trained: integers, truth values and bytes; and the functions of bits.
// CHECK: ein.param @packed : tensor<4x3xi32> init {{ ?}}constant(0.000000e+00, 0.000000e+00) frozen
ein.param @packed : tensor<4x3xi32> init constant(0.0, 0.0) frozen
// CHECK: ein.param @kept : tensor<3xi1> init {{ ?}}constant(1.000000e+00, 0.000000e+00) frozen
ein.param @kept : tensor<3xi1> init constant(1.0, 0.0) frozen
// CHECK: ein.param @bytes : tensor<4x3xui8> init {{ ?}}constant(2.550000e+02, 0.000000e+00) frozen
ein.param @bytes : tensor<4x3xui8> init constant(255.0, 0.0) frozen
// CHECK: ein.func @bits(
ein.func @bits(%x: tensor<4x3xi32>, %b: tensor<4x3xui8>) -> tensor<4x3xui8> attributes {num_params = 1 : i64} {
  // CHECK: %[[W:.*]] = ein.cast %arg1 : (tensor<4x3xui8>) -> tensor<4x3xi32>
  %w = ein.cast %b : (tensor<4x3xui8>) -> tensor<4x3xi32>
  // CHECK: ein.map bit_and "ab,ab->ab" %arg0, %[[W]]
  %0 = ein.map bit_and "ab,ab->ab" %x, %w : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  // CHECK: ein.map bit_or
  %1 = ein.map bit_or "ab,ab->ab" %0, %w : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  // CHECK: ein.map bit_xor
  %2 = ein.map bit_xor "ab,ab->ab" %1, %w : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  // CHECK: ein.map shift_left
  %3 = ein.map shift_left "ab,ab->ab" %2, %w : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  // CHECK: ein.map shift_right
  %4 = ein.map shift_right "ab,ab->ab" %3, %w : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  // CHECK: ein.cast %{{.*}} : (tensor<4x3xi32>) -> tensor<4x3xui8>
  %5 = ein.cast %4 : (tensor<4x3xi32>) -> tensor<4x3xui8>
  ein.return %5 : tensor<4x3xui8>
}

// Which axis runs along a batch cut in unequal micro-batches.
// CHECK: ein.func @ragged(%{{.*}}: tensor<3x4xf32, #ein.batch<0>>, %{{.*}}: tensor<4x3xf32>) -> tensor<3x3xf32, #ein.batch<0>>
ein.func @ragged(%x: tensor<3x4xf32, #ein.batch<0>>, %w: tensor<4x3xf32>) -> tensor<3x3xf32, #ein.batch<0>> {
  // CHECK: ein.contract "ac,cb->ab" %arg0, %arg1 : (tensor<3x4xf32, #ein.batch<0>>, tensor<4x3xf32>) -> tensor<3x3xf32, #ein.batch<0>>
  %y = ein.contract "ac,cb->ab" %x, %w : (tensor<3x4xf32, #ein.batch<0>>, tensor<4x3xf32>) -> tensor<3x3xf32, #ein.batch<0>>
  ein.return %y : tensor<3x3xf32, #ein.batch<0>>
}

// What a kernel works in has less room in the smaller micro-batches.
// CHECK: ein.func @room() -> tensor<208xi32, #ein.room<176 below 2>>
ein.func @room() -> tensor<208xi32, #ein.room<176 below 2>> {
  // CHECK: ein.iota : tensor<208xi32, #ein.room<176 below 2>>
  %scratch = ein.iota : tensor<208xi32, #ein.room<176 below 2>>
  ein.return %scratch : tensor<208xi32, #ein.room<176 below 2>>
}

// The type of a sum stands where it is written.
// CHECK: ein.func @sums(
ein.func @sums(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: ein.contract
  // CHECK-SAME: order [1] sum f32 :
  %y = ein.contract %x, %x over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>,
    affine_map<(m, k) -> (m)>] order [1] sum f32 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  // CHECK: ein.reduce sum "ab->a" %{{.*}} order lanes sum f32 :
  %z = ein.reduce sum(%x) over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>]
    order lanes sum f32 : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %y, %z : tensor<2xf32>, tensor<2xf32>
}

// CHECK: ein.func @views(
ein.func @views(%x: tensor<4x6x8x!ein.real>, %c: tensor<2x3xi1>) -> (tensor<4x3x2x8x!ein.real>, tensor<6xi1>) {
  // CHECK: ein.split %{{.*}} axis 1 : (tensor<4x6x8x!ein.real>) -> tensor<4x3x2x8x!ein.real>
  %y = ein.split %x axis 1 : (tensor<4x6x8x!ein.real>) -> tensor<4x3x2x8x!ein.real>
  // CHECK: ein.merge %{{.*}} axis 0 : (tensor<2x3xi1>) -> tensor<6xi1>
  %d = ein.merge %c axis 0 : (tensor<2x3xi1>) -> tensor<6xi1>
  ein.return %y, %d : tensor<4x3x2x8x!ein.real>, tensor<6xi1>
}

// CHECK: ein.func @parts(
ein.func @parts(%x: tensor<4x9xf32>, %i: tensor<2x3xi1>) -> (tensor<4x4x3xf32>, tensor<2x8xi1>) {
  // CHECK: ein.window %{{.*}} at #{{.*}} : (tensor<4x9xf32>) -> tensor<4x4x3xf32>
  %w = ein.window %x at affine_map<(d0, d1, d2) -> (d0, d1 * 2 + d2)> : (tensor<4x9xf32>) -> tensor<4x4x3xf32>
  // CHECK: ein.insert_slice %{{.*}} at #{{.*}} : (tensor<2x3xi1>) -> tensor<2x8xi1>
  %y = ein.insert_slice %i at affine_map<(d0, d1) -> (d0, d1 * 2 + 1)> : (tensor<2x3xi1>) -> tensor<2x8xi1>
  ein.return %w, %y : tensor<4x4x3xf32>, tensor<2x8xi1>
}

// CHECK: ein.func @grad(
// CHECK-SAME: -> tensor<256x8xf32> attributes {num_accumulators = 1 : i64, role = "W"} {
ein.func @grad(%tok: tensor<2x3xi32>, %dx: tensor<2x3x8xf32>, %acc: tensor<256x8xf32>) -> tensor<256x8xf32>
    attributes {role = "W", num_accumulators = 1 : i64} {
  // CHECK: ein.scatter_add "abc,i=ab->ic" %{{.*}}, %{{.*}} into %{{.*}} : tensor<256x8xf32> : (
  %d = ein.scatter_add %dx, %tok over [2, 3, 8] maps [affine_map<(b, s, d) -> (b, s, d)>,
    affine_map<(b, s, d) -> (b, s)>, affine_map<(b, s, d)[i] -> (i, d)>] into %acc : tensor<256x8xf32>
    : (tensor<2x3x8xf32>, tensor<2x3xi32>) -> tensor<256x8xf32>
  ein.return %d : tensor<256x8xf32>
}

// CHECK: ein.func @joined(
ein.func @joined(%x: tensor<6x3xf32>, %k: tensor<6xi32>) -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>) {
  // CHECK: ein.scatter_add max "ab,i=a->ib" %arg0, %arg1 : (
  %0 = ein.scatter_add max "ab,i=a->ib" %x, %k : (tensor<6x3xf32>, tensor<6xi32>) -> tensor<5x3xf32>
  // CHECK: ein.scatter_add min "ab,i=a->ib" %arg0, %arg1 : (
  %1 = ein.scatter_add min "ab,i=a->ib" %x, %k : (tensor<6x3xf32>, tensor<6xi32>) -> tensor<5x3xf32>
  // CHECK: ein.scatter_add prod "ab,i=a->ib" %arg0, %arg1 : (
  %2 = ein.scatter_add prod "ab,i=a->ib" %x, %k : (tensor<6x3xf32>, tensor<6xi32>) -> tensor<5x3xf32>
  ein.return %0, %1, %2 : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>
}

// CHECK: ein.func @grad_of_tables(
ein.func @grad_of_tables(%x: tensor<6x3xf32>, %k: tensor<6xi32>, %y: tensor<6x4xf32>, %acc: tensor<5x3x4xf32>) -> (tensor<5x3x4xf32>, tensor<5x3x4xf32>)
    attributes {role = "W", num_accumulators = 1 : i64} {
  // CHECK: ein.scatter_add "ab,i=a,ac->ibc" %{{.*}}, %{{.*}}, %{{.*}} : (
  %0 = ein.scatter_add "ab,i=a,ac->ibc" %x, %k, %y : (tensor<6x3xf32>, tensor<6xi32>, tensor<6x4xf32>) -> tensor<5x3x4xf32>
  // CHECK: ein.scatter_add "ab,i=a,ac->ibc" %{{.*}}, %{{.*}}, %{{.*}} into %{{.*}} : tensor<5x3x4xf32> : (
  %1 = ein.scatter_add "ab,i=a,ac->ibc" %x, %k, %y into %acc : tensor<5x3x4xf32> : (tensor<6x3xf32>, tensor<6xi32>, tensor<6x4xf32>) -> tensor<5x3x4xf32>
  ein.return %0, %1 : tensor<5x3x4xf32>, tensor<5x3x4xf32>
}

// CHECK: ein.model @m(
// CHECK-SAME: arg_names = ["tok"]
ein.model @m(%tok: tensor<2x3xi32>) -> tensor<2x3x!ein.real> attributes {
    arg_names = ["tok"], result_names = ["y"], arg_batch = array<i64: 0>, result_batch = array<i64: 0>, batch = 2 : i64} {
  // CHECK: ein.call @equations(%{{.*}}) params [@embed.wte] path "embed"
  %y = ein.call @equations(%tok) params [@embed.wte] path "embed" : (tensor<2x3xi32>) -> tensor<2x3x!ein.real>
  ein.return %y : tensor<2x3x!ein.real>
}
