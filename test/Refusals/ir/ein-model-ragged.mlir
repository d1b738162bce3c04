ein.model @m(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = ["x"], result_names = ["y"], arg_batch = array<i64: 0>, result_batch = array<i64: -1>, batch = 5 : i64, micro_batches = 2 : i64, ragged = 2 : i64} {
  ein.return %x : tensor<3xf32>
}
// expect: 1:1: error: 'ein.model' op has ragged extent 2 for batch 5 in 2 micro-batches
