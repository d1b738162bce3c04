ein.func @f(%x: tensor<6xf32>) -> tensor<2x4xf32> {
  %y = ein.split %x axis 0 : (tensor<6xf32>) -> tensor<2x4xf32>
  ein.return %y : tensor<2x4xf32>
}
// expect: 2:8: error: 'ein.split' op splits extent 6 into 2, 4
