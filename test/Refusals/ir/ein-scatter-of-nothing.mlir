ein.func @f() -> tensor<3xf32> {
  %y = ein.scatter_add  over [3] maps [affine_map<(n) -> (n)>] : () -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.scatter_add' op has no operand
