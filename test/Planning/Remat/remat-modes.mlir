// Each mode and each option, by what is computed again and how many values are kept. Layers a to e of two kernels each,
// h = x w, (y, r) = (exp h, r[i, j] = h): backward reads r, of 128 bytes, twice the others. a, c and e are of kind 'attention', b and d
// of kind 'ffn'.
// DEFINE: %{rest} = --plan-infer-skips --plan-remat
// RUN: plc-opt %s --plan-partition="policy=uniform" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M0
// M0: {{^}}kept 2, again a a b b c c d d e e{{$}}
// RUN: plc-opt %s --plan-partition="policy=uniform interval=1" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M1
// M1: {{^}}kept 4, again a a b b c c d d e e{{$}}
// RUN: plc-opt %s --plan-partition="policy=uniform interval=1 min-interval=3" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M2
// M2: {{^}}kept 1, again a a b b c c d d e e{{$}}
// RUN: plc-opt %s --plan-partition="policy=uniform interval=9" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M3
// M3: {{^}}kept 0, again a a b b c c d d e e{{$}}
// RUN: plc-opt %s --plan-partition="policy=selective layers=2" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M4
// M4: {{^}}kept 3, again c c d d e e{{$}}
// RUN: plc-opt %s --plan-partition="policy=selective layers=3,1" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M5
// M5: {{^}}kept 3, again b b c c d d e e{{$}}
// RUN: plc-opt %s --plan-partition="policy=uniform interval=9 keep-kinds=attention" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M6
// M6: {{^}}kept 5, again b b d d{{$}}
// RUN: plc-opt %s --plan-partition="policy=uniform interval=9 keep-kinds=ffn" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M7
// M7: {{^}}kept 4, again a a c c e e{{$}}
// RUN: plc-opt %s --plan-partition="policy=dynamic memory-fraction=0" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M8
// M8: {{^}}kept 4, again a a b b c c d d e e{{$}}
// RUN: plc-opt %s --plan-partition="policy=dynamic memory-fraction=0.5" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M9
// M9: {{^}}kept 4, again a a b b c c d d{{$}}
// RUN: plc-opt %s --plan-partition="policy=dynamic" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M10
// M10: {{^}}kept 4, again a a b b c c d d e e{{$}}
// RUN: plc-opt %s --plan-partition="policy=dynamic memory-fraction=0.7" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M11
// M11: {{^}}kept 4, again a a b b{{$}}
// RUN: plc-opt %s --plan-partition="policy=dynamic memory-fraction=0.95" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M12
// M12: {{^}}kept 5, again b b{{$}}
// RUN: plc-opt %s --plan-partition="policy=dynamic memory-fraction=1" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M13
// M13: {{^}}kept 0, again{{$}}
// RUN: plc-opt %s --plan-partition="policy=dynamic memory-fraction=0.5 keep-kinds=attention" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M14
// M14: {{^}}kept 5, again b b d d{{$}}
// RUN: plc-opt %s --plan-partition="policy=uniform micro-batches=never" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M15
// M15: {{^}}kept 0, again{{$}}

// A spec says the same: all calls run again, and what the second and fourth layer hand on is saved. Without that, one chain is left.
// DEFINE: %{saved} =
// DEFINE: %{spec} = plan.spec @p cut [0, 0, 0, 0, 0] ranks [0] full [0, 1, 2, 3, 4] once [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] %{saved} order ["0F0,0B0"] replicas 1
// RUN: plc-opt %s --plan-choose='spec={%{spec}}' --plan-partition %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M3
// REDEFINE: %{saved} = saved [4, 10]
// RUN: plc-opt %s --plan-choose='spec={%{spec}}' --plan-partition %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=M0
// REDEFINE: %{saved} = saved [16]
// RUN: not plc-opt %s --plan-choose='spec={%{spec}}' --plan-partition 2>&1 | FileCheck %s --check-prefix=SAVED
// SAVED: error: 'plan.spec' op saves forward value 16 but there are 16

// Kernels are counted, not layers: a0 a1 b0 | b1 c0 c1 | d0 d1 e0 | e1.
// RUN: plc-opt %s --plan-partition="policy=uniform interval=3 grain=equation" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=EQUATION
// EQUATION: {{^}}kept 3, again a a b c c d d e{{$}}
// RUN: plc-opt %s --plan-partition="policy=selective layers=9 grain=equation" %{rest} | %python %inputs/recomputed.py | FileCheck %s --check-prefix=KERNEL
// KERNEL: {{^}}kept 5, again e{{$}}

