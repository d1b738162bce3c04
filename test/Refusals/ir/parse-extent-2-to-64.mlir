ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = ein.map neg(%x) over [18446744073709551616] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:30: error: custom op 'ein.map' integer value too large
