ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  ein.return %x, %x : tensor<3xf32>, tensor<3xf32>
}
// expect: 2:3: error: 'ein.return' op returns 2 values but the function has 1 results
