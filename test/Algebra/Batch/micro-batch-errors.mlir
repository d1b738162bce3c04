// RUN: plc-opt %s --ein-micro-batch=micro-batches=4 --split-input-file --verify-diagnostics
// RUN: not plc-opt %S/micro-batch.mlir --ein-micro-batch=micro-batches=16 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not plc-opt %S/micro-batch.mlir --ein-micro-batch=micro-batches=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not plc-opt %S/micro-batch.mlir --ein-micro-batch --ein-micro-batch 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not plc-opt %S/micro-batch.mlir --ein-micro-batch="micro-batches=4 groups=3" 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: error: number of accumulation groups is 3 but must divide that of micro-batches, 4
// FEW: error: batch has 8 samples but 16 micro-batches need more
// ZERO: error: number of micro-batches is 0 but must be at least 1
// TWICE: error: model 'm' is already cut in 1 micro-batches

// expected-error@+1 {{model 'm' has no 'batch', so it cannot be cut in 4 micro-batches}}
ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: 0>} {
  ein.return %x : tensor<8x8xf32>
}

// -----

// expected-error@+1 {{argument 'x' has extent 4 along the batch but the batch has 8 samples}}
ein.model @m(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: 0>, batch = 8 : i64} {
  ein.return %x : tensor<4x8xf32>
}

// -----

// expected-error@+1 {{result 'y' is indexed by the batch on axis 0 but its batch axis is -1}}
ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  ein.return %x : tensor<8x8xf32>
}

// -----

