// A few rows times a matrix that is read once: one row, and up to four, with tails of rows, columns and sums, in one block and in
// several, with an accumulator, over slow sums and in outer loops; the bits are those of the interpreter, with vectors of
// 512 and of 256 bits.
// RUN: %unit/kernel-check %s | FileCheck %s
// RUN: %unit/kernel-check %s own | FileCheck %s
// RUN: %unit/kernel-check %s own avx avx2 fma | FileCheck %s
// CHECK: 13 of 13 bodies equal
// The same sums in pairs.
// RUN: sed '/f64/!s/\(order \[[0-9, ]*\]\) \(:\|into\)/\1 pairs \2/' %s > %t.pairs && grep -c pairs %t.pairs
// RUN: %unit/kernel-check %t.pairs own | FileCheck %s --check-prefix=PAIRS
// RUN: %unit/kernel-check %t.pairs own avx avx2 fma | FileCheck %s --check-prefix=PAIRS
// PAIRS: 13 of 13 bodies equal

// Tiles compute them, and no chains do.
// RUN: plc-opt %s --form-kernels=contractions=own | FileCheck %s --check-prefix=BY
// BY-COUNT-13: by = #plan<by tiles>
// BY-NOT: by = #plan<by

// The matrix lies along the columns: groups of 8 rows in registers, and the sums in memory.
// RUN: plc-opt %s --form-kernels=contractions=own --convert-kernels-to-loops | FileCheck %s --check-prefix=ALONG
// ALONG-LABEL: func.func @plc_kernel_0(
// ALONG: memref.alloca() {{.*}} : memref<3072xf32>
// ALONG-NOT: vector.shuffle
// ALONG-COUNT-24: math.fma {{.*}} : vector<16xf32>
// The matrix lies along the sums: squares turned in registers.
// ALONG-LABEL: func.func @plc_kernel_1(
// ALONG-COUNT-64: vector.shuffle
// ALONG-COUNT-16: math.fma {{.*}} : vector<16xf32>

ein.func @along(%x: tensor<264xf32>, %w: tensor<264x3072xf32>) -> tensor<3072xf32> {
  %0 = ein.contract "a,ab->b" %x, %w order [0] : (tensor<264xf32>, tensor<264x3072xf32>) -> tensor<3072xf32>
  ein.return %0 : tensor<3072xf32>
}
ein.func @turned(%x: tensor<256xf32>, %w: tensor<2048x256xf32>) -> tensor<2048xf32> {
  %0 = ein.contract "b,ab->a" %x, %w order [1] : (tensor<256xf32>, tensor<2048x256xf32>) -> tensor<2048xf32>
  ein.return %0 : tensor<2048xf32>
}
// More columns than sums wait for at once, the last ones no whole vector; sums that end within a group.
ein.func @strips(%x: tensor<1x13xf32>, %w: tensor<13x9001xf32>) -> tensor<1x9001xf32> {
  %0 = ein.contract "ab,bc->ac" %x, %w order [1] : (tensor<1x13xf32>, tensor<13x9001xf32>) -> tensor<1x9001xf32>
  ein.return %0 : tensor<1x9001xf32>
}
ein.func @rows(%x: tensor<3x517xf32>, %w: tensor<517x1500xf32>, %acc: tensor<3x1500xf32>) -> tensor<3x1500xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.contract "ab,bc->ac" %x, %w order [1] into %acc : tensor<3x1500xf32> : (tensor<3x517xf32>, tensor<517x1500xf32>) -> tensor<3x1500xf32>
  ein.return %0 : tensor<3x1500xf32>
}
ein.func @rows_turned(%x: tensor<4x519xf32>, %w: tensor<1001x519xf32>, %acc: tensor<4x1001xf32>) -> tensor<4x1001xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.contract "ab,cb->ac" %x, %w order [1] into %acc : tensor<4x1001xf32> : (tensor<4x519xf32>, tensor<1001x519xf32>) -> tensor<4x1001xf32>
  ein.return %0 : tensor<4x1001xf32>
}
ein.func @two_turned(%x: tensor<2x5xf32>, %w: tensor<1003x5xf32>) -> tensor<2x1003xf32> {
  %0 = ein.contract "ab,cb->ac" %x, %w order [1] : (tensor<2x5xf32>, tensor<1003x5xf32>) -> tensor<2x1003xf32>
  ein.return %0 : tensor<2x1003xf32>
}
// The matrix is the first operand.
ein.func @matrix_first(%w: tensor<300x257xf32>, %x: tensor<257xf32>) -> tensor<300xf32> {
  %0 = ein.contract "ab,b->a" %w, %x order [1] : (tensor<300x257xf32>, tensor<257xf32>) -> tensor<300xf32>
  ein.return %0 : tensor<300xf32>
}
ein.func @matrix_first_along(%w: tensor<70x300xf32>, %x: tensor<70x4xf32>) -> tensor<4x300xf32> {
  %0 = ein.contract "ab,ac->cb" %w, %x order [0] : (tensor<70x300xf32>, tensor<70x4xf32>) -> tensor<4x300xf32>
  ein.return %0 : tensor<4x300xf32>
}
// Heads: queries with the keys of all positions, and weights with their values.
ein.func @keys(%q: tensor<12x64xf32>, %k: tensor<150x12x64xf32>) -> tensor<12x150xf32> {
  %0 = ein.contract "ab,cab->ac" %q, %k order [1] : (tensor<12x64xf32>, tensor<150x12x64xf32>) -> tensor<12x150xf32>
  ein.return %0 : tensor<12x150xf32>
}
ein.func @values(%p: tensor<2x12x500xf32>, %v: tensor<2x500x12x20xf32>) -> tensor<2x12x20xf32> {
  %0 = ein.contract "abc,acbd->abd" %p, %v order [2] : (tensor<2x12x500xf32>, tensor<2x500x12x20xf32>) -> tensor<2x12x20xf32>
  ein.return %0 : tensor<2x12x20xf32>
}
// A sum over two dimensions, of which the matrix has the slower one apart; whole blocks of the faster.
ein.func @slow(%x: tensor<3x512xf32>, %w: tensor<512x3x200xf32>) -> tensor<200xf32> {
  %0 = ein.contract "ab,bac->c" %x, %w order [0, 1] : (tensor<3x512xf32>, tensor<512x3x200xf32>) -> tensor<200xf32>
  ein.return %0 : tensor<200xf32>
}
ein.func @wide(%x: tensor<2x300xf64>, %w: tensor<300x77xf64>) -> tensor<2x77xf64> {
  %0 = ein.contract "ab,bc->ac" %x, %w order [1] : (tensor<2x300xf64>, tensor<300x77xf64>) -> tensor<2x77xf64>
  ein.return %0 : tensor<2x77xf64>
}
ein.func @wide_turned(%x: tensor<1x300xf64>, %w: tensor<77x300xf64>) -> tensor<1x77xf64> {
  %0 = ein.contract "ab,cb->ac" %x, %w order [1] : (tensor<1x300xf64>, tensor<77x300xf64>) -> tensor<1x77xf64>
  ein.return %0 : tensor<1x77xf64>
}
