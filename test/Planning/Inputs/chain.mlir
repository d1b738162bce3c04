// A training program of three layers y = x w, whose first and last share a parameter, and a loose sum at the end.
#id = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>
!t = tensor<16xf32>

ein.param @a.w : !t init constant(1.0, 0.0)
ein.param @b.w : !t init constant(1.0, 0.0)

plan.kernel @mul(%x: !t, %w: !t) -> !t attributes {kind = #plan<kind elementwise>, flops = 16 : i64, ns = 10 : i64} {
  %y = ein.map mul(%x, %w) over [16] maps [#id, #id, #id] : (!t, !t) -> !t
  plan.yield %y : !t
}
plan.kernel @grad(%g: !t, %x: !t, %acc: !t) -> !t
    attributes {kind = #plan<kind contract>, num_accumulators = 1 : i64, flops = 16 : i64, ns = 10 : i64} {
  %y = ein.contract %g, %x over [16] maps [#id, #id, #id] into %acc : !t : (!t, !t) -> !t
  plan.yield %y : !t
}
plan.kernel @sum(%x: !t) -> tensor<f32> attributes {kind = #plan<kind rows>, ns = 2 : i64} {
  %y = ein.reduce sum(%x) over [16] maps [#id, #all] : (!t) -> tensor<f32>
  plan.yield %y : tensor<f32>
}
plan.kernel @ones() -> !t attributes {kind = #plan<kind elementwise>, ns = 2 : i64} {
  %one = ein.constant 1.0 : tensor<f32>
  %y = ein.map exp(%one) over [16] maps [#all, #id] : (tensor<f32>) -> !t
  plan.yield %y : !t
}

ein.func @layer.F(%x: !t, %w: !t) -> (!t, !t) attributes {kind = "layer", role = "F", num_params = 1 : i64} {
  %y = plan.call @mul(%x, %w) : (!t, !t) -> !t
  ein.return %y, %x : !t, !t
}
ein.func @layer.B(%g: !t, %w: !t) -> !t attributes {kind = "layer", role = "B", num_params = 1 : i64} {
  %d = plan.call @mul(%g, %w) : (!t, !t) -> !t
  ein.return %d : !t
}
ein.func @layer.W(%g: !t, %x: !t, %acc: !t) -> !t
    attributes {kind = "layer", role = "W", num_accumulators = 1 : i64} {
  %d = plan.call @grad(%g, %x, %acc) : (!t, !t, !t) -> !t
  ein.return %d : !t
}
ein.func @p.loss.F(%x: !t) -> tensor<f32> attributes {role = "F"} {
  %y = plan.call @sum(%x) : (!t) -> tensor<f32>
  ein.return %y : tensor<f32>
}
ein.func @p.loss.B() -> !t attributes {role = "B"} {
  %y = plan.call @ones() : () -> !t
  ein.return %y : !t
}
ein.model @p(%x: !t) -> tensor<f32> attributes {
    arg_names = ["x"], result_names = ["loss"], arg_batch = array<i64: 0>, result_batch = array<i64: -1>,
    batch = 64 : i64, micro_batches = 4 : i64} {
  %y0, %x0 = ein.call @layer.F(%x) params [@a.w] path "a" : (!t) -> (!t, !t)
  %y1, %x1 = ein.call @layer.F(%y0) params [@b.w] path "b" : (!t) -> (!t, !t)
  %y2, %x2 = ein.call @layer.F(%y1) params [@a.w] path "c" : (!t) -> (!t, !t)
  %loss = ein.call @p.loss.F(%y2) path "p.loss" : (!t) -> tensor<f32>
  %g3 = ein.call @p.loss.B() path "p.loss" : () -> !t
  %g2 = ein.call @layer.B(%g3) params [@a.w] path "c" : (!t) -> !t
  %g1 = ein.call @layer.B(%g2) params [@b.w] path "b" : (!t) -> !t
  ein.call @layer.W(%g3, %x2) accumulates [@a.w] path "c" : (!t, !t) -> ()
  ein.call @layer.W(%g2, %x1) accumulates [@b.w] path "b" : (!t, !t) -> ()
  ein.call @layer.W(%g1, %x0) accumulates [@a.w] path "a" : (!t, !t) -> ()
  ein.return %loss : tensor<f32>
}
