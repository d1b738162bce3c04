// RUN: plc-opt %s --ein-differentiate | FileCheck %s
// RUN: plc-opt %s --ein-differentiate=forward-only=true | FileCheck %s --check-prefix=FORWARD
// RUN: plc-opt %s --ein-differentiate=wrt=norm.mean | FileCheck %s --check-prefix=ASKED

// What a step gives to a parameter: W accumulates it in place of a gradient, though the parameter has other uses. Without
// a step only the input stays, and a gradient that is asked for is one of those uses.

ein.param @norm.g : tensor<3xf32> init constant(1.0, 0.0)
ein.param @norm.mean : tensor<3xf32> init constant(0.0, 0.0) frozen replaced

// CHECK:      ein.func @norm.W(%[[DY:.*]]: tensor<2x3xf32>, %[[X:.*]]: tensor<2x3xf32>, %[[MEAN:.*]]: tensor<3xf32>, %[[DG:.*]]: tensor<3xf32>, %[[INTO:.*]]: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
// CHECK:        %[[S:.*]] = ein.reduce sum "ab->b" %[[X]]
// CHECK:        %[[NEXT:.*]] = ein.map add "a,a->a" %[[MEAN]], %[[S]]
// CHECK:        %[[SUM:.*]] = {{.*}} into %[[INTO]]
// CHECK:        ein.return %{{.*}}, %[[SUM]]
// CHECK-NOT:  ein.next
// FORWARD:      ein.func @norm(
// FORWARD-NOT:  ein.next
// ASKED:      ein.func @norm.W(%[[DY:.*]]: tensor<2x3xf32>, %[[G:.*]]: tensor<3xf32>, %[[INTO:.*]]: tensor<3xf32>) -> tensor<3xf32>
// ASKED:        %[[SUM:.*]] = ein.reduce sum "ab->b" %{{.*}}
// ASKED:        %[[DMEAN:.*]] = ein.map neg "a->a" %[[SUM]]
// ASKED:        ein.reduce sum "a->a" %[[DMEAN]] into %[[INTO]]
// ASKED-NOT:  ein.next
ein.func @norm(%x: tensor<2x3xf32>, %g: tensor<3xf32>, %mean: tensor<3xf32>) -> tensor<2x3xf32> attributes {num_params = 2 : i64} {
  %s = ein.reduce sum "ab->b" %x : (tensor<2x3xf32>) -> tensor<3xf32>
  %next = ein.map add "a,a->a" %mean, %s : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %centred = ein.map sub "ab,b->ab" %x, %mean : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %y = ein.map mul "ab,b->ab" %centred, %g : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %z = ein.next %y, %mean = %next : tensor<2x3xf32>, tensor<3xf32>
  ein.return %z : tensor<2x3xf32>
}
ein.func @loss(%y: tensor<2x3xf32>) -> tensor<f32> {
  %0 = ein.map mul "ab,ab->ab" %y, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = ein.reduce sum "ab->" %0 : (tensor<2x3xf32>) -> tensor<f32>
  ein.return %1 : tensor<f32>
}
ein.model @m(%x: tensor<2x3xf32>) -> tensor<f32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>, result_names = ["loss"], result_batch = array<i64: -1>, batch = 0 : i64} {
  %y = ein.call @norm(%x) params [@norm.g, @norm.mean] path "norm" : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %l = ein.call @loss(%y) path "loss" : (tensor<2x3xf32>) -> tensor<f32>
  ein.return %l : tensor<f32>
}