// expected-error@+1 {{result 'y' is not indexed by the batch on axis 0 but its batch axis is 0}}
ein.model @m(%x: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {arg_names = ["x", "u"], arg_batch = array<i64: 0, -1>,
    result_names = ["y"], result_batch = array<i64: 0>, batch = 8 : i64} {
  ein.return %u : tensor<8x8xf32>
}

// -----

// expected-error@+1 {{argument 'u' is indexed by the batch on axis 0, which is not declared as its batch axis}}
ein.model @m(%x: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {arg_names = ["x", "u"], arg_batch = array<i64: 0, -1>,
    result_names = ["y"], result_batch = array<i64: 0>, batch = 8 : i64} {
  %0 = ein.map add(%x, %u) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  ein.return %0 : tensor<8x8xf32>
}

// -----

// expected-error@+1 {{result 'y' does not depend on the batch, so it cannot be added over 4 micro-batches}}
ein.model @m(%x: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {arg_names = ["x", "u"], arg_batch = array<i64: 0, -1>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  ein.return %u : tensor<8x8xf32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: 0>, batch = 8 : i64} {
  // expected-error@+1 {{mixes samples: it has two indices of the batch}}
  %0 = ein.map add(%x, %x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d, b)>, affine_map<(b, d) -> (b, d)>] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  ein.return %0 : tensor<8x8xf32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  // expected-error@+1 {{mixes samples: 'max' over the batch}}
  %0 = ein.reduce max(%x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>] : (tensor<8x8xf32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: 0>, batch = 8 : i64} {
  %s = ein.reduce sum(%x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>] : (tensor<8x8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{mixes samples: it uses a sum over the batch for each sample}}
  %0 = ein.map sub(%x, %s) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>, affine_map<(b, d) -> (b, d)>] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  ein.return %0 : tensor<8x8xf32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  %s = ein.reduce sum(%x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>] : (tensor<8x8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{mixes samples: it is not linear in a sum over the batch}}
  %0 = ein.map exp(%s) over [8] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<8xf32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}

// -----

// What is rounded to an integer is not linear; the sum of integers is.
ein.model @m(%x: tensor<8x8xf32>, %t: tensor<8xi32>) -> (tensor<8xi32>, tensor<f32>) attributes {arg_names = ["x", "t"],
    arg_batch = array<i64: 0, 0>, result_names = ["y", "n"], result_batch = array<i64: -1, -1>, batch = 8 : i64} {
  %n = ein.reduce sum(%t) over [8] maps [affine_map<(b) -> (b)>, affine_map<(b) -> ()>] : (tensor<8xi32>) -> tensor<i32>
  %r = ein.cast %n : (tensor<i32>) -> tensor<f32>
  %s = ein.reduce sum(%x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>] : (tensor<8x8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{mixes samples: it is not linear in a sum over the batch}}
  %0 = ein.cast %s : (tensor<8xf32>) -> tensor<8xi32>
  ein.return %0, %r : tensor<8xi32>, tensor<f32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  %s = ein.reduce sum(%x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>] : (tensor<8x8xf32>) -> tensor<8xf32>
  // expected-error@+2 {{mixes samples: each micro-batch would add what does not depend on the batch again; take it into the sum or the mean}}
  %c = ein.constant 1.0 : tensor<f32>
  %0 = ein.map add(%s, %c) over [8] maps [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>] : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  %s = ein.reduce sum(%x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>] : (tensor<8x8xf32>) -> tensor<8xf32>
  %c = ein.constant 1.0 : tensor<f32>
  // expected-error@+1 {{mixes samples: it divides by a sum over the batch}}
  %0 = ein.map div(%c, %s) over [8] maps [affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}

// -----

// What is not linear in a sum of inputs is a divisor and nothing else.
ein.func @id(%x: tensor<8xf32>) -> tensor<8xf32> {
  ein.return %x : tensor<8xf32>
}
ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  %s = ein.reduce sum(%x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>] : (tensor<8x8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{mixes samples: it is not linear in a sum over the batch}}
  %m = ein.map max(%s, %s) over [8] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %n = ein.map neg(%m) over [8] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<8xf32>) -> tensor<8xf32>
  %0 = ein.call @id(%n) path "id" : (tensor<8xf32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  %s = ein.reduce sum(%x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>] : (tensor<8x8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{mixes samples: it is not linear in a sum over the batch}}
  %0 = ein.map mul(%s, %s) over [8] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: 0>, batch = 8 : i64} {
  %i = ein.iota : tensor<8xi32>
  %r = ein.cast %i : (tensor<8xi32>) -> tensor<8xf32>
  %0 = ein.map add(%x, %r) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>, affine_map<(b, d) -> (b, d)>] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  // expected-error@+1 {{mixes samples: it uses the position of a sample in the batch}}
  %j = ein.iota : tensor<8xi32>
  %m = ein.map lt(%j, %i) over [8, 8] maps [affine_map<(b, d) -> (b)>, affine_map<(b, d) -> (d)>, affine_map<(b, d) -> (b, d)>] : (tensor<8xi32>, tensor<8xi32>) -> tensor<8x8xi1>
  %y = ein.map select(%m, %0, %x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>] : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  ein.return %y : tensor<8x8xf32>
}

// -----

// Also as a number.
ein.model @m(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: 0>, batch = 8 : i64} {
  // expected-error@+1 {{mixes samples: it uses the position of a sample in the batch}}
  %i = ein.iota : tensor<8xi32>
  %r = ein.cast %i : (tensor<8xi32>) -> tensor<8xf32>
  %y = ein.map add(%x, %r) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b)>, affine_map<(b, d) -> (b, d)>] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  ein.return %y : tensor<8x8xf32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>, %t: tensor<8xi32>) -> (tensor<8x8xf32>) attributes {arg_names = ["x", "t"], arg_batch = array<i64: 0, 0>,
    result_names = ["y"], result_batch = array<i64: 0>, batch = 8 : i64} {
  // expected-error@+1 {{mixes samples: it reads the batch at positions that a tensor holds}}
  %0 = ein.gather %x, %t over [8, 8] maps [affine_map<(b, d)[i] -> (i, d)>, affine_map<(b, d) -> (b)>, affine_map<(b, d) -> (b, d)>] : (tensor<8x8xf32>, tensor<8xi32>) -> tensor<8x8xf32>
  ein.return %0 : tensor<8x8xf32>
}

// -----

