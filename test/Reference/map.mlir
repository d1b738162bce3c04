// Every function of a map on exact and special values.
// RUN: %python %S/Inputs/npy.py %t.x.npy f32 8 -2.5 -0 0 1 4 inf -inf nan
// RUN: %python %S/Inputs/npy.py %t.y.npy f32 8 2 0 -0 1 -1 inf 3 0
// RUN: %python %S/Inputs/npy.py %t.i.npy i32 3 -7 0 2147483647
// RUN: %python %S/Inputs/npy.py %t.m.npy f64 2x3 1 2 3 4 5 6
// RUN: plc-interpret infer %s --input x=@%t.x.npy --input y=@%t.y.npy --input i=@%t.i.npy --input m=@%t.m.npy \
// RUN:   | FileCheck %s

// CHECK: neg f32[8] 2.5 0 -0 -1 -4 -inf inf {{-?}}nan
// CHECK: abs f32[8] 2.5 0 0 1 4 inf inf {{-?}}nan
// CHECK: exp f32[8] 0.082085 1 1 2.7182817 54.59815 inf 0 {{-?}}nan
// CHECK: log f32[8] {{-?}}nan -inf -inf 0 1.3862944 inf {{-?}}nan {{-?}}nan
// CHECK: sqrt f32[8] {{-?}}nan -0 0 1 2 inf {{-?}}nan {{-?}}nan
// CHECK: rsqrt f32[8] {{-?}}nan -inf inf 1 0.5 0 {{-?}}nan {{-?}}nan
// CHECK: erf f32[8] -0.999593 -0 0 0.8427008 1 1 -1 {{-?}}nan
// CHECK: tanh f32[8] -0.9866143 -0 0 0.7615942 0.9993293 1 -1 {{-?}}nan
// CHECK: sigmoid f32[8] 0.075858176 0.5 0.5 0.73105854 0.9820138 1 0 {{-?}}nan
// CHECK: relu f32[8] 0 -0 0 1 4 inf 0 {{-?}}nan
// CHECK: sign f32[8] -1 0 0 1 1 1 -1 0
// CHECK: add f32[8] -0.5 0 0 2 3 inf -inf {{-?}}nan
// CHECK: sub f32[8] -4.5 -0 0 0 5 {{-?}}nan -inf {{-?}}nan
// CHECK: mul f32[8] -5 -0 -0 1 -4 inf -inf {{-?}}nan
// CHECK: div f32[8] -1.25 {{-?}}nan {{-?}}nan 1 -4 {{-?}}nan -inf {{-?}}nan
// Ties go to the first, and NaN wins.
// CHECK: max f32[8] 2 -0 0 1 4 inf 3 {{-?}}nan
// CHECK: min f32[8] -2.5 -0 0 1 -1 inf -inf {{-?}}nan
// Comparisons are IEEE's; select takes the left where they hold.
// CHECK: eq f32[8] 2 -0 0 1 -1 inf 3 0
// CHECK: ne f32[8] -2.5 0 -0 1 4 inf -inf {{-?}}nan
// CHECK: lt f32[8] -2.5 0 -0 1 -1 inf -inf 0
// CHECK: le f32[8] -2.5 -0 0 1 -1 inf -inf 0
// CHECK: gt f32[8] 2 0 -0 1 4 inf 3 0
// CHECK: ge f32[8] 2 -0 0 1 4 inf 3 0
// lt and not (eq or ge): where x < y.
// CHECK: logic f32[8] -2.5 0 -0 1 -1 inf -inf 0
// Integers wrap.
// CHECK: wrap i32[3] -14 0 -2
// CHECK: truncated i32[8] -2 0 0 1 4 -2147483648 -2147483648 -2147483648
// CHECK: transposed f64[3, 2] 1 4 2 5 3 6
// CHECK: broadcast f64[2, 2] 1 1 4 4

