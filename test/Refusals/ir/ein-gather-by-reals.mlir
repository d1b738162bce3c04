ein.func @f(%x: tensor<3xf32>, %t: tensor<2xf32>) -> tensor<2xf32> {
  %y = ein.gather %x, %t over [2] maps [affine_map<(n)[i] -> (i)>, affine_map<(n) -> (n)>, affine_map<(n) -> (n)>] : (tensor<3xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %y : tensor<2xf32>
}
// expect: 2:8: error: 'ein.gather' op index operand #1 has element type 'f32' but needs i32 or i64
