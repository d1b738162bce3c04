ein.func @f(tensor<3xf32>) -> tensor<3xf32>
// expect: 1:1: error: 'ein.func' op has 0 blocks but needs one
