// RUN: plc-opt %s --split-input-file --verify-diagnostics

ein.func @no_turn(%h: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'ein.loop' op has no iteration}}
  %r = ein.loop iterations 0 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    ein.return %c : tensor<4xf32>
  }
  ein.return %r : tensor<4xf32>
}

// -----

ein.func @no_body(%h: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'ein.loop' op has a body that is not one block, ended by 'ein.return'}}
  %r = ein.loop iterations 2 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  }
  ein.return %r : tensor<4xf32>
}

// -----

ein.func @few_results(%h: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'ein.loop' op has 0 results but 1 carries}}
  ein.loop iterations 2 carries(%h) slices() with() : (tensor<4xf32>) -> () {
  ^bb0(%c: tensor<4xf32>):
    ein.return %c : tensor<4xf32>
  }
  ein.return %h : tensor<4xf32>
}

// -----

ein.func @slice(%x: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{'ein.loop' op slice #0 is 'tensor<3x4xf32>' but axis 0 needs the extent 2, one position for each iteration}}
  %r = ein.loop iterations 2 carries() slices(%x) with() : (tensor<3x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%p: tensor<4xf32>):
    ein.return %p : tensor<4xf32>
  }
  ein.return %r : tensor<2x4xf32>
}

// -----

ein.func @result(%x: tensor<2x4xf32>) -> tensor<f32> {
  // expected-error@+1 {{'ein.loop' op result #0 is 'tensor<f32>' but axis 0 needs the extent 2, one position for each iteration}}
  %r = ein.loop iterations 2 carries() slices(%x) with() : (tensor<2x4xf32>) -> tensor<f32> {
  ^bb0(%p: tensor<4xf32>):
    ein.return %p : tensor<4xf32>
  }
  ein.return %r : tensor<f32>
}

// -----

ein.func @batch(%x: tensor<2x4xf32, #ein.batch<0>>) -> tensor<2x4xf32> {
  // expected-error@+1 {{'ein.loop' op slice #0 has iterations along the batch, in 'tensor<2x4xf32, #ein.batch<0>>'}}
  %r = ein.loop iterations 2 carries() slices(%x) with() : (tensor<2x4xf32, #ein.batch<0>>) -> tensor<2x4xf32> {
  ^bb0(%p: tensor<4xf32>):
    ein.return %p : tensor<4xf32>
  }
  ein.return %r : tensor<2x4xf32>
}

// -----

ein.func @carry(%h: tensor<4xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'ein.loop' op result #0 is 'tensor<3xf32>' but its carry 'tensor<4xf32>'}}
  %r = ein.loop iterations 2 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<3xf32> {
  ^bb0(%c: tensor<4xf32>):
    ein.return %c : tensor<4xf32>
  }
  ein.return %r : tensor<3xf32>
}

// -----

ein.func @argument(%h: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'ein.loop' op has a body whose argument #0 is 'tensor<3xf32>' but 'tensor<4xf32>' is needed}}
  %r = ein.loop iterations 2 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<3xf32>):
    ein.return %c : tensor<3xf32>
  }
  ein.return %r : tensor<4xf32>
}

// -----

ein.func @given(%h: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'ein.loop' op has a body with 2 results but 1 are needed}}
  %r = ein.loop iterations 2 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    ein.return %c, %c : tensor<4xf32>, tensor<4xf32>
  }
  ein.return %r : tensor<4xf32>
}
