// Lanes and chains, told apart by values whose sums differ; -inf, +inf, NaN and ties of max and min.
// RUN: %python %S/Inputs/npy.py %t.x.npy f32 2x18 0x1p24 1*15 1 1  1*18
// RUN: %python %S/Inputs/npy.py %t.y.npy f32 3x2 0x1p24 1 1 0x1p24 1 -0x1p24
// RUN: %python %S/Inputs/npy.py %t.z.npy f32 4 nan 2 -inf 3
// RUN: %python %S/Inputs/npy.py %t.w.npy f32 3x8 1*8 0x1p24*8 1*8
// RUN: plc-interpret infer %s --input x=@%t.x.npy --input y=@%t.y.npy --input z=@%t.z.npy --input w=@%t.w.npy \
// RUN:   | FileCheck %s

// Row 0 in lanes: lane 0 is 2^24 (+ 1 is lost), lane 1 is 2, the others 1. The tree gives lanes 2^24 3 2 2 2 2 2 2
// (+ 1 is lost), 2^24+2 5 4 4, 2^24+6 9, and 2^24+15, which rounds to 2^24+16.
// CHECK: lanes f32[2] 16777232 18
// In a chain each 1 is lost.
// CHECK: chain f32[2] 16777216 18
// Without an order: a chain.
// CHECK: default f32[2] 16777216 18
// Columns: (2^24 + 1) + 1 is 2^24, (1 + 2^24) - 2^24 is 0.
// CHECK: columns f32[2] 16777216 0
// Two reduced dimensions are flattened: element (i, j) of 3x8 is in lane (8 i + j) mod 16, so rows 0 and 2 share lanes.
// CHECK: flattened f32[] 134217744
// CHECK: max f32[] {{-?}}nan
// CHECK: min f32[] {{-?}}nan
// NaN wins. A sum of -0 starts from 0.
// CHECK: nan f32[] {{-?}}nan
// CHECK: zero f32[] 0
// Products; integers wrap: (2^16 + 1)^2 is 2^32 + 2^17 + 1. There is one above 1 in each row but the last; in no column all.
// CHECK: prod f32[2] 16777216 1
// CHECK: wraps i32[] 131073
// CHECK: any bool[3] 1 1 0
// CHECK: all bool[2] 0 0

#ij = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#c = affine_map<(i, j) -> (j)>
#none = affine_map<(i, j) -> ()>
#v = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
ein.model @reductions(%x: tensor<2x18xf32>, %y: tensor<3x2xf32>, %z: tensor<4xf32>, %w: tensor<3x8xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<2xf32>, tensor<i32>, tensor<3xi1>, tensor<2xi1>) attributes {
    arg_names = ["x", "y", "z", "w"], arg_batch = array<i64: -1, -1, -1, -1>,
    result_names = ["lanes", "chain", "default", "columns", "flattened", "max", "min", "nan", "zero", "prod", "wraps", "any", "all"],
    result_batch = array<i64: -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1>} {
  %lanes = ein.reduce sum(%x) over [2, 18] maps [#ij, #r] order lanes : (tensor<2x18xf32>) -> tensor<2xf32>
  %chain = ein.reduce sum(%x) over [2, 18] maps [#ij, #r] order chain : (tensor<2x18xf32>) -> tensor<2xf32>
  %default = ein.reduce sum(%x) over [2, 18] maps [#ij, #r] : (tensor<2x18xf32>) -> tensor<2xf32>
  %columns = ein.reduce sum(%y) over [3, 2] maps [#ij, #c] order chain : (tensor<3x2xf32>) -> tensor<2xf32>
  %flattened = ein.reduce sum(%w) over [3, 8] maps [#ij, #none] order lanes : (tensor<3x8xf32>) -> tensor<f32>
  %max = ein.reduce max(%z) over [4] maps [#v, #s] order lanes : (tensor<4xf32>) -> tensor<f32>
  %min = ein.reduce min(%z) over [4] maps [#v, #s] order chain : (tensor<4xf32>) -> tensor<f32>
  %quiet = ein.map sub(%z, %z) over [4] maps [#v, #v, #v] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %one = ein.map div(%quiet, %quiet) over [4] maps [#v, #v, #v] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %nan = ein.reduce max(%one) over [4] maps [#v, #s] order lanes : (tensor<4xf32>) -> tensor<f32>
  %number = ein.constant -0.0 : tensor<f32>
  %zeros = ein.map id(%number) over [4] maps [#s, #v] : (tensor<f32>) -> tensor<4xf32>
  %zero = ein.reduce sum(%zeros) over [4] maps [#v, #s] order chain : (tensor<4xf32>) -> tensor<f32>
  %prod = ein.reduce prod "ab->a" %x order lanes : (tensor<2x18xf32>) -> tensor<2xf32>
  %large = ein.constant 65537.0 : tensor<i32>
  %squares = ein.map id "->a" %large : (tensor<i32>) -> tensor<2xi32>
  %wraps = ein.reduce prod "a->" %squares order lanes : (tensor<2xi32>) -> tensor<i32>
  %one2 = ein.constant 1.0 : tensor<f32>
  %above = ein.map gt "ab,->ab" %y, %one2 : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xi1>
  %any = ein.reduce any "ab->a" %above order lanes : (tensor<3x2xi1>) -> tensor<3xi1>
  %all = ein.reduce all "ab->b" %above order chain : (tensor<3x2xi1>) -> tensor<2xi1>
  ein.return %lanes, %chain, %default, %columns, %flattened, %max, %min, %nan, %zero, %prod, %wraps, %any, %all
    : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
      tensor<f32>, tensor<2xf32>, tensor<i32>, tensor<3xi1>, tensor<2xi1>
}
