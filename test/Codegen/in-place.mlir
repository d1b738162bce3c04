// A kernel that runs in place reads each element of its arguments before it writes one of a result. Only its scalars are known to be apart.
// RUN: plc-opt %s --convert-kernels-to-loops | FileCheck %s
// RUN: sed 's/in_place, //' %s | plc-opt --convert-kernels-to-loops | FileCheck %s --check-prefix=APART

// CHECK: func.func @plc_kernel_0(%{{.*}}: memref<32xf32>, %[[M:.*]]: memref<32xf32>, %{{.*}}: memref<1xf32> {llvm.noalias}, %[[N:.*]]: memref<32xf32>, %[[R:.*]]: memref<32xf32>,
// CHECK: scf.for
// CHECK: vector.{{.*}}store
// CHECK-NOT: vector.{{.*}}load %[[M]]
// CHECK: vector.{{.*}}store
// CHECK-NOT: vector.{{.*}}load
// CHECK: return
// APART: func.func @plc_kernel_0(%{{.*}}: memref<32xf32> {llvm.noalias}, %{{.*}}: memref<32xf32> {llvm.noalias}, %{{.*}}: memref<1xf32> {llvm.noalias}, %{{.*}}: memref<32xf32> {llvm.noalias}
plan.kernel @update(%w: tensor<32xf32>, %m: tensor<32xf32>, %rate: tensor<f32>) -> (tensor<32xf32>, tensor<32xf32>)
    attributes {by = #plan<by elementwise>, in_place, kind = #plan<kind elementwise>, ns = 10 : i64} {
  %n = ein.map mul ",a->a" %rate, %m : (tensor<f32>, tensor<32xf32>) -> tensor<32xf32>
  %v = ein.map sub "a,a->a" %w, %m : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  plan.yield %n, %v : tensor<32xf32>, tensor<32xf32>
}
