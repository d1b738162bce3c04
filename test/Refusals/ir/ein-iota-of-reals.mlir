ein.func @f() -> tensor<3xf32> {
  %y = ein.iota : tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.iota' op has type 'tensor<3xf32>' but needs rank 1 and i32 or i64
