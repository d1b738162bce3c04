// What the verifier refuses still prints as it stands: subscripts would say something else.
// RUN: plc-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --verify-each=false --mlir-print-assume-verified \
// RUN:   --mlir-print-local-scope | FileCheck %s

#i = affine_map<(i) -> (i)>

// CHECK-LABEL: @not_letters
ein.func @not_letters(%x: tensor<3xf32>, %p: tensor<3xi32>) -> tensor<3xf32> {
  // CHECK: ein.map neg(%arg0) over [3] maps [affine_map<(d0) -> (d0 + 1)>,
  %0 = ein.map neg(%x) over [3] maps [affine_map<(i) -> (i + 1)>, #i] : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: ein.map neg(%arg0) over [3] maps [affine_map<(d0) -> (0)>,
  %1 = ein.map neg(%x) over [3] maps [affine_map<(i) -> (0)>, #i] : (tensor<3xf32>) -> tensor<3xf32>
  // The types say another extent, or none.
  // CHECK: ein.map neg(%arg0) over [4] maps
  %2 = ein.map neg(%x) over [4] maps [#i, #i] : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: ein.map neg(%arg0) over [3, 2] maps
  %3 = ein.map neg(%x) over [3, 2] maps [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>] : (tensor<3xf32>) -> tensor<3xf32>
  // Another number of dimensions, results, maps or symbols.
  // CHECK: ein.map neg(%arg0) over [3] maps [affine_map<(d0, d1) -> (d0)>,
  %4 = ein.map neg(%x) over [3] maps [affine_map<(i, j) -> (i)>, #i] : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: ein.map neg(%arg0) over [3] maps [affine_map<(d0) -> (d0, d0)>,
  %5 = ein.map neg(%x) over [3] maps [affine_map<(i) -> (i, i)>, #i] : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: ein.map neg(%arg0) over [3] maps [affine_map<(d0) -> (d0)>] :
  %6 = ein.map neg(%x) over [3] maps [#i] : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: ein.gather %arg0, %arg1 over [3] maps [affine_map<(d0) -> (d0)>,
  %7 = ein.gather %x, %p over [3] maps [#i, #i, #i] : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  ein.return %7 : tensor<3xf32>
}
