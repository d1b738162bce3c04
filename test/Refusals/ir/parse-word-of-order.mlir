ein.func @f(%x: tensor<3x3xf32>) -> tensor<3xf32> {
  %y = ein.reduce sum(%x) over [3, 3] maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>] order tree : (tensor<3x3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:108: error: custom op 'ein.reduce' found 'tree', expected one of lanes, chain
