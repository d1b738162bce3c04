// Results of bodies that no call needs are not computed, for all calls of a body together, whatever led to them neither.
// RUN: plc-opt %s --ein-simplify | FileCheck %s
// RUN: plc-opt %s --ein-simplify --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] Pruned | Category:ein-simplify | Function=layer | Remark="dropped 1 of 3 results and 1 of 3 arguments, which no call needs"
// RUN: plc-opt %s --ein-entry=entry=infer | FileCheck %s --check-prefix=ENTRY

#i = affine_map<(i) -> (i)>
ein.param @w : tensor<2xf32> init normal(0.02, 0.0)

// One call needs the first result, the other the second; none the third, nor the argument that it alone reads.
// CHECK: ein.func @layer(%[[X:.*]]: tensor<2xf32>, %[[W:.*]]: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT: %[[P:.*]] = ein.map mul "a,a->a" %[[X]], %[[W]]
// CHECK-NEXT: %[[E:.*]] = ein.map exp "a->a" %[[P]]
// CHECK-NEXT: ein.return %[[P]], %[[E]] :
ein.func @layer(%x: tensor<2xf32>, %y: tensor<2xf32>, %w: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    attributes {num_params = 1 : i64} {
  %0 = ein.map mul(%x, %w) over [2] maps [#i, #i, #i] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = ein.map exp(%0) over [2] maps [#i, #i] : (tensor<2xf32>) -> tensor<2xf32>
  %2 = ein.map mul(%1, %y) over [2] maps [#i, #i, #i] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// What each iteration gives to the next alone, and the last to nobody, no iteration computes.
// CHECK: ein.func @turn(%[[X:.*]]: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[T:.*]] = ein.map tanh "a->a" %[[X]]
// CHECK-NEXT: ein.return %[[T]] :
ein.func @turn(%x: tensor<2xf32>, %sum: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = ein.map tanh(%x) over [2] maps [#i, #i] : (tensor<2xf32>) -> tensor<2xf32>
  %1 = ein.map add(%sum, %0) over [2] maps [#i, #i, #i] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// Its result went to the third result of @layer.
// CHECK-NOT: @before
// CHECK-NOT: @before
ein.func @before(%y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = ein.map exp(%y) over [2] maps [#i, #i] : (tensor<2xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}

// An entry does not ask for an input that only dead results read.
// ENTRY: ein.model @m(%[[X:.*]]: tensor<2xf32>) -> tensor<2xf32> attributes {{.*}}arg_names = ["x"]
// CHECK: ein.model @m(%[[X:.*]]: tensor<2xf32>, %{{.*}}: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[A:.*]]:2 = ein.call @layer(%[[X]]) params [@w] path "layer.0" : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT: %[[B:.*]]:2 = ein.call @layer(%[[A]]#1) params [@w] path "layer.1"
// CHECK-NEXT: %[[C:.*]] = ein.call @turn(%[[B]]#0) path "turn.0" : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[D:.*]] = ein.call @turn(%[[C]]) path "turn.1" : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: ein.return %[[D]]
ein.model @m(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> attributes {
    arg_names = ["x", "y"], arg_batch = array<i64: -1, -1>, result_names = ["z"], result_batch = array<i64: -1>} {
  %y0 = ein.call @before(%y) path "before" : (tensor<2xf32>) -> tensor<2xf32>
  %a:3 = ein.call @layer(%x, %y0) params [@w] path "layer.0"
    : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %b:3 = ein.call @layer(%a#1, %a#2) params [@w] path "layer.1"
    : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c:2 = ein.call @turn(%b#0, %y) path "turn.0" : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %d:2 = ein.call @turn(%c#0, %c#1) path "turn.1" : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  ein.return %d#0 : tensor<2xf32>
}
