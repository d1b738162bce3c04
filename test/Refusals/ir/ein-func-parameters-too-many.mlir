ein.func @f(%x: tensor<3xf32>) attributes {num_params = 2 : i64} {
  ein.return
}
// expect: 1:1: error: 'ein.func' op has 1 arguments and 0 results but says 2 parameters and 0 accumulators
