// RUN: plc-opt %s --ein-segment-loops --split-input-file | FileCheck %s
// RUN: plc-opt %s --ein-segment-loops --ein-split-loops --split-input-file | FileCheck %s --check-prefix=SPLIT

// 96 iterations are 8 segments of 12: slices and elements are the same memory, and the iterations are as they were.
// CHECK-LABEL: ein.func @long
// CHECK: %[[X:.*]] = ein.split %arg1 axis 0 : (tensor<96x4xf32>) -> tensor<8x12x4xf32>
// CHECK: %[[R:.*]]:2 = ein.loop iterations 8 reverse carries(%arg0) slices(%[[X]]) with(%arg2) attributes {ein.segments} : {{.*}} -> (tensor<4xf32>, tensor<8x12x4xf32>) {
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<4xf32>, %[[P:.*]]: tensor<12x4xf32>, %[[W:.*]]: tensor<4x4xf32>):
// CHECK-NEXT: %[[T:.*]]:2 = ein.loop iterations 12 reverse carries(%[[C]]) slices(%[[P]]) with(%[[W]]) : {{.*}} -> (tensor<4xf32>, tensor<12x4xf32>) {
// CHECK: ein.return %[[T]]#0, %[[T]]#1
// CHECK: %[[Y:.*]] = ein.merge %[[R]]#1 axis 0 : (tensor<8x12x4xf32>) -> tensor<96x4xf32>
// CHECK: ein.return %[[R]]#0, %[[Y]]
// The product of what iterations read is one of each segment; what is the same in all stands before them.
// SPLIT-LABEL: ein.func @long
// SPLIT: %[[E:.*]] = ein.map exp "ab->ab" %arg2
// SPLIT: ein.loop iterations 8 reverse carries(%arg0) slices({{.*}}) with(%[[E]]) attributes {ein.segments}
// SPLIT-NEXT: ^bb0(%{{.*}}: tensor<4xf32>, %[[P:.*]]: tensor<12x4xf32>, %[[W:.*]]: tensor<4x4xf32>):
// SPLIT-NEXT: ein.contract {{.*}} %[[P]], %[[W]] : (tensor<12x4xf32>, tensor<4x4xf32>) -> tensor<12x4xf32>
// SPLIT-NEXT: ein.loop iterations 12 reverse
ein.func @long(%h: tensor<4xf32>, %x: tensor<96x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<96x4xf32>) {
  %last, %all = ein.loop iterations 96 reverse carries(%h) slices(%x) with(%w) : (tensor<4xf32>, tensor<96x4xf32>, tensor<4x4xf32>) -> (tensor<4xf32>, tensor<96x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %p: tensor<4xf32>, %u: tensor<4x4xf32>):
    %e = ein.map exp "ab->ab" %u : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %y = ein.contract "b,ba->a" %p, %e : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %next = ein.map add "a,a->a" %c, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ein.return %next, %next : tensor<4xf32>, tensor<4xf32>
  }
  ein.return %last, %all : tensor<4xf32>, tensor<96x4xf32>
}

// -----

// Few iterations, and numbers of iterations that few others divide, are one segment.
// CHECK-LABEL: ein.func @whole
// CHECK-NOT: ein.segments
ein.func @whole(%h: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %few = ein.loop iterations 63 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    %0 = ein.map neg "a->a" %c : (tensor<4xf32>) -> tensor<4xf32>
    ein.return %0 : tensor<4xf32>
  }
  %prime = ein.loop iterations 4093 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    %0 = ein.map neg "a->a" %c : (tensor<4xf32>) -> tensor<4xf32>
    ein.return %0 : tensor<4xf32>
  }
  %twice = ein.loop iterations 302 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    %0 = ein.map neg "a->a" %c : (tensor<4xf32>) -> tensor<4xf32>
    ein.return %0 : tensor<4xf32>
  }
  ein.return %few, %prime, %twice : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