ein.param @p : tensor<8x8xf32> init normal(0.02, 0.0)
ein.func @add(%x: tensor<8x8xf32>, %p: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {num_params = 1 : i64} {
  // expected-error@+1 {{mixes samples: it reads a parameter along the batch}}
  %0 = ein.map add(%x, %p) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  ein.return %0 : tensor<8x8xf32>
}
ein.model @m(%x: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {arg_names = ["x"], arg_batch = array<i64: 0>, result_names = ["y"],
    result_batch = array<i64: 0>, batch = 8 : i64} {
  %0 = ein.call @add(%x) params [@p] path "add" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  ein.return %0 : tensor<8x8xf32>
}

// -----

// A body that multiplies what it is given: once a sum over the batch.
ein.func @square(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{mixes samples: it is not linear in a sum over the batch}}
  %0 = ein.map mul(%x, %y) over [8] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}
ein.model @m(%x: tensor<8x8xf32>, %u: tensor<8xf32>) -> tensor<8xf32> attributes {arg_names = ["x", "u"], arg_batch = array<i64: 0, -1>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  %s = ein.reduce sum(%x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>] : (tensor<8x8xf32>) -> tensor<8xf32>
  %0 = ein.call @square(%s, %u) path "linear" : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = ein.call @square(%0, %s) path "square" : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  ein.return %1 : tensor<8xf32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>) -> tensor<8xf32> attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  %s = ein.reduce sum(%x) over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>] : (tensor<8x8xf32>) -> tensor<8xf32>
  %t = ein.reduce sum(%s) over [8] maps [affine_map<(i) -> (i)>, affine_map<(i) -> ()>] : (tensor<8xf32>) -> tensor<f32>
  // expected-error@+1 {{mixes samples: it multiplies a sum over the batch by another}}
  %0 = ein.contract %x, %t over [8, 8] maps [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> ()>, affine_map<(b, d) -> (d)>] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}

// -----

ein.model @m(%x: tensor<8x4xf32>) -> tensor<8x4xf32> attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: 0>, batch = 8 : i64} {
  // expected-error@+1 {{mixes samples: it splits the index of the batch}}
  %0 = ein.split %x axis 0 : (tensor<8x4xf32>) -> tensor<4x2x4xf32>
  %1 = ein.merge %0 axis 0 : (tensor<4x2x4xf32>) -> tensor<8x4xf32>
  ein.return %1 : tensor<8x4xf32>
}

// -----

ein.model @m(%x: tensor<8x4xf32>) -> tensor<32xf32> attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  // expected-error@+1 {{mixes samples: it merges the index of the batch with others}}
  %0 = ein.merge %x axis 0 : (tensor<8x4xf32>) -> tensor<32xf32>
  ein.return %0 : tensor<32xf32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>) -> tensor<7x8xf32> attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  // expected-error@+1 {{mixes samples: it reads the batch at other positions than its index}}
  %0 = ein.window %x at affine_map<(i, j) -> (i + 1, j)> : (tensor<8x8xf32>) -> tensor<7x8xf32>
  ein.return %0 : tensor<7x8xf32>
}

// -----

ein.model @m(%x: tensor<8x8xf32>) -> tensor<9x8xf32> attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y"], result_batch = array<i64: -1>, batch = 8 : i64} {
  // expected-error@+1 {{mixes samples: it puts the batch at other positions than its index}}
  %0 = ein.insert_slice %x at affine_map<(i, j) -> (i + 1, j)> : (tensor<8x8xf32>) -> tensor<9x8xf32>
  ein.return %0 : tensor<9x8xf32>
}

// -----

// A sum over the batch times what does not depend on it may be added up over micro-batches, wherever it is a factor; not its
// square.
ein.model @m(%x: tensor<8x3xf32>, %u: tensor<2xf32>, %k: tensor<2xi32>) -> (tensor<5x3xf32>, tensor<5x3x3xf32>) attributes {
    arg_names = ["x", "u", "k"], arg_batch = array<i64: 0, -1, -1>, result_names = ["y", "z"],
    result_batch = array<i64: -1, -1>, batch = 8 : i64} {
  %s = ein.reduce sum "ab->b" %x : (tensor<8x3xf32>) -> tensor<3xf32>
  %y = ein.scatter_add "a,i=a,b->ib" %u, %k, %s : (tensor<2xf32>, tensor<2xi32>, tensor<3xf32>) -> tensor<5x3xf32>
  %r = ein.map mul "a,b->ab" %u, %s : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // expected-error@+1 {{mixes samples: it is not linear in a sum over the batch}}
  %z = ein.scatter_add "ab,i=a,c->ibc" %r, %k, %s : (tensor<2x3xf32>, tensor<2xi32>, tensor<3xf32>) -> tensor<5x3x3xf32>
  ein.return %y, %z : tensor<5x3xf32>, tensor<5x3x3xf32>
}
