// RUN: plc-opt %s --ein-precision | FileCheck %s
// RUN: plc-opt %s --ein-precision=compute=f64 | FileCheck %s --check-prefix=F64
// RUN: plc-opt %s --ein-precision=compute=mixed | FileCheck %s
// RUN: plc-opt %s --ein-precision=compute=half | FileCheck %s
// RUN: not plc-opt %s --ein-precision=compute=f16 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: {{.*}}precision{{.*}}'f16'

// CHECK-NOT: ein.real
// CHECK: ein.param @w : tensor<4xf32>
// F64: ein.param @w : tensor<4xf64>
ein.param @w : tensor<4x!ein.real> init normal(0.02, 0.0)
// What has a type of its own keeps it.
// CHECK: ein.param @f : tensor<4xf64>
ein.param @f : tensor<4xf64> init normal(0.02, 0.0)

// CHECK: ein.func @body(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// F64: ein.func @body(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf64>) -> tensor<4xf64>
ein.func @body(%x: tensor<4xf32>, %w: tensor<4x!ein.real>) -> tensor<4x!ein.real> attributes {num_params = 1 : i64} {
  // A constant stays the f64 of the source.
  // CHECK: ein.constant 1.000000e-01 : tensor<f32>
  %c = ein.constant 0.1 : tensor<!ein.real>
  // A cast that converts nothing any more is gone.
  // CHECK-NOT: ein.cast
  // F64: ein.cast %{{.*}} : (tensor<4xf32>) -> tensor<4xf64>
  %r = ein.cast %x : (tensor<4xf32>) -> tensor<4x!ein.real>
  %p = ein.map mul(%r, %c) over [4] maps [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>]
    : (tensor<4x!ein.real>, tensor<!ein.real>) -> tensor<4x!ein.real>
  %y = ein.map add(%p, %w) over [4] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]
    : (tensor<4x!ein.real>, tensor<4x!ein.real>) -> tensor<4x!ein.real>
  ein.return %y : tensor<4x!ein.real>
}
