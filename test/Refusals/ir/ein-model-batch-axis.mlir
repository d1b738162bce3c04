ein.model @m(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = ["x"], result_names = ["y"], arg_batch = array<i64: 1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}
// expect: 1:1: error: 'ein.model' op argument 'x' has no axis 1 in 'tensor<3xf32>'