!v = tensor<8xf32>
!b = tensor<8xi1>
#i = affine_map<(i) -> (i)>
ein.model @maps(%x: !v, %y: !v, %i: tensor<3xi32>, %m: tensor<2x3xf64>)
    -> (!v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v,
        tensor<3xi32>, tensor<8xi32>, tensor<3x2xf64>, tensor<2x2xf64>) attributes {
    arg_names = ["x", "y", "i", "m"], arg_batch = array<i64: -1, -1, -1, -1>,
    result_names = ["neg", "abs", "exp", "log", "sqrt", "rsqrt", "erf", "tanh", "sigmoid", "relu", "sign", "add", "sub",
                    "mul", "div", "max", "min", "eq", "ne", "lt", "le", "gt", "ge", "logic", "wrap", "truncated",
                    "transposed", "broadcast"],
    result_batch = array<i64: -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                         -1, -1, -1, -1, -1>} {
  %neg = ein.map neg(%x) over [8] maps [#i, #i] : (!v) -> !v
  %abs = ein.map abs(%x) over [8] maps [#i, #i] : (!v) -> !v
  %exp = ein.map exp(%x) over [8] maps [#i, #i] : (!v) -> !v
  %log = ein.map log(%x) over [8] maps [#i, #i] : (!v) -> !v
  %sqrt = ein.map sqrt(%x) over [8] maps [#i, #i] : (!v) -> !v
  %rsqrt = ein.map rsqrt(%x) over [8] maps [#i, #i] : (!v) -> !v
  %erf = ein.map erf(%x) over [8] maps [#i, #i] : (!v) -> !v
  %tanh = ein.map tanh(%x) over [8] maps [#i, #i] : (!v) -> !v
  %sigmoid = ein.map sigmoid(%x) over [8] maps [#i, #i] : (!v) -> !v
  %relu = ein.map relu(%x) over [8] maps [#i, #i] : (!v) -> !v
  %sign = ein.map sign(%x) over [8] maps [#i, #i] : (!v) -> !v
  %add = ein.map add(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !v
  %sub = ein.map sub(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !v
  %mul = ein.map mul(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !v
  %div = ein.map div(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !v
  %max = ein.map max(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !v
  %min = ein.map min(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !v
  %ceq = ein.map eq(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !b
  %cne = ein.map ne(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !b
  %clt = ein.map lt(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !b
  %cle = ein.map le(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !b
  %cgt = ein.map gt(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !b
  %cge = ein.map ge(%x, %y) over [8] maps [#i, #i, #i] : (!v, !v) -> !b
  %eq = ein.map select(%ceq, %x, %y) over [8] maps [#i, #i, #i, #i] : (!b, !v, !v) -> !v
  %ne = ein.map select(%cne, %x, %y) over [8] maps [#i, #i, #i, #i] : (!b, !v, !v) -> !v
  %lt = ein.map select(%clt, %x, %y) over [8] maps [#i, #i, #i, #i] : (!b, !v, !v) -> !v
  %le = ein.map select(%cle, %x, %y) over [8] maps [#i, #i, #i, #i] : (!b, !v, !v) -> !v
  %gt = ein.map select(%cgt, %x, %y) over [8] maps [#i, #i, #i, #i] : (!b, !v, !v) -> !v
  %ge = ein.map select(%cge, %x, %y) over [8] maps [#i, #i, #i, #i] : (!b, !v, !v) -> !v
  %or = ein.map or(%ceq, %cge) over [8] maps [#i, #i, #i] : (!b, !b) -> !b
  %not = ein.map not(%or) over [8] maps [#i, #i] : (!b) -> !b
  %and = ein.map and(%clt, %not) over [8] maps [#i, #i, #i] : (!b, !b) -> !b
  %logic = ein.map select(%and, %x, %y) over [8] maps [#i, #i, #i, #i] : (!b, !v, !v) -> !v
  %wrap = ein.map add(%i, %i) over [3] maps [#i, #i, #i] : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %truncated = ein.cast %x : (!v) -> tensor<8xi32>
  %transposed = ein.map id(%m) over [2, 3] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>]
    : (tensor<2x3xf64>) -> tensor<3x2xf64>
  %first = ein.reduce min(%m) over [2, 3] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>]
    : (tensor<2x3xf64>) -> tensor<2xf64>
  %broadcast = ein.map id(%first) over [2, 2] maps [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>]
    : (tensor<2xf64>) -> tensor<2x2xf64>
  ein.return %neg, %abs, %exp, %log, %sqrt, %rsqrt, %erf, %tanh, %sigmoid, %relu, %sign, %add, %sub, %mul, %div, %max,
    %min, %eq, %ne, %lt, %le, %gt, %ge, %logic, %wrap, %truncated, %transposed, %broadcast
    : !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v, !v,
      tensor<3xi32>, tensor<8xi32>, tensor<3x2xf64>, tensor<2x2xf64>
}
