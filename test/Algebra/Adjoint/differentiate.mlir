// RUN: plc-opt %s --ein-differentiate | FileCheck %s
// RUN: plc-opt %s --ein-differentiate=forward-only=true | FileCheck %s --check-prefix=FORWARD

#i = affine_map<(i) -> (i)>
#o = affine_map<(i) -> ()>
#ij = affine_map<(i, j) -> (i, j)>
#im = affine_map<(i, j, k) -> (i, k)>
#km = affine_map<(i, j, k) -> (k, j)>
#jm = affine_map<(i, j, k) -> (i, j)>

ein.param @embed.w : tensor<16x4xf32> init normal(0.02, 0.0)
ein.param @layer.0.w : tensor<4x4xf32> init normal(0.02, 0.0)
ein.param @layer.1.w : tensor<4x4xf32> init normal(0.02, 0.0)
ein.param @layer.2.w : tensor<4x4xf32> init normal(0.02, 0.0) frozen

// No gradient reaches an index: no B.
// CHECK: ein.func @embed.F(%{{.*}}: tensor<2xi32>, %{{.*}}: tensor<16x4xf32>) -> tensor<2x4xf32> attributes {{.*}}role = "F"
// CHECK-NOT: ein.func @embed.B
// CHECK: ein.func @embed.W(%[[DY:.*]]: tensor<2x4xf32>, %[[T:.*]]: tensor<2xi32>, %[[ACC:.*]]: tensor<16x4xf32>) -> tensor<16x4xf32> attributes {{.*}}num_accumulators = 1 : i64, role = "W"
// CHECK-NEXT: ein.scatter_add "ab,i=a->ib" %[[DY]], %[[T]] into %[[ACC]]{{.*}} : (tensor<2x4xf32>, tensor<2xi32>) -> tensor<16x4xf32>
ein.func @embed(%t: tensor<2xi32>, %w: tensor<16x4xf32>) -> tensor<2x4xf32> attributes {kind = "embed", num_params = 1 : i64} {
  %0 = ein.gather %w, %t over [2, 4] maps [affine_map<(i, d)[s] -> (s, d)>, affine_map<(i, d) -> (i)>,
    affine_map<(i, d) -> (i, d)>] : (tensor<16x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  ein.return %0 : tensor<2x4xf32>
}

// Three variants of one body, the last call's first: not on the way to the loss, frozen (no W), trained. Each is made
// once, whatever the number of calls.
// CHECK: ein.func @layer.F({{.*}}) -> tensor<2x4xf32> attributes {kind = "layer"
// CHECK-NOT: @layer.B
// CHECK: ein.func @layer.1.F({{.*}}) -> (tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK: ein.func @layer.1.B(%{{.*}}: tensor<2x4xf32>, %{{.*}}: tensor<2x4xf32>, %{{.*}}: tensor<4x4xf32>) -> tensor<2x4xf32>
// CHECK-NOT: @layer.1.W
// The residual is the result of tanh; x goes to W as it is; B tells W the gradient before the product.
// CHECK: ein.func @layer.2.F(%{{.*}}: tensor<2x4xf32>, %{{.*}}: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK: %[[Y:.*]] = ein.map tanh
// CHECK: ein.return %{{.*}}, %[[Y]]
// CHECK: ein.func @layer.2.B(%[[DY:.*]]: tensor<2x4xf32>, %[[Y:.*]]: tensor<2x4xf32>, %[[W:.*]]: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK: %[[DP:.*]] = ein.map mul "ab,ab->ab" %[[DY]], %{{.*}}
// CHECK: %[[DX:.*]] = ein.contract "ac,bc->ab" %[[DP]], %[[W]]
// CHECK: %[[SUM:.*]] = ein.map add "ab,ab->ab" %[[DX]], %[[DY]]
// CHECK: ein.return %[[SUM]], %[[DP]]
// CHECK: ein.func @layer.2.W(%[[X:.*]]: tensor<2x4xf32>, %[[DP:.*]]: tensor<2x4xf32>, %[[ACC:.*]]: tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: ein.contract "ca,cb->ab" %[[X]], %[[DP]] into %[[ACC]]
ein.func @layer(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {kind = "layer", num_params = 1 : i64} {
  %0 = ein.contract %x, %w over [2, 4, 4] maps [#im, #km, #jm] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = ein.map tanh(%0) over [2, 4] maps [#ij, #ij] : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = ein.map add(%1, %x) over [2, 4] maps [#ij, #ij, #ij] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  ein.return %2 : tensor<2x4xf32>
}

// The seed is inside. stop has no gradient and is gone, forward too. Gradients of x and y are y and x: no result of B.
// CHECK: ein.func @loss.F
// CHECK-NOT: ein.stop
// CHECK: ein.func @loss.B(%[[X:.*]]: tensor<2x4xf32>, %[[Y:.*]]: tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: ein.map mul "ab,ab->ab" %[[X]], %[[Y]]
// CHECK-NOT: @loss.W
// FORWARD-NOT: ein.stop
ein.func @loss(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %z: tensor<2x4xf32>) -> tensor<f32> {
  %0 = ein.map mul(%x, %y) over [2, 4] maps [#ij, #ij, #ij] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = ein.stop %0 : tensor<2x4xf32>
  %2 = ein.map mul(%1, %z) over [2, 4] maps [#ij, #ij, #ij] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = ein.map add(%2, %0) over [2, 4] maps [#ij, #ij, #ij] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = ein.reduce sum(%3) over [2, 4] maps [#ij, affine_map<(i, j) -> ()>] : (tensor<2x4xf32>) -> tensor<f32>
  ein.return %4 : tensor<f32>
}

// Gradients from several calls are added by consumers in program order, beside the call that made the value.
// CHECK: ein.func @m.sum(%[[A:.*]]: tensor<2x4xf32>, %[[B:.*]]: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {{.*}}role = "sum"
// CHECK-NEXT: ein.map add "ab,ab->ab" %[[A]], %[[B]]

// CHECK: ein.model @m(%[[T:.*]]: tensor<2xi32>)
// CHECK-NEXT: %[[E:.*]] = ein.call @embed.F(%[[T]]) params [@embed.w] path "embed"
// CHECK-NEXT: %[[L0:.*]]:2 = ein.call @layer.2.F(%[[E]]) params [@layer.0.w] path "layer.0"
// CHECK-NEXT: %[[L1:.*]]:2 = ein.call @layer.2.F(%[[L0]]#0) params [@layer.1.w] path "layer.1"
// CHECK-NEXT: %[[L2:.*]]:2 = ein.call @layer.1.F(%[[L1]]#0) params [@layer.2.w] path "layer.2"
// CHECK-NEXT: %[[OTHER:.*]] = ein.call @layer.F(%[[L2]]#0) params [@layer.1.w] path "other"
// CHECK-NEXT: %[[LOSS:.*]] = ein.call @loss.F(%[[L0]]#0, %[[L1]]#0, %[[L2]]#0) path "loss"
// CHECK-NEXT: %[[D2:.*]] = ein.call @loss.B(%[[L0]]#0, %[[L1]]#0) path "loss"
// CHECK-NEXT: %[[D1:.*]] = ein.call @layer.1.B(%[[D2]], %[[L2]]#1) params [@layer.2.w] path "layer.2"
// CHECK-NEXT: %[[S1:.*]] = ein.call @m.sum(%[[D1]], %[[L0]]#0) path "layer.1"
// CHECK-NEXT: %[[D0:.*]]:2 = ein.call @layer.2.B(%[[S1]], %[[L1]]#1) params [@layer.1.w] path "layer.1"
// CHECK-NEXT: ein.call @layer.2.W(%[[L0]]#0, %[[D0]]#1) accumulates [@layer.1.w] path "layer.1"
// CHECK-NEXT: %[[S0:.*]] = ein.call @m.sum(%[[D0]]#0, %[[L1]]#0) path "layer.0"
// CHECK-NEXT: %[[DE:.*]]:2 = ein.call @layer.2.B(%[[S0]], %[[L0]]#1) params [@layer.0.w] path "layer.0"
// CHECK-NEXT: ein.call @layer.2.W(%[[E]], %[[DE]]#1) accumulates [@layer.0.w] path "layer.0"
// CHECK-NEXT: ein.call @embed.W(%[[DE]]#0, %[[T]]) accumulates [@embed.w] path "embed"
// CHECK-NEXT: ein.return %[[LOSS]], %[[OTHER]]
ein.model @m(%t: tensor<2xi32>) -> (tensor<f32>, tensor<2x4xf32>) attributes {arg_names = ["t"],
    arg_batch = array<i64: -1>, result_names = ["loss", "y"], result_batch = array<i64: -1, -1>} {
  %e = ein.call @embed(%t) params [@embed.w] path "embed" : (tensor<2xi32>) -> tensor<2x4xf32>
  %0 = ein.call @layer(%e) params [@layer.0.w] path "layer.0" : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = ein.call @layer(%0) params [@layer.1.w] path "layer.1" : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = ein.call @layer(%1) params [@layer.2.w] path "layer.2" : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %o = ein.call @layer(%2) params [@layer.1.w] path "other" : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %loss = ein.call @loss(%0, %1, %2) path "loss" : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<f32>
  ein.return %loss, %o : tensor<f32>, tensor<2x4xf32>
}
