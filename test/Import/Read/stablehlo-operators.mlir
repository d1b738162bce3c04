// Operators of StableHLO as those of ATen, each in the forms that JAX prints. Nodes that no output needs are not there.
// RUN: %unit/read-model %s | FileCheck %s
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x3xi1>) -> (), sym_name = "main"}> ({
  // CHECK: input %x: f32[2, 3] 'x'
  // CHECK-NEXT: input %arg1: f32[3, 4] 'arg1'
  ^bb0(%x: tensor<2x3xf32> loc("x"), %w: tensor<3x4xf32>, %b: tensor<2x3xi1>):
    // A splat is a node, another constant an input.
    // CHECK: constant %constant: i64[2] 'constant' in constant
    %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %least = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %half = "stablehlo.constant"() <{value = dense<0.5> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
    %c = "stablehlo.constant"() <{value = dense<[3, -4]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %nine = "stablehlo.constant"() <{value = dense<9> : tensor<i32>}> : () -> tensor<i32>

    // CHECK-NEXT: %[[HALF:full_[0-9]+]]: f32[2, 3] = aten.full.default(size = [2, 3], fill_value = 0.5, dtype = f32)
    // CHECK: %exp: f32[2, 3] = aten.exp.default(self = %x)
    // CHECK-NEXT: %div: f32[2, 3] = aten.div.Tensor(self = %exp, other = %[[HALF]])
    // CHECK-NEXT: %ge: bool[2, 3] = aten.ge.Tensor(self = %x, other = %div)
    // CHECK-NEXT: %bitwise_and: bool[2, 3] = aten.bitwise_and.Tensor(self = %ge, other = %arg2)
    // CHECK-NEXT: %where: f32[2, 3] = aten.where.self(condition = %bitwise_and, self = %x, other = %div)
    // CHECK-NEXT: %pow: f32[2, 3] = aten.pow.Tensor_Scalar(self = %where, exponent = 0.5)
    // CHECK: %maximum: f32[2, 3] = aten.relu.default(self = %pow)
    // CHECK-NEXT: %minimum: f32[2, 3] = aten.minimum.default(self = %maximum, other = %[[HALF]])
    // CHECK-NEXT: %mul: f32[2, 3] = aten.mul.Tensor(self = %minimum, other = %minimum)
    // CHECK-NEXT: %erf: f32[2, 3] = aten.erf.default(self = %mul)
    %0 = "stablehlo.exponential"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = "stablehlo.divide"(%0, %half) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = "stablehlo.compare"(%x, %1) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %3 = "stablehlo.multiply"(%2, %b) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    %4 = "stablehlo.select"(%3, %x, %1) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %5 = "stablehlo.power"(%4, %half) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %6 = "stablehlo.clamp"(%zero, %5, %half) : (tensor<f32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %7 = "chlo.square"(%6) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %8 = "chlo.erf"(%7) : (tensor<2x3xf32>) -> tensor<2x3xf32>

    // CHECK-NEXT: %permute: f32[3, 2] = aten.permute.default(self = %erf, dims = [1, 0])
    // CHECK-NEXT: %view: f32[3, 1, 2] = aten.view.default(self = %permute, size = [3, 1, 2])
    // CHECK-NEXT: %expand: f32[3, 5, 2] = aten.expand.default(self = %view, size = [3, 5, 2])
    // CHECK-NEXT: %slice: f32[3, 2, 2] = aten.slice.Tensor(self = %expand, dim = 1, start = 1, end = 5, step = 2)
    // CHECK-NEXT: %cat: f32[3, 4, 2] = aten.cat.default(tensors = [%slice, %slice], dim = 1)
    // CHECK-NEXT: %flip: f32[3, 4, 2] = aten.flip.default(self = %cat, dims = [0, 2])
    // CHECK-NEXT: %constant_pad_nd: f32[3, 4, 3] = aten.constant_pad_nd.default(self = %flip, pad = [1, 0, 0, 0, 0, 0], value = 0)
    // CHECK-NEXT: %slice_1: f32[3, 2, 3] = aten.slice.Tensor(self = %constant_pad_nd, dim = 1, start = 2, end = 4, step = 1)
    // CHECK-NEXT: %slice_scatter: f32[3, 4, 3] = aten.slice_scatter.default(self = %constant_pad_nd, src = %slice_1, dim = 1, start = 1, end = 3)
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64: 2, 0>}> : (tensor<2x3xf32>) -> tensor<3x5x2xf32>
    %10 = "stablehlo.slice"(%9) <{limit_indices = array<i64: 3, 5, 2>, start_indices = array<i64: 0, 1, 0>, strides = array<i64: 1, 2, 1>}> : (tensor<3x5x2xf32>) -> tensor<3x2x2xf32>
    %11 = "stablehlo.concatenate"(%10, %10) <{dimension = 1 : i64}> : (tensor<3x2x2xf32>, tensor<3x2x2xf32>) -> tensor<3x4x2xf32>
    %12 = "stablehlo.reverse"(%11) <{dimensions = array<i64: 0, 2>}> : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
    %13 = "stablehlo.pad"(%12, %zero) <{edge_padding_high = array<i64: 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 1>, interior_padding = array<i64: 0, 0, 0>}> : (tensor<3x4x2xf32>, tensor<f32>) -> tensor<3x4x3xf32>
    // A start behind the end is that of the last slice.
    %14 = "stablehlo.dynamic_slice"(%13, %one, %nine, %one) <{slice_sizes = array<i64: 3, 2, 3>}> : (tensor<3x4x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x2x3xf32>
    %15 = "stablehlo.dynamic_update_slice"(%13, %14, %one, %one, %one) : (tensor<3x4x3xf32>, tensor<3x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x3xf32>

    // CHECK: %arange: i32[3] = aten.arange.start_step(start = 0, end = 3, step = 1, dtype = i32)
    // CHECK: %_to_copy: f32[2, 3] = aten._to_copy.default(self = %{{expand.*}}, dtype = f32)
    // CHECK-NEXT: %ne: bool[2, 3] = aten.ne.Scalar(self = %_to_copy, other = 0)
    %16 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xi32>
    %17 = "stablehlo.convert"(%16) : (tensor<2x3xi32>) -> tensor<2x3xf32>
    %18 = "stablehlo.convert"(%17) : (tensor<2x3xf32>) -> tensor<2x3xi1>

    // Products, and what they reduce to.
    // CHECK-NEXT: %matmul: f32[2, 4] = aten.matmul.default(self = %x, other = %arg1)
    // CHECK-NEXT: %permute_1: f32[3, 3, 4] = aten.permute.default(self = %slice_scatter, dims = [0, 2, 1])
    // CHECK-NEXT: %matmul_1: f32[3, 4, 4] = aten.matmul.default(self = %slice_scatter, other = %permute_1)
    %19 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %20 = "stablehlo.dot_general"(%15, %15) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]>}> : (tensor<3x4x3xf32>, tensor<3x4x3xf32>) -> tensor<3x4x4xf32>

    // CHECK-NEXT: %sum: f32[4] = aten.sum.dim_IntList(self = %matmul_1, dim = [0, 2], keepdim = false)
    // CHECK-NEXT: %amax: f32[3, 4] = aten.amax.default(self = %matmul_1, dim = [1], keepdim = false)
    // CHECK: %maximum_1: f32[3, 4] = aten.relu.default(self = %amax)
    %21 = "stablehlo.reduce"(%20, %zero) <{dimensions = array<i64: 0, 2>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<3x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    // The first value of a maximum that is not the least one counts.
    %22 = "stablehlo.reduce"(%20, %zero) <{dimensions = array<i64: 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.maximum"(%r, %l) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<3x4x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    "func.return"(%21, %22, %18, %19, %c) : (tensor<4xf32>, tensor<3x4xf32>, tensor<2x3xi1>, tensor<2x4xf32>, tensor<2xi64>) -> ()
  }) : () -> ()
}) : () -> ()
