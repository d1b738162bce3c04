// What stays apart: equations that one loop nest cannot compute, or whose kernels would need each other.
// RUN: plc-opt %s --form-kernels | FileCheck %s
// RUN: plc-opt %s --form-kernels --remarks-filter-missed=form-kernels -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: not fused with 1 equations that it reads: another kernel would have to run between them
// REMARK-DAG: not fused with 2 equations that it reads: their domains have no rows in common

#one = affine_map<(i) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// A gather that reads rows at will needs its table whole: what makes the table is a kernel before it.
// CHECK: plan.kernel @table.0({{.*}}kind = #plan<kind elementwise>
// CHECK-NEXT: ein.map exp "
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @table.1({{.*}}kind = #plan<kind elementwise>
// CHECK-NEXT: ein.gather
// CHECK-NEXT: plan.yield
ein.func @table(%x: tensor<8x16xf32>, %t: tensor<5xi32>) -> tensor<5x16xf32> {
  %e = ein.map exp(%x) over [8, 16] maps [#id, #id] : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %g = ein.gather %e, %t over [5, 16] maps [affine_map<(i, j)[s] -> (s, j)>, #row, #id] : (tensor<8x16xf32>, tensor<5xi32>) -> tensor<5x16xf32>
  ein.return %g : tensor<5x16xf32>
}

// Two gathers from one row keep one row whole: the second is a kernel of its own.
// CHECK: plan.kernel @rows.0(
// CHECK: ein.map exp "
// CHECK-NEXT: ein.gather
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @rows.1(
// CHECK-NEXT: ein.gather
// CHECK-NEXT: plan.yield
ein.func @rows(%x: tensor<5x16xf32>, %t: tensor<5xi32>, %u: tensor<5xi32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %e = ein.map exp(%x) over [5, 16] maps [#id, #id] : (tensor<5x16xf32>) -> tensor<5x16xf32>
  %a = ein.gather %e, %t over [5] maps [affine_map<(i)[s] -> (i, s)>, #one, #one] : (tensor<5x16xf32>, tensor<5xi32>) -> tensor<5xf32>
  %b = ein.gather %e, %u over [5] maps [affine_map<(i)[s] -> (i, s)>, #one, #one] : (tensor<5x16xf32>, tensor<5xi32>) -> tensor<5xf32>
  ein.return %a, %b : tensor<5xf32>, tensor<5xf32>
}

// A value and its transpose have no common point.
// CHECK: plan.kernel @turned.0(
// CHECK-NEXT: ein.map exp "
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @turned.1(
// CHECK-NEXT: ein.map add "
// CHECK-NEXT: plan.yield
ein.func @turned(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = ein.map exp(%x) over [8, 8] maps [#id, #id] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = ein.map add(%e, %e) over [8, 8] maps [#id, #turned, #id] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  ein.return %y : tensor<8x8xf32>
}

// A view lies between kernels: behind it the points are others, so its reader is another kernel, which shows it again.
// CHECK: plan.kernel @viewed.0(%{{.*}}) -> tensor<4x6xf32>
// CHECK-NEXT: ein.map tanh "
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @viewed.1(%[[V:.*]]: tensor<4x6xf32>) -> tensor<4x3x2xf32>
// CHECK-NEXT: ein.split %[[V]] axis 1
// CHECK-NEXT: ein.map exp "
// CHECK-NEXT: plan.yield
ein.func @viewed(%x: tensor<4x6xf32>) -> tensor<4x3x2xf32> {
  %e = ein.map tanh(%x) over [4, 6] maps [#id, #id] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %v = ein.split %e axis 1 : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %y = ein.map exp(%v) over [4, 3, 2] maps [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>] : (tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  ein.return %y : tensor<4x3x2xf32>
}

// A column sum does not take a map that another equation reads, or it would be computed twice.
// CHECK: plan.kernel @shared.0(
// CHECK-NEXT: ein.map sqrt "
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @shared.1({{.*}}kind = #plan<kind columns>
// CHECK-NEXT: ein.reduce sum "
// CHECK-NEXT: plan.yield
ein.func @shared(%x: tensor<8x16xf32>) -> (tensor<16xf32>, tensor<8x16xf32>) {
  %m = ein.map sqrt(%x) over [8, 16] maps [#id, #id] : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = ein.reduce sum(%m) over [8, 16] maps [#id, #column] order chain : (tensor<8x16xf32>) -> tensor<16xf32>
  ein.return %s, %m : tensor<16xf32>, tensor<8x16xf32>
}

// Nor one over the summed rows alone, whose points are no columns, nor another sum.
// CHECK: plan.kernel @claims.0({{.*}}) -> tensor<8xf32>
// CHECK-NEXT: ein.map log "
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @claims.1({{.*}}kind = #plan<kind columns>
// CHECK-NEXT: ein.map mul "
// CHECK-NEXT: ein.reduce sum "
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @claims.2({{.*}}kind = #plan<kind columns>
// CHECK-NEXT: ein.reduce max "
// CHECK-NEXT: plan.yield
ein.func @claims(%x: tensor<8x16xf32>, %u: tensor<8xf32>) -> tensor<f32> {
  %l = ein.map log(%u) over [8] maps [#one, #one] : (tensor<8xf32>) -> tensor<8xf32>
  %m = ein.map mul(%x, %l) over [8, 16] maps [#id, #row, #id] : (tensor<8x16xf32>, tensor<8xf32>) -> tensor<8x16xf32>
  %s = ein.reduce sum(%m) over [8, 16] maps [#id, #column] order chain : (tensor<8x16xf32>) -> tensor<16xf32>
  %t = ein.reduce max(%s) over [16] maps [#one, affine_map<(i) -> ()>] order chain : (tensor<16xf32>) -> tensor<f32>
  ein.return %t : tensor<f32>
}

// The sum on the way from the first map to the last leaves the group: together they could not run before it nor after.
// CHECK: plan.kernel @between.0({{.*}}kind = #plan<kind elementwise>
// CHECK-NEXT: ein.map sin "
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @between.1({{.*}}kind = #plan<kind columns>
// CHECK-NEXT: ein.reduce sum "
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @between.2({{.*}}kind = #plan<kind elementwise>
// CHECK-NEXT: ein.map sub "
// CHECK-NEXT: plan.yield
ein.func @between(%x: tensor<9x16xf32>) -> tensor<9x16xf32> {
  %e = ein.map sin(%x) over [9, 16] maps [#id, #id] : (tensor<9x16xf32>) -> tensor<9x16xf32>
  %s = ein.reduce sum(%e) over [9, 16] maps [#id, #column] order chain : (tensor<9x16xf32>) -> tensor<16xf32>
  %y = ein.map sub(%e, %s) over [9, 16] maps [#id, #column, #id] : (tensor<9x16xf32>, tensor<16xf32>) -> tensor<9x16xf32>
  ein.return %y : tensor<9x16xf32>
}

// A scatter is alone, beside maps over the same points.
// CHECK: plan.kernel @scattered.0({{.*}}kind = #plan<kind elementwise>
// CHECK-NEXT: ein.map neg "
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @scattered.1({{.*}}kind = #plan<kind scatter>
// CHECK-NEXT: ein.scatter_add
// CHECK-NEXT: plan.yield
ein.func @scattered(%x: tensor<8x16xf32>, %t: tensor<8xi32>, %b: tensor<99x16xf32>) -> tensor<99x16xf32> attributes {role = "W", num_accumulators = 1 : i64} {
  %n = ein.map neg(%x) over [8, 16] maps [#id, #id] : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %w = ein.scatter_add %n, %t over [8, 16] maps [#id, #row, affine_map<(i, j)[s] -> (s, j)>] into %b : tensor<99x16xf32>
    : (tensor<8x16xf32>, tensor<8xi32>) -> tensor<99x16xf32>
  ein.return %w : tensor<99x16xf32>
}

// The batch is of another extent in other micro-batches, so it shares no loop with an axis that is as long here.
// CHECK: plan.kernel @batch.0(
// CHECK-NEXT: ein.map exp "
// CHECK-NEXT: ein.reduce sum "
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @batch.1(
// CHECK-NEXT: ein.map mul "
// CHECK-NEXT: plan.yield
ein.func @batch(%x: tensor<2xf32, #ein.batch<0>>, %w: tensor<2xf32>) -> tensor<2xf32, #ein.batch<0>> {
  %e = ein.map exp(%w) over [2] maps [#one, #one] : (tensor<2xf32>) -> tensor<2xf32>
  %s = ein.reduce sum(%e) over [2] maps [#one, affine_map<(i) -> ()>] order lanes : (tensor<2xf32>) -> tensor<f32>
  %y = ein.map mul(%x, %s) over [2] maps [#one, affine_map<(i) -> ()>, #one] : (tensor<2xf32, #ein.batch<0>>, tensor<f32>) -> tensor<2xf32, #ein.batch<0>>
  ein.return %y : tensor<2xf32, #ein.batch<0>>
}
