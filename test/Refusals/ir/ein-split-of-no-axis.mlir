ein.func @f(%x: tensor<6xf32>) -> tensor<2x3xf32> {
  %y = ein.split %x axis 2 : (tensor<6xf32>) -> tensor<2x3xf32>
  ein.return %y : tensor<2x3xf32>
}
// expect: 2:8: error: 'ein.split' op axis is 2 but 'tensor<6xf32>' has rank 1
