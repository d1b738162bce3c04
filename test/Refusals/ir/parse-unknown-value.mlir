ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  ein.return %y : tensor<3xf32>
}
// expect: 2:14: error: use of undeclared SSA value name
