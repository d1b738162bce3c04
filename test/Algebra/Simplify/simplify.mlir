// RUN: plc-opt %s --ein-simplify --mlir-print-local-scope | FileCheck %s

#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#oi = affine_map<(i, j) -> (i)>
#oj = affine_map<(i, j) -> (j)>
#o = affine_map<(i, j) -> ()>

// A product without columns of its own is a map and a sum.
// CHECK-LABEL: ein.func @vector
ein.func @vector(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[P:.*]] = ein.map mul "ab,b->ab" %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: ein.reduce sum "ab->a" %[[P]] : (tensor<4x8xf32>) -> tensor<4xf32>
  %0 = ein.contract %a, %b over [4, 8] maps [#ij, #oj, #oi] : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}

// What is widened exactly and converted again is converted once, and what is rounded back is what it was; not so integers made
// of reals, and the other way round.
// CHECK-LABEL: ein.func @casts
// CHECK-SAME: %[[Q:.*]]: tensor<4xi8>, %[[H:.*]]: tensor<4xbf16>, %[[X:.*]]: tensor<4xf32>)
ein.func @casts(%q: tensor<4xi8>, %h: tensor<4xbf16>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xbf16>) {
  // CHECK-DAG: %[[A:.*]] = ein.cast %[[Q]] : (tensor<4xi8>) -> tensor<4xf32>
  // CHECK-DAG: %[[I:.*]] = ein.cast %[[H]] : (tensor<4xbf16>) -> tensor<4xi32>
  // CHECK-DAG: %[[B:.*]] = ein.cast %[[I]] : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK-DAG: %[[R:.*]] = ein.cast %[[X]] : (tensor<4xf32>) -> tensor<4xbf16>
  // CHECK-DAG: %[[W:.*]] = ein.cast %[[R]] : (tensor<4xbf16>) -> tensor<4xf32>
  // CHECK-DAG: %[[N:.*]] = ein.cast %{{.*}} : (tensor<4xf32>) -> tensor<4xbf16>
  // CHECK: ein.return %[[A]], %[[B]], %[[W]], %[[R]], %[[N]]
  %i = ein.cast %q : (tensor<4xi8>) -> tensor<4xi32>
  %a = ein.cast %i : (tensor<4xi32>) -> tensor<4xf32>
  %j = ein.cast %h : (tensor<4xbf16>) -> tensor<4xi32>
  %b = ein.cast %j : (tensor<4xi32>) -> tensor<4xf32>
  %r = ein.cast %x : (tensor<4xf32>) -> tensor<4xbf16>
  %w = ein.cast %r : (tensor<4xbf16>) -> tensor<4xf32>
  %back = ein.cast %w : (tensor<4xf32>) -> tensor<4xbf16>
  // A body's result must not be its argument.
  %v = ein.cast %h : (tensor<4xbf16>) -> tensor<4xf32>
  %n = ein.cast %v : (tensor<4xf32>) -> tensor<4xbf16>
  ein.return %a, %b, %w, %back, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<4xbf16>
}

// One factor: a sum; nothing summed: a copy; that only transposes: its reader does it.
// CHECK-LABEL: ein.func @single
ein.func @single(%a: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: %[[S:.*]] = ein.reduce sum "ab->a" %arg0
  // CHECK-NEXT: %[[E:.*]] = ein.map exp "ba->ab" %arg0 : (tensor<4x8xf32>) -> tensor<8x4xf32>
  // CHECK-NEXT: ein.return %[[S]], %[[E]]
  %0 = ein.contract %a over [4, 8] maps [#ij, #oi] : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = ein.contract %a over [4, 8] maps [#ij, #ji] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %2 = ein.map exp(%1) over [8, 4] maps [#ij, #ij] : (tensor<8x4xf32>) -> tensor<8x4xf32>
  ein.return %0, %2 : tensor<4xf32>, tensor<8x4xf32>
}

// Diagonals are taken first.
// CHECK-LABEL: ein.func @diagonal
ein.func @diagonal(%a: tensor<4x4xf32>) -> (tensor<f32>, tensor<f32>) {
  // CHECK-NEXT: %[[D:.*]] = ein.map id "aa->a" %arg0 : (tensor<4x4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: ein.reduce sum "a->" %[[D]]
  // CHECK-NEXT: ein.reduce max "a->" %[[D]]
  %0 = ein.contract %a over [4] maps [affine_map<(i) -> (i, i)>, affine_map<(i) -> ()>] : (tensor<4x4xf32>) -> tensor<f32>
  %1 = ein.reduce max(%a) over [4] maps [affine_map<(i) -> (i, i)>, affine_map<(i) -> ()>] : (tensor<4x4xf32>) -> tensor<f32>
  ein.return %0, %1 : tensor<f32>, tensor<f32>
}

// A matrix product stays; three factors that sum wait for the order; three that do not are multiplied from the left.
// CHECK-LABEL: ein.func @products
ein.func @products(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: ein.contract "ac,cb->ab" %arg0, %arg1
  // CHECK-NEXT: ein.contract "ab,ba,a->a" %arg0, %arg1, %arg2
  // CHECK-NEXT: %[[AC:.*]] = ein.map mul "ab,a->ab" %arg0, %arg2 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: ein.map mul "ab,ba->ab" %[[AC]], %arg1 :
  %0 = ein.contract %a, %b over [4, 4, 8] maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
    affine_map<(i, j, k) -> (i, j)>] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = ein.contract %a, %b, %c over [4, 8] maps [#ij, #ji, #oi, #oi]
    : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = ein.contract %a, %c, %b over [4, 8] maps [#ij, #oi, #ji, #ij]
    : (tensor<4x8xf32>, tensor<4xf32>, tensor<8x4xf32>) -> tensor<4x8xf32>
  ein.return %0, %1, %2 : tensor<4x4xf32>, tensor<4xf32>, tensor<4x8xf32>
}

// A product that sums within a window alone stays one, too, and one with matrices that positions choose.
// CHECK-LABEL: ein.func @narrow
ein.func @narrow(%x: tensor<2x3x9xf32>, %w: tensor<3x4xf32>, %t: tensor<5x9x7xf32>, %k: tensor<2xi32>, %v: tensor<2x9xf32>) -> (tensor<2x3x6xf32>, tensor<2x7xf32>) {
  // CHECK: ein.contract "abcd,bd->abc"
  // CHECK: ein.contract "ac,abc->ab"
  %windows = ein.window %x at affine_map<(b, c, i, p) -> (b, c, i + p)> : (tensor<2x3x9xf32>) -> tensor<2x3x6x4xf32>
  %0 = ein.contract "abcd,bd->abc" %windows, %w : (tensor<2x3x6x4xf32>, tensor<3x4xf32>) -> tensor<2x3x6xf32>
  %chosen = ein.gather "icb,i=a->abc" %t, %k : (tensor<5x9x7xf32>, tensor<2xi32>) -> tensor<2x7x9xf32>
  %1 = ein.contract "ac,abc->ab" %v, %chosen : (tensor<2x9xf32>, tensor<2x7x9xf32>) -> tensor<2x7xf32>
  ein.return %0, %1 : tensor<2x3x6xf32>, tensor<2x7xf32>
}

// Exact: a product with 1, the same equation twice, what nothing reads. Not exact: x * 0, x + 0, x - x.
// CHECK-LABEL: ein.func @exact
ein.func @exact(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = ein.constant 1.0 : tensor<f32>
  // CHECK-NEXT: %[[ZERO:.*]] = ein.constant 0.0
  %zero = ein.constant 0.0 : tensor<f32>
  %0 = ein.map mul(%one, %a) over [4] maps [affine_map<(i) -> ()>, #i, #i] : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.map div(%0, %one) over [4] maps [#i, affine_map<(i) -> ()>, #i] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: ein.map mul "a,->a" %arg0, %[[ZERO]]
  %2 = ein.map mul(%1, %zero) over [4] maps [#i, affine_map<(i) -> ()>, #i] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = ein.map mul(%a, %zero) over [4] maps [#i, affine_map<(i) -> ()>, #i] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: ein.map add "a,->a" %{{.*}}, %[[ZERO]]
  %4 = ein.map add(%3, %zero) over [4] maps [#i, affine_map<(i) -> ()>, #i] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: ein.map sub "a,a->a" %arg0, %arg0
  %5 = ein.map sub(%a, %a) over [4] maps [#i, #i, #i] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = ein.map exp(%a) over [4] maps [#i, #i] : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: ein.return
  ein.return %2, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A choice between equal values is none; one between values of other axes stays.
// CHECK-LABEL: ein.func @chosen
ein.func @chosen(%c: tensor<4xi1>, %a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-NEXT: %[[EXP:.*]] = ein.map exp
  %0 = ein.map exp(%a) over [4, 4] maps [#ij, #ij] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = ein.map select(%c, %0, %0) over [4, 4] maps [affine_map<(i, j) -> (i)>, #ij, #ij, #ij] : (tensor<4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: %[[TURNED:.*]] = ein.map select "a,ab,ba->ab" %arg0, %[[EXP]], %[[EXP]]
  %2 = ein.map select(%c, %0, %0) over [4, 4] maps [affine_map<(i, j) -> (i)>, #ij, affine_map<(i, j) -> (j, i)>, #ij] : (tensor<4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: ein.return %[[EXP]], %[[TURNED]]
  ein.return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A sum over a copy that repeats is not the sum of the copied; an accumulating product accumulates in its sum.
// CHECK-LABEL: ein.func @accumulate
ein.func @accumulate(%a: tensor<4xf32>, %b: tensor<4x8xf32>, %acc: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
    attributes {num_accumulators = 1 : i64} {
  // CHECK-NEXT: %[[R:.*]] = ein.map id "a->ab" %arg0 : (tensor<4xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: ein.reduce sum "ab->a" %[[R]] : (tensor<4x8xf32>) -> tensor<4xf32>
  %0 = ein.map id(%a) over [4, 8] maps [#oi, #ij] : (tensor<4xf32>) -> tensor<4x8xf32>
  %1 = ein.reduce sum(%0) over [4, 8] maps [#ij, #oi] : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[M:.*]] = ein.map mul "a,ab->ab" %arg0, %arg1 : (tensor<4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: ein.reduce sum "ab->b" %[[M]] into %arg2{{.*}} : (tensor<4x8xf32>) -> tensor<8xf32>
  %2 = ein.contract %a, %b over [4, 8] maps [#oi, #ij, #oj] into %acc : tensor<8xf32>
    : (tensor<4xf32>, tensor<4x8xf32>) -> tensor<8xf32>
  ein.return %1, %2 : tensor<4xf32>, tensor<8xf32>
}

// A view that undoes another is gone; where that would return an argument it stays.
// CHECK-LABEL: ein.func @views
ein.func @views(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  // CHECK-NEXT: %[[S:.*]] = ein.split %arg0 axis 1
  // CHECK-NEXT: %[[M:.*]] = ein.merge %[[S]] axis 1
  // CHECK-NEXT: %[[N:.*]] = ein.map neg "ab->ab" %arg0
  // CHECK-NEXT: %[[E:.*]] = ein.map exp "ab->ab" %[[N]]
  // CHECK-NEXT: ein.return %[[M]], %[[E]]
  %0 = ein.split %x axis 1 : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %1 = ein.merge %0 axis 1 : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  %2 = ein.map neg(%x) over [4, 6] maps [#ij, #ij] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = ein.split %2 axis 0 : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
  %4 = ein.merge %3 axis 0 : (tensor<2x2x6xf32>) -> tensor<4x6xf32>
  %5 = ein.map exp(%4) over [4, 6] maps [#ij, #ij] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  ein.return %1, %5 : tensor<4x6xf32>, tensor<4x6xf32>
}

// What repeats a value along an index that it does not read computes it once.
// CHECK-LABEL: ein.func @repeats
ein.func @repeats(%x: tensor<f32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: %[[N:.*]] = ein.map neg "->" %arg0
  // CHECK-NEXT: %[[E:.*]] = ein.map exp "->" %[[N]]
  // CHECK-NEXT: ein.map id "->ab" %[[E]]
  %0 = ein.map neg "->ab" %x : (tensor<f32>) -> tensor<2x3xf32>
  %1 = ein.map exp "ab->ab" %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  ein.return %1 : tensor<2x3xf32>
}
