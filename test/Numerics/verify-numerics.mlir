// The key is the hash of the program: locations and the names of its values are no part of it, constants are.
// RUN: plc-opt %s --verify-numerics -o /dev/null 2>&1 | FileCheck %s
// RUN: sed -e 's/%x/%renamed/g' %s | plc-opt --verify-numerics -o /dev/null 2>&1 | FileCheck %s
// RUN: sed -e 's/2.0/3.0/' %s | plc-opt --verify-numerics -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not plc-opt %s --verify-numerics=key=0 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: plc-opt %s --verify-numerics=key=aa47fa95ff83a3e973e380e006830d45ffdb442826b22ff6d9ee00461eef29ca
// CHECK: remark: numerics key is 'aa47fa95ff83a3e973e380e006830d45ffdb442826b22ff6d9ee00461eef29ca'
// OTHER-NOT: aa47fa95ff83a3e973e380e006830d45ffdb442826b22ff6d9ee00461eef29ca
// OTHER: remark: numerics key is '{{[0-9a-f]+}}'
// WRONG: error: numerics key is 'aa47fa95ff83a3e973e380e006830d45ffdb442826b22ff6d9ee00461eef29ca' but expected '0'

ein.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = ein.constant 2.0 : tensor<f32>
  %0 = ein.map mul(%x, %c) over [4] maps [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>]
    : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
