// A state that a run leaves as it is is read where it lies: nothing copies it, and it is no result.
// RUN: plc-opt %s --ein-update-states | FileCheck %s
ein.state @f.k init 0.0
ein.state @g.k init 0.0
ein.state @g.n init 0.0

// CHECK: ein.func @f(%[[X:.*]]: tensor<2xf32>, %[[K:.*]]: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[Y:.*]] = ein.map add "a,a->a" %[[X]], %[[K]]
// CHECK-NEXT: ein.return %[[Y]]
ein.func @f(%x: tensor<2xf32>, %k: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %y = ein.map add "a,a->a" %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %y, %k : tensor<2xf32>, tensor<2xf32>
}

// Beside one that changes.
// CHECK: ein.func @g({{.*}}) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK: ein.put
// CHECK-NOT: ein.put
ein.func @g(%x: tensor<2xf32>, %k: tensor<2xf32>, %n: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %y = ein.map add "a,a->a" %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %m = ein.map mul "a,a->a" %x, %n : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %y, %k, %m : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK: ein.model @m
// CHECK-SAME: result_names = ["y", #ein.state<"g.n">]
ein.model @m(%x: tensor<2xf32>, %k: tensor<2xf32>, %l: tensor<2xf32>, %n: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) attributes {
    arg_names = ["x", #ein.state<"f.k">, #ein.state<"g.k">, #ein.state<"g.n">], result_names = [#ein.state<"f.k">, "y", #ein.state<"g.k">, #ein.state<"g.n">],
    arg_batch = array<i64: -1, -1, -1, -1>, result_batch = array<i64: -1, -1, -1, -1>} {
  %a, %k1 = ein.call @f(%x, %k) path "f" : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %y, %l1, %n1 = ein.call @g(%a, %l, %n) path "g" : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  ein.return %k1, %y, %l1, %n1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
