// Names of arguments and results, and shards of parameters and states. Errors are in `names-invalid.mlir`.
// RUN: plc-opt %s | FileCheck %s
// RUN: plc-opt %s | plc-opt | FileCheck %s
// RUN: plc-opt %s --mlir-print-op-generic | plc-opt | FileCheck %s

// CHECK: ein.param @"part(ffn.0.w1, axis 1, 0 of 2)" : tensor<4x3xf32> init constant(1.000000e+00, 0.000000e+00) shard <"ffn.0.w1" axis 1, 0 of 2>{{$}}
#first = #ein.shard<"ffn.0.w1" axis 1, 0 of 2>
ein.param @"part(ffn.0.w1, axis 1, 0 of 2)" : tensor<4x3xf32> init constant(1.0, 0.0) shard #first
// CHECK: ein.param @"part(ffn.0.w1, axis 1, 1 of 2)" : tensor<4x3xf32> init constant(1.000000e+00, 0.000000e+00) frozen shard <"ffn.0.w1" axis 1, 1 of 2>{{$}}
ein.param @"part(ffn.0.w1, axis 1, 1 of 2)" : tensor<4x3xf32> init constant(1.0, 0.0) frozen shard <"ffn.0.w1" axis 1, 1 of 2>
// A slice lacks the axis. Its last axis was the whole's first.
// CHECK: ein.param @"part(ffn.0.w2, axis 1, 0 of 2)" : tensor<4xf32> init constant(1.000000e+00, 0.000000e+00) shard <"ffn.0.w2" axis 1, 0 of 2> slice{{$}}
ein.param @"part(ffn.0.w2, axis 1, 0 of 2)" : tensor<4xf32> init constant(1.0, 0.0) shard <"ffn.0.w2" axis 1, 0 of 2> slice
// CHECK: ein.param @whole : tensor<4x3xf32> init constant(1.000000e+00, 0.000000e+00){{$}}
ein.param @whole : tensor<4x3xf32> init constant(1.0, 0.0)
// CHECK: ein.state @attention.0.k init 0.000000e+00{{$}}
ein.state @attention.0.k init 0.0
// CHECK: ein.state @"part(attention.1.k, axis 0, 0 of 2)" init 0.000000e+00 shard <"attention.1.k" axis 0, 0 of 2>{{$}}
ein.state @"part(attention.1.k, axis 0, 0 of 2)" init 0.0 shard <"attention.1.k" axis 0, 0 of 2>

// CHECK-LABEL: ein.model @m
// CHECK-SAME: arg_names = ["x", #ein.state<"attention.0.k">, #ein.whole<"x">, #ein.random<"dropout.0" per sample>, #ein.random<"dropout.0" per run>, #ein.given<step>, #ein.given<loss_scale>]
// CHECK-SAME: result_names = ["y", #ein.state<"attention.0.k">, #ein.grad<"x">]
ein.model @m(%x: tensor<2xf32>, %k: tensor<2xf32>, %all: tensor<2xf32>, %own: tensor<2xi64>, %one: tensor<i64>, %step: tensor<i32>, %scale: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) attributes {
    arg_names = ["x", #ein.state<"attention.0.k">, #ein.whole<"x">, #ein.random<"dropout.0" per sample>,
                 #ein.random<"dropout.0" per run>, #ein.given<step>, #ein.given<loss_scale>],
    result_names = ["y", #ein.state<"attention.0.k">, #ein.grad<"x">],
    arg_batch = array<i64: -1, -1, -1, -1, -1, -1, -1>, result_batch = array<i64: -1, -1, -1>} {
  ein.return %x, %k, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// A draw may divide the loss, too.
// CHECK-LABEL: ein.model @of_draws
// CHECK-SAME: arg_names = [#ein.random<"f" per sample>, #ein.whole<#ein.random<"f" per sample>>]
ein.model @of_draws(%k: tensor<2xi64>, %all: tensor<2xi64>) -> tensor<2xi64> attributes {
    arg_names = [#ein.random<"f" per sample>, #ein.whole<#ein.random<"f" per sample>>], result_names = ["y"],
    arg_batch = array<i64: -1, -1>, result_batch = array<i64: -1>} {
  ein.return %k : tensor<2xi64>
}
