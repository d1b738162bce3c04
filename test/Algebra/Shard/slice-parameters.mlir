// A parameter that is read at constant positions of one axis alone becomes one for each position.
// RUN: plc-opt %s --ein-slice-parameters | FileCheck %s --implicit-check-not=part(
// RUN: plc-opt %s --ein-slice-parameters=sizes=D=2,H=2 | FileCheck %s --check-prefix=DIVIDED --implicit-check-not=part(
// RUN: plc-opt %s --ein-slice-parameters --ein-slice-parameters | FileCheck %s --implicit-check-not=part(
// RUN: plc-opt %s --ein-slice-parameters | plc-opt | FileCheck %s --implicit-check-not=part(
// RUN: echo module {} | not plc-opt --ein-slice-parameters 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: module has no 'ein.model'

// It lacks the axis, as names of sizes and the tensors beside it do.
// CHECK: ein.param @"part(a.0.w, axis 1, 0 of 2)" : tensor<4x3xf32> init normal{{.*}} sizes ["D", "F"] shard <"a.0.w" axis 1, 0 of 2> slice {moments = [array<i64: 0>, array<i64: 0, 1>]}
// CHECK: ein.param @"part(a.0.w, axis 1, 1 of 2)" : tensor<4x3xf32> {{.*}} shard <"a.0.w" axis 1, 1 of 2> slice
// CHECK: ein.param @"part(a.1.w, axis 1, 0 of 2)" : tensor<4x3xf32> {{.*}} frozen shard <"a.1.w" axis 1, 0 of 2> slice
// CHECK: ein.param @"part(a.1.w, axis 1, 1 of 2)"
// CHECK: ein.param @"part(experts, axis 1, 0 of 2)" : tensor<8x3xf32>
// CHECK: ein.param @"part(experts, axis 1, 1 of 2)" : tensor<8x3xf32>
// CHECK: ein.param @"part(square, axis 0, 0 of 1)" : tensor<3x3xf32>
// The parameters of a divided size stay.
// DIVIDED: ein.param @a.0.w : tensor<4x2x3xf32>
// DIVIDED: ein.param @a.1.w : tensor<4x2x3xf32>
// DIVIDED: ein.param @"part(experts, axis 1, 0 of 2)"
// DIVIDED: ein.param @"part(experts, axis 1, 1 of 2)"
// DIVIDED: ein.param @"part(square, axis 0, 0 of 1)"
ein.param @a.0.w : tensor<4x2x3xf32> init normal(0.02, 0.0) sizes ["D", "", "F"]
    {moments = [array<i64: 0, 1>, array<i64: 0, 1, 2>]}
