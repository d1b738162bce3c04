ein.func @f(%x: tensor<3xi32>) -> tensor<3xi32> {
  %y = ein.contract %x, %x over [3, 3] maps [affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (i)>] : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  ein.return %y : tensor<3xi32>
}
// expect: 2:8: error: 'ein.contract' op has element type 'i32' but needs real, f32 or f64
