// Who computes a kernel: contractions by whoever is faster by the rates, BLIS where they are equal, those that are small
// or no product by chains. The choice is part of the kernel, and its time is that of who computes it.
// RUN: plc-opt %s --form-kernels | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: plc-opt %s --form-kernels=contractions=auto | FileCheck %s --check-prefixes=CHECK,AUTO
// RUN: plc-opt %s --form-kernels=contractions=own | FileCheck %s --check-prefixes=CHECK,OWN
// RUN: plc-opt %s --form-kernels=contractions=blis | FileCheck %s --check-prefixes=CHECK,BLIS
// RUN: plc-opt %s --form-kernels="ns-per-contract-flop=0.01 ns-per-tile-flop=0.01 ns-per-library-call=0 ns-per-element=0" | FileCheck %s --check-prefix=EQUAL
// RUN: plc-opt %s --form-kernels="ns-per-contract-flop=0.5 contractions=blis" | FileCheck %s --check-prefix=SLOW
// RUN: %exits 1 plc-opt %s --form-kernels=contractions=mkl | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: contractions 'mkl' is not supported; there are 'auto', 'blis' and 'own'

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// 12582912 FLOP. `blis` means BLIS, whatever the rates say.
// AUTO: plan.kernel @large.0({{.*}}by = #plan<by tiles>{{.*}}ns = 77995
// OWN: plan.kernel @large.0({{.*}}by = #plan<by tiles>{{.*}}ns = 77995
// BLIS: plan.kernel @large.0({{.*}}by = #plan<by blis>{{.*}}ns = 106503
// EQUAL: plan.kernel @large.0({{.*}}by = #plan<by blis>
// SLOW: plan.kernel @large.0({{.*}}by = #plan<by blis>
ein.func @large(%x: tensor<96x512xf32>, %y: tensor<512x128xf32>) -> tensor<96x128xf32> {
  %0 = ein.contract %x, %y over [96, 128, 512] maps [#a, #b, #c] order [2] : (tensor<96x512xf32>, tensor<512x128xf32>) -> tensor<96x128xf32>
  ein.return %0 : tensor<96x128xf32>
}

// Fewer than 8192 products are not worth a tile's code or a call.
// CHECK: plan.kernel @small.0({{.*}}by = #plan<by chains>{{.*}}ns = 481
ein.func @small(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = ein.contract %x, %y over [16, 16, 16] maps [#a, #b, #c] order [2] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  ein.return %0 : tensor<16x16xf32>
}

// Three rows: the library is slower than a loop, tiles take them.
// AUTO: plan.kernel @skinny.0({{.*}}by = #plan<by tiles>
// OWN: plan.kernel @skinny.0({{.*}}by = #plan<by tiles>
// BLIS: plan.kernel @skinny.0({{.*}}by = #plan<by chains>
ein.func @skinny(%x: tensor<3x512xf32>, %y: tensor<512x128xf32>) -> tensor<3x128xf32> {
  %0 = ein.contract %x, %y over [3, 128, 512] maps [#a, #b, #c] order [2] : (tensor<3x512xf32>, tensor<512x128xf32>) -> tensor<3x128xf32>
  ein.return %0 : tensor<3x128xf32>
}

// The result is contiguous along the batch alone: no tile stores whole registers, the library takes any strides.
// AUTO: plan.kernel @strided.0({{.*}}by = #plan<by blis>
// OWN: plan.kernel @strided.0({{.*}}by = #plan<by chains>
// BLIS: plan.kernel @strided.0({{.*}}by = #plan<by blis>
ein.func @strided(%x: tensor<32x64x2xf32>, %y: tensor<64x32x2xf32>) -> tensor<32x32x2xf32> {
  %0 = ein.contract %x, %y over [2, 32, 32, 64] maps [affine_map<(b, m, n, k) -> (m, k, b)>, affine_map<(b, m, n, k) -> (k, n, b)>,
    affine_map<(b, m, n, k) -> (m, n, b)>] order [3] : (tensor<32x64x2xf32>, tensor<64x32x2xf32>) -> tensor<32x32x2xf32>
  ein.return %0 : tensor<32x32x2xf32>
}

// Sums over two axes that lie apart: a block of 256 ends in neither, which tiles walk by tables of offsets.
// AUTO: plan.kernel @apart.0({{.*}}by = #plan<by tiles>
// OWN: plan.kernel @apart.0({{.*}}by = #plan<by tiles>
// BLIS: plan.kernel @apart.0({{.*}}by = #plan<by chains>
ein.func @apart(%x: tensor<64x4x60xf32>, %y: tensor<60x4x48xf32>) -> tensor<64x48xf32> {
  %0 = ein.contract %x, %y over [64, 48, 4, 60] maps [affine_map<(m, n, j, k) -> (m, j, k)>, affine_map<(m, n, j, k) -> (k, j, n)>,
    affine_map<(m, n, j, k) -> (m, n)>] order [2, 3] : (tensor<64x4x60xf32>, tensor<60x4x48xf32>) -> tensor<64x48xf32>
  ein.return %0 : tensor<64x48xf32>
}

// What is no contraction has one implementation.
// CHECK: plan.kernel @exp.0({{.*}}by = #plan<by elementwise>
// CHECK: plan.kernel @rows.0({{.*}}by = #plan<by rows>
// CHECK: plan.kernel @columns.0({{.*}}by = #plan<by columns>
// CHECK: plan.kernel @scatter.0({{.*}}by = #plan<by scatter>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
ein.func @exp(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ein.map exp(%x) over [4, 8] maps [#id, #id] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ein.return %0 : tensor<4x8xf32>
}
ein.func @rows(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = ein.reduce sum(%x) over [4, 8] maps [#id, #row] order lanes : (tensor<4x8xf32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
ein.func @columns(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %0 = ein.reduce sum(%x) over [4, 8] maps [#id, #column] order chain : (tensor<4x8xf32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}
ein.func @scatter(%x: tensor<8x16xf32>, %t: tensor<8xi32>, %b: tensor<99x16xf32>) -> tensor<99x16xf32> attributes {role = "W", num_accumulators = 1 : i64} {
  %w = ein.scatter_add %x, %t over [8, 16] maps [#id, #row, affine_map<(i, j)[s] -> (s, j)>] into %b : tensor<99x16xf32>
    : (tensor<8x16xf32>, tensor<8xi32>) -> tensor<99x16xf32>
  ein.return %w : tensor<99x16xf32>
}
