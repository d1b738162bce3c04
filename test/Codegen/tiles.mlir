// Tiles of registers, BLIS and the interpreter agree in every bit: K from 1 to 1000, edges, strides, accumulators, for
// AVX2 and for this machine, f32 and f64.
// RUN: %python %S/Inputs/random_contractions.py 48 f32 > %t.f32.mlir
// RUN: %unit/kernel-check %t.f32.mlir | FileCheck %s
// RUN: %unit/kernel-check %t.f32.mlir own | FileCheck %s
// RUN: %unit/kernel-check %t.f32.mlir own avx avx2 fma | FileCheck %s
// Of other types and orders, half as many, which have each length of a sum, too.
// RUN: %python %S/Inputs/random_contractions.py 24 f64 > %t.f64.mlir
// RUN: %unit/kernel-check %t.f64.mlir | FileCheck %s --check-prefix=HALF
// RUN: %unit/kernel-check %t.f64.mlir own | FileCheck %s --check-prefix=HALF
// RUN: %unit/kernel-check %t.f64.mlir own avx avx2 fma | FileCheck %s --check-prefix=HALF
// RUN: %python %S/Inputs/random_contractions.py 24 f32 > %t.few.mlir
// RUN: sed 's/\(order \[[0-9, ]*\]\) \(:\|into\)/\1 pairs \2/' %t.few.mlir > %t.pairs.mlir
// RUN: %unit/kernel-check %t.pairs.mlir own | FileCheck %s --check-prefix=HALF
// RUN: %unit/kernel-check %t.pairs.mlir own avx avx2 fma | FileCheck %s --check-prefix=HALF
// CHECK: 48 of 48 bodies equal
// HALF: 24 of 24 bodies equal

// What is written: a tile's sums in registers, 6 rows of 4 vectors of 16 or of 2 vectors of 8; no library.
// RUN: plc-opt %s --form-kernels=contractions=own --convert-kernels-to-loops | FileCheck %s --check-prefix=WIDE
// RUN: plc-opt %s --form-kernels=contractions=own --convert-kernels-to-loops=vector-bits=256 \
// RUN:   | FileCheck %s --check-prefix=NARROW
// RUN: plc-opt %s --form-kernels=contractions=blis --convert-kernels-to-loops=vector-bits=256 \
// RUN:   | FileCheck %s --check-prefix=LIBRARY
// RUN: %exits 1 plc-opt %s --convert-kernels-to-loops=vector-bits=128 | FileCheck %s --check-prefix=BITS
// WIDE-NOT: blis.gemm
// WIDE-COUNT-24: memref.prefetch
// WIDE: scf.for {{.*}} iter_args
// WIDE-COUNT-48: math.fma {{.*}} : vector<16xf32>
// NARROW-NOT: blis.gemm
// NARROW-COUNT-12: memref.prefetch
// NARROW: scf.for {{.*}} iter_args
// NARROW-COUNT-24: math.fma {{.*}} : vector<8xf32>
// LIBRARY-NOT: math.fma
// LIBRARY: blis.gemm 256
// BITS: error: option 'vector-bits' is 128 but must be 256 or 512
ein.func @plain(%a: tensor<96x512xf32>, %b: tensor<512x128xf32>) -> tensor<96x128xf32> {
  %c = ein.contract %a, %b over [96, 128, 512] maps [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>] order [2] : (tensor<96x512xf32>, tensor<512x128xf32>) -> tensor<96x128xf32>
  ein.return %c : tensor<96x128xf32>
}
