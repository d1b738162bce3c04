ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = ein.map neg(%x) over [3] maps [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>] : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.map' op map of operand #0 has 2 results but the tensor has rank 1
