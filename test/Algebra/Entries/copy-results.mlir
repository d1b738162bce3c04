// Each result of the model becomes a value of its own, whatever led to it; one that is stays as it is.
// RUN: plc-opt %s --ein-copy-results | FileCheck %s
// RUN: plc-opt %s --ein-copy-results --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] Copied | Category:ein-copy-results | Function=m | Remark="result 'x' is copied: it is an input or a parameter"
// REMARK: "result 'r' is copied: it is another result, too"
// RUN: plc-opt %s --ein-copy-results | plc-opt --ein-copy-results | FileCheck %s

#i = affine_map<(i) -> (i)>
ein.param @w : tensor<4xf32> init normal(0.02, 0.0)

ein.func @layer(%x: tensor<4xf32>, %w: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {num_params = 1 : i64, kind = "layer", role = "F"} {
  %0 = ein.map mul(%x, %w) over [4] maps [#i, #i, #i] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ein.return %0, %x, %w, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// One body per copy, with the role of the forward bodies.
// CHECK: ein.func @m.x(%[[V:.*]]: tensor<4xf32>) -> tensor<4xf32> attributes {{.*}}role = "F"
// CHECK-NEXT: %[[C:.*]] = ein.map id "a->a" %[[V]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: ein.return %[[C]] :
// CHECK: ein.func @m.t(%{{.*}}: tensor<2x3xi32>) -> tensor<2x3xi32>

// CHECK: ein.model @m(%[[X:.*]]: tensor<4xf32>, %[[T:.*]]: tensor<2x3xi32>)
// CHECK-DAG: %[[CX:.*]] = ein.call @m.x(%[[X]]) path "m.x.1"
// CHECK-DAG: %[[CT:.*]] = ein.call @m.t(%[[T]]) path "m.t"
// CHECK: %[[A:.*]]:4 = ein.call @layer(%[[X]])
// CHECK-DAG: %[[CS:.*]] = ein.call @m.same(%[[A]]#1) path "m.same"
// CHECK-DAG: %[[CP:.*]] = ein.call @m.p(%[[A]]#2) path "m.p"
// CHECK-DAG: %[[CZ:.*]] = ein.call @m.z(%[[A]]#3) path "m.z"
// The same body, called again, makes a value of its own.
// CHECK: %[[B:.*]]:4 = ein.call @layer(%[[A]]#0)
// CHECK-DAG: %[[CR:.*]] = ein.call @m.r(%[[B]]#1) path "m.r"
// CHECK: ein.return %[[CX]], %[[CT]], %[[A]]#0, %[[CS]], %[[CP]], %[[CZ]], %[[B]]#0, %[[CR]] :
ein.model @m(%x: tensor<4xf32>, %t: tensor<2x3xi32>)
    -> (tensor<4xf32>, tensor<2x3xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {arg_names = ["x", "t"], result_names = ["x", "t", "y", "same", "p", "z", "q", "r"],
                arg_batch = array<i64: -1, -1>, result_batch = array<i64: -1, -1, -1, -1, -1, -1, -1, -1>} {
  %a:4 = ein.call @layer(%x) params [@w] path "m.x" : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %b:4 = ein.call @layer(%a#0) params [@w] path "b" : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  ein.return %x, %t, %a#0, %a#1, %a#2, %a#3, %b#0, %b#1 : tensor<4xf32>, tensor<2x3xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
