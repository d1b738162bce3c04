ein.func @f(%x: tensor<4xf32>) -> tensor<3xf32> {
  %y = ein.map neg(%x) over [3] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<4xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.map' op dimension d0 has extent 4 in operand #0 but 3 in the domain
