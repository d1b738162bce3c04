// Contractions by BLIS and by our own loops have the bits of the definition: blocks of 256, any strides, edges,
// accumulators.
// RUN: %unit/kernel-check %s | FileCheck %s
// RUN: %unit/kernel-check %s avx avx2 fma | FileCheck %s
// RUN: %unit/kernel-check %s own | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t && %unit/kernel-check %t | FileCheck %s
// RUN: plc-opt %s --form-kernels=contractions=blis --convert-kernels-to-loops | FileCheck %s --check-prefix=LOOPS
// CHECK: 11 of 11 bodies equal

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#nm = affine_map<(m, n, k) -> (n, m)>

// LOOPS: @plc_kernel_0
// LOOPS: blis.gemm 256
// LOOPS: blis.gemm 44
ein.func @plain(%a: tensor<67x300xf32>, %b: tensor<300x53xf32>) -> tensor<67x53xf32> {
  %c = ein.contract %a, %b over [67, 53, 300] maps [#mk, #kn, #mn] order [2]
    : (tensor<67x300xf32>, tensor<300x53xf32>) -> tensor<67x53xf32>
  ein.return %c : tensor<67x53xf32>
}
// LOOPS: @plc_kernel_1
// LOOPS: blis.gemm 256
ein.func @transposed(%a: tensor<512x67xf32>, %b: tensor<53x512xf32>) -> tensor<53x67xf32> {
  %c = ein.contract %a, %b over [67, 53, 512] maps [#km, #nk, #nm] order [2]
    : (tensor<512x67xf32>, tensor<53x512xf32>) -> tensor<53x67xf32>
  ein.return %c : tensor<53x67xf32>
}
// LOOPS: @plc_kernel_2
ein.func @accumulated(%a: tensor<700x67xf32>, %b: tensor<700x64xf32>, %acc: tensor<67x64xf32>) -> tensor<67x64xf32>
    attributes {num_accumulators = 1 : i64} {
  %c = ein.contract %a, %b over [67, 64, 700] maps [#km, #kn, #mn] order [2] into %acc : tensor<67x64xf32>
    : (tensor<700x67xf32>, tensor<700x64xf32>) -> tensor<67x64xf32>
  ein.return %c : tensor<67x64xf32>
}
// Batched, with heads inside rows: scores of attention.
// LOOPS: @plc_kernel_3
// LOOPS: blis.gemm 32
ein.func @scores(%q: tensor<2x3x40x32xf32>, %r: tensor<2x3x40x32xf32>) -> tensor<2x3x40x40xf32> {
  %c = ein.contract %q, %r over [2, 3, 40, 40, 32] maps [affine_map<(b, h, s, t, k) -> (b, h, s, k)>,
    affine_map<(b, h, s, t, k) -> (b, h, t, k)>, affine_map<(b, h, s, t, k) -> (b, h, s, t)>] order [4]
    : (tensor<2x3x40x32xf32>, tensor<2x3x40x32xf32>) -> tensor<2x3x40x40xf32>
  ein.return %c : tensor<2x3x40x40xf32>
}
// M and N are two dimensions each that do not merge in the result.
ein.func @unmerged(%x: tensor<2x24x32xf32>, %w: tensor<32x3x20xf32>) -> tensor<2x3x24x20xf32> {
  %c = ein.contract %x, %w over [2, 3, 24, 20, 32] maps [affine_map<(b, h, s, k, d) -> (b, s, d)>,
    affine_map<(b, h, s, k, d) -> (d, h, k)>, affine_map<(b, h, s, k, d) -> (b, h, s, k)>] order [4]
    : (tensor<2x24x32xf32>, tensor<32x3x20xf32>) -> tensor<2x3x24x20xf32>
  ein.return %c : tensor<2x3x24x20xf32>
}
// Two summed dimensions that compose: one of 300.
// LOOPS: @plc_kernel_5
// LOOPS: blis.gemm 256
ein.func @two_sums(%x: tensor<2x24x3x100xf32>, %w: tensor<3x100x40xf32>) -> tensor<2x24x40xf32> {
  %c = ein.contract %x, %w over [2, 24, 40, 3, 100] maps [affine_map<(b, s, d, h, k) -> (b, s, h, k)>,
    affine_map<(b, s, d, h, k) -> (h, k, d)>, affine_map<(b, s, d, h, k) -> (b, s, d)>] order [3, 4]
    : (tensor<2x24x3x100xf32>, tensor<3x100x40xf32>) -> tensor<2x24x40xf32>
  ein.return %c : tensor<2x24x40xf32>
}
// Two that do not: a block of 256 would span rows of 100, so our own loop computes it.
// LOOPS: @plc_kernel_6
// LOOPS-NOT: blis.gemm
// LOOPS: math.fma
// LOOPS: @plc_kernel_7
ein.func @split_sums(%x: tensor<3x24x100xf32>, %w: tensor<3x100x40xf32>, %acc: tensor<24x40xf32>) -> tensor<24x40xf32>
    attributes {num_accumulators = 1 : i64} {
  %c = ein.contract %x, %w over [24, 40, 3, 100] maps [affine_map<(s, d, h, k) -> (h, s, k)>,
    affine_map<(s, d, h, k) -> (h, k, d)>, affine_map<(s, d, h, k) -> (s, d)>] order [2, 3] into %acc : tensor<24x40xf32>
    : (tensor<3x24x100xf32>, tensor<3x100x40xf32>) -> tensor<24x40xf32>
  ein.return %c : tensor<24x40xf32>
}
// Rows of 512 are blocks of their own.
// LOOPS: blis.gemm 256
ein.func @long_sums(%x: tensor<3x24x512xf32>, %w: tensor<3x512x40xf32>, %acc: tensor<24x40xf32>) -> tensor<24x40xf32>
    attributes {num_accumulators = 1 : i64} {
  %c = ein.contract %x, %w over [24, 40, 3, 512] maps [affine_map<(s, d, h, k) -> (h, s, k)>,
    affine_map<(s, d, h, k) -> (h, k, d)>, affine_map<(s, d, h, k) -> (s, d)>] order [2, 3] into %acc : tensor<24x40xf32>
    : (tensor<3x24x512xf32>, tensor<3x512x40xf32>) -> tensor<24x40xf32>
  ein.return %c : tensor<24x40xf32>
}
ein.func @vector(%a: tensor<37x600xf32>, %b: tensor<600xf32>) -> tensor<37xf32> {
  %c = ein.contract %a, %b over [37, 600] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>,
    affine_map<(m, k) -> (m)>] order [1] : (tensor<37x600xf32>, tensor<600xf32>) -> tensor<37xf32>
  ein.return %c : tensor<37xf32>
}
ein.func @diagonal(%a: tensor<7x9x7xf32>, %b: tensor<9x19xf32>) -> tensor<7x19xf32> {
  %c = ein.contract %a, %b over [7, 19, 9] maps [affine_map<(m, n, k) -> (m, k, m)>, #kn, #mn] order [2]
    : (tensor<7x9x7xf32>, tensor<9x19xf32>) -> tensor<7x19xf32>
  ein.return %c : tensor<7x19xf32>
}
ein.func @outer_product(%a: tensor<70xf32>, %b: tensor<130xf32>, %acc: tensor<70x130xf32>) -> tensor<70x130xf32>
    attributes {num_accumulators = 1 : i64} {
  %c = ein.contract %a, %b over [70, 130] maps [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>,
    affine_map<(m, n) -> (m, n)>] order [] into %acc : tensor<70x130xf32> : (tensor<70xf32>, tensor<130xf32>) -> tensor<70x130xf32>
  ein.return %c : tensor<70x130xf32>
}
