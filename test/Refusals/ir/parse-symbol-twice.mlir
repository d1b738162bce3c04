ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  ein.return %x : tensor<3xf32>
}
ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  ein.return %x : tensor<3xf32>
}
// expect: 4:1: error: redefinition of symbol named 'f'
// expect: 1:1: note: see existing symbol definition here
