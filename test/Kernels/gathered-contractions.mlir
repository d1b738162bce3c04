// A table that positions choose parts of is read where it is used: its gather stands in the kernel of the contraction, and
// outer products in that of the scatter that adds them. No kernel gives either.
// RUN: plc-opt %s --form-kernels=contractions=own | FileCheck %s

// Each contraction has a gather of its own, by tiles as large ones are; what else reads the gather's result has a kernel that
// gives it.
// CHECK: plan.kernel @experts.0(%{{.*}}: tensor<64x32xf32>, %{{.*}}: tensor<8x32x64xf32>, %{{.*}}: tensor<64x2xi32>) -> tensor<64x2x64xf32>
// CHECK-SAME: by = #plan<by tiles>
// CHECK-NEXT: ein.gather
// CHECK-NEXT: ein.contract
// CHECK-NEXT: plan.yield %{{.*}} : tensor<64x2x64xf32>
// CHECK: plan.kernel @experts.1(%{{.*}}: tensor<64x2x64xf32>, %{{.*}}: tensor<8x32x64xf32>, %{{.*}}: tensor<64x2xi32>) -> tensor<64x2x32xf32>
// CHECK-SAME: by = #plan<by tiles>
// CHECK-NEXT: ein.gather
// CHECK-NEXT: ein.contract
ein.func @experts(%x: tensor<64x32xf32>, %w: tensor<8x32x64xf32>, %k: tensor<64x2xi32>) -> (tensor<64x2x64xf32>, tensor<64x2x32xf32>) {
  %0 = ein.gather "idc,i=ab->abcd" %w, %k : (tensor<8x32x64xf32>, tensor<64x2xi32>) -> tensor<64x2x64x32xf32>
  %1 = ein.contract "ad,abcd->abc" %x, %0 order [3] : (tensor<64x32xf32>, tensor<64x2x64x32xf32>) -> tensor<64x2x64xf32>
  %2 = ein.contract "abc,abcd->abd" %1, %0 order [2] : (tensor<64x2x64xf32>, tensor<64x2x64x32xf32>) -> tensor<64x2x32xf32>
  ein.return %1, %2 : tensor<64x2x64xf32>, tensor<64x2x32xf32>
}

// CHECK: plan.kernel @read_twice.0(
// CHECK-NEXT: ein.gather
// CHECK-NEXT: plan.yield %{{.*}} : tensor<64x64x32xf32>
// CHECK: plan.kernel @read_twice.1(
// CHECK-NEXT: ein.gather
// CHECK-NEXT: ein.contract
ein.func @read_twice(%x: tensor<64x32xf32>, %w: tensor<8x32x64xf32>, %k: tensor<64xi32>) -> (tensor<64x64x32xf32>, tensor<64x64xf32>) {
  %0 = ein.gather "icb,i=a->abc" %w, %k : (tensor<8x32x64xf32>, tensor<64xi32>) -> tensor<64x64x32xf32>
  %1 = ein.contract "ac,abc->ab" %x, %0 order [2] : (tensor<64x32xf32>, tensor<64x64x32xf32>) -> tensor<64x64xf32>
  ein.return %0, %1 : tensor<64x64x32xf32>, tensor<64x64xf32>
}

// The table is made by a kernel before, and read by one that there is already.
// CHECK: plan.kernel @made.0(
// CHECK-NEXT: ein.map exp
// CHECK: %[[TABLE:.*]] = plan.call @made.0
// CHECK-NEXT: plan.call @read_twice.1(%{{.*}}, %[[TABLE]], %{{.*}})
ein.func @made(%x: tensor<64x32xf32>, %w: tensor<8x32x64xf32>, %k: tensor<64xi32>) -> tensor<64x64xf32> {
  %e = ein.map exp "abc->abc" %w : (tensor<8x32x64xf32>) -> tensor<8x32x64xf32>
  %0 = ein.gather "icb,i=a->abc" %e, %k : (tensor<8x32x64xf32>, tensor<64xi32>) -> tensor<64x64x32xf32>
  %1 = ein.contract "ac,abc->ab" %x, %0 order [2] : (tensor<64x32xf32>, tensor<64x64x32xf32>) -> tensor<64x64xf32>
  ein.return %1 : tensor<64x64xf32>
}

