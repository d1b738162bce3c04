ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = ein.map select(%x, %x, %x) over [3] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.map' op operand #0 has element type 'f32' but 'select' needs i1
