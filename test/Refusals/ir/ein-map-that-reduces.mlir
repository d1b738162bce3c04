ein.func @f(%x: tensor<3x3xf32>) -> tensor<3xf32> {
  %y = ein.map neg(%x) over [3, 3] maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>] : (tensor<3x3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.map' op map of the result is no permutation of the domain
