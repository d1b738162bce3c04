ein.func @f(%x: tensor<3xf32>) -> tensor<4xf32> {
  ein.return %x : tensor<3xf32>
}
// expect: 2:3: error: 'ein.return' op returns 'tensor<3xf32>' as result #0 but the function says 'tensor<4xf32>'