#id = affine_map<(i) -> (i)>
#row = affine_map<(i, j) -> (i)>
#both = affine_map<(i, j) -> (i, j)>
!t = tensor<16xf32>
!r = tensor<16x2xf32>
ein.param @w : !t init constant(1.0, 0.0)

plan.kernel @mul(%x: !t, %w: !t) -> !t attributes {kind = #plan<kind elementwise>} {
  %y = ein.map mul(%x, %w) over [16] maps [#id, #id, #id] : (!t, !t) -> !t
  plan.yield %y : !t
}
plan.kernel @two(%h: !t) -> (!t, !r) attributes {kind = #plan<kind elementwise>} {
  %y = ein.map exp(%h) over [16] maps [#id, #id] : (!t) -> !t
  %r = ein.map id(%h) over [16, 2] maps [#row, #both] : (!t) -> !r
  plan.yield %y, %r : !t, !r
}
plan.kernel @pull(%g: !t, %r: !r) -> !t attributes {kind = #plan<kind contract>} {
  %d = ein.contract %g, %r over [16, 2] maps [#row, #both, #row] : (!t, !r) -> !t
  plan.yield %d : !t
}
plan.kernel @ones() -> !t attributes {kind = #plan<kind elementwise>} {
  %one = ein.constant 1.0 : tensor<f32>
  %y = ein.map id(%one) over [16] maps [affine_map<(i) -> ()>, #id] : (tensor<f32>) -> !t
  plan.yield %y : !t
}

ein.func @attention.F(%x: !t, %w: !t) -> (!t, !r) attributes {kind = "attention", role = "F", num_params = 1 : i64} {
  %h = plan.call @mul(%x, %w) : (!t, !t) -> !t
  %y, %r = plan.call @two(%h) : (!t) -> (!t, !r)
  ein.return %y, %r : !t, !r
}
ein.func @attention.B(%g: !t, %r: !r) -> !t attributes {kind = "attention", role = "B"} {
  %d = plan.call @pull(%g, %r) : (!t, !r) -> !t
  ein.return %d : !t
}
ein.func @ffn.F(%x: !t, %w: !t) -> (!t, !r) attributes {kind = "ffn", role = "F", num_params = 1 : i64} {
  %h = plan.call @mul(%x, %w) : (!t, !t) -> !t
  %y, %r = plan.call @two(%h) : (!t) -> (!t, !r)
  ein.return %y, %r : !t, !r
}
ein.func @ffn.B(%g: !t, %r: !r) -> !t attributes {kind = "ffn", role = "B"} {
  %d = plan.call @pull(%g, %r) : (!t, !r) -> !t
  ein.return %d : !t
}
ein.func @p.loss.B() -> !t attributes {role = "B"} {
  %y = plan.call @ones() : () -> !t
  ein.return %y : !t
}
ein.func @p.loss.F(%y: !t) -> !t attributes {role = "F"} {
  %z = plan.call @mul(%y, %y) : (!t, !t) -> !t
  ein.return %z : !t
}
ein.model @p(%x: !t) -> !t attributes {
    arg_names = ["x"], result_names = ["z"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  %a, %ra = ein.call @attention.F(%x) params [@w] path "a" : (!t) -> (!t, !r)
  %b, %rb = ein.call @ffn.F(%a) params [@w] path "b" : (!t) -> (!t, !r)
  %c, %rc = ein.call @attention.F(%b) params [@w] path "c" : (!t) -> (!t, !r)
  %d, %rd = ein.call @ffn.F(%c) params [@w] path "d" : (!t) -> (!t, !r)
  %e, %re = ein.call @attention.F(%d) params [@w] path "e" : (!t) -> (!t, !r)
  %z = ein.call @p.loss.F(%e) path "p.loss" : (!t) -> !t
  %g = ein.call @p.loss.B() path "p.loss" : () -> !t
  %ge = ein.call @attention.B(%g, %re) path "e" : (!t, !r) -> !t
  %gd = ein.call @ffn.B(%ge, %rd) path "d" : (!t, !r) -> !t
  %gc = ein.call @attention.B(%gd, %rc) path "c" : (!t, !r) -> !t
  %gb = ein.call @ffn.B(%gc, %rb) path "b" : (!t, !r) -> !t
  %ga = ein.call @attention.B(%gb, %ra) path "a" : (!t, !r) -> !t
  ein.return %z : !t
}
