// Contractions that read narrow factors in place: the bits of the definition, whoever computes them, in f32 and in f64, with
// vectors of 512 and of 256 bits.
// RUN: %unit/kernel-check %s own | FileCheck %s
// RUN: %unit/kernel-check %s own avx avx2 fma f16c | FileCheck %s
// RUN: sed s/bf16/f16/g %s > %t && %unit/kernel-check %t own avx avx2 fma f16c | FileCheck %s
// RUN: %unit/kernel-check %t own | FileCheck %s
// RUN: sed 's/bf16/i8/g' %s > %t && %unit/kernel-check %t own | FileCheck %s
// RUN: %unit/kernel-check %t own avx avx2 fma f16c | FileCheck %s
// RUN: sed 's/f32/f64/g' %s > %t && %unit/kernel-check %t own | FileCheck %s
// RUN: sed 's/f32/f64/g; s/bf16/i8/g' %s > %t && %unit/kernel-check %t own avx avx2 fma f16c | FileCheck %s
// CHECK: 15 of 15 bodies equal
// The same sums in pairs.
// RUN: sed 's/\(order \[[0-9, ]*\]\) \(:\|into\)/\1 pairs \2/' %s > %t.pairs && grep -c pairs %t.pairs
// RUN: %unit/kernel-check %t.pairs own | FileCheck %s --check-prefix=PAIRS
// RUN: %unit/kernel-check %t.pairs own avx avx2 fma f16c | FileCheck %s --check-prefix=PAIRS
// PAIRS: 15 of 15 bodies equal

// No kernel gives what is widened: each reads narrow tensors and gives a product.
// RUN: plc-opt %s --form-kernels=contractions=own | FileCheck %s --check-prefix=KERNELS
// KERNELS-COUNT-15: plan.kernel
// KERNELS-NOT: plan.kernel

