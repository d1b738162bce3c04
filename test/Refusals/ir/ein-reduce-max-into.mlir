ein.func @f(%x: tensor<3x3xf32>, %a: tensor<3xf32>) -> tensor<3xf32> {
  %y = ein.reduce max(%x) over [3, 3] maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>] into %a : tensor<3xf32> : (tensor<3x3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.reduce' op a 'max' does not accumulate
