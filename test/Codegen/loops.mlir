// Iterations that carry values, called one after the other: the interpreter's bits.
// RUN: %unit/kernel-check %s | FileCheck %s
// RUN: %unit/kernel-check %s avx avx2 fma | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t && %unit/kernel-check %t | FileCheck %s
// RUN: %unit/kernel-check %s own | FileCheck %s
// CHECK: fault_nested: status 1, gather 0 of 1, position 0, value 1000
// CHECK: 16 of 16 bodies equal

// The carry is also collected; odd sizes, so that elements are not aligned to vectors.
ein.func @forward(%h: tensor<7xf32>, %x: tensor<5x7xf32>, %w: tensor<7x7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
  %last, %all = ein.loop iterations 5 carries(%h) slices(%x) with(%w) : (tensor<7xf32>, tensor<5x7xf32>, tensor<7x7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
  ^bb0(%carry: tensor<7xf32>, %slice: tensor<7xf32>, %weight: tensor<7x7xf32>):
    %y = ein.contract "b,ba->a" %carry, %weight order [1] : (tensor<7xf32>, tensor<7x7xf32>) -> tensor<7xf32>
    %s = ein.map add "a,a->a" %slice, %y : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %next = ein.map tanh "a->a" %s : (tensor<7xf32>) -> tensor<7xf32>
    ein.return %next, %next : tensor<7xf32>, tensor<7xf32>
  }
  ein.return %last, %all : tensor<7xf32>, tensor<5x7xf32>
}
ein.func @reverse(%h: tensor<7xf32>, %x: tensor<5x7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
  %last, %all = ein.loop iterations 5 reverse carries(%h) slices(%x) with() : (tensor<7xf32>, tensor<5x7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
  ^bb0(%carry: tensor<7xf32>, %slice: tensor<7xf32>):
    %s = ein.map mul "a,a->a" %slice, %carry : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %next = ein.map add "a,a->a" %slice, %s : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    ein.return %next, %next : tensor<7xf32>, tensor<7xf32>
  }
  ein.return %last, %all : tensor<7xf32>, tensor<5x7xf32>
}
// The last carry alone, in two buffers; an even number of iterations.
ein.func @buffers(%h: tensor<3x5xf32>, %x: tensor<6x5xf32>) -> tensor<3x5xf32> {
  %last = ein.loop iterations 6 carries(%h) slices(%x) with() : (tensor<3x5xf32>, tensor<6x5xf32>) -> tensor<3x5xf32> {
  ^bb0(%carry: tensor<3x5xf32>, %slice: tensor<5xf32>):
    %m = ein.reduce sum "ab->a" %carry order lanes : (tensor<3x5xf32>) -> tensor<3xf32>
    %s = ein.map mul "b,ab->ab" %slice, %carry : (tensor<5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
    %next = ein.map sub "ab,a->ab" %s, %m : (tensor<3x5xf32>, tensor<3xf32>) -> tensor<3x5xf32>
    ein.return %next : tensor<3x5xf32>
  }
  ein.return %last : tensor<3x5xf32>
}
// The elements alone, of a carry that nobody reads in the end.
ein.func @elements(%h: tensor<5xf32>, %x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %last, %all = ein.loop iterations 4 carries(%h) slices(%x) with() : (tensor<5xf32>, tensor<4x5xf32>) -> (tensor<5xf32>, tensor<4x5xf32>) {
  ^bb0(%carry: tensor<5xf32>, %slice: tensor<5xf32>):
    %next = ein.map mul "a,a->a" %slice, %carry : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %element = ein.map add "a,a->a" %next, %carry : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    ein.return %next, %element : tensor<5xf32>, tensor<5xf32>
  }
  ein.return %all : tensor<4x5xf32>
}
// Carries that swap, and one that stays; all of them collected before the iteration.
ein.func @swap(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<7x3xf32>, tensor<7x3xf32>, tensor<7x2xf32>) {
  %r:6 = ein.loop iterations 7 carries(%a, %b, %c) slices() with() : (tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<7x3xf32>, tensor<7x3xf32>, tensor<7x2xf32>) {
  ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>, %z: tensor<2xf32>):
    ein.return %y, %x, %z, %x, %y, %z : tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>
  }
  ein.return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<7x3xf32>, tensor<7x3xf32>, tensor<7x2xf32>
}
// Fibonacci's numbers: one carry is the sum of two, the other what the first one was.
ein.func @two(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %r:2 = ein.loop iterations 8 carries(%a, %b) slices() with() : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>):
    %s = ein.map add "a,a->a" %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ein.return %y, %s : tensor<3xf32>, tensor<3xf32>
  }
  ein.return %r#0, %r#1 : tensor<3xf32>, tensor<3xf32>
}
// A value given twice to carries and twice to elements.
ein.func @twice(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) {
  %r:4 = ein.loop iterations 3 carries(%a, %b) slices() with() : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) {
  ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>):
    %s = ein.map sub "a,a->a" %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ein.return %s, %s, %s, %s : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  ein.return %r#0, %r#1, %r#2, %r#3 : tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<3x3xf32>
}
// One iteration.
ein.func @one(%h: tensor<5xf32>, %x: tensor<1x5xf32>) -> (tensor<5xf32>, tensor<1x5xf32>) {
  %last, %all = ein.loop iterations 1 carries(%h) slices(%x) with() : (tensor<5xf32>, tensor<1x5xf32>) -> (tensor<5xf32>, tensor<1x5xf32>) {
  ^bb0(%carry: tensor<5xf32>, %slice: tensor<5xf32>):
    %next = ein.map mul "a,a->a" %slice, %carry : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %element = ein.map exp "a->a" %carry : (tensor<5xf32>) -> tensor<5xf32>
    ein.return %next, %element : tensor<5xf32>, tensor<5xf32>
  }
  ein.return %last, %all : tensor<5xf32>, tensor<1x5xf32>
}
// Iterations without a carry; truth values, of one byte each.
ein.func @without_carry(%x: tensor<5x3xi1>, %y: tensor<5xi32>, %z: tensor<i64>) -> (tensor<5x3xi1>, tensor<5xi64>) {
  %r:2 = ein.loop iterations 5 carries() slices(%x, %y) with(%z) : (tensor<5x3xi1>, tensor<5xi32>, tensor<i64>) -> (tensor<5x3xi1>, tensor<5xi64>) {
  ^bb0(%p: tensor<3xi1>, %q: tensor<i32>, %s: tensor<i64>):
    %0 = ein.map not "a->a" %p : (tensor<3xi1>) -> tensor<3xi1>
    %1 = ein.cast %q : (tensor<i32>) -> tensor<i64>
    %2 = ein.map add ",->" %1, %s : (tensor<i64>, tensor<i64>) -> tensor<i64>
    ein.return %0, %2 : tensor<3xi1>, tensor<i64>
  }
  ein.return %r#0, %r#1 : tensor<5x3xi1>, tensor<5xi64>
}
// A part, an invariant and numbers that are free are given as they are.
ein.func @given(%h: tensor<3xf32>, %x: tensor<4x3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x5xi32>) {
  %r:4 = ein.loop iterations 4 carries(%h) slices(%x) with(%w) : (tensor<3xf32>, tensor<4x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x5xi32>) {
  ^bb0(%carry: tensor<3xf32>, %slice: tensor<3xf32>, %weight: tensor<3xf32>):
    %i = ein.iota : tensor<5xi32>
    ein.return %slice, %carry, %weight, %i : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5xi32>
  }
  ein.return %r#0, %r#1, %r#2, %r#3 : tensor<3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x5xi32>
}
// Operands that are views, of which a part is one piece or none; the first carry is a constant.
ein.func @views(%x: tensor<8x6xf32>) -> (tensor<3xf32>, tensor<4x2xf32>) {
  %zero = ein.constant 0.0 : tensor<f32>
  %h = ein.map id "->a" %zero : (tensor<f32>) -> tensor<3xf32>
  %parts = ein.split %x axis 0 : (tensor<8x6xf32>) -> tensor<4x2x6xf32>
  %flat = ein.merge %parts axis 1 : (tensor<4x2x6xf32>) -> tensor<4x12xf32>
  %r:2 = ein.loop iterations 4 carries(%h) slices(%parts) with(%flat) : (tensor<3xf32>, tensor<4x2x6xf32>, tensor<4x12xf32>) -> (tensor<3xf32>, tensor<4x2xf32>) {
  ^bb0(%carry: tensor<3xf32>, %slice: tensor<2x6xf32>, %all: tensor<4x12xf32>):
    %0 = ein.split %slice axis 1 : (tensor<2x6xf32>) -> tensor<2x3x2xf32>
    %1 = ein.reduce sum "abc->b" %0 order chain : (tensor<2x3x2xf32>) -> tensor<3xf32>
    %2 = ein.reduce sum "ab->" %all order lanes : (tensor<4x12xf32>) -> tensor<f32>
    %3 = ein.map add "a,a->a" %carry, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %4 = ein.map mul "a,->a" %3, %2 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %5 = ein.reduce max "ab->a" %slice order lanes : (tensor<2x6xf32>) -> tensor<2xf32>
    ein.return %4, %5 : tensor<3xf32>, tensor<2xf32>
  }
  ein.return %r#0, %r#1 : tensor<3xf32>, tensor<4x2xf32>
}
// What an iteration gives is a view, and so is what the body gives of the loop.
ein.func @given_views(%h: tensor<6xf32>, %x: tensor<4x2x3xf32>) -> (tensor<2x3xf32>, tensor<2x2x2x3xf32>) {
  %r:2 = ein.loop iterations 4 carries(%h) slices(%x) with() : (tensor<6xf32>, tensor<4x2x3xf32>) -> (tensor<6xf32>, tensor<4x2x3xf32>) {
  ^bb0(%carry: tensor<6xf32>, %slice: tensor<2x3xf32>):
    %0 = ein.split %carry axis 0 : (tensor<6xf32>) -> tensor<2x3xf32>
    %1 = ein.map sub "ab,ab->ab" %0, %slice : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = ein.merge %1 axis 0 : (tensor<2x3xf32>) -> tensor<6xf32>
    ein.return %2, %0 : tensor<6xf32>, tensor<2x3xf32>
  }
  %0 = ein.split %r#0 axis 0 : (tensor<6xf32>) -> tensor<2x3xf32>
  %1 = ein.split %r#1 axis 0 : (tensor<4x2x3xf32>) -> tensor<2x2x2x3xf32>
  ein.return %0, %1 : tensor<2x3xf32>, tensor<2x2x2x3xf32>
}
// A loop in the iterations of another, whose last carry is the outer one's next; both need scratch.
ein.func @nested(%h: tensor<5xf32>, %x: tensor<4x3x5xf32>, %w: tensor<5x5xf32>) -> (tensor<5xf32>, tensor<4x3x5xf32>) {
  %r:2 = ein.loop iterations 4 carries(%h) slices(%x) with(%w) : (tensor<5xf32>, tensor<4x3x5xf32>, tensor<5x5xf32>) -> (tensor<5xf32>, tensor<4x3x5xf32>) {
  ^bb0(%carry: tensor<5xf32>, %slice: tensor<3x5xf32>, %weight: tensor<5x5xf32>):
    %s:2 = ein.loop iterations 3 reverse carries(%carry) slices(%slice) with(%weight) : (tensor<5xf32>, tensor<3x5xf32>, tensor<5x5xf32>) -> (tensor<5xf32>, tensor<3x5xf32>) {
    ^bb0(%inner: tensor<5xf32>, %part: tensor<5xf32>, %v: tensor<5x5xf32>):
      %0 = ein.contract "b,ba->a" %inner, %v order [1] : (tensor<5xf32>, tensor<5x5xf32>) -> tensor<5xf32>
      %1 = ein.map mul "a,a->a" %0, %part : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
      %2 = ein.map add "a,a->a" %0, %1 : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
      ein.return %2, %1 : tensor<5xf32>, tensor<5xf32>
    }
    %t = ein.map sub "a,a->a" %s#0, %carry : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    ein.return %t, %s#1 : tensor<5xf32>, tensor<3x5xf32>
  }
  ein.return %r#0, %r#1 : tensor<5xf32>, tensor<4x3x5xf32>
}
// Sums in the library and in tiles, of rows that lie at odd places; several values live in an iteration.
ein.func @products(%h: tensor<24x33xf32>, %x: tensor<3x24x33xf32>, %w: tensor<33x33xf32>, %v: tensor<33x33xf32>) -> (tensor<24x33xf32>, tensor<3x24x33xf32>) {
  %r:2 = ein.loop iterations 3 carries(%h) slices(%x) with(%w, %v) : (tensor<24x33xf32>, tensor<3x24x33xf32>, tensor<33x33xf32>, tensor<33x33xf32>) -> (tensor<24x33xf32>, tensor<3x24x33xf32>) {
  ^bb0(%carry: tensor<24x33xf32>, %slice: tensor<24x33xf32>, %wt: tensor<33x33xf32>, %vt: tensor<33x33xf32>):
    %0 = ein.contract "ac,cb->ab" %carry, %wt order [2] : (tensor<24x33xf32>, tensor<33x33xf32>) -> tensor<24x33xf32>
    %1 = ein.contract "ac,cb->ab" %slice, %vt order [2] : (tensor<24x33xf32>, tensor<33x33xf32>) -> tensor<24x33xf32>
    %2 = ein.map add "mn,mn->mn" %0, %1 : (tensor<24x33xf32>, tensor<24x33xf32>) -> tensor<24x33xf32>
    %3 = ein.map sigmoid "mn->mn" %2 : (tensor<24x33xf32>) -> tensor<24x33xf32>
    %4 = ein.contract "ac,bc->ab" %3, %wt order [2] : (tensor<24x33xf32>, tensor<33x33xf32>) -> tensor<24x33xf32>
    %5 = ein.map mul "mn,mn->mn" %4, %0 : (tensor<24x33xf32>, tensor<24x33xf32>) -> tensor<24x33xf32>
    ein.return %5, %3 : tensor<24x33xf32>, tensor<24x33xf32>
  }
  ein.return %r#0, %r#1 : tensor<24x33xf32>, tensor<3x24x33xf32>
}
// A table is read at places that differ from turn to turn.
ein.func @gather(%t: tensor<8x5xf32>, %i: tensor<4x3xi32>, %h: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = ein.loop iterations 4 carries(%h) slices(%i) with(%t) : (tensor<3x5xf32>, tensor<4x3xi32>, tensor<8x5xf32>) -> tensor<3x5xf32> {
  ^bb0(%carry: tensor<3x5xf32>, %at: tensor<3xi32>, %table: tensor<8x5xf32>):
    %row = ein.gather %table, %at over [3, 5] maps [affine_map<(a, b)[i] -> (i, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>] : (tensor<8x5xf32>, tensor<3xi32>) -> tensor<3x5xf32>
    %next = ein.map add "ab,ab->ab" %carry, %row : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
    ein.return %next : tensor<3x5xf32>
  }
  ein.return %r : tensor<3x5xf32>
}
// An index is outside in one iteration, of a loop within another.
ein.func @fault_nested(%t: tensor<8x5xf32>, %i: tensor<2x4x3xi32>, %h: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %r = ein.loop iterations 2 carries(%h) slices(%i) with(%t) : (tensor<3x5xf32>, tensor<2x4x3xi32>, tensor<8x5xf32>) -> tensor<3x5xf32> {
  ^bb0(%outer: tensor<3x5xf32>, %rows: tensor<4x3xi32>, %table: tensor<8x5xf32>):
    %s = ein.loop iterations 4 carries(%outer) slices(%rows) with(%table) : (tensor<3x5xf32>, tensor<4x3xi32>, tensor<8x5xf32>) -> tensor<3x5xf32> {
    ^bb0(%carry: tensor<3x5xf32>, %at: tensor<3xi32>, %from: tensor<8x5xf32>):
      %row = ein.gather %from, %at over [3, 5] maps [affine_map<(a, b)[i] -> (i, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>] : (tensor<8x5xf32>, tensor<3xi32>) -> tensor<3x5xf32>
      %next = ein.map add "ab,ab->ab" %carry, %row : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
      ein.return %next : tensor<3x5xf32>
    }
    ein.return %s : tensor<3x5xf32>
  }
  ein.return %r : tensor<3x5xf32>
}
