ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %z = ein.cast %x : (tensor<3xf32>) -> tensor<3xui32>
  %y = ein.cast %z : (tensor<3xui32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.cast' op result #0 must be tensor with extents above 0 and elements real, f32, f64, i32, i64 or i1, but got 'tensor<3xui32>'
