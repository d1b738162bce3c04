ein.func @f(%x: tensor<3xf32>) -> tensor<4xf32> {
  ein.return %x : tensor<4xf32>
}
// expect: 2:14: error: use of value '%x' expects different type than prior uses: 'tensor<4xf32>' vs 'tensor<3xf32>'
// expect: 1:13: note: prior use here
