// Slices and updates at computed positions, sorted elements, scattered rows and loops of StableHLO.
// RUN: %unit/read-model %s | FileCheck %s
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<4x6xf32> loc("x"), %i: tensor<i32> loc("i"), %rows: tensor<3x1xi32> loc("rows"), %v: tensor<3x6xf32> loc("v"), %one: tensor<4x1xf32> loc("one")):
    %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %step = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %count = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>

    // A slice begins where it fits.
    // CHECK: %view: i32[1] = aten.view.default(self = %i, size = [1])
    // CHECK-NEXT: %clamp: i32[1] = aten.clamp.default(self = %view, min = 0, max = 4)
    // CHECK-NEXT: %arange: i32[2] = aten.arange.start_step(start = 0, end = 2, step = 1, dtype = i32)
    // CHECK-NEXT: %add: i32[2] = aten.add.Tensor(self = %arange, other = %clamp)
    // CHECK-NEXT: %index: f32[4, 2] = aten.index.Tensor(self = %x, indices = [none, %add])
    %0 = "stablehlo.dynamic_slice"(%x, %zero, %i) <{slice_sizes = array<i64: 4, 2>}> : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
    // CHECK: %eq: bool[6] = aten.eq.Tensor(self = %arange_1, other = %clamp_1)
    // CHECK: %where: f32[4, 6] = aten.where.self(condition = %{{.*}}, self = %{{.*}}, other = %x)
    %1 = "stablehlo.dynamic_update_slice"(%x, %one, %zero, %i) : (tensor<4x6xf32>, tensor<4x1xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>

    // CHECK: %sort: f32[4, 6], %sort_1: i64[4, 6] = aten.sort.stable(self = %x, stable = true, dim = 1, descending = false)
    %counts = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x6xi32>
    %2:2 = "stablehlo.sort"(%x, %counts) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %s = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%s) : (tensor<i1>) -> ()
    }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
    // CHECK: aten.sort.stable(self = %x, stable = true, dim = 0, descending = true)
    %3 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%s) : (tensor<i1>) -> ()
    }) : (tensor<4x6xf32>) -> tensor<4x6xf32>

    // CHECK: %view_{{[0-9]+}}: i32[3] = aten.view.default(self = %rows, size = [3])
    // CHECK-NEXT: %index_put: f32[4, 6] = aten.index_put.default(self = %x, indices = [%view_{{[0-9]+}}], values = %v, accumulate = true)
    %4 = "stablehlo.scatter"(%x, %rows, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x6xf32>
    // CHECK: aten.index_put.default({{.*}}, accumulate = false)
    %5 = "stablehlo.scatter"(%x, %rows, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      "stablehlo.return"(%b) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x6xf32>

    // Three iterations, one after another. Updates that fill an axis join their parts.
    // CHECK: %tanh: f32[4, 6] = aten.tanh.default(self = %x)
    // CHECK: %tanh_1: f32[4, 6] = aten.tanh.default(self = %tanh)
    // CHECK: %tanh_2: f32[4, 6] = aten.tanh.default(self = %tanh_1)
    // CHECK: %cat: f32[3, 4, 6] = aten.cat.default(tensors = [%{{.*}}, %{{.*}}, %{{.*}}], dim = 0)
    %buffer = "stablehlo.constant"() <{value = dense<0.0> : tensor<3x4x6xf32>}> : () -> tensor<3x4x6xf32>
    %6:3 = "stablehlo.while"(%zero, %x, %buffer) ({
    ^bb0(%a: tensor<i32>, %b: tensor<4x6xf32>, %c: tensor<3x4x6xf32>):
      %s = "stablehlo.compare"(%a, %count) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%s) : (tensor<i1>) -> ()
    }, {
    ^bb0(%a: tensor<i32>, %b: tensor<4x6xf32>, %c: tensor<3x4x6xf32>):
      %y = "stablehlo.tanh"(%b) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %w = "stablehlo.reshape"(%y) : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
      %d = "stablehlo.dynamic_update_slice"(%c, %w, %a, %zero, %zero) : (tensor<3x4x6xf32>, tensor<1x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x6xf32>
      %n = "stablehlo.add"(%a, %step) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%n, %y, %d) : (tensor<i32>, tensor<4x6xf32>, tensor<3x4x6xf32>) -> ()
    }) : (tensor<i32>, tensor<4x6xf32>, tensor<3x4x6xf32>) -> (tensor<i32>, tensor<4x6xf32>, tensor<3x4x6xf32>)
    // How often this one runs is not known.
    // CHECK: stablehlo.while
    %7:2 = "stablehlo.while"(%i, %x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<4x6xf32>):
      %s = "stablehlo.compare"(%a, %count) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%s) : (tensor<i1>) -> ()
    }, {
    ^bb0(%a: tensor<i32>, %b: tensor<4x6xf32>):
      %n = "stablehlo.add"(%a, %step) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%n, %b) : (tensor<i32>, tensor<4x6xf32>) -> ()
    }) : (tensor<i32>, tensor<4x6xf32>) -> (tensor<i32>, tensor<4x6xf32>)
    "func.return"(%0, %1, %2#0, %2#1, %3, %4, %5, %6#1, %6#2, %7#1) : (tensor<4x2xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xi32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<3x4x6xf32>, tensor<4x6xf32>) -> ()
  }) : () -> ()
}) : () -> ()
