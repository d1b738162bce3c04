ein.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = ein.map sine(%x) over [3] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// expect: 2:16: error: custom op 'ein.map' found 'sine', expected one of id, neg, abs, exp, log, log1p, sin, cos, tan, sqrt, rsqrt, erf, tanh, sigmoid, floor, ceil, round, relu, sign, add, sub, mul, div, max, min, pow, floor_div, floor_mod, eq, ne, lt, le, gt, ge, and, or, not, select
