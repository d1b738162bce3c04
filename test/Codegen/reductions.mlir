// Kernels of rows and of columns have the bits of lanes and of chains, whatever the extents.
// RUN: %unit/kernel-check %s | FileCheck %s
// RUN: %unit/kernel-check %s avx avx2 fma | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t && %unit/kernel-check %t | FileCheck %s
// RUN: %unit/kernel-check %t avx avx2 fma | FileCheck %s
// CHECK: 28 of 28 bodies equal

#id = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(a, b, c) -> (a, b, c)>
#rows = affine_map<(a, b, c) -> (a, b)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

ein.func @softmax(%x: tensor<4x8x33xf32>) -> tensor<4x8x33xf32> {
  %i = ein.iota : tensor<33xi32>
  %j = ein.iota : tensor<8xi32>
  %none = ein.constant 0xFFF0000000000000 : tensor<f32>
  %mask = ein.map le(%i, %j) over [8, 33] maps [affine_map<(s, t) -> (t)>, affine_map<(s, t) -> (s)>, affine_map<(s, t) -> (s, t)>]
    : (tensor<33xi32>, tensor<8xi32>) -> tensor<8x33xi1>
  %s = ein.map select(%mask, %x, %none) over [4, 8, 33] maps [affine_map<(b, s, t) -> (s, t)>, #id3, affine_map<(b, s, t) -> ()>, #id3]
    : (tensor<8x33xi1>, tensor<4x8x33xf32>, tensor<f32>) -> tensor<4x8x33xf32>
  %m = ein.reduce max(%s) over [4, 8, 33] maps [#id3, #rows] order lanes : (tensor<4x8x33xf32>) -> tensor<4x8xf32>
  %d = ein.map sub(%s, %m) over [4, 8, 33] maps [#id3, #rows, #id3] : (tensor<4x8x33xf32>, tensor<4x8xf32>) -> tensor<4x8x33xf32>
  %e = ein.map exp(%d) over [4, 8, 33] maps [#id3, #id3] : (tensor<4x8x33xf32>) -> tensor<4x8x33xf32>
  %z = ein.reduce sum(%e) over [4, 8, 33] maps [#id3, #rows] order lanes : (tensor<4x8x33xf32>) -> tensor<4x8xf32>
  %p = ein.map div(%e, %z) over [4, 8, 33] maps [#id3, #rows, #id3] : (tensor<4x8x33xf32>, tensor<4x8xf32>) -> tensor<4x8x33xf32>
  ein.return %p : tensor<4x8x33xf32>
}
// A row too long for the stack is computed again.
ein.func @long(%x: tensor<2x140001xf32>) -> tensor<2x140001xf32> {
  %e = ein.map exp(%x) over [2, 140001] maps [#id, #id] : (tensor<2x140001xf32>) -> tensor<2x140001xf32>
  %s = ein.reduce sum(%e) over [2, 140001] maps [#id, #row] order lanes : (tensor<2x140001xf32>) -> tensor<2xf32>
  %y = ein.map div(%e, %s) over [2, 140001] maps [#id, #row, #id] : (tensor<2x140001xf32>, tensor<2xf32>) -> tensor<2x140001xf32>
  ein.return %y : tensor<2x140001xf32>
}
// The centred row is cheap and made three times; nothing of it is stored.
ein.func @layer_norm(%x: tensor<6x70xf32>, %g: tensor<70xf32>, %c: tensor<70xf32>) -> tensor<6x70xf32> {
  %inverse = ein.constant 0.0142857142857142857 : tensor<f32>
  %eps = ein.constant 1.0e-5 : tensor<f32>
  %t = ein.reduce sum(%x) over [6, 70] maps [#id, #row] order lanes : (tensor<6x70xf32>) -> tensor<6xf32>
  %mean = ein.map mul(%t, %inverse) over [6] maps [#one, #none, #one] : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %u = ein.map sub(%x, %mean) over [6, 70] maps [#id, #row, #id] : (tensor<6x70xf32>, tensor<6xf32>) -> tensor<6x70xf32>
  %q = ein.map mul(%u, %u) over [6, 70] maps [#id, #id, #id] : (tensor<6x70xf32>, tensor<6x70xf32>) -> tensor<6x70xf32>
  %w = ein.reduce sum(%q) over [6, 70] maps [#id, #row] order lanes : (tensor<6x70xf32>) -> tensor<6xf32>
  %v = ein.map mul(%w, %inverse) over [6] maps [#one, #none, #one] : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %ve = ein.map add(%v, %eps) over [6] maps [#one, #none, #one] : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %r = ein.map rsqrt(%ve) over [6] maps [#one, #one] : (tensor<6xf32>) -> tensor<6xf32>
  %n = ein.map mul(%u, %r) over [6, 70] maps [#id, #row, #id] : (tensor<6x70xf32>, tensor<6xf32>) -> tensor<6x70xf32>
  %ng = ein.map mul(%n, %g) over [6, 70] maps [#id, #column, #id] : (tensor<6x70xf32>, tensor<70xf32>) -> tensor<6x70xf32>
  %y = ein.map add(%ng, %c) over [6, 70] maps [#id, #column, #id] : (tensor<6x70xf32>, tensor<70xf32>) -> tensor<6x70xf32>
  ein.return %y : tensor<6x70xf32>
}
// Also a kept output, and a row that another element of the row reads.
ein.func @cross_entropy(%x: tensor<5x45xf32>, %t: tensor<5xi32>) -> (tensor<5xf32>, tensor<5x45xf32>) {
  %m = ein.reduce max(%x) over [5, 45] maps [#id, #row] order lanes : (tensor<5x45xf32>) -> tensor<5xf32>
  %d = ein.map sub(%x, %m) over [5, 45] maps [#id, #row, #id] : (tensor<5x45xf32>, tensor<5xf32>) -> tensor<5x45xf32>
  %e = ein.map exp(%d) over [5, 45] maps [#id, #id] : (tensor<5x45xf32>) -> tensor<5x45xf32>
  %z = ein.reduce sum(%e) over [5, 45] maps [#id, #row] order lanes : (tensor<5x45xf32>) -> tensor<5xf32>
  %p = ein.map div(%e, %z) over [5, 45] maps [#id, #row, #id] : (tensor<5x45xf32>, tensor<5xf32>) -> tensor<5x45xf32>
  %a = ein.gather %d, %t over [5] maps [affine_map<(i)[s] -> (i, s)>, #one, #one] : (tensor<5x45xf32>, tensor<5xi32>) -> tensor<5xf32>
  %b = ein.gather %p, %t over [5] maps [affine_map<(i)[s] -> (i, s)>, #one, #one] : (tensor<5x45xf32>, tensor<5xi32>) -> tensor<5xf32>
  %l = ein.map log(%z) over [5] maps [#one, #one] : (tensor<5xf32>) -> tensor<5xf32>
  %y = ein.map sub(%l, %a) over [5] maps [#one, #one, #one] : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %w = ein.map add(%y, %b) over [5] maps [#one, #one, #one] : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  ein.return %w, %p : tensor<5xf32>, tensor<5x45xf32>
}
ein.func @special_reduce_1(%x: tensor<3x1xf32>, %acc: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) attributes {num_accumulators = 1 : i64} {
  %0 = ein.reduce max(%x) over [3, 1] maps [#id, #row] order lanes : (tensor<3x1xf32>) -> tensor<3xf32>
  %1 = ein.reduce min(%x) over [3, 1] maps [#id, #row] order lanes : (tensor<3x1xf32>) -> tensor<3xf32>
  %2 = ein.reduce sum(%x) over [3, 1] maps [#id, #row] order lanes into %acc : tensor<3xf32> : (tensor<3x1xf32>) -> tensor<3xf32>
  ein.return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
ein.func @special_reduce_7(%x: tensor<3x7xf32>, %acc: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) attributes {num_accumulators = 1 : i64} {
  %0 = ein.reduce max(%x) over [3, 7] maps [#id, #row] order lanes : (tensor<3x7xf32>) -> tensor<3xf32>
  %1 = ein.reduce min(%x) over [3, 7] maps [#id, #row] order lanes : (tensor<3x7xf32>) -> tensor<3xf32>
  %2 = ein.reduce sum(%x) over [3, 7] maps [#id, #row] order lanes into %acc : tensor<3xf32> : (tensor<3x7xf32>) -> tensor<3xf32>
  ein.return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
ein.func @special_reduce_16(%x: tensor<3x16xf32>, %acc: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) attributes {num_accumulators = 1 : i64} {
  %0 = ein.reduce max(%x) over [3, 16] maps [#id, #row] order lanes : (tensor<3x16xf32>) -> tensor<3xf32>
  %1 = ein.reduce min(%x) over [3, 16] maps [#id, #row] order lanes : (tensor<3x16xf32>) -> tensor<3xf32>
  %2 = ein.reduce sum(%x) over [3, 16] maps [#id, #row] order lanes into %acc : tensor<3xf32> : (tensor<3x16xf32>) -> tensor<3xf32>
  ein.return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
ein.func @special_reduce_100(%x: tensor<3x100xf32>, %acc: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) attributes {num_accumulators = 1 : i64} {
  %0 = ein.reduce max(%x) over [3, 100] maps [#id, #row] order lanes : (tensor<3x100xf32>) -> tensor<3xf32>
  %1 = ein.reduce min(%x) over [3, 100] maps [#id, #row] order lanes : (tensor<3x100xf32>) -> tensor<3xf32>
  %2 = ein.reduce sum(%x) over [3, 100] maps [#id, #row] order lanes into %acc : tensor<3xf32> : (tensor<3x100xf32>) -> tensor<3xf32>
  ein.return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
// All dimensions, and dimensions that do not compose: lanes follow the flattened position.
ein.func @reduce_all(%x: tensor<3x35xf32>) -> tensor<f32> {
  %0 = ein.reduce sum(%x) over [3, 35] maps [#id, affine_map<(i, j) -> ()>] order lanes : (tensor<3x35xf32>) -> tensor<f32>
  %1 = ein.map exp(%0) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>] : (tensor<f32>) -> tensor<f32>
  ein.return %1 : tensor<f32>
}
ein.func @reduce_apart(%x: tensor<3x5x7xf32>, %y: tensor<3x5x32xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = ein.reduce sum(%x) over [3, 5, 7] maps [#id3, affine_map<(a, b, c) -> (b)>] order lanes : (tensor<3x5x7xf32>) -> tensor<5xf32>
  %1 = ein.reduce max(%y) over [3, 5, 32] maps [#id3, affine_map<(a, b, c) -> (b)>] order lanes : (tensor<3x5x32xf32>) -> tensor<5xf32>
  ein.return %0, %1 : tensor<5xf32>, tensor<5xf32>
}
ein.func @columns_1(%x: tensor<4x9x1xf32>, %n: tensor<4x9x1xf32>, %acc: tensor<1xf32>) -> tensor<1xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.map mul(%x, %n) over [4, 9, 1] maps [#id3, #id3, #id3] : (tensor<4x9x1xf32>, tensor<4x9x1xf32>) -> tensor<4x9x1xf32>
  %1 = ein.reduce sum(%0) over [4, 9, 1] maps [#id3, affine_map<(a, b, c) -> (c)>] order chain into %acc : tensor<1xf32> : (tensor<4x9x1xf32>) -> tensor<1xf32>
  ein.return %1 : tensor<1xf32>
}
ein.func @columns_37(%x: tensor<4x9x37xf32>, %n: tensor<4x9x37xf32>, %acc: tensor<37xf32>) -> tensor<37xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.map mul(%x, %n) over [4, 9, 37] maps [#id3, #id3, #id3] : (tensor<4x9x37xf32>, tensor<4x9x37xf32>) -> tensor<4x9x37xf32>
  %1 = ein.reduce sum(%0) over [4, 9, 37] maps [#id3, affine_map<(a, b, c) -> (c)>] order chain into %acc : tensor<37xf32> : (tensor<4x9x37xf32>) -> tensor<37xf32>
  ein.return %1 : tensor<37xf32>
}
ein.func @columns_64(%x: tensor<4x9x64xf32>, %n: tensor<4x9x64xf32>, %acc: tensor<64xf32>) -> tensor<64xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.map mul(%x, %n) over [4, 9, 64] maps [#id3, #id3, #id3] : (tensor<4x9x64xf32>, tensor<4x9x64xf32>) -> tensor<4x9x64xf32>
  %1 = ein.reduce sum(%0) over [4, 9, 64] maps [#id3, affine_map<(a, b, c) -> (c)>] order chain into %acc : tensor<64xf32> : (tensor<4x9x64xf32>) -> tensor<64xf32>
  ein.return %1 : tensor<64xf32>
}
ein.func @columns_128(%x: tensor<4x9x128xf32>, %n: tensor<4x9x128xf32>, %acc: tensor<128xf32>) -> tensor<128xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.map mul(%x, %n) over [4, 9, 128] maps [#id3, #id3, #id3] : (tensor<4x9x128xf32>, tensor<4x9x128xf32>) -> tensor<4x9x128xf32>
  %1 = ein.reduce sum(%0) over [4, 9, 128] maps [#id3, affine_map<(a, b, c) -> (c)>] order chain into %acc : tensor<128xf32> : (tensor<4x9x128xf32>) -> tensor<128xf32>
  ein.return %1 : tensor<128xf32>
}
ein.func @special_columns(%x: tensor<4x9x21xf32>) -> (tensor<9x21xf32>, tensor<4x21xf32>) {
  %0 = ein.reduce max(%x) over [4, 9, 21] maps [#id3, affine_map<(a, b, c) -> (b, c)>] order chain : (tensor<4x9x21xf32>) -> tensor<9x21xf32>
  %1 = ein.reduce min(%x) over [4, 9, 21] maps [#id3, affine_map<(a, b, c) -> (a, c)>] order chain : (tensor<4x9x21xf32>) -> tensor<4x21xf32>
  ein.return %0, %1 : tensor<9x21xf32>, tensor<4x21xf32>
}
// Products and logic, in lanes of every length, one element at a time, and in columns.
ein.func @product_1(%x: tensor<3x1xf32>) -> tensor<3xf32> {
  %0 = ein.reduce prod "ab->a" %x order lanes : (tensor<3x1xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
ein.func @special_logic_1(%x: tensor<3x1xf32>, %c: tensor<3x1xi1>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %zero = ein.constant 0.0 : tensor<f32>
  %p = ein.map gt "ab,->ab" %x, %zero : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xi1>
  %0 = ein.reduce any "ab->a" %c order lanes : (tensor<3x1xi1>) -> tensor<3xi1>
  %1 = ein.reduce all "ab->a" %p order lanes : (tensor<3x1xi1>) -> tensor<3xi1>
  %2 = ein.reduce all "ab->a" %c order lanes : (tensor<3x1xi1>) -> tensor<3xi1>
  ein.return %0, %1, %2 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}
ein.func @product_7(%x: tensor<3x7xf32>) -> tensor<3xf32> {
  %0 = ein.reduce prod "ab->a" %x order lanes : (tensor<3x7xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
ein.func @special_logic_7(%x: tensor<3x7xf32>, %c: tensor<3x7xi1>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %zero = ein.constant 0.0 : tensor<f32>
  %p = ein.map gt "ab,->ab" %x, %zero : (tensor<3x7xf32>, tensor<f32>) -> tensor<3x7xi1>
  %0 = ein.reduce any "ab->a" %c order lanes : (tensor<3x7xi1>) -> tensor<3xi1>
  %1 = ein.reduce all "ab->a" %p order lanes : (tensor<3x7xi1>) -> tensor<3xi1>
  %2 = ein.reduce all "ab->a" %c order lanes : (tensor<3x7xi1>) -> tensor<3xi1>
  ein.return %0, %1, %2 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}
ein.func @product_16(%x: tensor<3x16xf32>) -> tensor<3xf32> {
  %0 = ein.reduce prod "ab->a" %x order lanes : (tensor<3x16xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
ein.func @special_logic_16(%x: tensor<3x16xf32>, %c: tensor<3x16xi1>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %zero = ein.constant 0.0 : tensor<f32>
  %p = ein.map gt "ab,->ab" %x, %zero : (tensor<3x16xf32>, tensor<f32>) -> tensor<3x16xi1>
  %0 = ein.reduce any "ab->a" %c order lanes : (tensor<3x16xi1>) -> tensor<3xi1>
  %1 = ein.reduce all "ab->a" %p order lanes : (tensor<3x16xi1>) -> tensor<3xi1>
  %2 = ein.reduce all "ab->a" %c order lanes : (tensor<3x16xi1>) -> tensor<3xi1>
  ein.return %0, %1, %2 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}
ein.func @product_100(%x: tensor<3x100xf32>) -> tensor<3xf32> {
  %0 = ein.reduce prod "ab->a" %x order lanes : (tensor<3x100xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
ein.func @special_logic_100(%x: tensor<3x100xf32>, %c: tensor<3x100xi1>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %zero = ein.constant 0.0 : tensor<f32>
  %p = ein.map gt "ab,->ab" %x, %zero : (tensor<3x100xf32>, tensor<f32>) -> tensor<3x100xi1>
  %0 = ein.reduce any "ab->a" %c order lanes : (tensor<3x100xi1>) -> tensor<3xi1>
  %1 = ein.reduce all "ab->a" %p order lanes : (tensor<3x100xi1>) -> tensor<3xi1>
  %2 = ein.reduce all "ab->a" %c order lanes : (tensor<3x100xi1>) -> tensor<3xi1>
  ein.return %0, %1, %2 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}
ein.func @logic_apart(%c: tensor<3x5x7xi1>) -> (tensor<5xi1>, tensor<5xi1>) {
  %0 = ein.reduce any "abc->b" %c order lanes : (tensor<3x5x7xi1>) -> tensor<5xi1>
  %1 = ein.reduce all "abc->b" %c order lanes : (tensor<3x5x7xi1>) -> tensor<5xi1>
  ein.return %0, %1 : tensor<5xi1>, tensor<5xi1>
}
ein.func @special_product_columns(%x: tensor<4x9x21xf32>) -> (tensor<9x21xf32>, tensor<4x21xf32>) {
  %0 = ein.reduce prod "abc->bc" %x order chain : (tensor<4x9x21xf32>) -> tensor<9x21xf32>
  %1 = ein.reduce prod "abc->ac" %x order chain : (tensor<4x9x21xf32>) -> tensor<4x21xf32>
  ein.return %0, %1 : tensor<9x21xf32>, tensor<4x21xf32>
}
ein.func @logic_columns_1(%c: tensor<4x1xi1>) -> (tensor<1xi1>, tensor<1xi1>) {
  %0 = ein.reduce any "ab->b" %c order chain : (tensor<4x1xi1>) -> tensor<1xi1>
  %1 = ein.reduce all "ab->b" %c order chain : (tensor<4x1xi1>) -> tensor<1xi1>
  ein.return %0, %1 : tensor<1xi1>, tensor<1xi1>
}
ein.func @logic_columns_37(%c: tensor<4x37xi1>) -> (tensor<37xi1>, tensor<37xi1>) {
  %0 = ein.reduce any "ab->b" %c order chain : (tensor<4x37xi1>) -> tensor<37xi1>
  %1 = ein.reduce all "ab->b" %c order chain : (tensor<4x37xi1>) -> tensor<37xi1>
  ein.return %0, %1 : tensor<37xi1>, tensor<37xi1>
}
ein.func @logic_columns_64(%c: tensor<4x64xi1>) -> (tensor<64xi1>, tensor<64xi1>) {
  %0 = ein.reduce any "ab->b" %c order chain : (tensor<4x64xi1>) -> tensor<64xi1>
  %1 = ein.reduce all "ab->b" %c order chain : (tensor<4x64xi1>) -> tensor<64xi1>
  ein.return %0, %1 : tensor<64xi1>, tensor<64xi1>
}
