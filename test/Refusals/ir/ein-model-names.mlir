ein.model @m(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}
// expect: 1:1: error: 'ein.model' op has 1 arguments but 0 names and 1 batch axes
