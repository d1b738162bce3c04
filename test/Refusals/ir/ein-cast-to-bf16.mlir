ein.func @f(%x: tensor<3xf32>) -> tensor<3xbf16> {
  %y = ein.cast %x : (tensor<3xf32>) -> tensor<3xbf16>
  ein.return %y : tensor<3xbf16>
}
// expect: 1:1: error: 'ein.func' op result #0 is 'tensor<3xbf16>' but needs to be a tensor with extents above 0 and elements real, f32, f64, i32, i64 or i1
