// One case per constraint and message of the ein dialect.
// RUN: plc-opt %s --split-input-file --verify-diagnostics

#mk = affine_map<(m, k) -> (m, k)>
#m = affine_map<(m, k) -> (m)>
ein.func @contract_c1(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{'ein.contract' op has extent 0 in its domain}}
  %0 = ein.contract %a over [2, 0] maps [#mk, #m] : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
#mk = affine_map<(m, k) -> (m, k)>
ein.func @contract_c1_maps(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{has 1 maps but 1 inputs and a result}}
  %0 = ein.contract %a over [2, 3] maps [#mk] : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c1_dimensions(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{map of operand #0 has 3 dimensions and 0 symbols but the domain has 2 and 0}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k, l) -> (m, k)>, affine_map<(m, k) -> (m)>]
    : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c2(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{dimension d1 has extent 3 in operand #0 but 4 in the domain}}
  %0 = ein.contract %a over [2, 4] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>]
    : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c2_rank(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{map of operand #0 has 1 results but the tensor has rank 2}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k) -> (m)>, affine_map<(m, k) -> (m)>]
    : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c2_expression(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{map of operand #0 has an expression that is no dimension as result #1}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k) -> (m, k + 1)>, affine_map<(m, k) -> (m)>]
    : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c3(%a: tensor<2x3xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{result repeats dimension d0}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, m)>]
    : (tensor<2x3xf32>) -> tensor<2x2xf32>
  ein.return %0 : tensor<2x2xf32>
}
// -----
ein.func @contract_c3_unread(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{dimension d1 occurs in no operand}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k) -> (m)>, affine_map<(m, k) -> (m)>]
    : (tensor<2xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c4(%a: tensor<2x3xf64>) -> tensor<2xf32> {
  // expected-error@+1 {{operand #0 has element type 'f64' but the result has 'f32'}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>]
    : (tensor<2x3xf64>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c4_element(%a: tensor<2x3xi32>) -> tensor<2xi32> {
  // expected-error@+1 {{operand #0 must be variadic of tensor with extents above 0 and elements real, f32 or f64, but got 'tensor<2x3xi32>'}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>]
    : (tensor<2x3xi32>) -> tensor<2xi32>
  ein.return %0 : tensor<2xi32>
}
// -----
ein.func @contract_c6(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{takes sums of 'f32' in 'f64' but they are taken in 'f32'}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>] sum f64
    : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
// What sums are taken in is known when precision is.
ein.func @contract_c6_real(%a: tensor<2x3x!ein.real>) -> tensor<2x!ein.real> {
  // expected-error@+1 {{takes sums of '!ein.real' in 'f32' but they are taken in '!ein.real'}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>] sum f32
    : (tensor<2x3x!ein.real>) -> tensor<2x!ein.real>
  ein.return %0 : tensor<2x!ein.real>
}
// -----
ein.func @contract_c4_accumulator(%a: tensor<2x3xf32>, %acc: tensor<3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{accumulates 'tensor<2xf32>' into 'tensor<3xf32>'}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>]
    into %acc : tensor<3xf32> : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c5(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{order lists d0, which is not summed or listed twice}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>] order [0]
    : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c5_misses(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{order misses the summed dimension d1}}
  %0 = ein.contract %a over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>] order []
    : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c7_no_order(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{says 'chain' of a sum that has no order}}
  %0 = ein.contract "ab->ab" %a order [] chain : (tensor<2x3xf32>) -> tensor<2x3xf32>
  ein.return %0 : tensor<2x3xf32>
}
// -----
ein.func @contract_c7_both(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{says 'anew' of blocks and 'chain', which has none}}
  %0 = ein.contract "ab->a" %a order [1] anew 3 chain : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c7_divides(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{begins blocks anew at every 2 of d1, which do not divide its extent 3}}
  %0 = ein.contract "ab->a" %a order [1] anew 2 : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c7_pairs_unordered(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{says 'pairs' of a sum that has no order}}
  %0 = ein.contract "ab->ab" %a order [] pairs : (tensor<2x3xf32>) -> tensor<2x3xf32>
  ein.return %0 : tensor<2x3xf32>
}
// -----
ein.func @contract_c7_pairs_chain(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{says 'pairs' of blocks and 'chain', which has none}}
  %0 = ein.contract "ab->a" %a order [1] chain pairs : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @contract_c8(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{says 'pairs' of 1 factors of 'f32', which two factors of f32 have}}
  %0 = ein.contract "ab->a" %a order [1] pairs : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @map_c3(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{map of the result is no permutation of the domain}}
  %0 = ein.map exp(%a) over [2, 3] maps [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>]
    : (tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @map_c4_count(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{has 1 operands but 'add' takes 2}}
  %0 = ein.map add(%a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>] : (tensor<2xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @map_c4_select(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{operand #0 has element type 'f32' but 'select' needs i1}}
  %0 = ein.map select(%a, %a, %a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>,
    affine_map<(m) -> (m)>, affine_map<(m) -> (m)>] : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @map_c4_operands(%a: tensor<2xf32>, %b: tensor<2xf64>) -> tensor<2xf32> {
  // expected-error@+1 {{operand #1 has element type 'f64' but 'add' needs 'f32'}}
  %0 = ein.map add(%a, %b) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>]
    : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @map_c4_result(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{result has element type 'f32' but 'lt' gives 'i1'}}
  %0 = ein.map lt(%a, %a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>]
    : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @map_c4_real(%a: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error@+1 {{operand #0 has element type 'i32' but 'exp' needs real, f32 or f64}}
  %0 = ein.map exp(%a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>] : (tensor<2xi32>) -> tensor<2xi32>
  ein.return %0 : tensor<2xi32>
}
// -----
ein.func @map_c4_round(%a: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error@+1 {{operand #0 has element type 'i32' but 'floor' needs real, f32 or f64}}
  %0 = ein.map floor(%a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>] : (tensor<2xi32>) -> tensor<2xi32>
  ein.return %0 : tensor<2xi32>
}
// -----
ein.func @map_c4_division(%a: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error@+1 {{operand #0 has element type 'i32' but 'div' needs real, f32 or f64}}
  %0 = ein.map div(%a, %a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>]
    : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  ein.return %0 : tensor<2xi32>
}
// -----
ein.func @map_c4_integer(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{operand #0 has element type 'f32' but 'floor_mod' needs i32 or i64}}
  %0 = ein.map floor_mod(%a, %a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>]
    : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @map_c4_number(%a: tensor<2xi1>) -> tensor<2xi1> {
  // expected-error@+1 {{operand #0 has element type 'i1' but 'lt' needs real, f32, f64, i32 or i64}}
  %0 = ein.map lt(%a, %a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>]
    : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  ein.return %0 : tensor<2xi1>
}
// -----
ein.func @reduce_c1(%a: tensor<2xf32>) -> tensor<f32> {
  // expected-error@+1 {{found 2 operands, expected 1}}
  %0 = ein.reduce max(%a, %a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> ()>]
    : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}
// -----
ein.func @reduce_c4(%a: tensor<2xf32>, %acc: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{a 'max' does not accumulate}}
  %0 = ein.reduce max(%a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> ()>] into %acc : tensor<f32>
    : (tensor<2xf32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}
// -----
ein.func @reduce_c5(%a: tensor<2xi32>) -> tensor<i32> {
  // expected-error@+1 {{takes sums of 'i32' in 'i64' but they are taken in 'i32'}}
  %0 = ein.reduce sum(%a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> ()>] sum i64
    : (tensor<2xi32>) -> tensor<i32>
  ein.return %0 : tensor<i32>
}
// -----
ein.func @reduce_c5_extremum(%a: tensor<2xf32>) -> tensor<f32> {
  // expected-error@+1 {{a 'max' has no type of a sum}}
  %0 = ein.reduce max(%a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> ()>] sum f32
    : (tensor<2xf32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}
// -----
ein.func @reduce_c6(%a: tensor<2xi32>) -> tensor<i32> {
  // expected-error@+1 {{a 'any' is of i1, found 'i32'}}
  %0 = ein.reduce any "a->" %a : (tensor<2xi32>) -> tensor<i32>
  ein.return %0 : tensor<i32>
}
// -----
ein.func @reduce_c6_truth(%a: tensor<2xi1>) -> tensor<i1> {
  // expected-error@+1 {{a 'sum' is of numbers, found 'i1'}}
  %0 = ein.reduce sum(%a) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> ()>] : (tensor<2xi1>) -> tensor<i1>
  ein.return %0 : tensor<i1>
}
// -----
ein.func @gather_c4(%t: tensor<4x2xf32>, %i: tensor<3xf32>) -> tensor<3x2xf32> {
  // expected-error@+1 {{operand #1 must be variadic of tensor with extents above 0 and elements i32 or i64, but got 'tensor<3xf32>'}}
  %0 = ein.gather %t, %i over [3, 2] maps [affine_map<(s, d)[i] -> (i, d)>, affine_map<(s, d) -> (s)>,
    affine_map<(s, d) -> (s, d)>] : (tensor<4x2xf32>, tensor<3xf32>) -> tensor<3x2xf32>
  ein.return %0 : tensor<3x2xf32>
}
// -----
ein.func @gather_c4_types(%t: tensor<4x2xf32>, %i: tensor<3xi32>) -> tensor<3x2xf64> {
  // expected-error@+1 {{operand #0 has element type 'f32' but the result has 'f64'}}
  %0 = ein.gather %t, %i over [3, 2] maps [affine_map<(s, d)[i] -> (i, d)>, affine_map<(s, d) -> (s)>,
    affine_map<(s, d) -> (s, d)>] : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf64>
  ein.return %0 : tensor<3x2xf64>
}
// -----
ein.func @gather_c3(%t: tensor<4x2xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  // expected-error@+1 {{map of the result is no permutation of the domain}}
  %0 = ein.gather %t, %i over [3, 2] maps [affine_map<(s, d)[i] -> (i, d)>, affine_map<(s, d) -> (s)>,
    affine_map<(s, d) -> (s)>] : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @scatter_c5(%u: tensor<3xi1>, %i: tensor<3xi32>) -> tensor<4xi1> {
  // expected-error@+1 {{adds numbers, found 'i1'}}
  %0 = ein.scatter_add "a,i=a->i" %u, %i : (tensor<3xi1>, tensor<3xi32>) -> tensor<4xi1>
  ein.return %0 : tensor<4xi1>
}
// -----
ein.func @scatter_c6_word(%u: tensor<3xf32>, %i: tensor<3xi32>) -> tensor<4xf32> {
  // expected-error@+1 {{joins by 'any', expected max, min or prod}}
  %0 = "ein.scatter_add"(%u, %i) <{extents = array<i64: 3>, maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>, affine_map<(a)[i] -> (i)>], operandSegmentSizes = array<i32: 1, 1, 0, 0>, reduction = #ein<reduction any>}> : (tensor<3xf32>, tensor<3xi32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
// -----
ein.func @scatter_c6_accumulator(%u: tensor<3xf32>, %i: tensor<3xi32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{joins by 'max' and has an accumulator, which only a sum may have}}
  %0 = ein.scatter_add max "a,i=a->i" %u, %i into %a : tensor<4xf32> : (tensor<3xf32>, tensor<3xi32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
// -----
ein.func @scatter_c6_factor(%u: tensor<3xf32>, %i: tensor<3xi32>, %f: tensor<2xf32>) -> tensor<4x2xf32> {
  // expected-error@+1 {{joins by 'prod' and has a factor, which only a sum may have}}
  %0 = ein.scatter_add prod "a,i=a,b->ib" %u, %i, %f : (tensor<3xf32>, tensor<3xi32>, tensor<2xf32>) -> tensor<4x2xf32>
  ein.return %0 : tensor<4x2xf32>
}
// -----
ein.func @bits_of_reals(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{operand #0 has element type 'f32' but 'bit_xor' needs i32 or i64}}
  %0 = ein.map bit_xor "a,a->a" %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @scatter_c3(%u: tensor<3xf32>, %i: tensor<3xi32>) -> tensor<4x2xf32> {
  // expected-error@+1 {{map of the updates is no permutation of the domain}}
  %0 = ein.scatter_add %u, %i over [3, 2] maps [affine_map<(s, d) -> (s)>, affine_map<(s, d) -> (s)>,
    affine_map<(s, d)[i] -> (i, d)>] : (tensor<3xf32>, tensor<3xi32>) -> tensor<4x2xf32>
  ein.return %0 : tensor<4x2xf32>
}
// -----
ein.func @scatter_c3_twice(%u: tensor<3x3xf32>, %i: tensor<3xi32>, %f: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{reads d0 twice in the updates or the factor}}
  %0 = ein.scatter_add "aa,i=a,a->i" %u, %i, %f : (tensor<3x3xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
// -----
ein.func @scatter_c3_missing(%u: tensor<3xf32>, %i: tensor<3xi32>, %f: tensor<3xf32>) -> tensor<4x2xf32> {
  // expected-error@+1 {{has no d1 in the updates or the factor}}
  %0 = ein.scatter_add "a,i=a,a->ib" %u, %i, %f : (tensor<3xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<4x2xf32>
  ein.return %0 : tensor<4x2xf32>
}
// -----
ein.func @scatter_c4(%u: tensor<3xf32>, %i: tensor<3xi32>, %f: tensor<2xf64>) -> tensor<4x2xf32> {
  // expected-error@+1 {{has updates of 'f32' but a factor of 'f64'}}
  %0 = ein.scatter_add "a,i=a,b->ib" %u, %i, %f : (tensor<3xf32>, tensor<3xi32>, tensor<2xf64>) -> tensor<4x2xf32>
  ein.return %0 : tensor<4x2xf32>
}
// -----
ein.func @training_c1() -> tensor<2xi1> {
  // expected-error@+1 {{has type 'tensor<2xi1>' but needs rank 0 and i1}}
  %0 = ein.training : tensor<2xi1>
  ein.return %0 : tensor<2xi1>
}
// -----
ein.func @step_c1() -> tensor<i64> {
  // expected-error@+1 {{has type 'tensor<i64>' but needs rank 0 and i32}}
  %0 = ein.step : tensor<i64>
  ein.return %0 : tensor<i64>
}
// -----
ein.func @random_of_integers() -> tensor<2xi32> {
  // expected-error@+1 {{result #0 must be tensor with extents above 0 and elements real, f32 or f64, but got 'tensor<2xi32>'}}
  %0 = ein.random site 0 : tensor<2xi32>
  ein.return %0 : tensor<2xi32>
}
// -----
ein.func @iota_c1() -> tensor<2x2xi32> {
  // expected-error@+1 {{has type 'tensor<2x2xi32>' but needs rank 1 and i32 or i64}}
  %0 = ein.iota : tensor<2x2xi32>
  ein.return %0 : tensor<2x2xi32>
}
// -----
ein.func @constant_c1() -> tensor<2xf32> {
  // expected-error@+1 {{has type 'tensor<2xf32>' but needs rank 0}}
  %0 = ein.constant 1.0 : tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @constant_c2() -> tensor<i32> {
  // expected-error@+1 {{value 1.500000e+00 : f64 does not fit 'i32'}}
  %0 = ein.constant 1.5 : tensor<i32>
  ein.return %0 : tensor<i32>
}
// -----
ein.func @cast_c1(%a: tensor<2xf32>) -> tensor<3xf64> {
  // expected-error@+1 {{has input 'tensor<2xf32>' but result 'tensor<3xf64>'}}
  %0 = ein.cast %a : (tensor<2xf32>) -> tensor<3xf64>
  ein.return %0 : tensor<3xf64>
}
// -----
// expected-error@+1 {{attribute 'type' failed to satisfy constraint: type attribute of tensor with extents above 0 and elements real, f16, bf16, f32, f64, i8, ui8, i32, i64 or i1, without a batch axis}}
ein.param @param_c1 : tensor<2xi16> init constant(0.0, 0.0)
// -----
ein.func @func_c1(%a: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{returns 'tensor<2xf32>' as result #0 but the function says 'tensor<3xf32>'}}
  ein.return %a : tensor<2xf32>
}
// -----
ein.func @func_c1_count(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{returns 0 values but the function has 1 results}}
  ein.return
}
// -----
// expected-error@+1 {{does not end with 'ein.return'}}
ein.func @func_c1_end() {
  %0 = ein.iota : tensor<2xi32>
}
// -----
// expected-error@+1 {{accumulator 'tensor<2xf32>' differs from its result 'tensor<3xf32>'}}
ein.func @func_c2(%x: tensor<3xf32>, %a: tensor<2xf32>) -> tensor<3xf32> attributes {num_accumulators = 1 : i64} {
  ein.return %x : tensor<3xf32>
}
// -----
// expected-error@+1 {{has 1 arguments and 0 results but says 2 parameters and 0 accumulators}}
ein.func @func_c3(%x: tensor<3xf32>) attributes {num_params = 2 : i64} {
  ein.return
}
// -----
// expected-error@+1 {{has 1 arguments but 0 names and 1 batch axes}}
ein.model @model_c2(%x: tensor<3xf32>) attributes {arg_names = [], result_names = [], arg_batch = array<i64: 0>,
    result_batch = array<i64>} {
  ein.return
}
// -----
// expected-error@+1 {{argument 'x' is named twice}}
ein.model @model_c2_twice(%x: tensor<3xf32>, %y: tensor<3xf32>) attributes {arg_names = ["x", "x"], result_names = [],
    arg_batch = array<i64: 0, 0>, result_batch = array<i64>} {
  ein.return
}
// -----
// expected-error@+1 {{argument 'x' has no axis -2 in 'tensor<3xf32>'}}
ein.model @model_c2_sum(%x: tensor<3xf32>) attributes {arg_names = ["x"], result_names = [], arg_batch = array<i64: -2>,
    result_batch = array<i64>} {
  ein.return
}
// -----
// expected-error@+1 {{argument 'x' has no axis 1 in 'tensor<3xf32>'}}
ein.model @model_c2_axis(%x: tensor<3xf32>) attributes {arg_names = ["x"], result_names = [], arg_batch = array<i64: 1>,
    result_batch = array<i64>} {
  ein.return
}
// -----
// expected-error@+1 {{has ragged extent 2 but 4 samples in 2 micro-batches need 0}}
ein.model @model_c3(%x: tensor<2xf32>) attributes {arg_names = ["x"], result_names = [], arg_batch = array<i64: 0>,
    result_batch = array<i64>, batch = 4 : i64, micro_batches = 2 : i64, ragged = 2 : i64} {
  ein.return
}
// -----
// expected-error@+1 {{has 4 micro-batches in 3 accumulation groups}}
ein.model @model_c6() attributes {arg_names = [], result_names = [], arg_batch = array<i64>,
    result_batch = array<i64>, batch = 4 : i64, micro_batches = 4 : i64, accumulation_groups = 3 : i64} {
  ein.return
}

// -----

// expected-error@+1 {{has 1 accumulation groups but needs 2 or more, or says nothing of them}}
ein.model @model_c6() attributes {arg_names = [], result_names = [], arg_batch = array<i64>,
    result_batch = array<i64>, batch = 4 : i64, micro_batches = 4 : i64, accumulation_groups = 1 : i64} {
  ein.return
}

// -----

// expected-error@+1 {{has ragged extent 0 but 5 samples in 2 micro-batches need 3}}
ein.model @model_c3_missing(%x: tensor<3xf32, #ein.batch<0>>) attributes {arg_names = ["x"], result_names = [],
    arg_batch = array<i64: 0>, result_batch = array<i64>, batch = 5 : i64, micro_batches = 2 : i64} {
  ein.return
}
// -----
// expected-error@+1 {{has 4 micro-batches of a batch of 3 samples}}
ein.model @model_c3_samples(%x: tensor<3xf32>) attributes {arg_names = ["x"], result_names = [],
    arg_batch = array<i64: -1>, result_batch = array<i64>, batch = 3 : i64, micro_batches = 4 : i64} {
  ein.return
}
// -----
// expected-error@+1 {{argument 'x' is 'tensor<3x3xf32>' but needs to be 'tensor<3x3xf32, #ein.batch<1>>', as 5 samples are cut in 2 micro-batches}}
ein.model @model_c3_axis(%x: tensor<3x3xf32>) attributes {arg_names = ["x"], result_names = [],
    arg_batch = array<i64: 1>, result_batch = array<i64>, batch = 5 : i64, micro_batches = 2 : i64, ragged = 3 : i64} {
  ein.return
}
// -----
// expected-error@+1 {{argument 'x' is 'tensor<4xf32, #ein.batch<0>>' but needs to be 'tensor<3xf32, #ein.batch<0>>'}}
ein.model @model_c3_extent(%x: tensor<4xf32, #ein.batch<0>>) attributes {arg_names = ["x"], result_names = [],
    arg_batch = array<i64: 0>, result_batch = array<i64>, batch = 5 : i64, micro_batches = 2 : i64, ragged = 3 : i64} {
  ein.return
}
// -----
// expected-error@+1 {{result 'y' is 'tensor<2xf32, #ein.batch<0>>' but needs to be 'tensor<2xf32>', as 4 samples are cut in 2 micro-batches}}
ein.model @model_c3_even() -> tensor<2xf32, #ein.batch<0>> attributes {arg_names = [],
    result_names = ["y"], arg_batch = array<i64>, result_batch = array<i64: 0>, batch = 4 : i64, micro_batches = 2 : i64} {
  %c = ein.constant 1.0 : tensor<f32>
  %y = ein.map id "->a" %c : (tensor<f32>) -> tensor<2xf32, #ein.batch<0>>
  ein.return %y : tensor<2xf32, #ein.batch<0>>
}
// -----
// expected-error@+1 {{batch axis is 1 but the tensor has rank 1}}
ein.func @batch_c1(%x: tensor<3xf32, #ein.batch<1>>) {
  ein.return
}
// -----
// expected-error@+1 {{batch axis is -1 but the tensor has rank 1}}
ein.func @batch_c1_negative(%x: tensor<3xf32, #ein.batch<-1>>) {
  ein.return
}
// -----
// expected-error@+1 {{room is that of a tensor of rank 1 but this one has rank 2}}
ein.func @room_c1(%x: tensor<3x4xi32, #ein.room<2 below 2>>) {
  ein.return
}
// -----
// expected-error@+1 {{room is 3 but must be above 0 and below the 3 elements of the tensor}}
ein.func @room_c2(%x: tensor<3xi32, #ein.room<3 below 2>>) {
  ein.return
}
// -----
// expected-error@+1 {{room is 0 but must be above 0 and below the 3 elements of the tensor}}
ein.func @room_c2_none(%x: tensor<3xi32, #ein.room<0 below 2>>) {
  ein.return
}
// -----
ein.func @room_read(%x: tensor<3xi32, #ein.room<2 below 2>>) -> tensor<3xi32> {
  // expected-error@+1 {{operand #0 is 'tensor<3xi32, #ein.room<2 below 2>>', scratch of a kernel, which no equation reads or makes}}
  %y = ein.map id "a->a" %x : (tensor<3xi32, #ein.room<2 below 2>>) -> tensor<3xi32>
  ein.return %y : tensor<3xi32>
}
// -----
// Another encoding than these means nothing here.
// expected-error@+1 {{argument #0 is 'tensor<3xf32, 7 : i64>' but needs to be a tensor}}
ein.func @other_encoding(%x: tensor<3xf32, 7 : i64>) {
  ein.return
}
// -----
ein.func @contract_c2_batch_read(%x: tensor<3x3xf32, #ein.batch<0>>, %w: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error@+1 {{axis 0 of operand #1 is indexed by d2, the batch, but is no batch axis of 'tensor<3x3xf32>'}}
  %y = ein.contract "ca,cb->ab" %x, %w : (tensor<3x3xf32, #ein.batch<0>>, tensor<3x3xf32>) -> tensor<3x3xf32>
  ein.return %y : tensor<3x3xf32>
}
// -----
ein.func @contract_c2_batch_result(%x: tensor<3x3xf32, #ein.batch<0>>, %w: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error@+1 {{axis 0 of the result is indexed by d0, the batch, but is no batch axis of 'tensor<3x3xf32>'}}
  %y = ein.contract "ac,cb->ab" %x, %w : (tensor<3x3xf32, #ein.batch<0>>, tensor<3x3xf32>) -> tensor<3x3xf32>
  ein.return %y : tensor<3x3xf32>
}
// -----
ein.func @map_c2_batch(%x: tensor<3xf32, #ein.batch<0>>, %y: tensor<3xf32, #ein.batch<0>>) -> tensor<3x3xf32, #ein.batch<0>> {
  // expected-error@+1 {{axis 0 of operand #1 is indexed by d1, which is not the batch, but is 'tensor<3xf32, #ein.batch<0>>'}}
  %z = ein.map mul "a,b->ab" %x, %y : (tensor<3xf32, #ein.batch<0>>, tensor<3xf32, #ein.batch<0>>) -> tensor<3x3xf32, #ein.batch<0>>
  ein.return %z : tensor<3x3xf32, #ein.batch<0>>
}
// -----
ein.func @reduce_c2_batch(%x: tensor<3x3xf32, #ein.batch<0>>) -> tensor<3xf32, #ein.batch<0>> {
  // expected-error@+1 {{axis 0 of the result is indexed by d1, which is not the batch, but is 'tensor<3xf32, #ein.batch<0>>'}}
  %y = ein.reduce sum "ab->b" %x : (tensor<3x3xf32, #ein.batch<0>>) -> tensor<3xf32, #ein.batch<0>>
  ein.return %y : tensor<3xf32, #ein.batch<0>>
}
// -----
ein.func @map_c2_batch_twice(%x: tensor<3xf32, #ein.batch<0>>) -> tensor<3x3xf32, #ein.batch<1>> {
  // expected-error@+1 {{axis 0 of the result is indexed by d0, the batch, but is no batch axis of 'tensor<3x3xf32, #ein.batch<1>>'}}
  %y = ein.map id "a->ab" %x : (tensor<3xf32, #ein.batch<0>>) -> tensor<3x3xf32, #ein.batch<1>>
  ein.return %y : tensor<3x3xf32, #ein.batch<1>>
}
// -----
ein.func @gather_c2_batch(%table: tensor<3x4xf32, #ein.batch<0>>, %at: tensor<2xi32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{axis 0 of operand #0 is indexed by s0, which is not the batch, but is 'tensor<3x4xf32, #ein.batch<0>>'}}
  %y = ein.gather "ib,i=a->ab" %table, %at : (tensor<3x4xf32, #ein.batch<0>>, tensor<2xi32>) -> tensor<2x4xf32>
  ein.return %y : tensor<2x4xf32>
}
// -----
ein.func @contract_c4_batch(%x: tensor<3x3xf32, #ein.batch<0>>, %a: tensor<3xf32, #ein.batch<0>>) -> tensor<3xf32> {
  // expected-error@+1 {{accumulates 'tensor<3xf32>' into 'tensor<3xf32, #ein.batch<0>>'}}
  %y = ein.reduce sum "ab->b" %x into %a : tensor<3xf32, #ein.batch<0>> : (tensor<3x3xf32, #ein.batch<0>>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// -----
ein.func @cast_c1_batch(%x: tensor<3xf32, #ein.batch<0>>) -> tensor<3xf64> {
  // expected-error@+1 {{has input 'tensor<3xf32, #ein.batch<0>>' but result 'tensor<3xf64>'}}
  %y = ein.cast %x : (tensor<3xf32, #ein.batch<0>>) -> tensor<3xf64>
  ein.return %y : tensor<3xf64>
}
// -----
ein.func @iota_c1_batch() -> tensor<3xi32, #ein.batch<0>> {
  // expected-error@+1 {{has type 'tensor<3xi32, #ein.batch<0>>' but no index counts the samples of a batch}}
  %y = ein.iota : tensor<3xi32, #ein.batch<0>>
  ein.return %y : tensor<3xi32, #ein.batch<0>>
}
// -----
ein.func @split_c2_batch(%x: tensor<4x6xf32, #ein.batch<1>>) -> tensor<4x3x2xf32, #ein.batch<1>> {
  // expected-error@+1 {{regroups the batch axis, or has another one: 'tensor<4x6xf32, #ein.batch<1>>' beside 'tensor<4x3x2xf32, #ein.batch<1>>'}}
  %y = ein.split %x axis 1 : (tensor<4x6xf32, #ein.batch<1>>) -> tensor<4x3x2xf32, #ein.batch<1>>
  ein.return %y : tensor<4x3x2xf32, #ein.batch<1>>
}
// -----
ein.func @merge_c2_batch(%x: tensor<3x2x4xf32, #ein.batch<2>>) -> tensor<6x4xf32> {
  // expected-error@+1 {{regroups the batch axis, or has another one: 'tensor<6x4xf32>' beside 'tensor<3x2x4xf32, #ein.batch<2>>'}}
  %y = ein.merge %x axis 0 : (tensor<3x2x4xf32, #ein.batch<2>>) -> tensor<6x4xf32>
  ein.return %y : tensor<6x4xf32>
}
// -----
// expected-error@+1 {{type attribute of tensor with extents above 0 and elements real, f16, bf16, f32, f64, i8, ui8, i32, i64 or i1, without a batch axis}}
ein.param @param_batch : tensor<3xf32, #ein.batch<0>> init normal(0.5, 0.0)
// -----
// expected-note@+1 {{declared here}}
ein.func @callee(%x: tensor<3x3xf32, #ein.batch<0>>) {
  ein.return
}
ein.func @call_c1_batch(%x: tensor<3x3xf32, #ein.batch<1>>) {
  // expected-error@+1 {{has arguments 'tensor<3x3xf32, #ein.batch<1>>' but 'callee' has 'tensor<3x3xf32, #ein.batch<0>>'}}
  ein.call @callee(%x) path "p" : (tensor<3x3xf32, #ein.batch<1>>) -> ()
  ein.return
}
// -----
ein.func @call_c1(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{calls 'nothing', which is no 'ein.func'}}
  %0 = ein.call @nothing(%x) path "p" : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
// expected-note@+1 {{declared here}}
ein.func @callee(%x: tensor<2xf32>) -> tensor<2xf32> {
  ein.return %x : tensor<2xf32>
}
ein.func @call_c1_types(%x: tensor<3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{has arguments 'tensor<3xf32>' but 'callee' has 'tensor<2xf32>'}}
  %0 = ein.call @callee(%x) path "p" : (tensor<3xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
// expected-note@+1 {{declared here}}
ein.func @callee(%w: tensor<2xf32>) -> tensor<2xf32> attributes {num_params = 1 : i64} {
  ein.return %w : tensor<2xf32>
}
ein.func @call_c2() -> tensor<2xf32> {
  // expected-error@+1 {{has parameters 0 but 'callee' has 1}}
  %0 = ein.call @callee() path "p" : () -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @callee(%w: tensor<2xf32>) -> tensor<2xf32> attributes {num_params = 1 : i64} {
  ein.return %w : tensor<2xf32>
}
ein.func @call_c2_symbol() -> tensor<2xf32> {
  // expected-error@+1 {{names 'callee', which is no 'ein.param'}}
  %0 = ein.call @callee() params [@callee] path "p" : () -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// -----
ein.func @split_c1(%x: tensor<4x6xf32>) -> tensor<4x3x2xf32> {
  // expected-error@+1 {{'ein.split' op axis is 2 but 'tensor<4x6xf32>' has rank 2}}
  %0 = ein.split %x axis 2 : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  ein.return %0 : tensor<4x3x2xf32>
}
// -----
ein.func @split_c2(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error@+1 {{has 'tensor<4x6xf32>' beside 'tensor<4x6xf32>' but needs at least one axis more}}
  %0 = ein.split %x axis 1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  ein.return %0 : tensor<4x6xf32>
}
// -----
ein.func @split_c2_other(%x: tensor<4x6xf32>) -> tensor<2x3x2xf32> {
  // expected-error@+1 {{changes an axis other than 1: 'tensor<4x6xf32>' beside 'tensor<2x3x2xf32>'}}
  %0 = ein.split %x axis 1 : (tensor<4x6xf32>) -> tensor<2x3x2xf32>
  ein.return %0 : tensor<2x3x2xf32>
}
// -----
ein.func @split_c3(%x: tensor<4x6xf32>) -> tensor<4x3x3xf32> {
  // expected-error@+1 {{splits extent 6 into 3, 3}}
  %0 = ein.split %x axis 1 : (tensor<4x6xf32>) -> tensor<4x3x3xf32>
  ein.return %0 : tensor<4x3x3xf32>
}
// -----
ein.func @split_c3_element(%x: tensor<4x6xf32>) -> tensor<4x3x2xf64> {
  // expected-error@+1 {{has element types 'f32' and 'f64'}}
  %0 = ein.split %x axis 1 : (tensor<4x6xf32>) -> tensor<4x3x2xf64>
  ein.return %0 : tensor<4x3x2xf64>
}
// -----
ein.func @split_c3_large(%x: tensor<4x6xf32>) -> tensor<4x4294967296x4294967296xf32> {
  // expected-error@+1 {{splits extent 6 into 4294967296, 4294967296}}
  %0 = ein.split %x axis 1 : (tensor<4x6xf32>) -> tensor<4x4294967296x4294967296xf32>
  ein.return %0 : tensor<4x4294967296x4294967296xf32>
}
// -----
ein.func @window_c1(%x: tensor<4x9xf32>) -> tensor<4x4x3xf32> {
  // expected-error@+1 {{reads 'tensor<4x9xf32>' as 'tensor<4x4x3xf32>' at affine_map<(d0, d1) -> (d0, d1)>, which needs a dimension for each axis of the result, and a result for each of the input}}
  %0 = ein.window %x at affine_map<(d0, d1) -> (d0, d1)> : (tensor<4x9xf32>) -> tensor<4x4x3xf32>
  ein.return %0 : tensor<4x4x3xf32>
}
// -----
ein.func @window_c2_affine(%x: tensor<4x9xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{position #1 is no sum of multiples of dimensions}}
  %0 = ein.window %x at affine_map<(d0, d1) -> (d0, d1 floordiv 2)> : (tensor<4x9xf32>) -> tensor<4x4xf32>
  ein.return %0 : tensor<4x4xf32>
}
// -----
ein.func @window_c2_twice(%x: tensor<4x9xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{dimension d0 is in two positions, or 0 times}}
  %0 = ein.window %x at affine_map<(d0) -> (d0, d0)> : (tensor<4x9xf32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
// -----
ein.func @window_c2_none(%x: tensor<4x9xf32>) -> tensor<4x5x2xf32> {
  // expected-error@+1 {{dimension d2 is in no position}}
  %0 = ein.window %x at affine_map<(d0, d1, d2) -> (d0, d1)> : (tensor<4x9xf32>) -> tensor<4x5x2xf32>
  ein.return %0 : tensor<4x5x2xf32>
}
// -----
ein.func @window_c3(%x: tensor<4x9xf32>) -> tensor<4x4x3xf32> {
  // expected-error@+1 {{reads positions 1 to 9 of axis 1, which has extent 9}}
  %0 = ein.window %x at affine_map<(d0, d1, d2) -> (d0, d1 * 2 + d2 + 1)> : (tensor<4x9xf32>) -> tensor<4x4x3xf32>
  ein.return %0 : tensor<4x4x3xf32>
}
// -----
ein.func @window_c3_before(%x: tensor<4x9xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{reads positions -1 to 1 of axis 1, which has extent 9}}
  %0 = ein.window %x at affine_map<(d0, d1) -> (d0, 1 - d1)> : (tensor<4x9xf32>) -> tensor<4x3xf32>
  ein.return %0 : tensor<4x3xf32>
}
// -----
ein.func @window_c4(%x: tensor<4x9xf32>) -> tensor<4x3xf64> {
  // expected-error@+1 {{has element types 'f32' and 'f64'}}
  %0 = ein.window %x at affine_map<(d0, d1) -> (d0, d1)> : (tensor<4x9xf32>) -> tensor<4x3xf64>
  ein.return %0 : tensor<4x3xf64>
}
// -----
ein.func @window_c4_batch(%x: tensor<4x9xf32, #ein.batch<0>>) -> tensor<3x9xf32, #ein.batch<0>> {
  // expected-error@+1 {{reads the batch at other positions than its own: 'tensor<4x9xf32, #ein.batch<0>>' as 'tensor<3x9xf32, #ein.batch<0>>'}}
  %0 = ein.window %x at affine_map<(d0, d1) -> (d0 + 1, d1)> : (tensor<4x9xf32, #ein.batch<0>>) -> tensor<3x9xf32, #ein.batch<0>>
  ein.return %0 : tensor<3x9xf32, #ein.batch<0>>
}
// -----
ein.func @place_c1(%x: tensor<4x3xf32>) -> tensor<4x3x1xf32> {
  // expected-error@+1 {{places 'tensor<4x3xf32>' in 'tensor<4x3x1xf32>', which has another rank or element type}}
  %0 = ein.insert_slice %x at affine_map<(d0, d1) -> (d0, d1)> : (tensor<4x3xf32>) -> tensor<4x3x1xf32>
  ein.return %0 : tensor<4x3x1xf32>
}
// -----
ein.func @place_c2(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{places 'tensor<4x3xf32>' at affine_map<(d0) -> (d0, 0)>, which needs a dimension and a result for each axis}}
  %0 = ein.insert_slice %x at affine_map<(d0) -> (d0, 0)> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  ein.return %0 : tensor<4x3xf32>
}
// -----
ein.func @place_c2_other(%x: tensor<4x3xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{position #0 is no integer and positive multiple of d0}}
  %0 = ein.insert_slice %x at affine_map<(d0, d1) -> (d1, d0)> : (tensor<4x3xf32>) -> tensor<4x4xf32>
  ein.return %0 : tensor<4x4xf32>
}
// -----
ein.func @place_c3(%x: tensor<4x3xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{writes positions 0 to 4 of axis 1, which has extent 4}}
  %0 = ein.insert_slice %x at affine_map<(d0, d1) -> (d0, d1 * 2)> : (tensor<4x3xf32>) -> tensor<4x4xf32>
  ein.return %0 : tensor<4x4xf32>
}
// -----
ein.func @place_c4(%x: tensor<4x3xf32, #ein.batch<0>>) -> tensor<5x3xf32, #ein.batch<0>> {
  // expected-error@+1 {{places the batch at other positions than its own: 'tensor<4x3xf32, #ein.batch<0>>' in 'tensor<5x3xf32, #ein.batch<0>>'}}
  %0 = ein.insert_slice %x at affine_map<(d0, d1) -> (d0, d1)> : (tensor<4x3xf32, #ein.batch<0>>) -> tensor<5x3xf32, #ein.batch<0>>
  ein.return %0 : tensor<5x3xf32, #ein.batch<0>>
}
// -----
ein.func @merge_c1(%x: tensor<4x3x2xf32>) -> tensor<4x6xf32> {
  // expected-error@+1 {{'ein.merge' op attribute 'axis' failed to satisfy constraint: a count whose value is non-negative}}
  %0 = ein.merge %x axis -1 : (tensor<4x3x2xf32>) -> tensor<4x6xf32>
  ein.return %0 : tensor<4x6xf32>
}
// -----
ein.func @merge_c2(%x: tensor<4x6xf32>) -> tensor<4x3x2xf32> {
  // expected-error@+1 {{has 'tensor<4x6xf32>' beside 'tensor<4x3x2xf32>' but needs at least one axis more}}
  %0 = ein.merge %x axis 1 : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  ein.return %0 : tensor<4x3x2xf32>
}
// -----
ein.func @merge_c3(%x: tensor<4x3x2xf32>) -> tensor<4x5xf32> {
  // expected-error@+1 {{splits extent 5 into 3, 2}}
  %0 = ein.merge %x axis 1 : (tensor<4x3x2xf32>) -> tensor<4x5xf32>
  ein.return %0 : tensor<4x5xf32>
}
// -----
// expected-error@+1 {{argument #0 is 'tensor<?xf32>' but needs to be a tensor with extents above 0 and elements real, f16, bf16, f32, f64, i8, ui8, i32, i64 or i1}}
ein.func @func_c4_extent(%x: tensor<?xf32>) {
  ein.return
}
// -----
// expected-error@+1 {{argument #1 is 'tensor<2xcomplex<f32>>' but needs to be a tensor}}
ein.func @func_c4_element(%x: tensor<2xf32>, %z: tensor<2xcomplex<f32>>) {
  ein.return
}
// -----
// expected-error@+1 {{result #0 is 'f32' but needs to be a tensor}}
ein.func @func_c4_result(%x: tensor<2xf32>) -> f32 {
  ein.return %x : tensor<2xf32>
}
// -----
// expected-error@+1 {{argument #0 is 'tensor<0xf32>' but needs to be a tensor with extents above 0}}
ein.model @model_c4(%x: tensor<0xf32>) attributes {arg_names = ["x"], result_names = [],
    arg_batch = array<i64: -1>, result_batch = array<i64>} {
  ein.return
}
// -----
// expected-error@+1 {{has 0 blocks but needs one}}
ein.func @func_c1_blocks(tensor<2xf32>)
// -----
// expected-error@+1 {{has 1 arguments and 0 results but says 9223372036854775807 parameters and 1 accumulators}}
ein.func @func_c3_overflow(%x: tensor<2xf32>) attributes {num_params = 9223372036854775807 : i64, num_accumulators = 1 : i64} {
  ein.return
}
// -----
ein.func @function_word(%x: tensor<2xf32>) {
  // expected-error@+1 {{custom op 'ein.reduce' found 'mean', expected one of sum, max, min, prod, any, all}}
  %y = ein.reduce mean(%x) over [2] maps [affine_map<(m) -> (m)>, affine_map<(m) -> ()>] : (tensor<2xf32>) -> tensor<f32>
  ein.return
}
// -----
// expected-error@+1 {{'ein.func' op result #0 is 'tensor<3xi16>' but needs to be a tensor with extents above 0 and elements real, f16, bf16, f32, f64, i8, ui8, i32, i64 or i1}}
ein.func @cast_to_i16(%x: tensor<3xf32>) -> tensor<3xi16> {
  %y = ein.cast %x : (tensor<3xf32>) -> tensor<3xi16>
  ein.return %y : tensor<3xi16>
}
// -----
// Narrow elements are moved and cast; nothing is computed with them.
ein.func @map_of_narrow(%x: tensor<3xbf16>) {
  // expected-error@+1 {{operand #0 has element type 'bf16', which only holds numbers; 'add' takes a cast of it}}
  %y = ein.map add "a,a->a" %x, %x : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xbf16>
  ein.return
}
// -----
ein.func @compare_narrow(%x: tensor<3xi8>) {
  // expected-error@+1 {{operand #0 has element type 'i8', which only holds numbers; 'eq' takes a cast of it}}
  %y = ein.map eq "a,a->a" %x, %x : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  ein.return
}
// -----
ein.func @reduce_narrow(%x: tensor<3xf16>) {
  // expected-error@+1 {{operand #0 must be tensor with extents above 0 and elements real, f32, f64, i32, i64 or i1, but got 'tensor<3xf16>'}}
  %y = ein.reduce sum "a->" %x : (tensor<3xf16>) -> tensor<f16>
  ein.return
}
// -----
ein.func @contract_narrow(%x: tensor<3xf16>) {
  // expected-error@+1 {{operand #0 must be variadic of tensor with extents above 0 and elements real, f32 or f64, but got 'tensor<3xf16>'}}
  %y = ein.contract "a,a->" %x, %x : (tensor<3xf16>, tensor<3xf16>) -> tensor<f16>
  ein.return
}
// -----
ein.func @scatter_narrow(%x: tensor<3xf16>, %i: tensor<3xi32>) {
  // expected-error@+1 {{operand #0 must be tensor with extents above 0 and elements real, f32, f64, i32, i64 or i1, but got 'tensor<3xf16>'}}
  %y = ein.scatter_add "a,i=a->i" %x, %i : (tensor<3xf16>, tensor<3xi32>) -> tensor<5xf16>
  ein.return
}
// -----
ein.func @constant_narrow() {
  // expected-error@+1 {{result #0 must be tensor with extents above 0 and elements real, f32, f64, i32, i64 or i1, but got 'tensor<bf16>'}}
  %y = ein.constant 1.0 : tensor<bf16>
  ein.return
}
// -----
ein.func @iota_narrow() {
  // expected-error@+1 {{has type 'tensor<3xi8>' but needs rank 1 and i32 or i64}}
  %y = ein.iota : tensor<3xi8>
  ein.return
}
// -----
// expected-error@+1 {{has type 'tensor<2xbf16>', whose elements only hold numbers, but is not frozen}}
ein.param @param_c1_frozen : tensor<2xbf16> init constant(0.0, 0.0)
// -----

// expected-error@+1 {{'ein.param' op is replaced by steps, but is no frozen tensor of reals}}
ein.param @param_c1_replaced : tensor<2xf32> init constant(0.0, 0.0) replaced

// -----

ein.func @next_c1(%y: tensor<2xi32>, %m: tensor<2xf32>) -> tensor<2xi32> attributes {num_params = 1 : i64} {
  // expected-error@+1 {{'ein.next' op has input 'tensor<2xi32>' and parameter 'tensor<2xf32>', expected tensors of reals}}
  %z = ein.next %y, %m = %m : tensor<2xi32>, tensor<2xf32>
  ein.return %z : tensor<2xi32>
}

// -----

ein.func @next_c2(%y: tensor<2xf32>, %m: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{'ein.next' op gives a next value to what is no parameter of a body}}
  %z = ein.next %y, %m = %m : tensor<2xf32>, tensor<2xf32>
  ein.return %z : tensor<2xf32>
}

// -----
// expected-error@+1 {{has type 'tensor<2xi32>', whose elements are no reals, but is not frozen}}
ein.param @param_c1_integers : tensor<2xi32> init constant(0.0, 0.0)
// -----
// expected-error@+1 {{has 1 'sizes' but 2 axes}}
ein.param @param_c2 : tensor<2x3xf32> init constant(0.0, 0.0) sizes ["D"]
// -----

// expected-error@+1 {{has 'moments' with axis 0, expected ascending axes of the 2 of the parameter}}
ein.param @w : tensor<2x3xf32> init constant(0.0, 0.0) {moments = [array<i64: 1, 0>]}

// -----

// expected-error@+1 {{has 'moments' with axis 2, expected ascending axes of the 2 of the parameter}}
ein.param @w : tensor<2x3xf32> init constant(0.0, 0.0) {moments = [array<i64: 2>]}

// -----

// expected-error@+1 {{has 'rows' 2 but 2 axes}}
ein.param @w : tensor<2x3xf32> init constant(0.0, 0.0) {rows = 2 : i64}

// -----
ein.func @cast_to_unsigned(%x: tensor<3xf32>) -> tensor<3xf32> {
// expected-error@+1 {{'ein.cast' op result #0 must be tensor with extents above 0 and elements real, f16, bf16, f32, f64, i8, ui8, i32, i64 or i1, but got 'tensor<3xui32>'}}
  %z = ein.cast %x : (tensor<3xf32>) -> tensor<3xui32>
  %y = ein.cast %z : (tensor<3xui32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// -----
ein.func @extent_negative(%x: tensor<3xf32>) -> tensor<3xf32> {
// expected-error@+1 {{'ein.map' op has extent -3 in its domain but needs 1 or more}}
  %y = ein.map neg(%x) over [-3] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// -----
ein.func @extent_zero(%x: tensor<3xf32>) -> tensor<3xf32> {
// expected-error@+1 {{'ein.map' op has extent 0 in its domain but needs 1 or more}}
  %y = ein.map neg(%x) over [0] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// -----
// expected-error@+1 {{'ein.param' op attribute 'type' failed to satisfy constraint: type attribute of tensor with extents above 0 and elements real, f16, bf16, f32, f64, i8, ui8, i32, i64 or i1, without a batch axis}}
ein.param @w : tensor<?xf32> init normal(0.5, 0.0)
// -----
// expected-error@+1 {{attribute 'num_params' failed to satisfy constraint: a count whose value is non-negative}}
ein.func @func_c3_negative() attributes {num_params = -1 : i64} {
  ein.return
}
// -----
ein.func @scatter_of_nothing() -> tensor<3xf32> {
  // expected-error@+1 {{found 0 operands, expected at least 1}}
  %y = ein.scatter_add  over [3] maps [affine_map<(n) -> (n)>] : () -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// -----
ein.func @unknown_function(%x: tensor<3xf32>) -> tensor<3xf32> {
// expected-error@+1 {{custom op 'ein.map' found 'sine', expected one of id, neg, abs, exp, expm1, log, log1p, sin, cos, tan, sqrt, rsqrt, erf, ndtr, tanh, sigmoid, floor, ceil, round, relu, sign, add, sub, mul, div, max, min, pow, floor_div, floor_mod, random, eq, ne, lt, le, gt, ge, and, or, not, select, bit_and, bit_or, bit_xor, shift_left, shift_right}}
  %y = ein.map sine(%x) over [3] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// -----
// expected-error@+1 {{custom op 'ein.param' found 'gauss', expected one of constant, normal, uniform}}
ein.param @w : tensor<3xf32> init gauss(0.5, 0.0)
// -----
ein.func @unknown_order(%x: tensor<3x3xf32>) -> tensor<3xf32> {
// expected-error@+1 {{custom op 'ein.reduce' found 'tree', expected one of lanes, chain}}
  %y = ein.reduce sum(%x) over [3, 3] maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>] order tree : (tensor<3x3xf32>) -> tensor<3xf32>
  ein.return %y : tensor<3xf32>
}
// -----
ein.func @contract_of_nothing() -> tensor<f32> {
  // expected-error@+1 {{has no operand}}
  %y = ein.contract over [] maps [affine_map<() -> ()>] : () -> tensor<f32>
  ein.return %y : tensor<f32>
}
// -----
// expected-error@+1 {{has role 'V' but roles are F, B, W and sum}}
ein.func @func_c5(%x: tensor<3xf32>) -> tensor<3xf32> attributes {role = "V"} {
  ein.return %x : tensor<3xf32>
}
