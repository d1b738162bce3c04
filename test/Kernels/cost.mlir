// What a kernel is charged for. Rates of 0 but one show how much of it the kernel does.
// DEFINE: %{nothing} = ns-per-contract-flop=0 ns-per-tile-flop=0 ns-per-chain-flop=0 ns-per-library-call=0 ns-per-packed-element=0 ns-per-reduced-element=0 ns-per-scattered-element=0 ns-per-gathered-element=0 ns-per-exp=0 ns-per-log=0 ns-per-tanh=0 ns-per-divide=0 ns-per-updated-byte=0
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=1 ns-per-byte=0 ns-per-cached-byte=0 ns-per-call=0" | FileCheck %s --check-prefix=ELEMENT
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=0 ns-per-cached-byte=1 ns-per-call=0" | FileCheck %s --check-prefix=CACHED
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=1 ns-per-cached-byte=0 ns-per-call=0" | FileCheck %s --check-prefix=BYTE
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=0 ns-per-cached-byte=0 ns-per-call=7" | FileCheck %s --check-prefix=CALL
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=0 ns-per-cached-byte=0 ns-per-call=0 ns-per-exp=1" | FileCheck %s --check-prefix=EXP
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=0 ns-per-cached-byte=0 ns-per-call=0 ns-per-reduced-element=1" | FileCheck %s --check-prefix=REDUCED
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=0 ns-per-cached-byte=0 ns-per-call=0 ns-per-gathered-element=1" | FileCheck %s --check-prefix=GATHERED
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=0 ns-per-cached-byte=0 ns-per-call=0 ns-per-tile-flop=1 contractions=own" | FileCheck %s --check-prefix=TILE
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=0 ns-per-cached-byte=0 ns-per-call=0 ns-per-pair-flop=1 contractions=own" | FileCheck %s --check-prefix=PAIR
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=0 ns-per-cached-byte=0 ns-per-call=0 ns-per-packed-element=1 contractions=own" | FileCheck %s --check-prefix=PACKED
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=0 ns-per-cached-byte=0 ns-per-call=0 ns-per-library-call=1 contractions=blis" | FileCheck %s --check-prefix=LIBRARY
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=1 ns-per-cached-byte=0 ns-per-call=0 contractions=own" | FileCheck %s --check-prefix=FAR
// RUN: plc-opt %s --form-kernels="%{nothing} ns-per-element=0 ns-per-byte=1 ns-per-cached-byte=0 ns-per-call=0 contractions=blis" | FileCheck %s --check-prefix=FARLIBRARY

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#v = affine_map<(i) -> (i)>

