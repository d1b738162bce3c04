// RUN: plc-opt %s --ein-shard=sizes=F=2,G=2 --split-input-file --verify-diagnostics
// RUN: not plc-opt %S/shard.mlir --ein-shard=sizes=Q=2 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: no parameter has an axis of size 'Q'; they have D, F
// RUN: not plc-opt %S/shard.mlir --ein-shard=sizes=F=4 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: error: size 'F' is 6 but is divided in 4 parts
// RUN: not plc-opt %S/shard.mlir --ein-shard=sizes=F=2,D=4 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS: error: size 'D' is divided in 4 parts and another one in 2; all that are divided need as many
// RUN: not plc-opt %S/shard.mlir --ein-shard=sizes=F 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not plc-opt %S/shard.mlir --ein-shard=sizes=F=1 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: found 'F{{.*}}', expected a size and its parts, as in 'F=2'

// An iteration that needs all of a parameter has it as a whole: a recurrent layer's, which adds up over what the last iteration gave.
ein.param @loop.w : tensor<4x4xf32> init normal(0.02, 0.0) sizes ["F", "F"]
ein.param @other.w : tensor<2xf32> init normal(0.02, 0.0) sizes ["G"]
ein.func @loop(%h: tensor<4xf32>, %w: tensor<4x4xf32>) -> tensor<4xf32> attributes {num_params = 1 : i64} {
  // expected-error@+1 {{parameter 'loop.w' is divided in 2 parts but needed as a whole in each iteration}}
  %last = ein.loop iterations 3 carries(%h) slices() with(%w) : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32> {
  ^bb0(%carry: tensor<4xf32>, %weight: tensor<4x4xf32>):
    %next = ein.contract "b,ab->a" %carry, %weight : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    ein.return %next : tensor<4xf32>
  }
  ein.return %last : tensor<4xf32>
}
ein.model @m(%h: tensor<4xf32>) -> (tensor<4xf32>) attributes {arg_names = ["h"], arg_batch = array<i64: -1>,
    result_names = ["y"], result_batch = array<i64: -1>} {
  %y = ein.call @loop(%h) params [@loop.w] path "loop" : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}

// -----

// Turns follow each other, and none is a part.
ein.param @turns.w : tensor<4x3xf32> init normal(0.02, 0.0) sizes ["F", "D"]
ein.param @other.w : tensor<2xf32> init normal(0.02, 0.0) sizes ["G"]
ein.func @turns(%h: tensor<3xf32>, %w: tensor<4x3xf32>) -> tensor<3xf32> attributes {num_params = 1 : i64} {
  // expected-error@+1 {{parameter 'turns.w' is divided in 2 parts but needed as a whole in each iteration}}
  %last = ein.loop iterations 4 carries(%h) slices(%w) with() : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<3xf32> {
  ^bb0(%carry: tensor<3xf32>, %part: tensor<3xf32>):
    %next = ein.map mul "a,a->a" %carry, %part : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ein.return %next : tensor<3xf32>
  }
  ein.return %last : tensor<3xf32>
}
ein.model @m(%h: tensor<3xf32>) -> (tensor<3xf32>) attributes {arg_names = ["h"], arg_batch = array<i64: -1>,
    result_names = ["y"], result_batch = array<i64: -1>} {
  %y = ein.call @turns(%h) params [@turns.w] path "turns" : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
