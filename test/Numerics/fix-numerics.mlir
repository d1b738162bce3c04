// RUN: plc-opt %s --ein-fix-numerics --mlir-print-local-scope | FileCheck %s

// Summed dimensions as the first factor has them, not as the domain or the second does.
// CHECK-LABEL: ein.func @contract
ein.func @contract(%x: tensor<2x3x4xf32>, %w: tensor<4x3x5xf32>) -> tensor<2x5xf32> {
  // CHECK: ein.contract "adc,cdb->ab" %{{.*}} order [3, 2] :
  %0 = ein.contract %x, %w over [2, 5, 4, 3] maps [affine_map<(b, d, k, h) -> (b, h, k)>,
    affine_map<(b, d, k, h) -> (k, h, d)>, affine_map<(b, d, k, h) -> (b, d)>]
    : (tensor<2x3x4xf32>, tensor<4x3x5xf32>) -> tensor<2x5xf32>
  ein.return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: ein.func @reduce
ein.func @reduce(%x: tensor<2x3x4xf32>) -> (tensor<2xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2x3x4xf32>, tensor<3x2xf32>) {
  // The innermost axis is reduced: lanes.
  // CHECK: ein.reduce sum "abc->a" %{{.*}} order lanes
  %0 = ein.reduce sum(%x) over [2, 3, 4] maps [affine_map<(b, s, d) -> (b, s, d)>, affine_map<(b, s, d) -> (b)>]
    : (tensor<2x3x4xf32>) -> tensor<2xf32>
  // It is kept: a chain for each column.
  // CHECK: ein.reduce max "abc->c" %{{.*}} order chain
  %1 = ein.reduce max(%x) over [2, 3, 4] maps [affine_map<(b, s, d) -> (b, s, d)>, affine_map<(b, s, d) -> (d)>]
    : (tensor<2x3x4xf32>) -> tensor<4xf32>
  // The domain takes the order of the input's axes, in which the sum runs.
  // CHECK: ein.reduce min "abc->b" %{{.*}} order lanes : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %2 = ein.reduce min(%x) over [4, 2, 3] maps [affine_map<(d, b, s) -> (b, s, d)>, affine_map<(d, b, s) -> (s)>]
    : (tensor<2x3x4xf32>) -> tensor<3xf32>
  // Nothing is reduced.
  // CHECK: ein.reduce sum "abc->abc" %{{.*}} order chain
  %3 = ein.reduce sum(%x) over [2, 3, 4] maps [affine_map<(b, s, d) -> (b, s, d)>, affine_map<(b, s, d) -> (b, s, d)>]
    : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: ein.reduce sum "abc->ba" %{{.*}} order lanes : (tensor<2x3x4xf32>) -> tensor<3x2xf32>
  %4 = ein.reduce sum(%x) over [3, 2, 4] maps [affine_map<(s, b, d) -> (b, s, d)>, affine_map<(s, b, d) -> (s, b)>]
    : (tensor<2x3x4xf32>) -> tensor<3x2xf32>
  ein.return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2x3x4xf32>, tensor<3x2xf32>
}

// A sum of which more than 4,096 numbers are added one after the other is taken in f64: in 16 lanes or in one chain.
// CHECK-LABEL: ein.func @long
ein.func @long(%x: tensor<2x65536xf32>, %y: tensor<2x65552xf32>, %z: tensor<4097x2xf32>, %k: tensor<2x65552xi32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  // CHECK: ein.reduce sum "ab->a" %{{.*}} order lanes : (tensor<2x65536xf32>)
  %0 = ein.reduce sum "ab->a" %x : (tensor<2x65536xf32>) -> tensor<2xf32>
  // CHECK: ein.reduce sum "ab->a" %{{.*}} order lanes sum f64 : (tensor<2x65552xf32>)
  %1 = ein.reduce sum "ab->a" %y : (tensor<2x65552xf32>) -> tensor<2xf32>
  // CHECK: ein.reduce sum "ab->b" %{{.*}} order chain sum f64 : (tensor<4097x2xf32>)
  %2 = ein.reduce sum "ab->b" %z : (tensor<4097x2xf32>) -> tensor<2xf32>
  // CHECK: ein.reduce max "ab->a" %{{.*}} order lanes : (tensor<2x65552xf32>)
  %3 = ein.reduce max "ab->a" %y : (tensor<2x65552xf32>) -> tensor<2xf32>
  // CHECK: ein.reduce sum "ab->a" %{{.*}} order lanes : (tensor<2x65552xi32>)
  %4 = ein.reduce sum "ab->a" %k : (tensor<2x65552xi32>) -> tensor<2xi32>
  ein.return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}

// Outer products that a scatter adds are rounded with the sum; not what others read, too, a product with a number,
// or integers.
// CHECK-LABEL: ein.func @scattered
ein.func @scattered(%x: tensor<6x3xf32>, %y: tensor<6x4xf32>, %k: tensor<6xi32>, %v: tensor<6xf32>, %w: tensor<4xf32>) -> (tensor<5x3x4xf32>, tensor<6x3x4xf32>, tensor<5x3x4xf32>, tensor<5x2x3xf32>, tensor<5x4xf32>) {
  // CHECK-NEXT: ein.scatter_add "ab,i=a,ac->ibc" %arg0, %arg2, %arg1 :
  %0 = ein.map mul "ab,ac->abc" %x, %y : (tensor<6x3xf32>, tensor<6x4xf32>) -> tensor<6x3x4xf32>
  %1 = ein.scatter_add "abc,i=a->ibc" %0, %k : (tensor<6x3x4xf32>, tensor<6xi32>) -> tensor<5x3x4xf32>
  // CHECK: ein.map mul
  // CHECK-NEXT: ein.scatter_add "abc,i=a->ibc"
  %2 = ein.map mul "ac,ab->abc" %y, %x : (tensor<6x4xf32>, tensor<6x3xf32>) -> tensor<6x3x4xf32>
  %3 = ein.scatter_add "abc,i=a->ibc" %2, %k : (tensor<6x3x4xf32>, tensor<6xi32>) -> tensor<5x3x4xf32>
  %half = ein.constant 0.5 : tensor<f32>
  // CHECK: ein.map mul
  // CHECK-NEXT: ein.scatter_add "abc,i=a->ibc"
  %4 = ein.map mul "ac,->abc" %x, %half : (tensor<6x3xf32>, tensor<f32>) -> tensor<6x2x3xf32>
  %5 = ein.scatter_add "abc,i=a->ibc" %4, %k : (tensor<6x2x3xf32>, tensor<6xi32>) -> tensor<5x2x3xf32>
  // Nor a number that is added three times: no factor has b.
  // CHECK: ein.map mul "a,c->abc"
  // CHECK-NEXT: ein.scatter_add "abc,i=a->ic"
  %6 = ein.map mul "a,c->abc" %v, %w : (tensor<6xf32>, tensor<4xf32>) -> tensor<6x3x4xf32>
  %7 = ein.scatter_add "abc,i=a->ic" %6, %k : (tensor<6x3x4xf32>, tensor<6xi32>) -> tensor<5x4xf32>
  ein.return %1, %2, %3, %5, %7 : tensor<5x3x4xf32>, tensor<6x3x4xf32>, tensor<5x3x4xf32>, tensor<5x2x3xf32>, tensor<5x4xf32>
}

// CHECK-LABEL: ein.func @scattered_integers
ein.func @scattered_integers(%x: tensor<6x3xi32>, %y: tensor<6x4xi32>, %k: tensor<6xi32>) -> tensor<5x3x4xi32> {
  // CHECK: ein.map mul
  // CHECK-NEXT: ein.scatter_add "abc,i=a->ibc"
  %0 = ein.map mul "ab,ac->abc" %x, %y : (tensor<6x3xi32>, tensor<6x4xi32>) -> tensor<6x3x4xi32>
  %1 = ein.scatter_add "abc,i=a->ibc" %0, %k : (tensor<6x3x4xi32>, tensor<6xi32>) -> tensor<5x3x4xi32>
  ein.return %1 : tensor<5x3x4xi32>
}

// What the table of element types says of sums is not written: one meaning has one text, and so one key.
// CHECK-LABEL: ein.func @sums
ein.func @sums(%x: tensor<2x3xf64>, %w: tensor<3x4xf64>) -> (tensor<2x4xf64>, tensor<2xf64>) {
  // CHECK: ein.contract "ac,cb->ab" %{{.*}} order [2] :
  %0 = ein.contract %x, %w over [2, 4, 3] maps [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>] sum f64 : (tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>
  // CHECK: ein.reduce sum "ab->a" %{{.*}} order lanes :
  %1 = ein.reduce sum(%x) over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>] sum f64
    : (tensor<2x3xf64>) -> tensor<2xf64>
  ein.return %0, %1 : tensor<2x4xf64>, tensor<2xf64>
}
