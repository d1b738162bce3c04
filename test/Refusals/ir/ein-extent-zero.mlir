ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = ein.map neg(%x) over [0] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.map' op has extent 0 in its domain but needs 1 or more