// CHECK: plan.kernel @products.0(%{{.*}}: tensor<64x2xi32>, %{{.*}}: tensor<8x64x32xf32>) -> tensor<8x64x32xf32>
// CHECK-SAME: kind = #plan<kind scatter>
// CHECK-NEXT: ein.map mul
// CHECK-NEXT: ein.scatter_add
ein.func @products(%x: tensor<64x32xf32>, %h: tensor<64x2x64xf32>, %k: tensor<64x2xi32>, %acc: tensor<8x64x32xf32>) -> tensor<8x64x32xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.map mul "ad,abc->abcd" %x, %h : (tensor<64x32xf32>, tensor<64x2x64xf32>) -> tensor<64x2x64x32xf32>
  %1 = ein.scatter_add "abcd,i=ab->icd" %0, %k into %acc : tensor<8x64x32xf32> : (tensor<64x2x64x32xf32>, tensor<64x2xi32>) -> tensor<8x64x32xf32>
  ein.return %1 : tensor<8x64x32xf32>
}

// Of a product that is rounded with the sum there is no map.
// CHECK: plan.kernel @factor.0(%{{.*}}: tensor<64x32xf32>, %{{.*}}: tensor<64x2xi32>, %{{.*}}: tensor<64x2x64xf32>) -> tensor<8x64x32xf32>
// CHECK-SAME: kind = #plan<kind scatter>
// CHECK-NEXT: ein.scatter_add "ab,i=ac,acd->idb"
ein.func @factor(%x: tensor<64x32xf32>, %h: tensor<64x2x64xf32>, %k: tensor<64x2xi32>) -> tensor<8x64x32xf32> {
  %0 = ein.scatter_add "ab,i=ac,acd->idb" %x, %k, %h : (tensor<64x32xf32>, tensor<64x2xi32>, tensor<64x2x64xf32>) -> tensor<8x64x32xf32>
  ein.return %0 : tensor<8x64x32xf32>
}

// A product of what has the whole domain is no smaller than what it is made of: it may join other maps.
// CHECK: plan.kernel @weighed.0(
// CHECK-NEXT: ein.map exp
// CHECK-NEXT: ein.map mul
// CHECK: plan.kernel @weighed.1(
// CHECK-NEXT: ein.scatter_add
ein.func @weighed(%x: tensor<64x32xf32>, %w: tensor<64xf32>, %k: tensor<64xi32>) -> tensor<8x32xf32> {
  %e = ein.map exp "ab->ab" %x : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %0 = ein.map mul "ab,a->ab" %e, %w : (tensor<64x32xf32>, tensor<64xf32>) -> tensor<64x32xf32>
  %1 = ein.scatter_add "ab,i=a->ib" %0, %k : (tensor<64x32xf32>, tensor<64xi32>) -> tensor<8x32xf32>
  ein.return %1 : tensor<8x32xf32>
}

// A sum over the rows that positions name: no kernel gives the rows.
// CHECK: plan.kernel @bag.0(%{{.*}}) -> tensor<64x32xf32>
// CHECK-SAME: kind = #plan<kind columns>
// CHECK-NEXT: ein.gather
// CHECK-NEXT: ein.map mul
// CHECK-NEXT: ein.reduce sum
ein.func @bag(%w: tensor<64x5xf32>, %table: tensor<100x32xf32>, %k: tensor<64x5xi32>) -> tensor<64x32xf32> {
  %0 = ein.gather "ic,i=ab->abc" %table, %k : (tensor<100x32xf32>, tensor<64x5xi32>) -> tensor<64x5x32xf32>
  %1 = ein.map mul "ab,abc->abc" %w, %0 : (tensor<64x5xf32>, tensor<64x5x32xf32>) -> tensor<64x5x32xf32>
  %2 = ein.reduce sum "abc->ac" %1 order chain : (tensor<64x5x32xf32>) -> tensor<64x32xf32>
  ein.return %2 : tensor<64x32xf32>
}
