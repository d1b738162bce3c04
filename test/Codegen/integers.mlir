// Integers and truth values: every function, wrapping and dividing by 0 and -1, sums and extrema, casts, and gathers at
// positions that are computed, have the interpreter's bits.
// RUN: %unit/kernel-check %s | FileCheck %s
// RUN: %unit/kernel-check %s avx avx2 fma | FileCheck %s
// RUN: sed s/i32/i64/g %s > %t && %unit/kernel-check %t | FileCheck %s
// RUN: %unit/kernel-check %t avx avx2 fma | FileCheck %s
// CHECK: 49 of 49 bodies equal

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

ein.func @special_id(%x: tensor<7x37xi32>) -> tensor<7x37xi32> {
  %y = ein.map id(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xi32>) -> tensor<7x37xi32>
  ein.return %y : tensor<7x37xi32>
}
ein.func @special_neg(%x: tensor<7x37xi32>) -> tensor<7x37xi32> {
  %y = ein.map neg(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xi32>) -> tensor<7x37xi32>
  ein.return %y : tensor<7x37xi32>
}
ein.func @special_abs(%x: tensor<7x37xi32>) -> tensor<7x37xi32> {
  %y = ein.map abs(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xi32>) -> tensor<7x37xi32>
  ein.return %y : tensor<7x37xi32>
}
ein.func @special_sign(%x: tensor<7x37xi32>) -> tensor<7x37xi32> {
  %y = ein.map sign(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xi32>) -> tensor<7x37xi32>
  ein.return %y : tensor<7x37xi32>
}
ein.func @special_relu(%x: tensor<7x37xi32>) -> tensor<7x37xi32> {
  %y = ein.map relu(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xi32>) -> tensor<7x37xi32>
  ein.return %y : tensor<7x37xi32>
}
ein.func @special_add(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map add(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
ein.func @special_sub(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map sub(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
ein.func @special_mul(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map mul(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
ein.func @special_max(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map max(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
ein.func @special_min(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map min(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
ein.func @special_bit_and(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map bit_and "ab,ba->ab" %x, %y : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
ein.func @special_bit_or(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map bit_or "ab,ba->ab" %x, %y : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
ein.func @special_bit_xor(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map bit_xor "ab,ba->ab" %x, %y : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
ein.func @special_shift_left(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map shift_left "ab,ba->ab" %x, %y : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
ein.func @special_shift_right(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map shift_right "ab,ba->ab" %x, %y : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
// Amounts from -8 to 72: inside of the width, and beyond it on both sides.
ein.func @shifts(%x: tensor<81xi32>) -> (tensor<81xi32>, tensor<81xi32>) {
  %i = ein.iota : tensor<81xi32>
  %eight = ein.constant 8.0 : tensor<i32>
  %n = ein.map sub "a,->a" %i, %eight : (tensor<81xi32>, tensor<i32>) -> tensor<81xi32>
  %l = ein.map shift_left "a,a->a" %x, %n : (tensor<81xi32>, tensor<81xi32>) -> tensor<81xi32>
  %r = ein.map shift_right "a,a->a" %x, %n : (tensor<81xi32>, tensor<81xi32>) -> tensor<81xi32>
  ein.return %l, %r : tensor<81xi32>, tensor<81xi32>
}
// Bytes without a sign are read as they are, and what is stored wraps.
ein.func @bytes(%x: tensor<7x37xi32>, %b: tensor<7x37xui8>) -> (tensor<7x37xui8>, tensor<7x37xi32>, tensor<7x37xf32>) {
  %w = ein.cast %b : (tensor<7x37xui8>) -> tensor<7x37xi32>
  %s = ein.map add "ab,ab->ab" %x, %w : (tensor<7x37xi32>, tensor<7x37xi32>) -> tensor<7x37xi32>
  %u = ein.cast %s : (tensor<7x37xi32>) -> tensor<7x37xui8>
  %z = ein.cast %u : (tensor<7x37xui8>) -> tensor<7x37xi32>
  %r = ein.cast %b : (tensor<7x37xui8>) -> tensor<7x37xf32>
  ein.return %u, %z, %r : tensor<7x37xui8>, tensor<7x37xi32>, tensor<7x37xf32>
}
// Integers joined at positions.
ein.func @scatter_max(%x: tensor<7x37xi32>, %i: tensor<7xi32>) -> tensor<9x37xi32> {
  %y = ein.scatter_add max "ab,i=a->ib" %x, %i : (tensor<7x37xi32>, tensor<7xi32>) -> tensor<9x37xi32>
  ein.return %y : tensor<9x37xi32>
}
ein.func @scatter_prod(%x: tensor<7x37xi32>, %i: tensor<7xi32>) -> tensor<9x37xi32> {
  %y = ein.scatter_add prod "ab,i=a->ib" %x, %i : (tensor<7x37xi32>, tensor<7xi32>) -> tensor<9x37xi32>
  ein.return %y : tensor<9x37xi32>
}
ein.func @special_floor_div(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map floor_div(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
ein.func @special_floor_mod(%x: tensor<7x37xi32>, %y: tensor<37x7xi32>) -> tensor<7x37xi32> {
  %z = ein.map floor_mod(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xi32>, tensor<37x7xi32>) -> tensor<7x37xi32>
  ein.return %z : tensor<7x37xi32>
}
ein.func @special_eq(%x: tensor<7x37xi32>, %y: tensor<37xi32>) -> (tensor<7x37xi1>, tensor<7x37xi32>) {
  %c = ein.map eq(%x, %y) over [7, 37] maps [#id, #column, #id] : (tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #column, #id]
    : (tensor<7x37xi1>, tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xi32>
}
ein.func @special_ne(%x: tensor<7x37xi32>, %y: tensor<37xi32>) -> (tensor<7x37xi1>, tensor<7x37xi32>) {
  %c = ein.map ne(%x, %y) over [7, 37] maps [#id, #column, #id] : (tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #column, #id]
    : (tensor<7x37xi1>, tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xi32>
}
ein.func @special_lt(%x: tensor<7x37xi32>, %y: tensor<37xi32>) -> (tensor<7x37xi1>, tensor<7x37xi32>) {
  %c = ein.map lt(%x, %y) over [7, 37] maps [#id, #column, #id] : (tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #column, #id]
    : (tensor<7x37xi1>, tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xi32>
}
ein.func @special_le(%x: tensor<7x37xi32>, %y: tensor<37xi32>) -> (tensor<7x37xi1>, tensor<7x37xi32>) {
  %c = ein.map le(%x, %y) over [7, 37] maps [#id, #column, #id] : (tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #column, #id]
    : (tensor<7x37xi1>, tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xi32>
}
ein.func @special_gt(%x: tensor<7x37xi32>, %y: tensor<37xi32>) -> (tensor<7x37xi1>, tensor<7x37xi32>) {
  %c = ein.map gt(%x, %y) over [7, 37] maps [#id, #column, #id] : (tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #column, #id]
    : (tensor<7x37xi1>, tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xi32>
}
ein.func @special_ge(%x: tensor<7x37xi32>, %y: tensor<37xi32>) -> (tensor<7x37xi1>, tensor<7x37xi32>) {
  %c = ein.map ge(%x, %y) over [7, 37] maps [#id, #column, #id] : (tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #column, #id]
    : (tensor<7x37xi1>, tensor<7x37xi32>, tensor<37xi32>) -> tensor<7x37xi32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xi32>
}
ein.func @special_by_3(%x: tensor<70xi32>) -> (tensor<70xi32>, tensor<70xi32>) {
  %c = ein.constant 3.0 : tensor<i32>
  %q = ein.map floor_div(%x, %c) over [70] maps [#one, #none, #one] : (tensor<70xi32>, tensor<i32>) -> tensor<70xi32>
  %r = ein.map floor_mod(%x, %c) over [70] maps [#one, #none, #one] : (tensor<70xi32>, tensor<i32>) -> tensor<70xi32>
  ein.return %q, %r : tensor<70xi32>, tensor<70xi32>
}
ein.func @special_by_minus_3(%x: tensor<70xi32>) -> (tensor<70xi32>, tensor<70xi32>) {
  %c = ein.constant -3.0 : tensor<i32>
  %q = ein.map floor_div(%x, %c) over [70] maps [#one, #none, #one] : (tensor<70xi32>, tensor<i32>) -> tensor<70xi32>
  %r = ein.map floor_mod(%x, %c) over [70] maps [#one, #none, #one] : (tensor<70xi32>, tensor<i32>) -> tensor<70xi32>
  ein.return %q, %r : tensor<70xi32>, tensor<70xi32>
}
ein.func @special_by_0(%x: tensor<70xi32>) -> (tensor<70xi32>, tensor<70xi32>) {
  %c = ein.constant 0.0 : tensor<i32>
  %q = ein.map floor_div(%x, %c) over [70] maps [#one, #none, #one] : (tensor<70xi32>, tensor<i32>) -> tensor<70xi32>
  %r = ein.map floor_mod(%x, %c) over [70] maps [#one, #none, #one] : (tensor<70xi32>, tensor<i32>) -> tensor<70xi32>
  ein.return %q, %r : tensor<70xi32>, tensor<70xi32>
}
ein.func @special_by_minus_1(%x: tensor<70xi32>) -> (tensor<70xi32>, tensor<70xi32>) {
  %c = ein.constant -1.0 : tensor<i32>
  %q = ein.map floor_div(%x, %c) over [70] maps [#one, #none, #one] : (tensor<70xi32>, tensor<i32>) -> tensor<70xi32>
  %r = ein.map floor_mod(%x, %c) over [70] maps [#one, #none, #one] : (tensor<70xi32>, tensor<i32>) -> tensor<70xi32>
  ein.return %q, %r : tensor<70xi32>, tensor<70xi32>
}
ein.func @special_by_8(%x: tensor<70xi32>) -> (tensor<70xi32>, tensor<70xi32>) {
  %c = ein.constant 8.0 : tensor<i32>
  %q = ein.map floor_div(%x, %c) over [70] maps [#one, #none, #one] : (tensor<70xi32>, tensor<i32>) -> tensor<70xi32>
  %r = ein.map floor_mod(%x, %c) over [70] maps [#one, #none, #one] : (tensor<70xi32>, tensor<i32>) -> tensor<70xi32>
  ein.return %q, %r : tensor<70xi32>, tensor<70xi32>
}
ein.func @special_sum_of_rows(%x: tensor<5x37xi32>) -> tensor<5xi32> {
  %y = ein.reduce sum(%x) over [5, 37] maps [#id, #row] order lanes : (tensor<5x37xi32>) -> tensor<5xi32>
  ein.return %y : tensor<5xi32>
}
ein.func @special_sum_of_columns(%x: tensor<5x37xi32>) -> tensor<37xi32> {
  %y = ein.reduce sum(%x) over [5, 37] maps [#id, #column] order chain : (tensor<5x37xi32>) -> tensor<37xi32>
  ein.return %y : tensor<37xi32>
}
ein.func @special_max_of_rows(%x: tensor<5x37xi32>) -> tensor<5xi32> {
  %y = ein.reduce max(%x) over [5, 37] maps [#id, #row] order lanes : (tensor<5x37xi32>) -> tensor<5xi32>
  ein.return %y : tensor<5xi32>
}
ein.func @special_max_of_columns(%x: tensor<5x37xi32>) -> tensor<37xi32> {
  %y = ein.reduce max(%x) over [5, 37] maps [#id, #column] order chain : (tensor<5x37xi32>) -> tensor<37xi32>
  ein.return %y : tensor<37xi32>
}
ein.func @special_min_of_rows(%x: tensor<5x37xi32>) -> tensor<5xi32> {
  %y = ein.reduce min(%x) over [5, 37] maps [#id, #row] order lanes : (tensor<5x37xi32>) -> tensor<5xi32>
  ein.return %y : tensor<5xi32>
}
ein.func @special_min_of_columns(%x: tensor<5x37xi32>) -> tensor<37xi32> {
  %y = ein.reduce min(%x) over [5, 37] maps [#id, #column] order chain : (tensor<5x37xi32>) -> tensor<37xi32>
  ein.return %y : tensor<37xi32>
}
ein.func @accumulated(%x: tensor<5x37xi32>, %acc: tensor<5xi32>) -> tensor<5xi32> attributes {num_accumulators = 1 : i64} {
  %y = ein.reduce sum(%x) over [5, 37] maps [#id, #row] order lanes into %acc : tensor<5xi32> : (tensor<5x37xi32>) -> tensor<5xi32>
  ein.return %y : tensor<5xi32>
}
ein.func @special_truth(%a: tensor<5x37xi1>, %b: tensor<5x37xi1>) -> (tensor<5x37xi1>, tensor<5x37xi1>, tensor<5x37xi1>) {
  %e = ein.map eq(%a, %b) over [5, 37] maps [#id, #id, #id] : (tensor<5x37xi1>, tensor<5x37xi1>) -> tensor<5x37xi1>
  %n = ein.map ne(%a, %e) over [5, 37] maps [#id, #id, #id] : (tensor<5x37xi1>, tensor<5x37xi1>) -> tensor<5x37xi1>
  %s = ein.map select(%a, %n, %b) over [5, 37] maps [#id, #id, #id, #id]
    : (tensor<5x37xi1>, tensor<5x37xi1>, tensor<5x37xi1>) -> tensor<5x37xi1>
  ein.return %e, %n, %s : tensor<5x37xi1>, tensor<5x37xi1>, tensor<5x37xi1>
}
ein.func @special_casts(%x: tensor<70xf32>, %y: tensor<70xf64>, %c: tensor<70xi1>)
    -> (tensor<70xi32>, tensor<70xi32>, tensor<70xi32>, tensor<70xf32>) {
  %0 = ein.cast %x : (tensor<70xf32>) -> tensor<70xi32>
  %1 = ein.cast %y : (tensor<70xf64>) -> tensor<70xi32>
  %2 = ein.cast %c : (tensor<70xi1>) -> tensor<70xi32>
  %3 = ein.cast %0 : (tensor<70xi32>) -> tensor<70xf32>
  ein.return %0, %1, %2, %3 : tensor<70xi32>, tensor<70xi32>, tensor<70xi32>, tensor<70xf32>
}
// x[h // 3], positions that are made from indices alone.
ein.func @grouped(%x: tensor<4x5xf32>) -> tensor<12x5xf32> {
  %h = ein.iota : tensor<12xi32>
  %c = ein.constant 3.0 : tensor<i32>
  %q = ein.map floor_div(%h, %c) over [12] maps [#one, #none, #one] : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
  %y = ein.gather %x, %q over [12, 5] maps [affine_map<(h, d)[i] -> (i, d)>, affine_map<(h, d) -> (h)>, affine_map<(h, d) -> (h, d)>]
    : (tensor<4x5xf32>, tensor<12xi32>) -> tensor<12x5xf32>
  ein.return %y : tensor<12x5xf32>
}
// Its adjoint.
ein.func @ungrouped(%x: tensor<12x16xf32>) -> tensor<4x16xf32> {
  %h = ein.iota : tensor<12xi32>
  %c = ein.constant 3.0 : tensor<i32>
  %q = ein.map floor_div(%h, %c) over [12] maps [#one, #none, #one] : (tensor<12xi32>, tensor<i32>) -> tensor<12xi32>
  %y = ein.scatter_add %x, %q over [12, 16] maps [affine_map<(h, d) -> (h, d)>, affine_map<(h, d) -> (h)>, affine_map<(h, d)[i] -> (i, d)>]
    : (tensor<12x16xf32>, tensor<12xi32>) -> tensor<4x16xf32>
  ein.return %y : tensor<4x16xf32>
}
// What is added is the same everywhere.
ein.func @counted(%t: tensor<12xi32>) -> tensor<4xf32> {
  %c = ein.constant 3.0 : tensor<f32>
  %u = ein.map id(%c) over [12] maps [#none, #one] : (tensor<f32>) -> tensor<12xf32>
  %y = ein.scatter_add %u, %t over [12] maps [#one, #one, affine_map<(h)[i] -> (i)>]
    : (tensor<12xf32>, tensor<12xi32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}
// x[p[i] + j], with a fault that names the computed value.
ein.func @shifted(%x: tensor<9xf32>, %p: tensor<6xi32>) -> tensor<6x5xf32> {
  %j = ein.iota : tensor<5xi32>
  %s = ein.map add(%p, %j) over [6, 5] maps [#row, #column, #id] : (tensor<6xi32>, tensor<5xi32>) -> tensor<6x5xi32>
  %y = ein.gather %x, %s over [6, 5] maps [affine_map<(i, j)[k] -> (k)>, #id, #id] : (tensor<9xf32>, tensor<6x5xi32>) -> tensor<6x5xf32>
  ein.return %y : tensor<6x5xf32>
}
// A matrix that depends on indices alone.
ein.func @triangle(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %i = ein.iota : tensor<40xi32>
  %m = ein.map le(%i, %i) over [40, 40] maps [#row, #column, #id] : (tensor<40xi32>, tensor<40xi32>) -> tensor<40x40xi1>
  %f = ein.cast %m : (tensor<40x40xi1>) -> tensor<40x40xf32>
  %y = ein.contract %x, %f over [24, 40, 40] maps [affine_map<(a, i, j) -> (a, i)>, affine_map<(a, i, j) -> (i, j)>, affine_map<(a, i, j) -> (a, j)>]
    order [1] : (tensor<24x40xf32>, tensor<40x40xf32>) -> tensor<24x40xf32>
  ein.return %y : tensor<24x40xf32>
}
ein.func @special_product(%x: tensor<7x37xi32>) -> (tensor<7xi32>, tensor<37xi32>) {
  %0 = ein.reduce prod "ab->a" %x order lanes : (tensor<7x37xi32>) -> tensor<7xi32>
  %1 = ein.reduce prod "ab->b" %x order chain : (tensor<7x37xi32>) -> tensor<37xi32>
  ein.return %0, %1 : tensor<7xi32>, tensor<37xi32>
}
ein.func @special_scatter(%x: tensor<7x37xi32>) -> tensor<3x37xi32> {
  %i = ein.iota : tensor<7xi32>
  %three = ein.constant 3.0 : tensor<i32>
  %p = ein.map floor_mod "a,->a" %i, %three : (tensor<7xi32>, tensor<i32>) -> tensor<7xi32>
  %y = ein.scatter_add "ab,i=a->ib" %x, %p : (tensor<7x37xi32>, tensor<7xi32>) -> tensor<3x37xi32>
  ein.return %y : tensor<3x37xi32>
}
ein.func @special_random(%key: tensor<7xi32>, %x: tensor<7x37xi32>) -> (tensor<7x37xi32>, tensor<7x37xi32>) {
  %i = ein.iota : tensor<37xi32>
  %y = ein.map random "a,b->ab" %key, %i : (tensor<7xi32>, tensor<37xi32>) -> tensor<7x37xi32>
  %z = ein.map random "ab,a->ab" %x, %key : (tensor<7x37xi32>, tensor<7xi32>) -> tensor<7x37xi32>
  ein.return %y, %z : tensor<7x37xi32>, tensor<7x37xi32>
}
