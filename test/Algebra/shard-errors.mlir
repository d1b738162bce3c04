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

// Positions of a table are along all of it.
ein.param @table.w : tensor<6x4xf32> init normal(0.02, 0.0) sizes ["F", "D"]
ein.param @other.w : tensor<2xf32> init normal(0.02, 0.0) sizes ["G"]
ein.func @table(%i: tensor<2xi32>, %w: tensor<6x4xf32>) -> tensor<2x4xf32> attributes {num_params = 1 : i64} {
  // expected-error@+1 {{parameter 'table.w' is divided in 2 parts but needed as a whole}}
  %0 = ein.gather "ib,i=a->ab" %w, %i : (tensor<6x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  ein.return %0 : tensor<2x4xf32>
}
ein.model @m(%i: tensor<2xi32>) -> (tensor<2x4xf32>) attributes {arg_names = ["i"], arg_batch = array<i64: -1>,
    result_names = ["y"], result_batch = array<i64: -1>} {
  %y = ein.call @table(%i) params [@table.w] path "table" : (tensor<2xi32>) -> tensor<2x4xf32>
  ein.return %y : tensor<2x4xf32>
}

// -----

ein.param @a.w : tensor<4xf32> init normal(0.02, 0.0) sizes ["F"]
ein.param @b.w : tensor<4xf32> init normal(0.02, 0.0) sizes ["G"]
ein.param @c.w : tensor<4xf32> init normal(0.02, 0.0)
ein.func @add(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {num_params = 1 : i64} {
  %0 = ein.map add "a,a->a" %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
ein.model @m(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["y"], result_batch = array<i64: -1>} {
  %0 = ein.call @add(%x) params [@a.w] path "a" : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.call @add(%0) params [@b.w] path "b" : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{body 'add' is called with parameters that are divided, and with others}}
  %2 = ein.call @add(%1) params [@c.w] path "c" : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %2 : tensor<4xf32>
}
