// Derivatives where they are easily wrong: at ties, at 0, and of branches not taken. Each is that of one parameter,
// which is 0 and added to x.
// RUN: plc-opt %s --ein-simplify --ein-differentiate --ein-simplify --ein-fix-numerics -o %t.mlir
// RUN: %npy %t.x.npy f64 4 0 1 4 4
// RUN: %npy %t.half.npy f64 4 0.5*4
// RUN: %npy %t.positive.npy f64 4 0 1*3
// RUN: %npy %t.largest.npy f64 4 0 0 1 0
// RUN: %npy %t.log.npy f64 4 0 1 0.25 0.25
// RUN: %npy %t.sqrt.npy f64 4 1 0.5 0.25 0.25
// RUN: %npy %t.quotient.npy f64 4 0 -1 -0.0625 -0.0625
// RUN: plc-interpret infer %t.mlir --input x=@%t.x.npy \
// RUN:   --expect "grad(first)=@%t.half.npy" --expect "grad(second)=@%t.half.npy" \
// RUN:   --expect "grad(relu)=@%t.positive.npy" --expect "grad(abs)=@%t.positive.npy" \
// RUN:   --expect "grad(largest)=@%t.largest.npy" --expect "grad(log)=@%t.log.npy" \
// RUN:   --expect "grad(sqrt)=@%t.sqrt.npy" --expect "grad(quotient)=@%t.quotient.npy"

#i = affine_map<(i) -> (i)>
#o = affine_map<(i) -> ()>
#s = affine_map<() -> ()>
ein.param @first : tensor<4xf64> init constant(0.0, 0.0)
ein.param @second : tensor<4xf64> init constant(0.0, 0.0)
ein.param @relu : tensor<4xf64> init constant(0.0, 0.0)
ein.param @abs : tensor<4xf64> init constant(0.0, 0.0)
ein.param @largest : tensor<4xf64> init constant(0.0, 0.0)
ein.param @log : tensor<4xf64> init constant(0.0, 0.0)
ein.param @sqrt : tensor<4xf64> init constant(0.0, 0.0)
ein.param @quotient : tensor<4xf64> init constant(0.0, 0.0)

ein.func @plus(%x: tensor<4xf64>, %p: tensor<4xf64>) -> tensor<4xf64> attributes {num_params = 1 : i64} {
  %0 = ein.map add(%p, %x) over [4] maps [#i, #i, #i] : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  ein.return %0 : tensor<4xf64>
}

ein.func @functions(%a: tensor<4xf64>, %b: tensor<4xf64>, %r: tensor<4xf64>, %m: tensor<4xf64>, %g: tensor<4xf64>,
    %l: tensor<4xf64>, %q: tensor<4xf64>, %d: tensor<4xf64>) -> tensor<f64> {
  %zero = ein.constant 0.0 : tensor<f64>
  // Elementwise, equal ones share it.
  %max = ein.map max(%a, %b) over [4] maps [#i, #i, #i] : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %relu = ein.map relu(%r) over [4] maps [#i, #i] : (tensor<4xf64>) -> tensor<4xf64>
  %abs = ein.map abs(%m) over [4] maps [#i, #i] : (tensor<4xf64>) -> tensor<4xf64>
  // Over an index, it goes to the lowest.
  %largest = ein.reduce max(%g) over [4] maps [#i, #o] : (tensor<4xf64>) -> tensor<f64>
  // log 0 is not taken, nor is its slope.
  %islog = ein.map eq(%l, %zero) over [4] maps [#i, #o, #i] : (tensor<4xf64>, tensor<f64>) -> tensor<4xi1>
  %log0 = ein.map log(%l) over [4] maps [#i, #i] : (tensor<4xf64>) -> tensor<4xf64>
  %log = ein.map select(%islog, %zero, %log0) over [4] maps [#i, #o, #i, #i] : (tensor<4xi1>, tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
  // The branch taken at 0 is the number itself.
  %issqrt = ein.map gt(%q, %zero) over [4] maps [#i, #o, #i] : (tensor<4xf64>, tensor<f64>) -> tensor<4xi1>
  %sqrt0 = ein.map sqrt(%q) over [4] maps [#i, #i] : (tensor<4xf64>) -> tensor<4xf64>
  %sqrt = ein.map select(%issqrt, %sqrt0, %q) over [4] maps [#i, #i, #i, #i] : (tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  // 1 / 0, through two more equations.
  %one = ein.constant 1.0 : tensor<f64>
  %isdiv = ein.map eq(%d, %zero) over [4] maps [#i, #o, #i] : (tensor<4xf64>, tensor<f64>) -> tensor<4xi1>
  %div0 = ein.map div(%one, %d) over [4] maps [#o, #i, #i] : (tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
  %neg = ein.map neg(%div0) over [4] maps [#i, #i] : (tensor<4xf64>) -> tensor<4xf64>
  %back = ein.map neg(%neg) over [4] maps [#i, #i] : (tensor<4xf64>) -> tensor<4xf64>
  %div = ein.map select(%isdiv, %zero, %back) over [4] maps [#i, #o, #i, #i] : (tensor<4xi1>, tensor<f64>, tensor<4xf64>) -> tensor<4xf64>
  %0 = ein.map add(%max, %relu) over [4] maps [#i, #i, #i] : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %1 = ein.map add(%0, %abs) over [4] maps [#i, #i, #i] : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %2 = ein.map add(%1, %log) over [4] maps [#i, #i, #i] : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %3 = ein.map add(%2, %sqrt) over [4] maps [#i, #i, #i] : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %4 = ein.map add(%3, %div) over [4] maps [#i, #i, #i] : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %5 = ein.reduce sum(%4) over [4] maps [#i, #o] : (tensor<4xf64>) -> tensor<f64>
  %6 = ein.map add(%5, %largest) over [] maps [#s, #s, #s] : (tensor<f64>, tensor<f64>) -> tensor<f64>
  ein.return %6 : tensor<f64>
}

ein.model @m(%x: tensor<4xf64>) -> tensor<f64> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["loss"], result_batch = array<i64: -1>} {
  %a = ein.call @plus(%x) params [@first] path "0" : (tensor<4xf64>) -> tensor<4xf64>
  %b = ein.call @plus(%x) params [@second] path "1" : (tensor<4xf64>) -> tensor<4xf64>
  %r = ein.call @plus(%x) params [@relu] path "2" : (tensor<4xf64>) -> tensor<4xf64>
  %m = ein.call @plus(%x) params [@abs] path "3" : (tensor<4xf64>) -> tensor<4xf64>
  %g = ein.call @plus(%x) params [@largest] path "4" : (tensor<4xf64>) -> tensor<4xf64>
  %l = ein.call @plus(%x) params [@log] path "5" : (tensor<4xf64>) -> tensor<4xf64>
  %q = ein.call @plus(%x) params [@sqrt] path "6" : (tensor<4xf64>) -> tensor<4xf64>
  %d = ein.call @plus(%x) params [@quotient] path "7" : (tensor<4xf64>) -> tensor<4xf64>
  %loss = ein.call @functions(%a, %b, %r, %m, %g, %l, %q, %d) path "functions" : (tensor<4xf64>, tensor<4xf64>,
    tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> tensor<f64>
  ein.return %loss : tensor<f64>
}