// A few rows by a matrix that is read once: rows of 16 bits that are widened in registers, and words of two that are turned.
// RUN: plc-opt %s --form-kernels=contractions=own --convert-kernels-to-loops | FileCheck %s --check-prefix=STREAM
// STREAM-LABEL: func.func @plc_kernel_0(
// STREAM-SAME: memref<792000xi16>
// STREAM-NOT: vector.shuffle
// STREAM: vector.load {{.*}} : memref<792000xi16>, vector<16xi16>
// STREAM-LABEL: func.func @plc_kernel_1(
// STREAM: vector.load {{.*}} : memref<519519xi16>, vector<32xi16>
// STREAM: vector.bitcast {{.*}} : vector<32xi16> to vector<16xi32>
// STREAM-COUNT-64: vector.shuffle {{.*}} : vector<16xi32>, vector<16xi32>
// STREAM-COUNT-32: math.fma {{.*}} : vector<16xf32>
ein.func @along(%x: tensor<264xf32>, %n: tensor<264x3000xbf16>) -> tensor<3000xf32> {
  %w = ein.cast %n : (tensor<264x3000xbf16>) -> tensor<264x3000xf32>
  %0 = ein.contract "a,ab->b" %x, %w order [0] : (tensor<264xf32>, tensor<264x3000xf32>) -> tensor<3000xf32>
  ein.return %0 : tensor<3000xf32>
}
ein.func @turned(%x: tensor<519xf32>, %n: tensor<1001x519xbf16>) -> tensor<1001xf32> {
  %w = ein.cast %n : (tensor<1001x519xbf16>) -> tensor<1001x519xf32>
  %0 = ein.contract "b,ab->a" %x, %w order [1] : (tensor<519xf32>, tensor<1001x519xf32>) -> tensor<1001xf32>
  ein.return %0 : tensor<1001xf32>
}
ein.func @rows(%x: tensor<3x517xbf16>, %n: tensor<517x1500xbf16>, %acc: tensor<3x1500xf32>) -> tensor<3x1500xf32> attributes {num_accumulators = 1 : i64} {
  %v = ein.cast %x : (tensor<3x517xbf16>) -> tensor<3x517xf32>
  %w = ein.cast %n : (tensor<517x1500xbf16>) -> tensor<517x1500xf32>
  %0 = ein.contract "ab,bc->ac" %v, %w order [1] into %acc : tensor<3x1500xf32> : (tensor<3x517xf32>, tensor<517x1500xf32>) -> tensor<3x1500xf32>
  ein.return %0 : tensor<3x1500xf32>
}
ein.func @rows_turned(%x: tensor<4x300xbf16>, %n: tensor<203x300xbf16>) -> tensor<4x203xf32> {
  %v = ein.cast %x : (tensor<4x300xbf16>) -> tensor<4x300xf32>
  %w = ein.cast %n : (tensor<203x300xbf16>) -> tensor<203x300xf32>
  %0 = ein.contract "ab,cb->ac" %v, %w order [1] : (tensor<4x300xf32>, tensor<203x300xf32>) -> tensor<4x203xf32>
  ein.return %0 : tensor<4x203xf32>
}
// Infinities, NaN and subnormals of each type.
ein.func @special_stream(%x: tensor<40xf32>, %n: tensor<600x40xbf16>) -> tensor<600xf32> {
  %w = ein.cast %n : (tensor<600x40xbf16>) -> tensor<600x40xf32>
  %0 = ein.contract "b,ab->a" %x, %w order [1] : (tensor<40xf32>, tensor<600x40xf32>) -> tensor<600xf32>
  ein.return %0 : tensor<600xf32>
}
// Tiles: panels that are packed, or read as they lie; rows that are widened before, along sums or across them.
ein.func @packed(%x: tensor<67x300xbf16>, %n: tensor<300x153xbf16>) -> tensor<67x153xf32> {
  %v = ein.cast %x : (tensor<67x300xbf16>) -> tensor<67x300xf32>
  %w = ein.cast %n : (tensor<300x153xbf16>) -> tensor<300x153xf32>
  %0 = ein.contract "ac,cb->ab" %v, %w order [2] : (tensor<67x300xf32>, tensor<300x153xf32>) -> tensor<67x153xf32>
  ein.return %0 : tensor<67x153xf32>
}
ein.func @in_place(%x: tensor<300x19xbf16>, %n: tensor<300x153xbf16>) -> tensor<19x153xf32> {
  %v = ein.cast %x : (tensor<300x19xbf16>) -> tensor<300x19xf32>
  %w = ein.cast %n : (tensor<300x153xbf16>) -> tensor<300x153xf32>
  %0 = ein.contract "ca,cb->ab" %v, %w order [2] : (tensor<300x19xf32>, tensor<300x153xf32>) -> tensor<19x153xf32>
  ein.return %0 : tensor<19x153xf32>
}
ein.func @columns(%x: tensor<67x300xf32>, %n: tensor<153x300xbf16>) -> tensor<67x153xf32> {
  %w = ein.cast %n : (tensor<153x300xbf16>) -> tensor<153x300xf32>
  %0 = ein.contract "ac,bc->ab" %x, %w order [2] : (tensor<67x300xf32>, tensor<153x300xf32>) -> tensor<67x153xf32>
  ein.return %0 : tensor<67x153xf32>
}
// One narrow tensor is both factors.
ein.func @squared(%n: tensor<67x300xbf16>) -> tensor<67x67xf32> {
  %w = ein.cast %n : (tensor<67x300xbf16>) -> tensor<67x300xf32>
  %0 = ein.contract "ac,bc->ab" %w, %w order [2] : (tensor<67x300xf32>, tensor<67x300xf32>) -> tensor<67x67xf32>
  ein.return %0 : tensor<67x67xf32>
}
// Windows, whose columns and sums are loops of their own, of a tensor that is widened behind the window, and before it.
ein.func @windows(%n: tensor<2x3x9x9xbf16>, %k: tensor<20x3x3x3xbf16>) -> tensor<2x20x7x7xf32> {
  %part = ein.window %n at affine_map<(b, c, i, p, j, q) -> (b, c, i + p, j + q)> : (tensor<2x3x9x9xbf16>) -> tensor<2x3x7x3x7x3xbf16>
  %v = ein.cast %part : (tensor<2x3x7x3x7x3xbf16>) -> tensor<2x3x7x3x7x3xf32>
  %w = ein.cast %k : (tensor<20x3x3x3xbf16>) -> tensor<20x3x3x3xf32>
  %0 = ein.contract "aecfdg,befg->abcd" %v, %w order [4, 5, 6] : (tensor<2x3x7x3x7x3xf32>, tensor<20x3x3x3xf32>) -> tensor<2x20x7x7xf32>
  ein.return %0 : tensor<2x20x7x7xf32>
}
ein.func @viewed(%n: tensor<2x30x40xbf16>, %x: tensor<70x20x30xf32>) -> tensor<70x2x40xf32> {
  %v = ein.cast %n : (tensor<2x30x40xbf16>) -> tensor<2x30x40xf32>
  %part = ein.window %v at affine_map<(i, d, f) -> (i, d + 10, f)> : (tensor<2x30x40xf32>) -> tensor<2x20x40xf32>
  %split = ein.split %part axis 1 : (tensor<2x20x40xf32>) -> tensor<2x4x5x40xf32>
  %y = ein.split %x axis 1 : (tensor<70x20x30xf32>) -> tensor<70x4x5x30xf32>
  %z = ein.window %y at affine_map<(a, d, e) -> (a, d, e, 3)> : (tensor<70x4x5x30xf32>) -> tensor<70x4x5xf32>
  %0 = ein.contract "ade,bdec->abc" %z, %split order [3, 4] : (tensor<70x4x5xf32>, tensor<2x4x5x40xf32>) -> tensor<70x2x40xf32>
  ein.return %0 : tensor<70x2x40xf32>
}
// By chains.
ein.func @short(%x: tensor<3x5xbf16>, %n: tensor<5x7xbf16>) -> tensor<3x7xf32> {
  %v = ein.cast %x : (tensor<3x5xbf16>) -> tensor<3x5xf32>
  %w = ein.cast %n : (tensor<5x7xbf16>) -> tensor<5x7xf32>
  %0 = ein.contract "ac,cb->ab" %v, %w order [2] : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  ein.return %0 : tensor<3x7xf32>
}
// Vectors by the narrow matrix that each chose.
ein.func @experts(%x: tensor<9x300xbf16>, %n: tensor<5x300x70xbf16>, %k: tensor<9x2xi32>) -> tensor<9x2x70xf32> {
  %v = ein.cast %x : (tensor<9x300xbf16>) -> tensor<9x300xf32>
  %chosen = ein.gather "idc,i=ab->abcd" %n, %k : (tensor<5x300x70xbf16>, tensor<9x2xi32>) -> tensor<9x2x70x300xbf16>
  %w = ein.cast %chosen : (tensor<9x2x70x300xbf16>) -> tensor<9x2x70x300xf32>
  %0 = ein.contract "ad,abcd->abc" %v, %w order [3] : (tensor<9x300xf32>, tensor<9x2x70x300xf32>) -> tensor<9x2x70xf32>
  ein.return %0 : tensor<9x2x70xf32>
}
ein.func @experts_turned(%x: tensor<9x70xf32>, %n: tensor<5x300x70xbf16>, %k: tensor<9xi32>) -> tensor<9x300xf32> {
  %chosen = ein.gather "icb,i=a->acb" %n, %k : (tensor<5x300x70xbf16>, tensor<9xi32>) -> tensor<9x300x70xbf16>
  %w = ein.cast %chosen : (tensor<9x300x70xbf16>) -> tensor<9x300x70xf32>
  %0 = ein.contract "ab,acb->ac" %x, %w order [1] : (tensor<9x70xf32>, tensor<9x300x70xf32>) -> tensor<9x300xf32>
  ein.return %0 : tensor<9x300xf32>
}
ein.func @experts_by_chains(%x: tensor<9x4x30xf32>, %n: tensor<5x30x7xbf16>, %k: tensor<9x4xi32>) -> tensor<9x7xf32> {
  %chosen = ein.gather "idb,i=ac->abcd" %n, %k : (tensor<5x30x7xbf16>, tensor<9x4xi32>) -> tensor<9x7x4x30xbf16>
  %w = ein.cast %chosen : (tensor<9x7x4x30xbf16>) -> tensor<9x7x4x30xf32>
  %0 = ein.contract "acd,abcd->ab" %x, %w order [2, 3] : (tensor<9x4x30xf32>, tensor<9x7x4x30xf32>) -> tensor<9x7xf32>
  ein.return %0 : tensor<9x7xf32>
}
