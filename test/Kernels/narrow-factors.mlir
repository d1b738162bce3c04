// A narrow factor is widened where a contraction reads it: its cast stands in the kernel of the contraction, and no kernel gives
// what is widened.
// RUN: plc-opt %s --form-kernels=contractions=own | FileCheck %s

// Each reader has a cast of its own; a view shows the narrow tensor. What a map reads it widens itself.
// CHECK: plan.kernel @shared.0(%{{.*}}: tensor<32x64xbf16>) -> tensor<32x64xf32>
// CHECK-NEXT: ein.cast
// CHECK-NEXT: ein.map exp
// CHECK: plan.kernel @shared.1(%{{.*}}: tensor<64x32xf32>, %{{.*}}: tensor<32x64xbf16>) -> tensor<64x64xf32>
// CHECK-SAME: by = #plan<by tiles>
// CHECK-SAME: bytes = 28672
// CHECK-NEXT: ein.cast
// CHECK-NEXT: ein.contract
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @shared.2(%{{.*}}: tensor<64x64xf32>, %{{.*}}: tensor<32x64xbf16>) -> tensor<64x4x8xf32>
// CHECK-NEXT: %[[S:.*]] = ein.split %{{.*}} axis 0 : (tensor<32x64xbf16>) -> tensor<4x8x64xbf16>
// CHECK-NEXT: %[[C:.*]] = ein.cast %[[S]]
// CHECK-NEXT: ein.contract "ad,bcd->abc" %{{.*}}, %[[C]]
ein.func @shared(%x: tensor<64x32xf32>, %n: tensor<32x64xbf16>) -> (tensor<64x4x8xf32>, tensor<32x64xf32>) {
  %w = ein.cast %n : (tensor<32x64xbf16>) -> tensor<32x64xf32>
  %0 = ein.contract "ac,cb->ab" %x, %w order [2] : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %s = ein.split %w axis 0 : (tensor<32x64xf32>) -> tensor<4x8x64xf32>
  %1 = ein.contract "ad,bcd->abc" %0, %s order [3] : (tensor<64x64xf32>, tensor<4x8x64xf32>) -> tensor<64x4x8xf32>
  %2 = ein.map exp "ab->ab" %w : (tensor<32x64xf32>) -> tensor<32x64xf32>
  ein.return %1, %2 : tensor<64x4x8xf32>, tensor<32x64xf32>
}

// One that the body returns, too, is given for that; a widened gather keeps its kernel's table.
// CHECK: plan.kernel @returned.0(%{{.*}}: tensor<8x32x64xf16>, %{{.*}}: tensor<64xi32>) -> tensor<64x32x64xf32>
// CHECK-NEXT: ein.gather
// CHECK-NEXT: ein.cast
// CHECK: plan.kernel @returned.1(%{{.*}}: tensor<64x32xf32>, %{{.*}}: tensor<8x32x64xf16>, %{{.*}}: tensor<64xi32>) -> tensor<64x64xf32>
// CHECK-SAME: by = #plan<by tiles>
// CHECK-NEXT: ein.gather
// CHECK-NEXT: ein.cast
// CHECK-NEXT: ein.contract
ein.func @returned(%x: tensor<64x32xf32>, %n: tensor<8x32x64xf16>, %k: tensor<64xi32>) -> (tensor<64x32x64xf32>, tensor<64x64xf32>) {
  %0 = ein.gather "icb,i=a->acb" %n, %k : (tensor<8x32x64xf16>, tensor<64xi32>) -> tensor<64x32x64xf16>
  %w = ein.cast %0 : (tensor<64x32x64xf16>) -> tensor<64x32x64xf32>
  %1 = ein.contract "ac,acb->ab" %x, %w order [2] : (tensor<64x32xf32>, tensor<64x32x64xf32>) -> tensor<64x64xf32>
  ein.return %w, %1 : tensor<64x32x64xf32>, tensor<64x64xf32>
}

// What is rounded on the way is in memory as that; numbers that are made where they are read are not, so they are written.
// CHECK: plan.kernel @made.0(%{{.*}}: tensor<64x32xf32>) -> tensor<64x32xbf16>
// CHECK-NEXT: ein.map exp
// CHECK-NEXT: ein.cast
// CHECK-NEXT: plan.yield
// CHECK: plan.kernel @made.1() -> tensor<32xf32>
// CHECK: plan.kernel @made.2(%{{.*}}: tensor<64x32xbf16>, %{{.*}}: tensor<32xf32>) -> tensor<64xf32>
// CHECK-NEXT: ein.cast
// CHECK-NEXT: ein.contract
ein.func @made(%x: tensor<64x32xf32>) -> tensor<64xf32> {
  %0 = ein.map exp "ab->ab" %x : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %n = ein.cast %0 : (tensor<64x32xf32>) -> tensor<64x32xbf16>
  %w = ein.cast %n : (tensor<64x32xbf16>) -> tensor<64x32xf32>
  %t = ein.iota : tensor<32xi32>
  %s = ein.cast %t : (tensor<32xi32>) -> tensor<32xbf16>
  %r = ein.cast %s : (tensor<32xbf16>) -> tensor<32xf32>
  %1 = ein.contract "ab,b->a" %w, %r order [1] : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64xf32>
  ein.return %1 : tensor<64xf32>
}

// BLIS reads f32 and f64 alone.
// RUN: plc-opt %s --form-kernels=contractions=blis | FileCheck %s --check-prefix=BLIS
// BLIS-NOT: by blis
