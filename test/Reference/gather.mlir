// Gathers with one and two index tensors, their adjoint, products that a scatter adds, and indices out of range.
// RUN: %python %S/Inputs/npy.py %t.table.npy f64 3x2 1 2 3 4 5 6
// RUN: %python %S/Inputs/npy.py %t.i.npy i32 3 2 0 2
// RUN: %python %S/Inputs/npy.py %t.j.npy i64 3 1 0 0
// RUN: %python %S/Inputs/npy.py %t.bad.npy i32 3 2 0 3
// RUN: %python %S/Inputs/npy.py %t.low.npy i64 3 1 -1 0
// RUN: %python %S/Inputs/npy.py %t.u.npy f64 3 0.1 0.3 -0.1
// RUN: %python %S/Inputs/npy.py %t.f.npy f64 2 3 8
// RUN: plc-interpret infer %s --input table=@%t.table.npy --input i=@%t.i.npy --input j=@%t.j.npy \
// RUN:   --input u=@%t.u.npy --input f=@%t.f.npy | FileCheck %s
// CHECK: rows f64[3, 2] 5 6 1 2 5 6
// CHECK: elements f64[3] 6 1 5
// Positions add in order from 0: row 2 gets its updates twice, row 1 none.
// CHECK: scattered f64[3, 2] 1 2 0 0 10 12
// A product is rounded with the sum alone: what is left of 0.1 * 3 is its rounding error.
// CHECK: products f64[3, 2] {{.*}} 0 0 2.7755575615628914e-17 0

// RUN: not plc-interpret infer %s --input table=@%t.table.npy --input i=@%t.bad.npy --input j=@%t.j.npy --input u=@%t.u.npy --input f=@%t.f.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HIGH
// HIGH: gather.mlir:[[#@LINE+9]]:{{[0-9]+}}: error: index 3 at position 2 is outside 0..2
// RUN: not plc-interpret infer %s --input table=@%t.table.npy --input i=@%t.i.npy --input j=@%t.low.npy --input u=@%t.u.npy --input f=@%t.f.npy 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOW
// LOW: gather.mlir:[[#@LINE+9]]:{{[0-9]+}}: error: index -1 at position 1 is outside 0..1

ein.model @gathers(%table: tensor<3x2xf64>, %i: tensor<3xi32>, %j: tensor<3xi64>, %u: tensor<3xf64>, %f: tensor<2xf64>)
    -> (tensor<3x2xf64>, tensor<3xf64>, tensor<3x2xf64>, tensor<3x2xf64>) attributes {
    arg_names = ["table", "i", "j", "u", "f"], arg_batch = array<i64: -1, -1, -1, -1, -1>,
    result_names = ["rows", "elements", "scattered", "products"], result_batch = array<i64: -1, -1, -1, -1>} {
  %rows = ein.gather %table, %i over [3, 2] maps [affine_map<(n, d)[i] -> (i, d)>, affine_map<(n, d) -> (n)>,
    affine_map<(n, d) -> (n, d)>]
    : (tensor<3x2xf64>, tensor<3xi32>) -> tensor<3x2xf64>
  %elements = ein.gather %table, %i, %j over [3] maps [affine_map<(n)[i, j] -> (i, j)>, affine_map<(n) -> (n)>,
    affine_map<(n) -> (n)>, affine_map<(n) -> (n)>] : (tensor<3x2xf64>, tensor<3xi32>, tensor<3xi64>) -> tensor<3xf64>
  %scattered = ein.scatter_add %rows, %i over [3, 2] maps [affine_map<(n, d) -> (n, d)>, affine_map<(n, d) -> (n)>,
    affine_map<(n, d)[i] -> (i, d)>] : (tensor<3x2xf64>, tensor<3xi32>) -> tensor<3x2xf64>
  %products = ein.scatter_add "a,i=a,b->ib" %u, %i, %f : (tensor<3xf64>, tensor<3xi32>, tensor<2xf64>) -> tensor<3x2xf64>
  ein.return %rows, %elements, %scattered, %products : tensor<3x2xf64>, tensor<3xf64>, tensor<3x2xf64>, tensor<3x2xf64>
}
