// The code of a loop is that of one iteration, whatever their number.
// RUN: sed s/TURNS/16/g %s > %t.few.mlir && plc-opt %t.few.mlir --form-kernels --convert-kernels-to-loops -o %t.few
// RUN: sed s/TURNS/4096/g %s > %t.many.mlir && plc-opt %t.many.mlir --form-kernels --convert-kernels-to-loops -o %t.many
// RUN: cmp %t.few %t.many
// RUN: FileCheck %s < %t.many
// Two kernels of an iteration, of which the inner loop calls one, too.
// CHECK-COUNT-2: func.func @plc_kernel_
// CHECK-NOT: func.func

ein.func @recur(%h: tensor<7xf32>, %x: tensor<TURNSx3x7xf32>, %w: tensor<7x7xf32>) -> (tensor<7xf32>, tensor<TURNSx7xf32>) {
  %last, %all = ein.loop iterations TURNS carries(%h) slices(%x) with(%w) : (tensor<7xf32>, tensor<TURNSx3x7xf32>, tensor<7x7xf32>) -> (tensor<7xf32>, tensor<TURNSx7xf32>) {
  ^bb0(%carry: tensor<7xf32>, %slice: tensor<3x7xf32>, %weight: tensor<7x7xf32>):
    %y = ein.contract "b,ba->a" %carry, %weight order [1] : (tensor<7xf32>, tensor<7x7xf32>) -> tensor<7xf32>
    %next = ein.loop iterations 3 carries(%y) slices(%slice) with(%weight) : (tensor<7xf32>, tensor<3x7xf32>, tensor<7x7xf32>) -> tensor<7xf32> {
    ^bb0(%c: tensor<7xf32>, %p: tensor<7xf32>, %v: tensor<7x7xf32>):
      %z = ein.contract "b,ba->a" %c, %v order [1] : (tensor<7xf32>, tensor<7x7xf32>) -> tensor<7xf32>
      %s = ein.map add "a,a->a" %z, %p : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
      %t = ein.map tanh "a->a" %s : (tensor<7xf32>) -> tensor<7xf32>
      ein.return %t : tensor<7xf32>
    }
    ein.return %next, %next : tensor<7xf32>, tensor<7xf32>
  }
  ein.return %last, %all : tensor<7xf32>, tensor<TURNSx7xf32>
}
