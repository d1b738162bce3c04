ein.func @f(%x: tensor<4xf32>) -> tensor<3xf32> {
  %y = ein.cast %x : (tensor<4xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.cast' op has input 'tensor<4xf32>' but result 'tensor<3xf32>'
