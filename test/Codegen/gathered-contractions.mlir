// Contractions that read a table in place, and outer products added at positions: the bits of the definition, whoever
// computes them, cut or not, and faults that name position and value.
// RUN: %unit/kernel-check %s own | FileCheck %s
// RUN: %unit/kernel-check %s own avx avx2 fma | FileCheck %s
// RUN: %unit/kernel-check %s | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t && %unit/kernel-check %t own | FileCheck %s
// RUN: %unit/kernel-check %t own avx avx2 fma | FileCheck %s
// CHECK: fault_table: status 1, gather 0 of 1, position 3, value 1000
// CHECK: fault_matrix: status 1, gather 0 of 1, position 3, value 1000
// CHECK: 16 of 16 bodies equal
// The same sums in pairs.
// RUN: sed 's/\(order \[[0-9, ]*\]\) \(:\|into\)/\1 pairs \2/' %s > %t.pairs && grep -c pairs %t.pairs
// RUN: %unit/kernel-check %t.pairs own | FileCheck %s --check-prefix=PAIRS
// RUN: %unit/kernel-check %t.pairs own avx avx2 fma | FileCheck %s --check-prefix=PAIRS
// PAIRS: 16 of 16 bodies equal

// Vectors by the matrix that each chose; the last panel and the last block of sums are short.
ein.func @vectors(%x: tensor<9x300xf32>, %w: tensor<5x300x70xf32>, %k: tensor<9x2xi32>) -> tensor<9x2x70xf32> {
  %0 = ein.gather "idc,i=ab->abcd" %w, %k : (tensor<5x300x70xf32>, tensor<9x2xi32>) -> tensor<9x2x70x300xf32>
  %1 = ein.contract "ad,abcd->abc" %x, %0 order [3] : (tensor<9x300xf32>, tensor<9x2x70x300xf32>) -> tensor<9x2x70xf32>
  ein.return %1 : tensor<9x2x70xf32>
}
// By the matrices as they lie the other way, and added to what is there. Positions of 64 bits.
ein.func @turned(%x: tensor<9x2x70xf32>, %w: tensor<5x300x70xf32>, %k: tensor<9x2xi64>, %acc: tensor<9x2x300xf32>) -> tensor<9x2x300xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.gather "idc,i=ab->abcd" %w, %k : (tensor<5x300x70xf32>, tensor<9x2xi64>) -> tensor<9x2x70x300xf32>
  %1 = ein.contract "abd,abdc->abc" %x, %0 order [3] into %acc : tensor<9x2x300xf32> : (tensor<9x2x70xf32>, tensor<9x2x70x300xf32>) -> tensor<9x2x300xf32>
  ein.return %1 : tensor<9x2x300xf32>
}
// Rows of a sample share its choice, and heads have matrices of their own; sums over two dimensions.
ein.func @rows(%x: tensor<4x7x3x5x8xf32>, %w: tensor<6x3x5x8x20xf32>, %k: tensor<4xi32>) -> tensor<4x3x7x20xf32> {
  %0 = ein.gather "ibefd,i=a->abefd" %w, %k : (tensor<6x3x5x8x20xf32>, tensor<4xi32>) -> tensor<4x3x5x8x20xf32>
  %1 = ein.contract "acbef,abefd->abcd" %x, %0 order [4, 5] : (tensor<4x7x3x5x8xf32>, tensor<4x3x5x8x20xf32>) -> tensor<4x3x7x20xf32>
  ein.return %1 : tensor<4x3x7x20xf32>
}
// A part of the table and of the positions.
ein.func @parts(%x: tensor<9x30xf32>, %w: tensor<5x40x70xf32>, %k: tensor<12xi32>) -> tensor<9x70xf32> {
  %part = ein.window %w at affine_map<(i, d, f) -> (i, d + 7, f)> : (tensor<5x40x70xf32>) -> tensor<5x30x70xf32>
  %which = ein.window %k at affine_map<(b) -> (b + 3)> : (tensor<12xi32>) -> tensor<9xi32>
  %0 = ein.gather "icb,i=a->abc" %part, %which : (tensor<5x30x70xf32>, tensor<9xi32>) -> tensor<9x70x30xf32>
  %1 = ein.contract "ac,abc->ab" %x, %0 order [2] : (tensor<9x30xf32>, tensor<9x70x30xf32>) -> tensor<9x70xf32>
  ein.return %1 : tensor<9x70xf32>
}
// By chains: sums over several positions; results beside each other that chose apart; a position and a table of one index.
ein.func @several(%x: tensor<9x4x30xf32>, %w: tensor<5x30x70xf32>, %k: tensor<9x4xi32>) -> tensor<9x70xf32> {
  %0 = ein.gather "idb,i=ac->abcd" %w, %k : (tensor<5x30x70xf32>, tensor<9x4xi32>) -> tensor<9x70x4x30xf32>
  %1 = ein.contract "acd,abcd->ab" %x, %0 order [3, 2] : (tensor<9x4x30xf32>, tensor<9x70x4x30xf32>) -> tensor<9x70xf32>
  ein.return %1 : tensor<9x70xf32>
}
ein.func @apart(%x: tensor<20x30xf32>, %w: tensor<5x30x7xf32>, %k: tensor<20xi32>) -> tensor<7x20xf32> {
  %0 = ein.gather "ica,i=b->abc" %w, %k : (tensor<5x30x7xf32>, tensor<20xi32>) -> tensor<7x20x30xf32>
  %1 = ein.contract "bc,abc->ab" %x, %0 order [2] : (tensor<20x30xf32>, tensor<7x20x30xf32>) -> tensor<7x20xf32>
  ein.return %1 : tensor<7x20xf32>
}
ein.func @own(%x: tensor<9x30xf32>, %w: tensor<9x5x30x16xf32>, %k: tensor<9xi32>) -> tensor<9x16xf32> {
  %0 = ein.gather "aicb,i=a->abc" %w, %k : (tensor<9x5x30x16xf32>, tensor<9xi32>) -> tensor<9x16x30xf32>
  %1 = ein.contract "ac,abc->ab" %x, %0 order [2] : (tensor<9x30xf32>, tensor<9x16x30xf32>) -> tensor<9x16xf32>
  ein.return %1 : tensor<9x16xf32>
}
// Outer products: into a tensor and into an accumulator, more rows than a block has, positions that none has.
ein.func @products(%x: tensor<150x13xf32>, %y: tensor<150x2x70xf32>, %k: tensor<150x2xi32>) -> tensor<5x13x70xf32> {
  %0 = ein.map mul "ac,abd->abcd" %x, %y : (tensor<150x13xf32>, tensor<150x2x70xf32>) -> tensor<150x2x13x70xf32>
  %1 = ein.scatter_add "abcd,i=ab->icd" %0, %k : (tensor<150x2x13x70xf32>, tensor<150x2xi32>) -> tensor<5x13x70xf32>
  ein.return %1 : tensor<5x13x70xf32>
}
ein.func @products_into(%x: tensor<3x2x13xf32>, %y: tensor<3x2x20xf32>, %k: tensor<2xi32>, %acc: tensor<5x13x20xf32>) -> tensor<5x13x20xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.map mul "abd,abc->abcd" %y, %x : (tensor<3x2x20xf32>, tensor<3x2x13xf32>) -> tensor<3x2x13x20xf32>
  %1 = ein.scatter_add "abcd,i=b->icd" %0, %k into %acc : tensor<5x13x20xf32> : (tensor<3x2x13x20xf32>, tensor<2xi32>) -> tensor<5x13x20xf32>
  ein.return %1 : tensor<5x13x20xf32>
}
// The same, rounded with the sum: in tiles, more tiles than are packed at once, and by points.
ein.func @fused(%x: tensor<150x13xf32>, %y: tensor<150x2x70xf32>, %k: tensor<150x2xi32>) -> tensor<5x13x70xf32> {
  %0 = ein.scatter_add "ac,i=ab,abd->icd" %x, %k, %y : (tensor<150x13xf32>, tensor<150x2xi32>, tensor<150x2x70xf32>) -> tensor<5x13x70xf32>
  ein.return %0 : tensor<5x13x70xf32>
}
ein.func @fused_long(%x: tensor<300x203xf32>, %y: tensor<300x20xf32>, %k: tensor<300xi64>, %acc: tensor<5x203x20xf32>) -> tensor<5x203x20xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.scatter_add "ac,i=a,ab->icb" %x, %k, %y into %acc : tensor<5x203x20xf32> : (tensor<300x203xf32>, tensor<300xi64>, tensor<300x20xf32>) -> tensor<5x203x20xf32>
  ein.return %0 : tensor<5x203x20xf32>
}
ein.func @fused_points(%x: tensor<9x32xf32>, %y: tensor<9x4xf32>, %k: tensor<9x4xi32>, %turned: tensor<32x9xf32>) -> (tensor<7x32xf32>, tensor<7x32xf32>) {
  %0 = ein.scatter_add "ac,i=ab,ab->ic" %x, %k, %y : (tensor<9x32xf32>, tensor<9x4xi32>, tensor<9x4xf32>) -> tensor<7x32xf32>
  %1 = ein.scatter_add "ab,i=ab,ca->ic" %y, %k, %turned : (tensor<9x4xf32>, tensor<9x4xi32>, tensor<32x9xf32>) -> tensor<7x32xf32>
  ein.return %0, %1 : tensor<7x32xf32>, tensor<7x32xf32>
}
// Updates that repeat, alone and times a number; products without a matrix.
ein.func @repeated(%x: tensor<9x32xf32>, %k: tensor<9x4xi32>) -> (tensor<7x32xf32>, tensor<7x32xf32>) {
  %0 = ein.map id "ac->abc" %x : (tensor<9x32xf32>) -> tensor<9x4x32xf32>
  %1 = ein.scatter_add "abc,i=ab->ic" %0, %k : (tensor<9x4x32xf32>, tensor<9x4xi32>) -> tensor<7x32xf32>
  %half = ein.constant 0.3 : tensor<f32>
  %2 = ein.map mul "ac,->abc" %x, %half : (tensor<9x32xf32>, tensor<f32>) -> tensor<9x4x32xf32>
  %3 = ein.scatter_add "abc,i=ab->ic" %2, %k : (tensor<9x4x32xf32>, tensor<9x4xi32>) -> tensor<7x32xf32>
  ein.return %1, %3 : tensor<7x32xf32>, tensor<7x32xf32>
}
ein.func @bag(%x: tensor<9x32xf32>, %w: tensor<9x4xf32>, %k: tensor<9x4xi32>, %table: tensor<7x32xf32>) -> (tensor<7x32xf32>, tensor<9x32xf32>) {
  %0 = ein.map mul "ac,ab->abc" %x, %w : (tensor<9x32xf32>, tensor<9x4xf32>) -> tensor<9x4x32xf32>
  %1 = ein.scatter_add "abc,i=ab->ic" %0, %k : (tensor<9x4x32xf32>, tensor<9x4xi32>) -> tensor<7x32xf32>
  %2 = ein.gather "ic,i=ab->abc" %table, %k : (tensor<7x32xf32>, tensor<9x4xi32>) -> tensor<9x4x32xf32>
  %3 = ein.map mul "ab,abc->abc" %w, %2 : (tensor<9x4xf32>, tensor<9x4x32xf32>) -> tensor<9x4x32xf32>
  %4 = ein.reduce sum "abc->ac" %3 order chain : (tensor<9x4x32xf32>) -> tensor<9x32xf32>
  ein.return %1, %4 : tensor<7x32xf32>, tensor<9x32xf32>
}
ein.func @fault_table(%x: tensor<9x32xf32>, %w: tensor<5x32x70xf32>, %k: tensor<9x2xi32>) -> tensor<9x2x70xf32> {
  %0 = ein.gather "idc,i=ab->abcd" %w, %k : (tensor<5x32x70xf32>, tensor<9x2xi32>) -> tensor<9x2x70x32xf32>
  %1 = ein.contract "ad,abcd->abc" %x, %0 order [3] : (tensor<9x32xf32>, tensor<9x2x70x32xf32>) -> tensor<9x2x70xf32>
  ein.return %1 : tensor<9x2x70xf32>
}
ein.func @fault_matrix(%x: tensor<9x13xf32>, %y: tensor<9x70xf32>, %k: tensor<9xi32>) -> tensor<5x13x70xf32> {
  %0 = ein.map mul "ab,ac->abc" %x, %y : (tensor<9x13xf32>, tensor<9x70xf32>) -> tensor<9x13x70xf32>
  %1 = ein.scatter_add "abc,i=a->ibc" %0, %k : (tensor<9x13x70xf32>, tensor<9xi32>) -> tensor<5x13x70xf32>
  ein.return %1 : tensor<5x13x70xf32>
}
