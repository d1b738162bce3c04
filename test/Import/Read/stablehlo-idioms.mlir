// What JAX's library functions have become is found again, and equal nodes are one. Other numbers, axes or values are left as they are.
// RUN: %unit/read-model %s | FileCheck %s
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "main"}> ({
  ^bb0(%x: tensor<2x4xf32> loc("x"), %g: tensor<4xf32> loc("g"), %c: tensor<4xf32> loc("c")):
    %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %least = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %four = "stablehlo.constant"() <{value = dense<4.0> : tensor<2xf32>}> : () -> tensor<2xf32>
    %eps = "stablehlo.constant"() <{value = dense<9.99999974E-6> : tensor<2xf32>}> : () -> tensor<2xf32>
    %half = "stablehlo.constant"() <{value = dense<0.5> : tensor<2x4xf32>}> : () -> tensor<2x4xf32>
    %root = "stablehlo.constant"() <{value = dense<0.707106769> : tensor<2x4xf32>}> : () -> tensor<2x4xf32>

    // jax.nn.softmax, whose maximum is guarded.
    // CHECK: %[[E:.*]]: f32[2, 4] = aten.exp.default
    // CHECK-NEXT: %[[P:.*]]: f32[2, 4] = aten._softmax.default(self = %x, dim = 1, half_to_float = false)
    %0 = "stablehlo.reduce"(%x, %least) <{dimensions = array<i64: 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.maximum"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %1 = "stablehlo.broadcast_in_dim"(%least) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2xf32>
    %2 = "stablehlo.maximum"(%1, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2x4xf32>
    %4 = "stablehlo.subtract"(%x, %3) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %5 = "stablehlo.exponential"(%4) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %6 = "stablehlo.reduce"(%5, %zero) <{dimensions = array<i64: 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2x4xf32>
    %8 = "stablehlo.divide"(%5, %7) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    // jax.nn.log_softmax
    // CHECK: %[[Q:.*]]: f32[2, 4] = aten._log_softmax.default(self = %x, dim = 1, half_to_float = false)
    %9 = "stablehlo.log"(%6) : (tensor<2xf32>) -> tensor<2xf32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2x4xf32>
    %11 = "stablehlo.subtract"(%4, %10) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>

    // A norm with a weight and a bias. The number is the one that a person wrote.
    // CHECK: %[[N:.*]]: f32[2, 4] = aten.layer_norm.default(input = %[[P]], normalized_shape = [4], weight = %g, bias = %c, eps = 1e-05)
    %12 = "stablehlo.reduce"(%8, %zero) <{dimensions = array<i64: 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %13 = "stablehlo.divide"(%12, %four) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %14 = "stablehlo.broadcast_in_dim"(%13) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2x4xf32>
    %15 = "stablehlo.subtract"(%8, %14) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %16 = "stablehlo.multiply"(%15, %15) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %17 = "stablehlo.reduce"(%16, %zero) <{dimensions = array<i64: 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %18 = "stablehlo.divide"(%17, %four) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %19 = "stablehlo.add"(%18, %eps) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %20 = "stablehlo.rsqrt"(%19) : (tensor<2xf32>) -> tensor<2xf32>
    %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2x4xf32>
    %again = "stablehlo.subtract"(%8, %14) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %22 = "stablehlo.multiply"(%again, %21) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %23 = "stablehlo.broadcast_in_dim"(%g) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<2x4xf32>
    %24 = "stablehlo.multiply"(%22, %23) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %25 = "stablehlo.broadcast_in_dim"(%c) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<2x4xf32>
    %26 = "stablehlo.add"(%24, %25) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>

    // jax.nn.gelu(approximate=False)
    // CHECK: %[[G:.*]]: f32[2, 4] = aten.gelu.default(self = %[[N]])
    %27 = "stablehlo.multiply"(%half, %26) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %28 = "stablehlo.negate"(%26) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %29 = "stablehlo.multiply"(%28, %root) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %30 = "chlo.erfc"(%29) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %31 = "stablehlo.multiply"(%27, %30) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>

    // A sum over another number is no mean, and a sum over another axis makes no softmax.
    // CHECK: %{{.*}}: f32[2] = aten.div.Tensor(self = %sum
    // CHECK: f32[2, 4] = aten.div.Tensor(self = %[[E]], other = %expand
    %32 = "stablehlo.divide"(%12, %eps) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %33 = "stablehlo.reduce"(%5, %zero) <{dimensions = array<i64: 0>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
    %34 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<2x4xf32>
    %35 = "stablehlo.divide"(%5, %34) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    // CHECK: output %[[G]]
    // CHECK: output %[[Q]]
    "func.return"(%31, %11, %32, %35) : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>, tensor<2x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
