// Gathers and scatters: bits, position order, and faults that name entry, position and value.
// RUN: %unit/kernel-check %s | FileCheck %s
// RUN: %unit/kernel-check %s avx avx2 fma | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t && %unit/kernel-check %t | FileCheck %s
// RUN: %unit/kernel-check %t avx avx2 fma | FileCheck %s
// CHECK: fault_gather: status 1, gather 0 of 1, position 3, value 1000
// CHECK: fault_pair: status 1, gather 1 of 2, position 3, value 1000
// CHECK: fault_scatter: status 1, gather 0 of 1, position 3, value 1000
// CHECK: 16 of 16 bodies equal

#bs = affine_map<(b, s, d) -> (b, s)>
#bsd = affine_map<(b, s, d) -> (b, s, d)>
#table = affine_map<(b, s, d)[i] -> (i, d)>

ein.func @embed(%wte: tensor<11x37xf32>, %wpe: tensor<5x37xf32>, %tok: tensor<3x5xi32>) -> tensor<3x5x37xf32> {
  %0 = ein.gather %wte, %tok over [3, 5, 37] maps [#table, #bs, #bsd] : (tensor<11x37xf32>, tensor<3x5xi32>) -> tensor<3x5x37xf32>
  %1 = ein.map add(%0, %wpe) over [3, 5, 37] maps [#bsd, affine_map<(b, s, d) -> (s, d)>, #bsd] : (tensor<3x5x37xf32>, tensor<5x37xf32>) -> tensor<3x5x37xf32>
  ein.return %1 : tensor<3x5x37xf32>
}
// The index differs between lanes.
ein.func @permute(%x: tensor<6x40xf32>, %i: tensor<19xi64>) -> tensor<6x19xf32> {
  %0 = ein.gather %x, %i over [6, 19] maps [affine_map<(b, s)[i] -> (b, i)>, affine_map<(b, s) -> (s)>, affine_map<(b, s) -> (b, s)>]
    : (tensor<6x40xf32>, tensor<19xi64>) -> tensor<6x19xf32>
  ein.return %0 : tensor<6x19xf32>
}
ein.func @pair(%x: tensor<6x40xf32>, %i: tensor<19xi64>, %j: tensor<19xi32>) -> tensor<19xf32> {
  %0 = ein.gather %x, %i, %j over [19] maps [affine_map<(s)[i, j] -> (j, i)>, affine_map<(s) -> (s)>, affine_map<(s) -> (s)>, affine_map<(s) -> (s)>]
    : (tensor<6x40xf32>, tensor<19xi64>, tensor<19xi32>) -> tensor<19xf32>
  ein.return %0 : tensor<19xf32>
}
ein.func @scatter(%dx: tensor<3x5x32xf32>, %tok: tensor<3x5xi32>, %acc: tensor<11x32xf32>) -> tensor<11x32xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.scatter_add %dx, %tok over [3, 5, 32] maps [#bsd, #bs, #table] into %acc : tensor<11x32xf32>
    : (tensor<3x5x32xf32>, tensor<3x5xi32>) -> tensor<11x32xf32>
  ein.return %0 : tensor<11x32xf32>
}
ein.func @scatter_odd(%dx: tensor<3x5x7xf32>, %tok: tensor<3x5xi32>) -> tensor<11x7xf32> {
  %0 = ein.scatter_add %dx, %tok over [3, 5, 7] maps [#bsd, #bs, #table] : (tensor<3x5x7xf32>, tensor<3x5xi32>) -> tensor<11x7xf32>
  ein.return %0 : tensor<11x7xf32>
}
ein.func @scatter_rows(%dx: tensor<6x19xf32>, %i: tensor<19xi64>, %acc: tensor<6x40xf32>) -> tensor<6x40xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.scatter_add %dx, %i over [6, 19] maps [affine_map<(b, s) -> (b, s)>, affine_map<(b, s) -> (s)>, affine_map<(b, s)[i] -> (b, i)>]
    into %acc : tensor<6x40xf32> : (tensor<6x19xf32>, tensor<19xi64>) -> tensor<6x40xf32>
  ein.return %0 : tensor<6x40xf32>
}
// The last axis of the result is not the last of the updates.
ein.func @scatter_turned(%dx: tensor<2x16x4xf32>, %i: tensor<2xi32>) -> tensor<4x4x16xf32> {
  %0 = ein.scatter_add %dx, %i over [2, 16, 4] maps [affine_map<(b, k, m) -> (b, k, m)>, affine_map<(b, k, m) -> (b)>, affine_map<(b, k, m)[i] -> (m, i, k)>]
    : (tensor<2x16x4xf32>, tensor<2xi32>) -> tensor<4x4x16xf32>
  ein.return %0 : tensor<4x4x16xf32>
}
// Each column has an index of its own.
ein.func @scatter_columns(%dx: tensor<3x32xf32>, %i: tensor<32xi32>) -> tensor<11x32xf32> {
  %0 = ein.scatter_add %dx, %i over [3, 32] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>, affine_map<(b, d)[i] -> (i, d)>]
    : (tensor<3x32xf32>, tensor<32xi32>) -> tensor<11x32xf32>
  ein.return %0 : tensor<11x32xf32>
}
// A column is a row too.
ein.func @scatter_diagonal(%dx: tensor<3x16xf32>, %i: tensor<3xi32>) -> tensor<16x4x16xf32> {
  %0 = ein.scatter_add %dx, %i over [3, 16] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b)>, affine_map<(b, d)[i] -> (d, i, d)>]
    : (tensor<3x16xf32>, tensor<3xi32>) -> tensor<16x4x16xf32>
  ein.return %0 : tensor<16x4x16xf32>
}
// Joined by other reductions: in vectors, element by element, and where no position is an element.
ein.func @scatter_max(%dx: tensor<3x5x32xf32>, %tok: tensor<3x5xi32>) -> tensor<11x32xf32> {
  %0 = ein.scatter_add max "abc,i=ab->ic" %dx, %tok : (tensor<3x5x32xf32>, tensor<3x5xi32>) -> tensor<11x32xf32>
  ein.return %0 : tensor<11x32xf32>
}
ein.func @scatter_min(%dx: tensor<3x5x7xf32>, %tok: tensor<3x5xi32>) -> tensor<11x7xf32> {
  %0 = ein.scatter_add min "abc,i=ab->ic" %dx, %tok : (tensor<3x5x7xf32>, tensor<3x5xi32>) -> tensor<11x7xf32>
  ein.return %0 : tensor<11x7xf32>
}
// A product of smaller tensors is an update like others: only a sum has a factor.
ein.func @scatter_prod(%a: tensor<3x5xf32>, %b: tensor<5x32xf32>, %tok: tensor<3x5xi32>) -> tensor<11x32xf32> {
  %dx = ein.map mul "ab,bc->abc" %a, %b : (tensor<3x5xf32>, tensor<5x32xf32>) -> tensor<3x5x32xf32>
  %0 = ein.scatter_add prod "abc,i=ab->ic" %dx, %tok : (tensor<3x5x32xf32>, tensor<3x5xi32>) -> tensor<11x32xf32>
  ein.return %0 : tensor<11x32xf32>
}
// A state, which is never vacant, keeps what no position names.
ein.func @put(%k: tensor<3x37xf32>, %pos: tensor<3xi32>, %old: tensor<3x8x37xf32>) -> tensor<3x8x37xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.put "ab,i=a->aib" %k, %pos into %old : tensor<3x8x37xf32> : (tensor<3x37xf32>, tensor<3xi32>) -> tensor<3x8x37xf32>
  ein.return %0 : tensor<3x8x37xf32>
}
ein.func @fault_gather(%wte: tensor<11x37xf32>, %tok: tensor<3x5xi32>) -> tensor<3x5x37xf32> {
  %0 = ein.gather %wte, %tok over [3, 5, 37] maps [#table, #bs, #bsd] : (tensor<11x37xf32>, tensor<3x5xi32>) -> tensor<3x5x37xf32>
  ein.return %0 : tensor<3x5x37xf32>
}
ein.func @fault_pair(%x: tensor<2000x40xf32>, %i: tensor<19xi64>) -> tensor<19xf32> {
  %0 = ein.gather %x, %i, %i over [19] maps [affine_map<(s)[i, j] -> (j, i)>, affine_map<(s) -> (s)>, affine_map<(s) -> (s)>, affine_map<(s) -> (s)>]
    : (tensor<2000x40xf32>, tensor<19xi64>, tensor<19xi64>) -> tensor<19xf32>
  ein.return %0 : tensor<19xf32>
}
ein.func @fault_scatter(%dx: tensor<3x5x32xf32>, %tok: tensor<3x5xi32>) -> tensor<11x32xf32> {
  %0 = ein.scatter_add %dx, %tok over [3, 5, 32] maps [#bsd, #bs, #table] : (tensor<3x5x32xf32>, tensor<3x5xi32>) -> tensor<11x32xf32>
  ein.return %0 : tensor<11x32xf32>
}
