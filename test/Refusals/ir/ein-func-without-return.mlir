ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = ein.stop %x : tensor<3xf32>
}
// expect: 1:1: error: 'ein.func' op does not end with 'ein.return'
