// Maps that print as subscripts, and those that do not; what is parsed as either is the same.
// RUN: plc-opt %s --mlir-print-local-scope | FileCheck %s
// RUN: plc-opt %s --mlir-print-local-scope | plc-opt --mlir-print-local-scope | FileCheck %s
// RUN: plc-opt %s --mlir-print-op-generic | plc-opt --mlir-print-local-scope | FileCheck %s

#i = affine_map<(i) -> (i)>
#none = affine_map<() -> ()>

// CHECK-LABEL: @letters
ein.func @letters(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %v: tensor<3xf32>, %s: tensor<f32>) -> tensor<f32> {
  // Letters are dimensions in alphabetical order, whatever order the maps meet them in.
  // CHECK: ein.contract "ac,cb->ab" %arg0, %arg1 :
  %0 = ein.contract %x, %w over [2, 4, 3] maps [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: ein.contract "ba,ac->bc" %arg0, %arg1 :
  %1 = ein.contract %x, %w over [3, 2, 4] maps [affine_map<(k, m, n) -> (m, k)>, affine_map<(k, m, n) -> (k, n)>,
    affine_map<(k, m, n) -> (m, n)>] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // Other letters of the same order are the same maps; small ones come first.
  // CHECK: ein.contract "ba,ac->bc" %arg0, %arg1 :
  %2 = ein.contract "mk,kA->mA" %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: ein.contract "ac,cb->ab" %arg0, %arg1 order [2] :
  %3 = ein.contract "aB,BA->aA" %x, %w order [2] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // A broadcast reads fewer dimensions than there are, a scalar none.
  // CHECK: ein.map add "ab,b->ab" %arg0, %arg2 :
  %4 = ein.map add(%x, %v) over [2, 3] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
    affine_map<(i, j) -> (i, j)>] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: ein.map id "->ab" %arg3 :
  %5 = ein.map id "->ab" %s : (tensor<f32>) -> tensor<2x3xf32>
  // CHECK: ein.map neg "->" %arg3 :
  %6 = ein.map neg(%s) over [] maps [#none, #none] : (tensor<f32>) -> tensor<f32>
  // CHECK: ein.map mul ",->" %arg3, %arg3 :
  %7 = ein.map mul ",->" %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  ein.return %6 : tensor<f32>
}

// CHECK-LABEL: @diagonals
ein.func @diagonals(%x: tensor<3x3xf32>, %acc: tensor<f32>) -> tensor<f32> {
  // CHECK: ein.map id "aa->a" %arg0 :
  %0 = ein.map id "jj->j" %x : (tensor<3x3xf32>) -> tensor<3xf32>
  // CHECK: ein.map id "ba->ab" %arg0 :
  %1 = ein.map id "xw->wx" %x : (tensor<3x3xf32>) -> tensor<3x3xf32>
  // CHECK: ein.reduce sum "ab->" %arg0 into %arg1 : tensor<f32> :
  %2 = ein.reduce sum "ij->" %x into %acc : tensor<f32> : (tensor<3x3xf32>) -> tensor<f32>
  ein.return %2 : tensor<f32>
}

// Positions are named from 'i' on, the first that one would write, or behind the last dimension.
// CHECK-LABEL: @positions
ein.func @positions(%t: tensor<4x5xf32>, %i: tensor<2xi32>, %j: tensor<2x3xi32>, %u: tensor<2x5xf32>,
    %big: tensor<5x1x1x1x1x1x1x1x1x1xf32>) -> tensor<4x5xf32> {
  // CHECK: ein.gather "ib,i=a->ab" %arg0, %arg1 :
  %0 = ein.gather %t, %i over [2, 5] maps [affine_map<(b, d)[i] -> (i, d)>, affine_map<(b, d) -> (b)>,
    affine_map<(b, d) -> (b, d)>] : (tensor<4x5xf32>, tensor<2xi32>) -> tensor<2x5xf32>
  // CHECK: ein.gather "ji,i=a,j=ab->ab" %arg0, %arg1, %arg2 :
  %1 = ein.gather "qp,p=m,q=mn->mn" %t, %i, %j : (tensor<4x5xf32>, tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  // CHECK: ein.gather "ji,i=b,j=ba->ba" %arg0, %arg1, %arg2 :
  %2 = ein.gather "qp,p=n,q=nm->nm" %t, %i, %j : (tensor<4x5xf32>, tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  // A position that indexes the table twice, or not at all.
  // CHECK: ein.gather "ii,i=a->a" %arg0, %arg1 :
  %3 = ein.gather "kk,k=a->a" %t, %i : (tensor<4x5xf32>, tensor<2xi32>) -> tensor<2xf32>
  // CHECK: ein.gather "ib,i=a,j=ac->abc" %arg0, %arg1, %arg2 :
  %4 = ein.gather "ib,i=a,j=ac->abc" %t, %i, %j : (tensor<4x5xf32>, tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x5x3xf32>
  %c = ein.constant 1.0 : tensor<i32>
  // CHECK: ein.gather "ia,i=->a" %arg0, %{{.*}} :
  %5 = ein.gather "ia,i=->a" %t, %c : (tensor<4x5xf32>, tensor<i32>) -> tensor<5xf32>
  // CHECK: ein.scatter_add "ab,i=a->ib" %arg3, %arg1 :
  %6 = ein.scatter_add "xy,s=x->sy" %u, %i : (tensor<2x5xf32>, tensor<2xi32>) -> tensor<4x5xf32>
  // CHECK: ein.scatter_add "ab,i=a,ac->ibc" %arg3, %arg1, %arg3 :
  %8 = ein.scatter_add "xy,s=x,xz->syz" %u, %i, %u : (tensor<2x5xf32>, tensor<2xi32>, tensor<2x5xf32>) -> tensor<4x5x5xf32>
  // CHECK: ein.gather "kbcdefghij,k=a->abcdefghij" %arg4, %arg1 :
  %7 = ein.gather "zbcdefghij,z=a->abcdefghij" %big, %i
    : (tensor<5x1x1x1x1x1x1x1x1x1xf32>, tensor<2xi32>) -> tensor<2x1x1x1x1x1x1x1x1x1xf32>
  ein.return %6 : tensor<4x5xf32>
}

// More dimensions than letters: maps.
// CHECK-LABEL: @dimensions_53
ein.func @dimensions_53(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32> {
  // CHECK: ein.map neg(%arg0) over [1, {{.*}}1] maps [affine_map<(d0, {{.*}}d52) -> (d0, {{.*}}d52)>, affine_map<{{.*}}d52)>] : (
  %0 = ein.map neg(%x) over [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] maps [
    affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15, d16, d17, d18, d19, d20, d21, d22, d23, d24, d25, d26, d27, d28, d29, d30, d31, d32, d33, d34, d35, d36, d37, d38, d39, d40, d41, d42, d43, d44, d45, d46, d47, d48, d49, d50, d51, d52) -> (d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15, d16, d17, d18, d19, d20, d21, d22, d23, d24, d25, d26, d27, d28, d29, d30, d31, d32, d33, d34, d35, d36, d37, d38, d39, d40, d41, d42, d43, d44, d45, d46, d47, d48, d49, d50, d51, d52)>,
    affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15, d16, d17, d18, d19, d20, d21, d22, d23, d24, d25, d26, d27, d28, d29, d30, d31, d32, d33, d34, d35, d36, d37, d38, d39, d40, d41, d42, d43, d44, d45, d46, d47, d48, d49, d50, d51, d52) -> (d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15, d16, d17, d18, d19, d20, d21, d22, d23, d24, d25, d26, d27, d28, d29, d30, d31, d32, d33, d34, d35, d36, d37, d38, d39, d40, d41, d42, d43, d44, d45, d46, d47, d48, d49, d50, d51, d52)>]
    : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  ein.return %0 : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
}
