// Subscripts that are none, or disagree with the operands or their types.
// RUN: plc-opt %s --split-input-file --verify-diagnostics

ein.func @character(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{found '1' in subscripts, expected letters, ',' between operands, '->' before the result, or one letter and '=' before an operand that holds positions}}
  %0 = ein.map neg "1->a" %x : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @space(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{found ' ' in subscripts}}
  %0 = ein.map neg "a ->a" %x : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @dash(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{found '-' in subscripts}}
  %0 = ein.map neg "a-a" %x : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @name_of_two_letters(%x: tensor<3xf32>, %p: tensor<3xi32>) -> tensor<3xf32> {
  // expected-error@+1 {{found '=' in subscripts}}
  %0 = ein.gather "i,ij=a->a" %x, %p : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @no_result(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{subscripts end without a result, expected '->' and its indices}}
  %0 = ein.map neg "a" %x : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @two_results(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{found '->' behind the result, expected the end of the subscripts}}
  %0 = ein.map neg "a->a->a" %x : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @operand_behind_result(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{found ',' behind the result, expected the end of the subscripts}}
  %0 = ein.map neg "a->a,a" %x : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @operands(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{subscripts are of 2 operands but there are 1}}
  %0 = ein.map neg "a,a->a" %x : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @positions_of_a_map(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{found name 'i' for operand #0, which holds no positions}}
  %0 = ein.map neg "i=a->a" %x : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @positions_without_name(%x: tensor<3xf32>, %p: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error@+1 {{operand #1 holds positions but has no name: write 'i=a', and 'i' where it indexes the table}}
  %0 = ein.gather "i,a->a" %x, %p : (tensor<3xf32>, tensor<4xi32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
// -----
ein.func @name_twice(%x: tensor<3x3xf32>, %p: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error@+1 {{name 'i' is given to two operands}}
  %0 = ein.gather "ii,i=a,i=a->a" %x, %p, %p : (tensor<3x3xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
// -----
ein.func @name_in_result(%x: tensor<3xf32>, %p: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error@+1 {{index 'i' names positions, which index the table alone}}
  %0 = ein.gather "i,i=a->i" %x, %p : (tensor<3xf32>, tensor<4xi32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
// -----
ein.func @rank(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{found 2 indices of operand #0 but it has rank 1}}
  %0 = ein.map neg "ab->a" %x : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @rank_of_result(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{found 0 indices of the result but it has rank 1}}
  %0 = ein.map neg "a->" %x : (tensor<3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @extents(%x: tensor<2x3xf32>, %w: tensor<4x5xf32>) -> tensor<2x5xf32> {
  // expected-error@+1 {{index 'k' has extent 4 in operand #1 but 3 in operand #0}}
  %0 = ein.contract "mk,kn->mn" %x, %w : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  ein.return %0 : tensor<2x5xf32>
}
// -----
ein.func @extent_of_result(%x: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{index 'a' has extent 4 in the result but 3 in operand #0}}
  %0 = ein.map neg "a->a" %x : (tensor<3xf32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
// -----
ein.func @no_tensor(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{found 'f32', expected a tensor with the extents of its indices}}
  %0 = ein.map neg "a->a" %x : (tensor<3xf32>) -> f32
  ein.return %0 : tensor<3xf32>
}
// -----
ein.func @results(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{found 2 results, expected one}}
  %0:2 = ein.map neg "a->a" %x : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  ein.return %0#0 : tensor<3xf32>
}
