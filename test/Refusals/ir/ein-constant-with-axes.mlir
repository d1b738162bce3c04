ein.func @f() -> tensor<3xf32> {
  %y = ein.constant 1.0 : tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.constant' op has type 'tensor<3xf32>' but needs rank 0
