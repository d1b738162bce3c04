// What no rule of the language makes in a forward program: tensors, and products of two, that are added up, also at repeated positions; a
// diagonal and a sum over it; a contraction of three factors with lone and repeated indices; a selected minimum; views in a
// row.
// RUN: plc-opt %s --ein-simplify --ein-differentiate --ein-simplify --ein-order-contractions --ein-fix-numerics -o %t.mlir
// RUN: plc-interpret check-gradients %t.mlir | FileCheck %s
// CHECK-COUNT-7: error {{[0-9.]+e-(0[789]|1[0-9])}}, gradient up to {{[0-9.]*[1-9]}}
// CHECK-NOT: WRONG

#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#o = affine_map<(i) -> ()>
ein.param @u : tensor<6x2xf64> init normal(1.0, 0.0)
ein.param @v : tensor<6xf64> init normal(1.0, 0.0)
ein.param @d : tensor<4x4xf64> init normal(1.0, 0.0)
ein.param @a : tensor<4x3xf64> init normal(1.0, 0.0)
ein.param @b : tensor<3x5x5xf64> init normal(1.0, 0.0)
ein.param @w : tensor<3x6xf64> init normal(1.0, 0.0)
ein.param @s : tensor<2x12xf64> init normal(1.0, 0.0)

ein.func @all(%x: tensor<4xf64>, %u: tensor<6x2xf64>, %v: tensor<6xf64>, %d: tensor<4x4xf64>, %a: tensor<4x3xf64>,
    %b: tensor<3x5x5xf64>, %w: tensor<3x6xf64>, %s: tensor<2x12xf64>) -> tensor<f64> attributes {num_params = 7 : i64} {
  // Rows 0, 1, 2, 3, 3, 3.
  %n = ein.iota : tensor<6xi32>
  %three = ein.constant 3.0 : tensor<i32>
  %below = ein.map lt(%n, %three) over [6] maps [#i, #o, #i] : (tensor<6xi32>, tensor<i32>) -> tensor<6xi1>
  %rows = ein.map select(%below, %n, %three) over [6] maps [#i, #i, #o, #i] : (tensor<6xi1>, tensor<6xi32>, tensor<i32>) -> tensor<6xi32>
  %m = ein.map mul(%u, %v) over [6, 2] maps [#ij, affine_map<(i, j) -> (i)>, #ij] : (tensor<6x2xf64>, tensor<6xf64>) -> tensor<6x2xf64>
  %scattered = ein.scatter_add %m, %rows over [6, 2] maps [#ij, affine_map<(i, j) -> (i)>, affine_map<(i, j)[t] -> (t, j)>]
    : (tensor<6x2xf64>, tensor<6xi32>) -> tensor<4x2xf64>
  %sharp = ein.map tanh(%scattered) over [4, 2] maps [#ij, #ij] : (tensor<4x2xf64>) -> tensor<4x2xf64>
  %p = ein.contract %sharp, %x over [4, 2] maps [#ij, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> ()>]
    : (tensor<4x2xf64>, tensor<4xf64>) -> tensor<f64>

  %diagonal = ein.map id(%d) over [4] maps [affine_map<(i) -> (i, i)>, #i] : (tensor<4x4xf64>) -> tensor<4xf64>
  %square = ein.map mul(%diagonal, %diagonal) over [4] maps [#i, #i, #i] : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %least = ein.reduce min(%d) over [4, 4] maps [#ij, affine_map<(i, j) -> (j)>] : (tensor<4x4xf64>) -> tensor<4xf64>
  %q0 = ein.map sub(%square, %least) over [4] maps [#i, #i, #i] : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %q = ein.reduce sum(%q0) over [4] maps [#i, #o] : (tensor<4xf64>) -> tensor<f64>

  %r = ein.contract %x, %a, %b over [4, 3, 5] maps [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i, j)>,
    affine_map<(i, j, k) -> (j, k, k)>, affine_map<(i, j, k) -> ()>] : (tensor<4xf64>, tensor<4x3xf64>, tensor<3x5x5xf64>) -> tensor<f64>

  %s0 = ein.split %s axis 1 : (tensor<2x12xf64>) -> tensor<2x3x4xf64>
  %s1 = ein.merge %s0 axis 0 : (tensor<2x3x4xf64>) -> tensor<6x4xf64>
  %s2 = ein.map exp(%s1) over [6, 4] maps [#ij, #ij] : (tensor<6x4xf64>) -> tensor<6x4xf64>
  %s3 = ein.split %s2 axis 0 : (tensor<6x4xf64>) -> tensor<2x3x4xf64>
  %t = ein.contract %s3, %s0, %x over [2, 3, 4] maps [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>,
    affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> ()>] : (tensor<2x3x4xf64>, tensor<2x3x4xf64>, tensor<4xf64>) -> tensor<f64>

  %y0 = ein.map add(%p, %q) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>] : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %y1 = ein.map add(%y0, %r) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>] : (tensor<f64>, tensor<f64>) -> tensor<f64>
  // %w[c, i] * %u[i, j] at row [rows[i], c].
  %products = ein.scatter_add "ab,i=b,bc->iac" %w, %rows, %u : (tensor<3x6xf64>, tensor<6xi32>, tensor<6x2xf64>) -> tensor<4x3x2xf64>
  %bent = ein.map tanh "abc->abc" %products : (tensor<4x3x2xf64>) -> tensor<4x3x2xf64>
  %z = ein.reduce sum "abc->" %bent : (tensor<4x3x2xf64>) -> tensor<f64>
  %y2 = ein.map add ",->" %y1, %z : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %y = ein.map add(%y2, %t) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>] : (tensor<f64>, tensor<f64>) -> tensor<f64>
  ein.return %y : tensor<f64>
}
ein.model @m(%x: tensor<4xf64>) -> tensor<f64> attributes {
    arg_names = ["x"], arg_batch = array<i64: -1>, result_names = ["loss"], result_batch = array<i64: -1>} {
  %loss = ein.call @all(%x) params [@u, @v, @d, @a, @b, @w, @s] path "all" : (tensor<4xf64>) -> tensor<f64>
  ein.return %loss : tensor<f64>
}
