// Two layers y = x t, where t is made of a parameter alone, in two calls of a loose body.
#id = affine_map<(i) -> (i)>
!t = tensor<16xf32>

ein.param @tables.w : !t init constant(1.0, 0.0)

plan.kernel @exp(%w: !t) -> !t attributes {kind = #plan<kind elementwise>, ns = 7 : i64} {
  %y = ein.map exp(%w) over [16] maps [#id, #id] : (!t) -> !t
  plan.yield %y : !t
}
plan.kernel @mul(%x: !t, %w: !t) -> !t attributes {kind = #plan<kind elementwise>, flops = 16 : i64, ns = 10 : i64} {
  %y = ein.map mul(%x, %w) over [16] maps [#id, #id, #id] : (!t, !t) -> !t
  plan.yield %y : !t
}

ein.func @tables(%w: !t) -> !t attributes {role = "F", num_params = 1 : i64} {
  %e = plan.call @exp(%w) : (!t) -> !t
  %t = plan.call @mul(%e, %w) : (!t, !t) -> !t
  ein.return %t : !t
}
ein.func @layer(%x: !t, %t: !t) -> !t attributes {kind = "layer", role = "F"} {
  %y = plan.call @mul(%x, %t) : (!t, !t) -> !t
  ein.return %y : !t
}
ein.model @p(%x: !t) -> !t attributes {
    arg_names = ["x"], result_names = ["y"], arg_batch = array<i64: 0>, result_batch = array<i64: 0>,
    batch = 32 : i64, micro_batches = 2 : i64} {
  %t = ein.call @tables() params [@tables.w] path "tables" : () -> !t
  %y0 = ein.call @layer(%x, %t) path "a" : (!t, !t) -> !t
  %y1 = ein.call @layer(%y0, %t) path "b" : (!t, !t) -> !t
  ein.return %y1 : !t
}
