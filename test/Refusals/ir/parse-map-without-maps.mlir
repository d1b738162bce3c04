ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = ein.map neg(%x) over [3] : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:33: error: custom op 'ein.map' expected 'maps'
