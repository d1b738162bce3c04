ein.func @f(%x: tensor<3xf32>) -> tensor<3xf64> attributes {num_accumulators = 1 : i64} {
  %y = ein.cast %x : (tensor<3xf32>) -> tensor<3xf64>
  ein.return %y : tensor<3xf64>
}
// expect: 1:1: error: 'ein.func' op accumulator 'tensor<3xf32>' differs from its result 'tensor<3xf64>'
