// Every scalar function has the interpreter's bits, in vectors and tails, on infinities, NaN and denormals.
// RUN: %unit/kernel-check %s | FileCheck %s
// RUN: %unit/kernel-check %s avx avx2 fma | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t && %unit/kernel-check %t | FileCheck %s
// RUN: %unit/kernel-check %t avx avx2 fma | FileCheck %s
// CHECK: 43 of 43 bodies equal

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>

ein.func @special_id(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map id(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_neg(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map neg(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_abs(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map abs(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_exp(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map exp(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_log(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map log(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_sqrt(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map sqrt(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_rsqrt(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map rsqrt(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_erf(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map erf(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_expm1(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map expm1(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_ndtr(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map ndtr(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_tanh(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map tanh(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_sigmoid(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map sigmoid(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_log1p(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map log1p(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_sin(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map sin(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_cos(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map cos(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_tan(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map tan(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_floor(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map floor(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_ceil(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map ceil(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_round(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map round(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_pow(%x: tensor<7x37xf32>, %y: tensor<37x7xf32>) -> tensor<7x37xf32> {
  %z = ein.map pow(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xf32>, tensor<37x7xf32>) -> tensor<7x37xf32>
  ein.return %z : tensor<7x37xf32>
}
// Angles of many iterations, and powers of ordinary size.
ein.func @turns(%x: tensor<7x37xf32>, %y: tensor<7x37xf32>) -> (tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>) {
  %scale = ein.constant 1000.0 : tensor<f32>
  %angle = ein.map mul(%x, %scale) over [7, 37] maps [#id, affine_map<(i, j) -> ()>, #id] : (tensor<7x37xf32>, tensor<f32>) -> tensor<7x37xf32>
  %sin = ein.map sin(%angle) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  %cos = ein.map cos(%angle) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  %tan = ein.map tan(%angle) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  %size = ein.map abs(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  %pow = ein.map pow(%size, %y) over [7, 37] maps [#id, #id, #id] : (tensor<7x37xf32>, tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %sin, %cos, %tan, %pow : tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>
}
// Angles of few iterations beside such of very many, and some that are infinite.
ein.func @far(%x: tensor<7x37xf32>, %y: tensor<7x37xf32>) -> (tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>) {
  %scale = ein.constant 25.0 : tensor<f32>
  %log = ein.map mul(%y, %scale) over [7, 37] maps [#id, affine_map<(i, j) -> ()>, #id] : (tensor<7x37xf32>, tensor<f32>) -> tensor<7x37xf32>
  %size = ein.map exp(%log) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  %angle = ein.map mul(%x, %size) over [7, 37] maps [#id, #id, #id] : (tensor<7x37xf32>, tensor<7x37xf32>) -> tensor<7x37xf32>
  %sin = ein.map sin(%angle) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  %cos = ein.map cos(%angle) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  %tan = ein.map tan(%angle) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %sin, %cos, %tan : tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>
}
ein.func @farther(%x: tensor<7x37xf32>, %y: tensor<7x37xf32>) -> (tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>) {
  %scale = ein.constant 220.0 : tensor<f32>
  %log = ein.map mul(%y, %scale) over [7, 37] maps [#id, affine_map<(i, j) -> ()>, #id] : (tensor<7x37xf32>, tensor<f32>) -> tensor<7x37xf32>
  %size = ein.map exp(%log) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  %angle = ein.map mul(%x, %size) over [7, 37] maps [#id, #id, #id] : (tensor<7x37xf32>, tensor<7x37xf32>) -> tensor<7x37xf32>
  %sin = ein.map sin(%angle) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  %cos = ein.map cos(%angle) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  %tan = ein.map tan(%angle) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %sin, %cos, %tan : tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>
}
ein.func @special_relu(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map relu(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_sign(%x: tensor<7x37xf32>) -> tensor<7x37xf32> {
  %y = ein.map sign(%x) over [7, 37] maps [#id, #id] : (tensor<7x37xf32>) -> tensor<7x37xf32>
  ein.return %y : tensor<7x37xf32>
}
ein.func @special_add(%x: tensor<7x37xf32>, %y: tensor<37x7xf32>) -> tensor<7x37xf32> {
  %z = ein.map add(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xf32>, tensor<37x7xf32>) -> tensor<7x37xf32>
  ein.return %z : tensor<7x37xf32>
}
ein.func @special_sub(%x: tensor<7x37xf32>, %y: tensor<37x7xf32>) -> tensor<7x37xf32> {
  %z = ein.map sub(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xf32>, tensor<37x7xf32>) -> tensor<7x37xf32>
  ein.return %z : tensor<7x37xf32>
}
ein.func @special_mul(%x: tensor<7x37xf32>, %y: tensor<37x7xf32>) -> tensor<7x37xf32> {
  %z = ein.map mul(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xf32>, tensor<37x7xf32>) -> tensor<7x37xf32>
  ein.return %z : tensor<7x37xf32>
}
ein.func @special_div(%x: tensor<7x37xf32>, %y: tensor<37x7xf32>) -> tensor<7x37xf32> {
  %z = ein.map div(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xf32>, tensor<37x7xf32>) -> tensor<7x37xf32>
  ein.return %z : tensor<7x37xf32>
}
ein.func @special_max(%x: tensor<7x37xf32>, %y: tensor<37x7xf32>) -> tensor<7x37xf32> {
  %z = ein.map max(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xf32>, tensor<37x7xf32>) -> tensor<7x37xf32>
  ein.return %z : tensor<7x37xf32>
}
ein.func @special_min(%x: tensor<7x37xf32>, %y: tensor<37x7xf32>) -> tensor<7x37xf32> {
  %z = ein.map min(%x, %y) over [7, 37] maps [#id, #turned, #id] : (tensor<7x37xf32>, tensor<37x7xf32>) -> tensor<7x37xf32>
  ein.return %z : tensor<7x37xf32>
}
ein.func @special_eq(%x: tensor<7x37xf32>, %y: tensor<37xf32>) -> (tensor<7x37xi1>, tensor<7x37xf32>) {
  %c = ein.map eq(%x, %y) over [7, 37] maps [#id, #row, #id] : (tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #row, #id]
    : (tensor<7x37xi1>, tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xf32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xf32>
}
ein.func @special_ne(%x: tensor<7x37xf32>, %y: tensor<37xf32>) -> (tensor<7x37xi1>, tensor<7x37xf32>) {
  %c = ein.map ne(%x, %y) over [7, 37] maps [#id, #row, #id] : (tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #row, #id]
    : (tensor<7x37xi1>, tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xf32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xf32>
}
ein.func @special_lt(%x: tensor<7x37xf32>, %y: tensor<37xf32>) -> (tensor<7x37xi1>, tensor<7x37xf32>) {
  %c = ein.map lt(%x, %y) over [7, 37] maps [#id, #row, #id] : (tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #row, #id]
    : (tensor<7x37xi1>, tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xf32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xf32>
}
ein.func @special_le(%x: tensor<7x37xf32>, %y: tensor<37xf32>) -> (tensor<7x37xi1>, tensor<7x37xf32>) {
  %c = ein.map le(%x, %y) over [7, 37] maps [#id, #row, #id] : (tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #row, #id]
    : (tensor<7x37xi1>, tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xf32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xf32>
}
ein.func @special_gt(%x: tensor<7x37xf32>, %y: tensor<37xf32>) -> (tensor<7x37xi1>, tensor<7x37xf32>) {
  %c = ein.map gt(%x, %y) over [7, 37] maps [#id, #row, #id] : (tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #row, #id]
    : (tensor<7x37xi1>, tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xf32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xf32>
}
ein.func @special_ge(%x: tensor<7x37xf32>, %y: tensor<37xf32>) -> (tensor<7x37xi1>, tensor<7x37xf32>) {
  %c = ein.map ge(%x, %y) over [7, 37] maps [#id, #row, #id] : (tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xi1>
  %z = ein.map select(%c, %x, %y) over [7, 37] maps [#id, #id, #row, #id]
    : (tensor<7x37xi1>, tensor<7x37xf32>, tensor<37xf32>) -> tensor<7x37xf32>
  ein.return %c, %z : tensor<7x37xi1>, tensor<7x37xf32>
}
ein.func @logic(%a: tensor<37xi1>, %b: tensor<37xi1>, %i: tensor<37xi32>) -> (tensor<37xi1>, tensor<37xi32>, tensor<37xf32>, tensor<37xi64>) {
  %0 = ein.map and(%a, %b) over [37] maps [#one, #one, #one] : (tensor<37xi1>, tensor<37xi1>) -> tensor<37xi1>
  %1 = ein.map not(%b) over [37] maps [#one, #one] : (tensor<37xi1>) -> tensor<37xi1>
  %2 = ein.map or(%0, %1) over [37] maps [#one, #one, #one] : (tensor<37xi1>, tensor<37xi1>) -> tensor<37xi1>
  %n = ein.iota : tensor<37xi32>
  %3 = ein.map mul(%i, %n) over [37] maps [#one, #one, #one] : (tensor<37xi32>, tensor<37xi32>) -> tensor<37xi32>
  %4 = ein.cast %3 : (tensor<37xi32>) -> tensor<37xf32>
  %5 = ein.cast %3 : (tensor<37xi32>) -> tensor<37xi64>
  ein.return %2, %3, %4, %5 : tensor<37xi1>, tensor<37xi32>, tensor<37xf32>, tensor<37xi64>
}
ein.func @casts(%x: tensor<70xf64>, %y: tensor<70xf32>, %b: tensor<70xi1>) -> (tensor<70xf32>, tensor<70xf64>, tensor<70xi32>, tensor<70xf32>) {
  %0 = ein.cast %x : (tensor<70xf64>) -> tensor<70xf32>
  %1 = ein.cast %y : (tensor<70xf32>) -> tensor<70xf64>
  %2 = ein.cast %x : (tensor<70xf64>) -> tensor<70xi32>
  %3 = ein.cast %b : (tensor<70xi1>) -> tensor<70xf32>
  ein.return %0, %1, %2, %3 : tensor<70xf32>, tensor<70xf64>, tensor<70xi32>, tensor<70xf32>
}
ein.func @diagonal_and_broadcast(%x: tensor<19x5x19xf32>, %s: tensor<f32>) -> (tensor<5x19xf32>, tensor<3x5x19xf32>) {
  %0 = ein.map add(%x, %s) over [19, 5] maps [affine_map<(i, j) -> (i, j, i)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (j, i)>]
    : (tensor<19x5x19xf32>, tensor<f32>) -> tensor<5x19xf32>
  %1 = ein.map id(%0) over [3, 5, 19] maps [affine_map<(r, j, i) -> (j, i)>, affine_map<(r, j, i) -> (r, j, i)>]
    : (tensor<5x19xf32>) -> tensor<3x5x19xf32>
  ein.return %0, %1 : tensor<5x19xf32>, tensor<3x5x19xf32>
}
ein.func @scalars(%s: tensor<f32>, %t: tensor<f32>) -> tensor<f32> {
  %0 = ein.map add(%s, %t) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = ein.map exp(%0) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>] : (tensor<f32>) -> tensor<f32>
  ein.return %1 : tensor<f32>
}
ein.func @free(%x: tensor<5x21xf32>) -> (tensor<5x21xf32>, tensor<5x21xi1>) {
  %i = ein.iota : tensor<5xi32>
  %j = ein.iota : tensor<21xi32>
  %m = ein.map le(%j, %i) over [5, 21] maps [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, #id] : (tensor<21xi32>, tensor<5xi32>) -> tensor<5x21xi1>
  %f = ein.cast %i : (tensor<5xi32>) -> tensor<5xf32>
  %c = ein.constant 0.1 : tensor<f32>
  %s = ein.map mul(%f, %c) over [5] maps [#one, affine_map<(i) -> ()>, #one] : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  %y = ein.map select(%m, %x, %s) over [5, 21] maps [#id, #id, affine_map<(i, j) -> (i)>, #id] : (tensor<5x21xi1>, tensor<5x21xf32>, tensor<5xf32>) -> tensor<5x21xf32>
  ein.return %y, %m : tensor<5x21xf32>, tensor<5x21xi1>
}
// Long rows are cut in pieces.
ein.func @long(%x: tensor<2x16384xf32>, %y: tensor<2x16384xf32>) -> tensor<2x16384xf32> {
  %z = ein.map mul(%x, %y) over [2, 16384] maps [#id, #id, #id] : (tensor<2x16384xf32>, tensor<2x16384xf32>) -> tensor<2x16384xf32>
  ein.return %z : tensor<2x16384xf32>
}
