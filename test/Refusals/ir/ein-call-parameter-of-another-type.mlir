ein.func @g(%x: tensor<3xf32>, %w: tensor<3xf32>) -> tensor<3xf32> attributes {num_params = 1 : i64} {
  ein.return %x : tensor<3xf32>
}
ein.param @w : tensor<4xf32> init normal(0.5, 0.0)
ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = ein.call @g(%x) params [@w] path "g" : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 6:8: error: 'ein.call' op has parameters 'tensor<4xf32>' but 'g' has 'tensor<3xf32>'
// expect: 1:1: note: declared here
