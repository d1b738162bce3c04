// Factors are rounded once for each value, a table where it lies; what a model writes in another narrow type stays; what is saved is rounded
// where contractions and elementwise equations read it, statistics and what a reduction reads stay f32.
// RUN: plc-opt %s --split-input-file --ein-narrow-factors=compute=mixed | FileCheck %s
// RUN: plc-opt %s --split-input-file --ein-narrow-factors=compute=half | FileCheck %s --check-prefix=HALF
// RUN: plc-opt %s --split-input-file --ein-narrow-factors | FileCheck %s --check-prefix=F32 --implicit-check-not=bf16
// F32: ein.model
// RUN: plc-opt %s --split-input-file --ein-narrow-factors=compute=mixed | plc-opt --split-input-file --ein-narrow-factors=compute=mixed | FileCheck %s
// HALF: ein.cast %arg0 : (tensor<4x8xf32>) -> tensor<4x8xf16>

// CHECK-LABEL: ein.func @factors
// CHECK: %[[W:.*]] = ein.cast %arg1 : (tensor<8x6xf32>) -> tensor<8x6xbf16>
// CHECK: %[[WW:.*]] = ein.cast %[[W]] : (tensor<8x6xbf16>) -> tensor<8x6xf32>
// CHECK: %[[X:.*]] = ein.cast %arg0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
// CHECK: %[[XW:.*]] = ein.cast %[[X]] : (tensor<4x8xbf16>) -> tensor<4x8xf32>
// CHECK: %[[Q:.*]] = ein.cast %arg2 : (tensor<8x6xi8>) -> tensor<8x6xf32>
// CHECK: ein.contract "ac,cb->ab" %[[XW]], %[[WW]] : (tensor<4x8xf32>
// CHECK: %[[S:.*]] = ein.split %[[XW]] axis 0
// CHECK: ein.contract "abd,dc->abc" %[[S]], %[[WW]]
// CHECK: ein.contract "ac,cb->ab" %arg0, %[[Q]]
ein.func @factors(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %q: tensor<8x6xi8>) -> (tensor<4x6xf32>, tensor<2x2x6xf32>, tensor<4x6xf32>) {
  %real = ein.cast %q : (tensor<8x6xi8>) -> tensor<8x6xf32>
  %split = ein.split %x axis 0 : (tensor<4x8xf32>) -> tensor<2x2x8xf32>
  %0 = ein.contract "ac,cb->ab" %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = ein.contract "abd,dc->abc" %split, %w : (tensor<2x2x8xf32>, tensor<8x6xf32>) -> tensor<2x2x6xf32>
  %2 = ein.contract "ac,cb->ab" %x, %real : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  ein.return %0, %1, %2 : tensor<4x6xf32>, tensor<2x2x6xf32>, tensor<4x6xf32>
}

// -----
// CHECK-LABEL: ein.func @experts
// CHECK: %[[T:.*]] = ein.cast %arg1 : (tensor<5x8x6xf32>) -> tensor<5x8x6xbf16>
// CHECK: %[[G:.*]] = ein.gather {{.*}} %[[T]], %arg2 : (tensor<5x8x6xbf16>, tensor<4xi32>) -> tensor<4x8x6xbf16>
// CHECK: ein.cast %[[G]] : (tensor<4x8x6xbf16>) -> tensor<4x8x6xf32>
ein.func @experts(%x: tensor<4x8xf32>, %table: tensor<5x8x6xf32>, %pick: tensor<4xi32>) -> tensor<4x6xf32> {
  %0 = ein.gather "ibc,i=a->abc" %table, %pick : (tensor<5x8x6xf32>, tensor<4xi32>) -> tensor<4x8x6xf32>
  %1 = ein.contract "ac,acb->ab" %x, %0 : (tensor<4x8xf32>, tensor<4x8x6xf32>) -> tensor<4x6xf32>
  ein.return %1 : tensor<4x6xf32>
}

// -----
// What all iterations of a loop read is rounded before it, once.
// CHECK-LABEL: ein.func @turns
// CHECK: %[[W:.*]] = ein.cast %arg2 : (tensor<4x4xf32>) -> tensor<4x4xbf16>
// CHECK: ein.loop {{.*}} with({{.*}}%[[W]])
// CHECK: ein.cast %{{.*}} : (tensor<4x4xbf16>) -> tensor<4x4xf32>
// CHECK-NOT: (tensor<4x4xf32>) -> tensor<4x4xbf16>
ein.func @turns(%h: tensor<3x4xf32>, %x: tensor<5x3x4xf32>, %w: tensor<4x4xf32>) -> tensor<3x4xf32> {
  %last = ein.loop iterations 5 carries(%h) slices(%x) with(%w) : (tensor<3x4xf32>, tensor<5x3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32> {
  ^bb0(%carry: tensor<3x4xf32>, %slice: tensor<3x4xf32>, %weight: tensor<4x4xf32>):
    %y = ein.contract "ac,cb->ab" %carry, %weight : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
    %next = ein.map add "ab,ab->ab" %slice, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    ein.return %next : tensor<3x4xf32>
  }
  ein.return %last : tensor<3x4xf32>
}

// -----
// CHECK-LABEL: ein.func @line.F
// CHECK-SAME: -> (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<4xf32>, tensor<4x8xf32>)
// CHECK: %[[E:.*]] = ein.map exp
// CHECK: ein.cast %[[E]] : (tensor<4x8xf32>) -> tensor<4x8xbf16>
ein.func @line.F(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>) attributes {role = "F"} {
  %e = ein.map exp "ab->ab" %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = ein.map tanh "ab->ab" %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = ein.reduce sum "ab->a" %e : (tensor<4x8xf32>) -> tensor<4xf32>
  %y = ein.map neg "ab->ab" %e : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ein.return %y, %e, %s, %t : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>
}
// CHECK-LABEL: ein.func @line.B
// CHECK-SAME: %arg0: tensor<4x8xf32>, %arg1: tensor<4x8xbf16>, %arg2: tensor<4xf32>, %arg3: tensor<4x8xf32>
// CHECK: ein.cast %arg1 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
ein.func @line.B(%g: tensor<4x8xf32>, %e: tensor<4x8xf32>, %s: tensor<4xf32>, %t: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {role = "B"} {
  %0 = ein.map mul "ab,ab->ab" %g, %e : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = ein.reduce sum "ab->a" %t : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = ein.map add "a,a->a" %1, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = ein.map mul "ab,a->ab" %0, %2 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  ein.return %3 : tensor<4x8xf32>
}
ein.model @m(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {arg_names = ["x"], result_names = ["y", "d"], arg_batch = array<i64: -1>, result_batch = array<i64: -1, -1>} {
  %y, %e, %s, %t = ein.call @line.F(%x) params [] path "line" : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>)
  %d = ein.call @line.B(%y, %e, %s, %t) params [] path "line" : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  ein.return %y, %d : tensor<4x8xf32>, tensor<4x8xf32>
}
