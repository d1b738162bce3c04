ein.func @f(%x: tensor<2xf32>, %t: tensor<2xi32>) -> tensor<3xf32> {
  %y = ein.scatter_add %x, %t over [2, 3] maps [affine_map<(n, m) -> (n)>, affine_map<(n, m) -> (n)>, affine_map<(n, m)[i] -> (i)>] : (tensor<2xf32>, tensor<2xi32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:8: error: 'ein.scatter_add' op map of the updates is no permutation of the domain
