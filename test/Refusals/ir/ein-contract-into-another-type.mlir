ein.func @f(%x: tensor<3xf32>, %a: tensor<4xf32>) -> tensor<3xf32> {
  %y = ein.contract %x, %x over [3, 3] maps [affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (i)>] into %a : tensor<4xf32> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.contract' op accumulates 'tensor<3xf32>' into 'tensor<4xf32>'
