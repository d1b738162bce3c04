ein.func @f(%x: tensor<3xi1>) -> tensor<3xi1> {
  %y = ein.map add(%x, %x) over [3] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  ein.return %y : tensor<3xi1>
}
// expect: 2:8: error: 'ein.map' op operand #0 has element type 'i1' but 'add' needs real, f32, f64, i32 or i64
