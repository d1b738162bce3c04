ein.func @f() -> tensor<i32> {
  %y = ein.constant 3.0e9 : tensor<i32>
  ein.return %y : tensor<i32>
}
// expect: 2:8: error: 'ein.constant' op value 3.000000e+09 : f64 does not fit 'i32'
