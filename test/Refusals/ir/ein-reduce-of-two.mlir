ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = ein.reduce sum(%x, %x) over [3] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.reduce' op has 2 operands but takes one
