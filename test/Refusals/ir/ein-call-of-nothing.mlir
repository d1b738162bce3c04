ein.model @m(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = ["x"], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  %y = ein.call @g(%x) path "g" : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.call' op calls 'g', which is no 'ein.func'
