// Equations become kernels; equal kernels of different bodies are one.
// RUN: plc-opt %s --form-kernels | FileCheck %s
// RUN: plc-opt %s --form-kernels=fusion=false | FileCheck %s --check-prefix=ALONE
// RUN: plc-opt %s --form-kernels --remarks-filter-missed=form-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: {{.*}}not fused with 1 equations that it reads: their common rows would be strided
// RUN: plc-opt %s --form-kernels -o %t1 && plc-opt %s --form-kernels -o %t2 && cmp %t1 %t2

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>

// A softmax is one kernel, its mask inside; the contraction before it is another.
// CHECK: plan.kernel @attention.0({{.*}}kind = #plan<kind contract>
// CHECK: plan.kernel @attention.1(%{{.*}}: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {{.*}}kind = #plan<kind rows>
// CHECK-DAG: ein.iota : tensor<16xi32>
// CHECK-DAG: ein.iota : tensor<8xi32>
// CHECK: ein.map le "b,a->ab"
// CHECK: ein.reduce max "ab->a"
// CHECK: ein.reduce sum "ab->a"
// CHECK: plan.yield
// CHECK: ein.func @attention
// CHECK-NEXT: %[[S:.*]] = plan.call @attention.0(%arg0, %arg1)
// CHECK-NEXT: %[[P:.*]] = plan.call @attention.1(%[[S]])
// CHECK-NEXT: ein.return %[[P]]
ein.func @attention(%q: tensor<8x4xf32>, %k: tensor<16x4xf32>) -> tensor<8x16xf32> {
  %i = ein.iota : tensor<16xi32>
  %j = ein.iota : tensor<8xi32>
  %none = ein.constant 0xFFF0000000000000 : tensor<f32>
  %mask = ein.map le(%i, %j) over [8, 16] maps [#column, #row, #id] : (tensor<16xi32>, tensor<8xi32>) -> tensor<8x16xi1>
  %x = ein.contract %q, %k over [8, 16, 4] maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
    affine_map<(i, j, k) -> (i, j)>] order [2] : (tensor<8x4xf32>, tensor<16x4xf32>) -> tensor<8x16xf32>
  %s = ein.map select(%mask, %x, %none) over [8, 16] maps [#id, #id, affine_map<(i, j) -> ()>, #id]
    : (tensor<8x16xi1>, tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %m = ein.reduce max(%s) over [8, 16] maps [#id, #row] order lanes : (tensor<8x16xf32>) -> tensor<8xf32>
  %d = ein.map sub(%s, %m) over [8, 16] maps [#id, #row, #id] : (tensor<8x16xf32>, tensor<8xf32>) -> tensor<8x16xf32>
  %e = ein.map exp(%d) over [8, 16] maps [#id, #id] : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %z = ein.reduce sum(%e) over [8, 16] maps [#id, #row] order lanes : (tensor<8x16xf32>) -> tensor<8xf32>
  %p = ein.map div(%e, %z) over [8, 16] maps [#id, #row, #id] : (tensor<8x16xf32>, tensor<8xf32>) -> tensor<8x16xf32>
  ein.return %p : tensor<8x16xf32>
}

// Without fusion each equation has a kernel of its own, but for masks.
// ALONE: plan.kernel @attention.0(%{{.*}}) -> tensor<8x16xf32>
// ALONE-SAME: kind = #plan<kind contract>
// ALONE: plan.kernel @attention.1(
// ALONE: ein.map le "b,a->ab"
// ALONE: ein.map select "ab,ab,->ab"
// ALONE-NEXT: plan.yield
// ALONE: ein.reduce max "ab->a"
// ALONE-NEXT: plan.yield
// ALONE: kind = #plan<kind columns>
// ALONE: ein.reduce sum "ab->b"
// ALONE-NEXT: plan.yield

// A column sum takes the product that only it reads; the accumulator is its last argument and result.
// CHECK: plan.kernel @gains.0(%{{.*}}: tensor<8x16xf32>, %{{.*}}: tensor<8x16xf32>, %[[A:.*]]: tensor<16xf32>) -> tensor<16xf32>
// CHECK-SAME: kind = #plan<kind columns>
// CHECK-SAME: num_accumulators = 1
// CHECK: ein.map mul "ab,ab->ab"
// CHECK: ein.reduce sum "ab->b" {{.*}} into %[[A]]
// CHECK: plan.kernel @gains.1
// CHECK-SAME: kind = #plan<kind scatter>
ein.func @gains(%dy: tensor<8x16xf32>, %n: tensor<8x16xf32>, %t: tensor<8xi32>, %a: tensor<16xf32>, %b: tensor<99x16xf32>)
    -> (tensor<16xf32>, tensor<99x16xf32>) attributes {role = "W", num_accumulators = 2 : i64} {
  %m = ein.map mul(%dy, %n) over [8, 16] maps [#id, #id, #id] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = ein.reduce sum(%m) over [8, 16] maps [#id, #column] order chain into %a : tensor<16xf32> : (tensor<8x16xf32>) -> tensor<16xf32>
  %w = ein.scatter_add %dy, %t over [8, 16] maps [#id, #row, affine_map<(i, j)[s] -> (s, j)>] into %b : tensor<99x16xf32>
    : (tensor<8x16xf32>, tensor<8xi32>) -> tensor<99x16xf32>
  ein.return %s, %w : tensor<16xf32>, tensor<99x16xf32>
}

// The exponential on both sides of a contraction cannot be one kernel with the sum: neither could run first.
// CHECK: plan.kernel @convex.0({{.*}}) -> tensor<4x4xf32> attributes {{.*}}kind = #plan<kind elementwise>
// CHECK: plan.kernel @convex.1({{.*}}kind = #plan<kind contract>
// CHECK: plan.kernel @convex.2({{.*}}kind = #plan<kind elementwise>
ein.func @convex(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = ein.map exp(%x) over [4, 4] maps [#id, #id] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = ein.contract %e, %x over [4, 4, 4] maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
    affine_map<(i, j, k) -> (i, j)>] order [2] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = ein.map add(%e, %c) over [4, 4] maps [#id, #id, #id] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  ein.return %y : tensor<4x4xf32>
}

// A stop is its value; what nothing needs is gone; an equal kernel is shared; two rows meet in one kernel.
// CHECK-NOT: plan.kernel @again.0
// CHECK: plan.kernel @again.1({{.*}}kind = #plan<kind rows>
// CHECK: ein.func @again
// CHECK-NEXT: %[[E:.*]] = plan.call @convex.0(%arg0)
// CHECK-NEXT: %[[D:.*]] = plan.call @again.1(%arg1, %arg2)
// CHECK-NEXT: ein.return %[[E]], %[[D]]
ein.func @again(%x: tensor<4x4xf32>, %l: tensor<5x9xf32>, %t: tensor<5xi32>) -> (tensor<4x4xf32>, tensor<5xf32>) {
  %e = ein.map exp(%x) over [4, 4] maps [#id, #id] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %unused = ein.map neg(%x) over [4, 4] maps [#id, #id] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = ein.stop %e : tensor<4x4xf32>
  %m = ein.reduce max(%l) over [5, 9] maps [#id, #row] order lanes : (tensor<5x9xf32>) -> tensor<5xf32>
  %a = ein.gather %l, %t over [5] maps [affine_map<(i)[s] -> (i, s)>, #one, #one] : (tensor<5x9xf32>, tensor<5xi32>) -> tensor<5xf32>
  %d = ein.map sub(%m, %a) over [5] maps [#one, #one, #one] : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  ein.return %s, %d : tensor<4x4xf32>, tensor<5xf32>
}

// A constant that is a result is made by one kernel; each other one has its own copy.
// CHECK: plan.kernel @returned.0({{.*}}) -> (tensor<f32>, tensor<4x4xf32>)
// CHECK: plan.kernel @returned.2(%arg0: tensor<4x4xf32>) ->
// CHECK-NEXT: ein.constant
// CHECK: ein.func @returned
// CHECK: %[[Y:.*]]:2 = plan.call @returned.0(%arg0)
// CHECK: %[[Z:.*]] = plan.call @returned.2(
// CHECK: ein.return %[[Z]], %[[Y]]#0
ein.func @returned(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<f32>) {
  %one = ein.constant 1.0 : tensor<f32>
  %y = ein.map add(%x, %one) over [4, 4] maps [#id, affine_map<(i, j) -> ()>, #id] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %c = ein.contract %y, %x over [4, 4, 4] maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
    affine_map<(i, j, k) -> (i, j)>] order [2] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = ein.map div(%c, %one) over [4, 4] maps [#id, affine_map<(i, j) -> ()>, #id] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  ein.return %z, %one : tensor<4x4xf32>, tensor<f32>
}

// Views belong to the kernels that read or give them: none of their own.
// CHECK: plan.kernel @views.0(%[[X:.*]]: tensor<4x6xf32>) -> tensor<24xf32>
// CHECK-NEXT: %[[S:.*]] = ein.split %[[X]] axis 1
// CHECK-NEXT: %[[E:.*]] = ein.map exp "abc->abc" %[[S]]
// CHECK-NEXT: %[[M:.*]] = ein.merge %[[E]] axis 0
// CHECK-NEXT: plan.yield %[[M]]
// The other reader sees the value through the result.
// CHECK: plan.kernel @views.1(%[[Y:.*]]: tensor<24xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: %[[B:.*]] = ein.split %[[Y]] axis 0 : (tensor<24xf32>) -> tensor<4x3x2xf32>
// CHECK-NEXT: ein.reduce sum "abc->bc" %[[B]]
// CHECK: ein.func @views
// CHECK-NEXT: %[[Y:.*]] = plan.call @views.0(%arg0)
// CHECK-NEXT: %[[R:.*]] = plan.call @views.1(%[[Y]])
// CHECK-NEXT: ein.return %[[Y]], %[[R]]
ein.func @views(%x: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<3x2xf32>) {
  %0 = ein.split %x axis 1 : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %1 = ein.map exp(%0) over [4, 3, 2] maps [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>] : (tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  %2 = ein.merge %1 axis 0 : (tensor<4x3x2xf32>) -> tensor<24xf32>
  %3 = ein.reduce sum(%1) over [4, 3, 2] maps [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j, k)>] order chain : (tensor<4x3x2xf32>) -> tensor<3x2xf32>
  ein.return %2, %3 : tensor<24xf32>, tensor<3x2xf32>
}

// What is computed over (b, t) and read over (b, h, s, t) has a kernel of its own: common rows would be strided. The rest
// is one kernel.
// CHECK: plan.kernel @masked.0(%{{.*}}: tensor<2x4xi32>) -> tensor<2x4xi1> {{.*}}kind elementwise
// CHECK: plan.kernel @masked.1(%{{.*}}) -> tensor<2x3x5xf32> {{.*}}kind rows
// CHECK-NEXT: ein.constant
// CHECK-NEXT: ein.map select
// CHECK-NEXT: ein.reduce max
ein.func @masked(%x: tensor<2x3x5x4xf32>, %m: tensor<2x4xi32>) -> tensor<2x3x5xf32> {
  %none = ein.constant 0.0 : tensor<i32>
  %low = ein.constant -1.0 : tensor<f32>
  %hides = ein.map eq(%m, %none) over [2, 4] maps [#id, affine_map<(i, j) -> ()>, #id] : (tensor<2x4xi32>, tensor<i32>) -> tensor<2x4xi1>
  %y = ein.map select(%hides, %low, %x) over [2, 3, 5, 4] maps [affine_map<(b, h, s, t) -> (b, t)>, affine_map<(b, h, s, t) -> ()>,
    affine_map<(b, h, s, t) -> (b, h, s, t)>, affine_map<(b, h, s, t) -> (b, h, s, t)>] : (tensor<2x4xi1>, tensor<f32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
  %z = ein.reduce max(%y) over [2, 3, 5, 4] maps [affine_map<(b, h, s, t) -> (b, h, s, t)>, affine_map<(b, h, s, t) -> (b, h, s)>] order lanes : (tensor<2x3x5x4xf32>) -> tensor<2x3x5xf32>
  ein.return %z : tensor<2x3x5xf32>
}