// Three additions of 64 elements are 192 of them, but two operands and a result in memory, and one call.
// ELEMENT: plan.kernel @fused.0({{.*}}ns = 192
// CACHED: plan.kernel @fused.0({{.*}}ns = 768
// BYTE: plan.kernel @fused.0({{.*}}ns = 0
// CALL: plan.kernel @fused.0({{.*}}ns = 7
ein.func @fused(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %a = ein.map add(%x, %y) over [64] maps [#v, #v, #v] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %b = ein.map add(%a, %x) over [64] maps [#v, #v, #v] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %c = ein.map add(%b, %y) over [64] maps [#v, #v, #v] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  ein.return %c : tensor<64xf32>
}

// f64 takes twice as long as f32.
// ELEMENT: plan.kernel @wide.0({{.*}}ns = 128
ein.func @wide(%x: tensor<64xf64>) -> tensor<64xf64> {
  %a = ein.map neg(%x) over [64] maps [#v, #v] : (tensor<64xf64>) -> tensor<64xf64>
  ein.return %a : tensor<64xf64>
}

// A vector of 16 is as long on its way with 5 elements in it; a value of a row fills one lane, too.
// EXP: plan.kernel @rows.0({{.*}}ns = 64
// REDUCED: plan.kernel @rows.0({{.*}}ns = 64
// ELEMENT: plan.kernel @rows.0({{.*}}ns = 64
ein.func @rows(%x: tensor<4x5xf32>) -> tensor<4xf32> {
  %e = ein.map exp(%x) over [4, 5] maps [#id, #id] : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %s = ein.reduce sum(%e) over [4, 5] maps [#id, #row] order lanes : (tensor<4x5xf32>) -> tensor<4xf32>
  %n = ein.map neg(%s) over [4] maps [#v, #v] : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %n : tensor<4xf32>
}

// Operands of two MiB and more are in memory: 2 * 4 * 2^20 bytes. Of between one and two, as many are as exceed one, and
// push out as many others: of 1536 KiB 512 are near.
// CACHED: plan.kernel @large.0({{.*}}ns = 0
// BYTE: plan.kernel @large.0({{.*}}ns = 8388608
// CACHED: plan.kernel @between.0({{.*}}ns = 524288
// BYTE: plan.kernel @between.0({{.*}}ns = 1048576
ein.func @large(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %a = ein.map neg(%x) over [1048576] maps [#v, #v] : (tensor<1048576xf32>) -> tensor<1048576xf32>
  ein.return %a : tensor<1048576xf32>
}
ein.func @between(%x: tensor<196608xf32>) -> tensor<196608xf32> {
  %a = ein.map neg(%x) over [196608] maps [#v, #v] : (tensor<196608xf32>) -> tensor<196608xf32>
  ein.return %a : tensor<196608xf32>
}

// Rows of a table are read as they lie, single elements one by one. Of the table no more is read than is looked up:
// 3 indices and 3 rows, read and written; 3 indices and 3 elements.
// GATHERED: plan.kernel @lookup.0({{.*}}ns = 0
// GATHERED: plan.kernel @pick.0({{.*}}ns = 3
// CACHED: plan.kernel @lookup.0({{.*}}ns = 396
// CACHED: plan.kernel @pick.0({{.*}}ns = 36
ein.func @lookup(%t: tensor<100x16xf32>, %at: tensor<3xi32>) -> tensor<3x16xf32> {
  %r = ein.gather %t, %at over [3, 16] maps [affine_map<(n, d)[i] -> (i, d)>, affine_map<(n, d) -> (n)>, #id] : (tensor<100x16xf32>, tensor<3xi32>) -> tensor<3x16xf32>
  ein.return %r : tensor<3x16xf32>
}
ein.func @pick(%t: tensor<100xf32>, %at: tensor<3xi32>) -> tensor<3xf32> {
  %r = ein.gather %t, %at over [3] maps [affine_map<(n)[i] -> (i)>, #v, #v] : (tensor<100xf32>, tensor<3xi32>) -> tensor<3xf32>
  ein.return %r : tensor<3xf32>
}

// One row by a matrix: as tiles, of 144 columns for 130; a matrix that lies along the sums is turned.
// TILE: plan.kernel @along.0({{.*}}ns = 147456
// PACKED: plan.kernel @along.0({{.*}}ns = 0
// TILE: plan.kernel @turned.0({{.*}}ns = 147456
// PACKED: plan.kernel @turned.0({{.*}}ns = 66560
ein.func @along(%x: tensor<512xf32>, %w: tensor<512x130xf32>) -> tensor<130xf32> {
  %0 = ein.contract "a,ab->b" %x, %w order [0] : (tensor<512xf32>, tensor<512x130xf32>) -> tensor<130xf32>
  ein.return %0 : tensor<130xf32>
}
ein.func @turned(%x: tensor<512xf32>, %w: tensor<130x512xf32>) -> tensor<130xf32> {
  %0 = ein.contract "b,ab->a" %x, %w order [1] : (tensor<512xf32>, tensor<130x512xf32>) -> tensor<130xf32>
  ein.return %0 : tensor<130xf32>
}

// Of 64 products of 3 by 16 columns, in tiles, each is two instructions in an element of a product that is rounded by
// itself, and one in an fma.
// TILE: plan.kernel @rounded.0({{.*}}ns = 12288
// TILE: plan.kernel @fma.0({{.*}}ns = 6144
ein.func @rounded(%x: tensor<64x3xf32>, %y: tensor<64x16xf32>, %k: tensor<64xi32>) -> tensor<5x3x16xf32> {
  %0 = ein.map mul "ab,ac->abc" %x, %y : (tensor<64x3xf32>, tensor<64x16xf32>) -> tensor<64x3x16xf32>
  %1 = ein.scatter_add "abc,i=a->ibc" %0, %k : (tensor<64x3x16xf32>, tensor<64xi32>) -> tensor<5x3x16xf32>
  ein.return %1 : tensor<5x3x16xf32>
}
ein.func @fma(%x: tensor<64x3xf32>, %y: tensor<64x16xf32>, %k: tensor<64xi32>) -> tensor<5x3x16xf32> {
  %0 = ein.scatter_add "ab,i=a,ac->ibc" %x, %k, %y : (tensor<64x3xf32>, tensor<64xi32>, tensor<64x16xf32>) -> tensor<5x3x16xf32>
  ein.return %0 : tensor<5x3x16xf32>
}

// A sum of 512 in two blocks: tiles compute 144 columns for 130, b lies across, and BLIS is called twice.
// TILE: plan.kernel @product.0({{.*}}ns = 7077888
// PACKED: plan.kernel @product.0({{.*}}ns = 66560
// LIBRARY: plan.kernel @product.0({{.*}}ns = 2
ein.func @product(%x: tensor<48x512xf32>, %y: tensor<130x512xf32>) -> tensor<48x130xf32> {
  %0 = ein.contract %x, %y over [48, 130, 512] maps [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] order [2] : (tensor<48x512xf32>, tensor<130x512xf32>) -> tensor<48x130xf32>
  ein.return %0 : tensor<48x130xf32>
}

// Five rows of 17 columns are 85 for tiles, which compute 96 of them, not five times 32; as many rows of the first operand
// read those of the second again that it pays to copy them.
// TILE: plan.kernel @images.0({{.*}}ns = 192000
// PACKED: plan.kernel @images.0({{.*}}ns = 1700
ein.func @images(%x: tensor<5x20x17xf32>, %w: tensor<50x20xf32>) -> tensor<5x50x17xf32> {
  %0 = ein.contract %x, %w over [5, 50, 17, 20] maps [affine_map<(n, m, i, k) -> (n, k, i)>, affine_map<(n, m, i, k) -> (m, k)>, affine_map<(n, m, i, k) -> (n, m, i)>] order [3] : (tensor<5x20x17xf32>, tensor<50x20xf32>) -> tensor<5x50x17xf32>
  ein.return %0 : tensor<5x50x17xf32>
}

// 14 MiB are read and written; the first operand, of 4 MiB, once more for each of three further groups of panels, 256
// columns of 256 sums in each. BLIS reads it for each of 16 panels.
// FAR: plan.kernel @groups.0({{.*}}ns = 27262976
// FARLIBRARY: plan.kernel @groups.0({{.*}}ns = 77594624
ein.func @groups(%x: tensor<2048x512xf32>, %y: tensor<512x1024xf32>) -> tensor<2048x1024xf32> {
  %0 = ein.contract %x, %y over [2048, 1024, 512] maps [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] order [2] : (tensor<2048x512xf32>, tensor<512x1024xf32>) -> tensor<2048x1024xf32>
  ein.return %0 : tensor<2048x1024xf32>
}

// Products of bf16 with bf16 are charged at their own rate: 2 * 64 * 32 * 64 operations.
// PAIR: plan.kernel @pairs.0({{.*}}ns = 262144
ein.func @pairs(%x: tensor<64x32xbf16>, %w: tensor<32x64xbf16>) -> tensor<64x64xf32> {
  %0 = ein.cast %x : (tensor<64x32xbf16>) -> tensor<64x32xf32>
  %1 = ein.cast %w : (tensor<32x64xbf16>) -> tensor<32x64xf32>
  %2 = ein.contract "ac,cb->ab" %0, %1 order [2] pairs : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  ein.return %2 : tensor<64x64xf32>
}
