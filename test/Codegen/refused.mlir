// What code generation does not do yet is refused by name.
// RUN: plc-opt %s --convert-kernels-to-loops --split-input-file --verify-diagnostics

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>
// expected-error @+1 {{a kernel needs 800000 bytes to keep a row but the stack has room for 524288}}
plan.kernel @long(%x: tensor<2x200000xf32>, %t: tensor<2xi32>) -> tensor<2xf32> attributes {by = #plan<by rows>, kind = #plan<kind rows>} {
  %e = ein.map exp(%x) over [2, 200000] maps [#id, #id] : (tensor<2x200000xf32>) -> tensor<2x200000xf32>
  %s = ein.reduce sum(%e) over [2, 200000] maps [#id, #row] order lanes : (tensor<2x200000xf32>) -> tensor<2xf32>
  %p = ein.gather %e, %t over [2] maps [affine_map<(i)[s] -> (i, s)>, #one, #one] : (tensor<2x200000xf32>, tensor<2xi32>) -> tensor<2xf32>
  %y = ein.map div(%p, %s) over [2] maps [#one, #one, #one] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  plan.yield %y : tensor<2xf32>
}

// -----

#id = affine_map<(i) -> (i)>
// expected-error @+1 {{'plan.kernel' op has equations without a common domain}}
plan.kernel @apart(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) attributes {by = #plan<by rows>, kind = #plan<kind rows>} {
  %0 = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.map exp(%y) over [5] maps [#id, #id] : (tensor<5xf32>) -> tensor<5xf32>
  plan.yield %0, %1 : tensor<4xf32>, tensor<5xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
// expected-error @+1 {{'plan.kernel' op has two reductions but kind 'columns' takes one}}
plan.kernel @twice(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {by = #plan<by columns>, kind = #plan<kind columns>} {
  %0 = ein.reduce sum(%x) over [4, 8] maps [#id, #column] order chain : (tensor<4x8xf32>) -> tensor<8xf32>
  %1 = ein.reduce max(%x) over [4, 8] maps [#id, #column] order chain : (tensor<4x8xf32>) -> tensor<8xf32>
  plan.yield %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
// expected-error @+1 {{'plan.kernel' op has no reduction with a domain common to its equations}}
plan.kernel @none(%x: tensor<4xf32>) -> tensor<4xf32> attributes {by = #plan<by columns>, kind = #plan<kind columns>} {
  %0 = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
// expected-error @+1 {{'plan.kernel' op has 1 equations but kind 'contract' takes one 'ein.contract' and what makes its factors}}
plan.kernel @no_contraction(%x: tensor<4xf32>) -> tensor<4xf32> attributes {by = #plan<by chains>, kind = #plan<kind contract>} {
  %0 = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
// expected-error @+1 {{'plan.kernel' op has 1 equations but kind 'scatter' takes one 'ein.scatter_add' and a copy or product that it adds}}
plan.kernel @no_scatter(%x: tensor<4xf32>) -> tensor<4xf32> attributes {by = #plan<by scatter>, kind = #plan<kind scatter>} {
  %0 = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

plan.kernel @unordered(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4xf32> attributes {by = #plan<by chains>, kind = #plan<kind contract>} {
  // expected-error @+1 {{'ein.contract' op has 2 operands but code generation takes 2, and an order}}
  %0 = ein.contract %x, %y over [4, 8] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>]
    : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

// The library reads no table by positions, and tiles no sum over parts of several.
plan.kernel @library(%x: tensor<9x32xf32>, %w: tensor<5x32x70xf32>, %k: tensor<9xi32>) -> tensor<9x70xf32> attributes {by = #plan<by blis>, kind = #plan<kind contract>} {
  %0 = ein.gather "icb,i=a->abc" %w, %k : (tensor<5x32x70xf32>, tensor<9xi32>) -> tensor<9x70x32xf32>
  // expected-error @+1 {{'ein.contract' op is computed by 'blis' but reads a table by positions}}
  %1 = ein.contract "ac,abc->ab" %x, %0 order [2] : (tensor<9x32xf32>, tensor<9x70x32xf32>) -> tensor<9x70xf32>
  plan.yield %1 : tensor<9x70xf32>
}

// -----

plan.kernel @narrow(%x: tensor<9x32xf32>, %n: tensor<32x70xbf16>) -> tensor<9x70xf32> attributes {by = #plan<by blis>, kind = #plan<kind contract>} {
  %w = ein.cast %n : (tensor<32x70xbf16>) -> tensor<32x70xf32>
  // expected-error @+1 {{'ein.contract' op is computed by 'blis' but reads elements that only hold numbers}}
  %0 = ein.contract "ac,cb->ab" %x, %w order [2] : (tensor<9x32xf32>, tensor<32x70xf32>) -> tensor<9x70xf32>
  plan.yield %0 : tensor<9x70xf32>
}

// -----

plan.kernel @several(%x: tensor<9x4x32xf32>, %w: tensor<5x32x70xf32>, %k: tensor<9x4xi32>) -> tensor<9x70xf32> attributes {by = #plan<by tiles>, kind = #plan<kind contract>} {
  %0 = ein.gather "idb,i=ac->abcd" %w, %k : (tensor<5x32x70xf32>, tensor<9x4xi32>) -> tensor<9x70x4x32xf32>
  // expected-error @+1 {{'ein.contract' op is computed by 'tiles' but reads a table by positions that have no product of matrices each}}
  %1 = ein.contract "acd,abcd->ab" %x, %0 order [2, 3] : (tensor<9x4x32xf32>, tensor<9x70x4x32xf32>) -> tensor<9x70xf32>
  plan.yield %1 : tensor<9x70xf32>
}

// -----

plan.kernel @counted_table(%x: tensor<9x32xf32>, %w: tensor<5x32x70xf32>, %k: tensor<9xi32>) -> tensor<9x70xf32> attributes {by = #plan<by tiles>, kind = #plan<kind contract>} {
  %e = ein.map exp "abc->abc" %w : (tensor<5x32x70xf32>) -> tensor<5x32x70xf32>
  // expected-error @+1 {{'ein.gather' op reads a value that is no argument of its kernel}}
  %0 = ein.gather "icb,i=a->abc" %e, %k : (tensor<5x32x70xf32>, tensor<9xi32>) -> tensor<9x70x32xf32>
  %1 = ein.contract "ac,abc->ab" %x, %0 order [2] : (tensor<9x32xf32>, tensor<9x70x32xf32>) -> tensor<9x70xf32>
  plan.yield %1 : tensor<9x70xf32>
}

// -----

plan.kernel @counted(%x: tensor<4x8xf32>) -> tensor<4xf32> attributes {by = #plan<by chains>, kind = #plan<kind contract>} {
  %c = ein.constant 2.0 : tensor<f32>
  // expected-error @+1 {{'ein.contract' op reads a value that is neither an argument of its kernel nor made by an equation of it}}
  %0 = ein.contract %x, %c over [4, 8] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i)>]
    order [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
// expected-error @+1 {{'plan.kernel' op has no implementation: run '--form-kernels' first}}
plan.kernel @nobody(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %0 = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

#a = affine_map<(i, j) -> (i, j)>
#b = affine_map<(i, j) -> (j)>
#c = affine_map<(i, j) -> (i)>
plan.kernel @no_product(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4xf32> attributes {by = #plan<by blis>, kind = #plan<kind contract>} {
  // expected-error @+1 {{'ein.contract' op is computed by 'blis' but is no product of matrices}}
  %0 = ein.contract %x, %y over [4, 8] maps [#a, #b, #c] order [1] : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

#a = affine_map<(b, m, n, k) -> (m, k, b)>
#b = affine_map<(b, m, n, k) -> (k, n, b)>
#c = affine_map<(b, m, n, k) -> (m, n, b)>
plan.kernel @apart(%x: tensor<8x16x2xf32>, %y: tensor<16x8x2xf32>) -> tensor<8x8x2xf32> attributes {by = #plan<by tiles>, kind = #plan<kind contract>} {
  // expected-error @+1 {{'ein.contract' op is computed by 'tiles' but has no row or column along which its result is contiguous}}
  %0 = ein.contract %x, %y over [2, 8, 8, 16] maps [#a, #b, #c] order [3] : (tensor<8x16x2xf32>, tensor<16x8x2xf32>) -> tensor<8x8x2xf32>
  plan.yield %0 : tensor<8x8x2xf32>
}

// -----

// A chain is no row's reduction: its sums run in another order.
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
plan.kernel @summed(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4xf32> attributes {by = #plan<by chains>, kind = #plan<kind contract>} {
  // expected-error @+1 {{'ein.reduce' op makes a factor of a contraction in one kernel, which takes maps, casts, gathers and reductions of order 'lanes'}}
  %s = ein.reduce sum(%x) over [4, 8] maps [#id, #column] order chain : (tensor<4x8xf32>) -> tensor<8xf32>
  %0 = ein.contract %y, %s over [4, 8] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>]
    order [1] : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
// expected-error @+1 {{a kernel needs 1048576 bytes to keep a factor but the stack has room for 524288}}
plan.kernel @large(%x: tensor<512x512xf32>, %y: tensor<512x8xf32>) -> tensor<512x8xf32> attributes {by = #plan<by tiles>, kind = #plan<kind contract>} {
  %e = ein.map exp(%x) over [512, 512] maps [#id, #id] : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = ein.contract %e, %y over [512, 8, 512] maps [#a, #b, #c] order [2] : (tensor<512x512xf32>, tensor<512x8xf32>) -> tensor<512x8xf32>
  plan.yield %0 : tensor<512x8xf32>
}

// -----

// Nothing may follow a contraction in its kernel.
#id = affine_map<(i, j) -> (i, j)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
// expected-error @+1 {{'plan.kernel' op has 2 equations but kind 'contract' takes one 'ein.contract' and what makes its factors}}
plan.kernel @followed(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {by = #plan<by chains>, kind = #plan<kind contract>} {
  %0 = ein.contract %x, %y over [8, 8, 8] maps [#a, #b, #c] order [2] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = ein.map exp(%0) over [8, 8] maps [#id, #id] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  plan.yield %1 : tensor<8x8xf32>
}

// -----

plan.kernel @scattered_mask(%t: tensor<8xi32>, %b: tensor<99xf32>) -> tensor<99xf32>
    attributes {by = #plan<by scatter>, kind = #plan<kind scatter>, num_accumulators = 1 : i64} {
  %i = ein.iota : tensor<8xi32>
  %c = ein.cast %i : (tensor<8xi32>) -> tensor<8xf32>
  // expected-error @+1 {{'ein.scatter_add' op reads a value that is no argument of its kernel}}
  %0 = ein.scatter_add %c, %t over [8] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i)[s] -> (s)>] into %b : tensor<99xf32>
    : (tensor<8xf32>, tensor<8xi32>) -> tensor<99xf32>
  plan.yield %0 : tensor<99xf32>
}

// -----

plan.kernel @windows(%x: tensor<4x9xf32>, %y: tensor<5x4x2xf32>) -> tensor<5x8xf32> attributes {by = #plan<by blis>, kind = #plan<kind contract>} {
  %0 = ein.window %x at affine_map<(k, i, p) -> (k, i + p)> : (tensor<4x9xf32>) -> tensor<4x8x2xf32>
  // expected-error @+1 {{'ein.contract' op is computed by 'blis' but is no product of matrices of one stride for rows and columns each, whose sums end with a block}}
  %1 = ein.contract %y, %0 over [5, 8, 4, 2] maps [affine_map<(n, i, k, p) -> (n, k, p)>, affine_map<(n, i, k, p) -> (k, i, p)>,
    affine_map<(n, i, k, p) -> (n, i)>] order [2, 3] : (tensor<5x4x2xf32>, tensor<4x8x2xf32>) -> tensor<5x8xf32>
  plan.yield %1 : tensor<5x8xf32>
}

// -----

// expected-error @+1 {{'plan.kernel' op has 1 equations but kind 'insert_slice' takes one 'ein.insert_slice'}}
plan.kernel @no_place(%x: tensor<4xf32>) -> tensor<4xf32> attributes {by = #plan<by insert_slice>, kind = #plan<kind insert_slice>} {
  %0 = ein.map exp "a->a" %x : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

plan.kernel @place_of_nothing() -> tensor<4xi32> attributes {by = #plan<by insert_slice>, kind = #plan<kind insert_slice>} {
  %0 = ein.iota : tensor<3xi32>
  // expected-error @+1 {{'ein.insert_slice' op reads a value that is no argument of its kernel}}
  %1 = ein.insert_slice %0 at affine_map<(i) -> (i)> : (tensor<3xi32>) -> tensor<4xi32>
  plan.yield %1 : tensor<4xi32>
}

// -----

// A loop that reads columns of a table, which lie apart.
// expected-error @+1 {{'plan.kernel' op has a loop that does not read and write operands of it, each in one piece}}
plan.kernel @columns(%x: tensor<4x3xf32>) -> tensor<3x4xf32> attributes {by = #plan<by loop>, kind = #plan<kind loop>} {
  plan.kernel @turn(%a: tensor<4xf32>) -> tensor<4xf32> attributes {by = #plan<by elementwise>, kind = #plan<kind elementwise>} {
    %0 = ein.map exp "a->a" %a : (tensor<4xf32>) -> tensor<4xf32>
    plan.yield %0 : tensor<4xf32>
  }
  %t = ein.window %x at affine_map<(i, j) -> (j, i)> : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %r = ein.loop iterations 3 carries() slices(%t) with() : (tensor<3x4xf32>) -> tensor<3x4xf32> {
  ^bb0(%p: tensor<4xf32>):
    %0 = plan.call @turn(%p) : (tensor<4xf32>) -> tensor<4xf32>
    ein.return %0 : tensor<4xf32>
  }
  plan.yield %r : tensor<3x4xf32>
}