ein.param @a.1.w : tensor<4x2x3xf32> init normal(0.02, 0.0) frozen
ein.param @experts : tensor<8x2x3xf32> init normal(0.02, 0.0)
ein.param @square : tensor<1x3x3xf32> init normal(0.02, 0.0)
// CHECK: ein.func @a(%{{.*}}: tensor<5x4xf32>, %[[W0:.*]]: tensor<4x3xf32>, %[[W1:.*]]: tensor<4x3xf32>) -> tensor<5x3xf32> attributes {num_params = 2 : i64}
ein.func @a(%x: tensor<5x4xf32>, %w: tensor<4x2x3xf32>) -> tensor<5x3xf32> attributes {num_params = 1 : i64} {
  %zero = ein.constant 0.0 : tensor<i32>
  %one = ein.constant 1.0 : tensor<i64>
  // CHECK: ein.map id "ab->ab" %[[W1]] : (tensor<4x3xf32>) -> tensor<4x3xf32>
  // A read may turn what it reads, and there may be several.
  // CHECK: ein.map id "ba->ab" %[[W0]] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  // CHECK: ein.map id "ab->ab" %[[W0]]
  %0 = ein.gather "aib,i=->ab" %w, %one : (tensor<4x2x3xf32>, tensor<i64>) -> tensor<4x3xf32>
  %1 = ein.gather "bia,i=->ab" %w, %zero : (tensor<4x2x3xf32>, tensor<i32>) -> tensor<3x4xf32>
  %2 = ein.gather "aib,i=->ab" %w, %zero : (tensor<4x2x3xf32>, tensor<i32>) -> tensor<4x3xf32>
  %3 = ein.contract "ac,cd,de,eb->ab" %x, %0, %1, %2 : (tensor<5x4xf32>, tensor<4x3xf32>, tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  ein.return %3 : tensor<5x3xf32>
}
// Other positions stay, renumbered; a diagonal stays one; a body returns none of its arguments.
// CHECK: ein.func @b(%[[K:.*]]: tensor<5xi32>, %[[J:.*]]: tensor<5xi32>, %[[E0:.*]]: tensor<8x3xf32>, %[[E1:.*]]: tensor<8x3xf32>, %[[S:.*]]: tensor<3x3xf32>)
// CHECK-SAME: num_params = 3
ein.func @b(%k: tensor<5xi32>, %j: tensor<5xi32>, %w: tensor<8x2x3xf32>, %s: tensor<1x3x3xf32>)
    -> (tensor<5x3xf32>, tensor<5xf32>, tensor<3xf32>) attributes {num_params = 2 : i64} {
  %zero = ein.constant 0.0 : tensor<i32>
  %one = ein.constant 1.0 : tensor<i32>
  // CHECK: ein.gather "ib,i=a->ab" %[[E0]], %[[K]] : (tensor<8x3xf32>, tensor<5xi32>) -> tensor<5x3xf32>
  // CHECK: ein.gather "ij,i=a,j=a->a" %[[E1]], %[[K]], %[[J]] : (tensor<8x3xf32>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xf32>
  // CHECK: ein.map id "aa->a" %[[S]] : (tensor<3x3xf32>) -> tensor<3xf32>
  %0 = ein.gather "ijb,i=a,j=->ab" %w, %k, %zero : (tensor<8x2x3xf32>, tensor<5xi32>, tensor<i32>) -> tensor<5x3xf32>
  %1 = ein.gather "jik,i=,j=a,k=a->a" %w, %one, %k, %j : (tensor<8x2x3xf32>, tensor<i32>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xf32>
  %2 = ein.gather "iaa,i=->a" %s, %zero : (tensor<1x3x3xf32>, tensor<i32>) -> tensor<3xf32>
  ein.return %0, %1, %2 : tensor<5x3xf32>, tensor<5xf32>, tensor<3xf32>
}

// Whole: the first is read whole, too, and takes with it the others that are given where it is, one after another.
// CHECK: ein.param @whole.0 : tensor<2x3xf32>
// CHECK: ein.param @whole.1 : tensor<2x3xf32>
// CHECK: ein.param @whole.2 : tensor<2x3xf32>
ein.param @whole.0 : tensor<2x3xf32> init normal(0.02, 0.0)
ein.param @whole.1 : tensor<2x3xf32> init normal(0.02, 0.0)
ein.param @whole.2 : tensor<2x3xf32> init normal(0.02, 0.0)
ein.func @c(%w: tensor<2x3xf32>) -> tensor<3xf32> attributes {num_params = 1 : i64} {
  %0 = ein.reduce sum "ab->b" %w : (tensor<2x3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// CHECK: ein.func @d(%{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<2x3xf32>)
ein.func @d(%v: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>) attributes {num_params = 2 : i64} {
  %zero = ein.constant 0.0 : tensor<i32>
  %one = ein.constant 1.0 : tensor<i32>
  %0 = ein.gather "ia,i=->a" %v, %zero : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>
  %1 = ein.gather "ia,i=->a" %v, %one : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>
  %2 = ein.gather "ia,i=->a" %w, %zero : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>
  %3 = ein.gather "ia,i=->a" %w, %one : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>
  %4 = ein.map add "a,a->a" %0, %3 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %5 = ein.map add "a,a->a" %1, %2 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  ein.return %4, %5 : tensor<3xf32>, tensor<3xf32>
}
// Whole: numbers; a position that is not read; one that is outside; a position that is no constant; a diagonal of
// positions; another axis in another body.
// CHECK: ein.param @numbers : tensor<2xf32>
// CHECK: ein.param @some : tensor<3x2xf32>
// CHECK: ein.param @outside : tensor<1x2xf32>
// CHECK: ein.param @chosen : tensor<2x2xf32>
// CHECK: ein.param @diagonal : tensor<2x2xf32>
// CHECK: ein.param @axes : tensor<1x1xf32>
ein.param @numbers : tensor<2xf32> init constant(1.0, 0.0)
ein.param @some : tensor<3x2xf32> init constant(1.0, 0.0)
ein.param @outside : tensor<1x2xf32> init constant(1.0, 0.0)
ein.param @chosen : tensor<2x2xf32> init constant(1.0, 0.0)
ein.param @diagonal : tensor<2x2xf32> init constant(1.0, 0.0)
ein.param @axes : tensor<1x1xf32> init constant(1.0, 0.0)
ein.func @e(%k: tensor<i32>, %n: tensor<2xf32>, %s: tensor<3x2xf32>, %o: tensor<1x2xf32>, %c: tensor<2x2xf32>, %d: tensor<2x2xf32>, %w: tensor<1x1xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<1xf32>) attributes {num_params = 6 : i64} {
  %zero = ein.constant 0.0 : tensor<i32>
  %one = ein.constant 1.0 : tensor<i32>
  %0 = ein.gather "i,i=->" %n, %zero : (tensor<2xf32>, tensor<i32>) -> tensor<f32>
  %1 = ein.gather "i,i=->" %n, %one : (tensor<2xf32>, tensor<i32>) -> tensor<f32>
  %2 = ein.gather "ia,i=->a" %s, %zero : (tensor<3x2xf32>, tensor<i32>) -> tensor<2xf32>
  %3 = ein.gather "ia,i=->a" %s, %one : (tensor<3x2xf32>, tensor<i32>) -> tensor<2xf32>
  %4 = ein.gather "ia,i=->a" %o, %one : (tensor<1x2xf32>, tensor<i32>) -> tensor<2xf32>
  %5 = ein.gather "ia,i=->a" %c, %zero : (tensor<2x2xf32>, tensor<i32>) -> tensor<2xf32>
  %6 = ein.gather "ia,i=->a" %c, %k : (tensor<2x2xf32>, tensor<i32>) -> tensor<2xf32>
  %7 = ein.gather "ii,i=->" %d, %one : (tensor<2x2xf32>, tensor<i32>) -> tensor<f32>
  %8 = ein.gather "ia,i=->a" %w, %zero : (tensor<1x1xf32>, tensor<i32>) -> tensor<1xf32>
  ein.return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<1xf32>
}
ein.func @f(%w: tensor<1x1xf32>) -> tensor<1xf32> attributes {num_params = 1 : i64} {
  %zero = ein.constant 0.0 : tensor<i32>
  %0 = ein.gather "ai,i=->a" %w, %zero : (tensor<1x1xf32>, tensor<i32>) -> tensor<1xf32>
  ein.return %0 : tensor<1xf32>
}

ein.model @m(%x: tensor<5x4xf32>, %k: tensor<5xi32>, %t: tensor<i32>) -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5xf32>, tensor<3xf32>)
    attributes {arg_names = ["x", "k", "t"], result_names = ["a", "b", "c", "d", "e"], arg_batch = array<i64: -1, -1, -1>, result_batch = array<i64: -1, -1, -1, -1, -1>} {
  // CHECK: ein.call @a(%{{.*}}) params [@"part(a.0.w, axis 1, 0 of 2)", @"part(a.0.w, axis 1, 1 of 2)"] path "a.0"
  // CHECK: ein.call @a(%{{.*}}) params [@"part(a.1.w, axis 1, 0 of 2)", @"part(a.1.w, axis 1, 1 of 2)"] path "a.1"
  %0 = ein.call @a(%x) params [@a.0.w] path "a.0" : (tensor<5x4xf32>) -> tensor<5x3xf32>
  %1 = ein.call @a(%x) params [@a.1.w] path "a.1" : (tensor<5x4xf32>) -> tensor<5x3xf32>
  // CHECK: ein.call @b({{.*}}) params [@"part(experts, axis 1, 0 of 2)", @"part(experts, axis 1, 1 of 2)", @"part(square, axis 0, 0 of 1)"]
  // DIVIDED: ein.call @a(%{{.*}}) params [@a.0.w] path "a.0"
  // DIVIDED: ein.call @b({{.*}}) params [@"part(experts, axis 1, 0 of 2)", @"part(experts, axis 1, 1 of 2)", @"part(square, axis 0, 0 of 1)"]
  %2:3 = ein.call @b(%k, %k) params [@experts, @square] path "b" : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5x3xf32>, tensor<5xf32>, tensor<3xf32>)
  %3 = ein.call @c() params [@whole.0] path "c" : () -> tensor<3xf32>
  %4:2 = ein.call @d() params [@whole.0, @whole.1] path "d.0" : () -> (tensor<3xf32>, tensor<3xf32>)
  %5:2 = ein.call @d() params [@whole.2, @whole.1] path "d.1" : () -> (tensor<3xf32>, tensor<3xf32>)
  %6:2 = ein.call @d() params [@whole.2, @whole.2] path "d.2" : () -> (tensor<3xf32>, tensor<3xf32>)
  %7:9 = ein.call @e(%t) params [@numbers, @some, @outside, @chosen, @diagonal, @axes] path "e" : (tensor<i32>)
      -> (tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<1xf32>)
  %8 = ein.call @f() params [@axes] path "f" : () -> tensor<1xf32>
  ein.return %0, %1, %2#0, %2#1, %2#2 : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5xf32>, tensor<3xf32>
}
