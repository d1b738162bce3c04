ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = ein.stop %x : f32
  ein.return %y : tensor<3xf32>
}
// expect: 2:22: error: custom op 'ein.stop' invalid kind of type specified: expected builtin.tensor, but found 'f32'
