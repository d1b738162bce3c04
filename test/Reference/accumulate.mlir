// Accumulators: vacant in the first micro-batch, then what is added to, block by block; and the sites of a parameter.
// RUN: %python %S/Inputs/npy.py %t.x.npy f32 2x512 0x1p24 1*255 1*256  -0x1p24 0*255 1*256
// RUN: %python %S/Inputs/npy.py %t.y.npy f32 2x2 -0 1  -0 2
// RUN: %python %S/Inputs/npy.py %t.i.npy i32 2x2 0 0  1 0
// Block 0 of the first micro-batch is 2^24 (a chain loses the ones), block 1 is 256; then -2^24 and 256 are added.
// RUN: %python %S/Inputs/npy.py %t.contract.npy f32 1 512
// The sum of -0 is 0 from a vacant accumulator.
// RUN: %python %S/Inputs/npy.py %t.reduce.npy f32 2 0 3
// RUN: %python %S/Inputs/npy.py %t.scatter.npy f32 2 3 0
// Two calls, two sites: the parameter's gradient is their sum.
// RUN: %python %S/Inputs/npy.py %t.twice.npy f32 2 0 6
// RUN: plc-interpret infer %s --input x=@%t.x.npy --input y=@%t.y.npy --input i=@%t.i.npy \
// RUN:   --expect 'grad(contract)=@%t.contract.npy' --expect 'grad(reduce)=@%t.reduce.npy' \
// RUN:   --expect 'grad(scatter)=@%t.scatter.npy' --expect 'grad(twice)=@%t.twice.npy'
// RUN: not plc-interpret infer %s --input x=@%t.x.npy --input y=@%t.y.npy --input i=@%t.i.npy \
// RUN:   --expect 'grad(contract)=@%t.x.npy' 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: tensor is f32[2, 512], expected f32[1]
// RUN: not plc-interpret infer %s --set parallelism.micro_batches=4 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: found 4 for 'parallelism.micro_batches', but '{{.*}}accumulate.mlir' has 2

ein.param @contract : tensor<1xf32> init constant(0.0, 0.0)
ein.param @reduce : tensor<2xf32> init constant(0.0, 0.0)
ein.param @scatter : tensor<2xf32> init constant(0.0, 0.0)
ein.param @twice : tensor<2xf32> init constant(0.0, 0.0)
ein.func @f.W(%x: tensor<1x512xf32>, %y: tensor<1x2xf32>, %i: tensor<1x2xi32>, %a: tensor<1xf32>, %b: tensor<2xf32>,
    %c: tensor<2xf32>) -> (tensor<1xf32>, tensor<2xf32>, tensor<2xf32>)
    attributes {role = "W", num_accumulators = 3 : i64} {
  %one = ein.constant 1.0 : tensor<f32>
  %contract = ein.contract %x, %one over [1, 512] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>,
    affine_map<(i, j) -> (i)>] order [1] into %a : tensor<1xf32> : (tensor<1x512xf32>, tensor<f32>) -> tensor<1xf32>
  %reduce = ein.reduce sum(%y) over [1, 2] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>] order chain
    into %b : tensor<2xf32> : (tensor<1x2xf32>) -> tensor<2xf32>
  %scatter = ein.scatter_add %y, %i over [1, 2] maps [affine_map<(b, n) -> (b, n)>, affine_map<(b, n) -> (b, n)>,
    affine_map<(b, n)[i] -> (i)>] into %c : tensor<2xf32> : (tensor<1x2xf32>, tensor<1x2xi32>) -> tensor<2xf32>
  ein.return %contract, %reduce, %scatter : tensor<1xf32>, tensor<2xf32>, tensor<2xf32>
}
ein.func @g.W(%y: tensor<1x2xf32>, %b: tensor<2xf32>) -> tensor<2xf32>
    attributes {role = "W", num_accumulators = 1 : i64} {
  %reduce = ein.reduce sum(%y) over [1, 2] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>] order chain
    into %b : tensor<2xf32> : (tensor<1x2xf32>) -> tensor<2xf32>
  ein.return %reduce : tensor<2xf32>
}
ein.model @m(%x: tensor<1x512xf32>, %y: tensor<1x2xf32>, %i: tensor<1x2xi32>) -> tensor<f32> attributes {
    arg_names = ["x", "y", "i"], result_names = ["loss"], arg_batch = array<i64: 0, 0, 0>,
    result_batch = array<i64: -1>, batch = 2 : i64, micro_batches = 2 : i64} {
  ein.call @f.W(%x, %y, %i) accumulates [@contract, @reduce, @scatter] path "f"
    : (tensor<1x512xf32>, tensor<1x2xf32>, tensor<1x2xi32>) -> ()
  ein.call @g.W(%y) accumulates [@twice] path "g.0" : (tensor<1x2xf32>) -> ()
  ein.call @g.W(%y) accumulates [@twice] path "g.1" : (tensor<1x2xf32>) -> ()
  %loss = ein.constant 1.0 : tensor<f32>
  ein.return %loss : tensor<f32>
}
