ein.func @f(%x: tensor<2x3xf32>) -> tensor<6xf64> {
  %y = ein.merge %x axis 0 : (tensor<2x3xf32>) -> tensor<6xf64>
  ein.return %y : tensor<6xf64>
}
// expect: 2:8: error: 'ein.merge' op has element types 'f64' and 'f32'
