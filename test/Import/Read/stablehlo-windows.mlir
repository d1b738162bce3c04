// Windows, convolutions and gathers of StableHLO: axes go to where ATen has them, and back.
// RUN: %unit/read-model %s | FileCheck %s
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<2x8x6x4xf32> loc("x"), %k: tensor<3x3x2x6xf32> loc("k"), %t: tensor<5x6xf32> loc("t"), %i: tensor<2x3xi32> loc("i")):
    %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %least = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>

    // CHECK: %permute: f32[2, 4, 8, 6] = aten.permute.default(self = %x, dims = [0, 3, 1, 2])
    // CHECK-NEXT: %permute_1: f32[6, 2, 3, 3] = aten.permute.default(self = %k, dims = [3, 2, 0, 1])
    // CHECK-NEXT: %convolution: f32[2, 6, 8, 3] = aten.convolution.default(input = %permute, weight = %permute_1, bias = none, stride = [1, 2], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 2)
    // CHECK-NEXT: %permute_2: f32[2, 8, 3, 6] = aten.permute.default(self = %convolution, dims = [0, 2, 3, 1])
    %0 = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, padding = dense<1> : tensor<2x2xi64>, window_strides = array<i64: 1, 2>}> : (tensor<2x8x6x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x8x3x6xf32>
    // Edges that differ are padded first.
    // CHECK: %constant_pad_nd: f32[2, 4, 9, 6] = aten.constant_pad_nd.default(self = %{{permute.*}}, pad = [0, 0, 0, 1, 0, 0, 0, 0], value = 0)
    // CHECK: aten.convolution.default({{.*}}, padding = [0, 0], dilation = [2, 1]
    %1 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 2, 1>}> : (tensor<2x8x6x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x5x4x6xf32>

    // CHECK: %view: f32[1, 8, 8, 6] = aten.view.default(self = %{{permute.*}}, size = [1, 8, 8, 6])
    // CHECK-NEXT: %max_pool2d: f32[1, 8, 4, 3] = aten.max_pool2d.default(self = %view, kernel_size = [2, 2], stride = [2, 2])
    // CHECK-NEXT: %view_1: f32[2, 4, 4, 3] = aten.view.default(self = %max_pool2d, size = [2, 4, 4, 3])
    // CHECK-NEXT: %permute_{{[0-9]+}}: f32[2, 4, 3, 4] = aten.permute.default(self = %view_1, dims = [0, 2, 3, 1])
    %2 = "stablehlo.reduce_window"(%x, %least) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.maximum"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<2x8x6x4xf32>, tensor<f32>) -> tensor<2x4x3x4xf32>
    // A sum is an average by the size of the window.
    // CHECK: %avg_pool2d: f32[1, 8, 7, 5] = aten.avg_pool2d.default(self = %view, kernel_size = [2, 2], stride = [1, 1])
    // CHECK-NEXT: %mul: f32[1, 8, 7, 5] = aten.mul.Scalar(self = %avg_pool2d, other = 4)
    %3 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<2x8x6x4xf32>, tensor<f32>) -> tensor<2x7x5x4xf32>
    // CHECK: %cumsum: f32[5, 6] = aten.cumsum.default(self = %t, dim = 1)
    %4 = "stablehlo.reduce_window"(%t, %zero) <{padding = dense<[[0, 0], [5, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 6>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<5x6xf32>, tensor<f32>) -> tensor<5x6xf32>

    // CHECK: %embedding: f32[2, 3, 6] = aten.embedding.default(weight = %cumsum, indices = %i)
    %5 = "stablehlo.reshape"(%i) : (tensor<2x3xi32>) -> tensor<2x3x1xi32>
    %6 = "stablehlo.gather"(%4, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<2x3x1xi32>) -> tensor<2x3x6xf32>
    // Rows of another axis; the axes of the index go to the front.
    // CHECK-NEXT: %index: f32[5, 2, 3] = aten.index.Tensor(self = %cumsum, indices = [none, %i])
    // CHECK-NEXT: %permute_{{[0-9]+}}: f32[2, 3, 5] = aten.permute.default(self = %index, dims = [1, 2, 0])
    %7 = "stablehlo.gather"(%4, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 5, 1>}> : (tensor<5x6xf32>, tensor<2x3x1xi32>) -> tensor<2x3x5xf32>
    // An index for each element.
    // CHECK: %gather: f32[2, 3, 6] = aten.gather.default(self = %embedding, dim = 1, index = %{{expand.*}})
    %8 = "stablehlo.gather"(%6, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<2x3x6xf32>, tensor<2x3x1xi32>) -> tensor<2x3x6xf32>

    // What has no counterpart is left to the caller, under its own name.
    // CHECK: %gather_1: f32[2, 3, 3] = stablehlo.gather(arg0 = %cumsum, arg1 = %{{view.*}})
    // CHECK-NEXT: %sort: f32[2, 3, 3] = stablehlo.sort(arg0 = %gather_1)
    // CHECK-NEXT: %custom_call: f32[2, 3, 3] = stablehlo.custom_call.lapack_sgetrf(arg0 = %sort)
    %9 = "stablehlo.gather"(%4, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x6xf32>, tensor<2x3x1xi32>) -> tensor<2x3x3xf32>
    %10 = "stablehlo.sort"(%9) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %11 = "stablehlo.custom_call"(%10) <{call_target_name = "lapack_sgetrf"}> : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    "func.return"(%0, %1, %2, %3, %7, %8, %11) : (tensor<2x8x3x6xf32>, tensor<2x5x4x6xf32>, tensor<2x4x3x4xf32>, tensor<2x7x5x4xf32>, tensor<2x3x5xf32>, tensor<2x3x6xf32>, tensor<2x3x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
